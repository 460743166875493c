/* SPDX-License-Identifier: MIT
 * render/role.h — who may call what: thread roles, checked by clang and at run time.
 *
 * A role is a capability for clang's -Wthread-safety: a function marked BH_ON_RENDER may be called
 * only where the render role is held, a field marked BH_RENDER_ONLY touched only there. Callbacks
 * (function pointers) are beyond that analysis, so the first line of each says
 * bh_role_assert_render() or bh_role_assert_main(): the compiler then knows, and a debug build
 * checks it.
 *
 * A thread takes its roles once, at its entry (bh_role_bind). Inline mode binds both roles to the
 * one thread. A thread that never bound anything (unit tests, tools) is not checked. */
#ifndef BH_RENDER_ROLE_H
#define BH_RENDER_ROLE_H

#if defined(__clang__)
#define BH_CAPABILITY(name) __attribute__((capability(name)))
#define BH_REQUIRES(role) __attribute__((requires_capability(role)))
#define BH_GUARDED_BY(role) __attribute__((guarded_by(role)))
#define BH_ASSERTS(role) __attribute__((assert_capability(role)))
#else
#define BH_CAPABILITY(name)
#define BH_REQUIRES(role)
#define BH_GUARDED_BY(role)
#define BH_ASSERTS(role)
#endif

typedef struct BH_CAPABILITY("role") bh_role {
    unsigned bit;
} bh_role;

extern const bh_role bh_role_main;   /* the network loop */
extern const bh_role bh_role_render; /* whatever renders */

#define BH_ON_MAIN BH_REQUIRES(bh_role_main)
#define BH_ON_RENDER BH_REQUIRES(bh_role_render)
#define BH_MAIN_ONLY BH_GUARDED_BY(bh_role_main)
#define BH_RENDER_ONLY BH_GUARDED_BY(bh_role_render)

enum { BH_ROLE_MAIN = 1u, BH_ROLE_RENDER = 2u };

/* Adds roles to / takes roles from the calling thread. */
void bh_role_bind(unsigned roles);
void bh_role_unbind(unsigned roles);

void bh_role_assert_main(void) BH_ASSERTS(bh_role_main);
void bh_role_assert_render(void) BH_ASSERTS(bh_role_render);

#endif
