/* SPDX-License-Identifier: MIT */
#include "render/role.h"

#include <assert.h>

const bh_role bh_role_main = {BH_ROLE_MAIN};
const bh_role bh_role_render = {BH_ROLE_RENDER};

static _Thread_local unsigned bound_roles;

void bh_role_bind(unsigned roles) { bound_roles |= roles; }
void bh_role_unbind(unsigned roles) { bound_roles &= ~roles; }

void bh_role_assert_main(void)
{
    assert((!bound_roles || (bound_roles & BH_ROLE_MAIN)) && "belongs on the main thread");
}

void bh_role_assert_render(void)
{
    assert((!bound_roles || (bound_roles & BH_ROLE_RENDER)) && "belongs on the render thread");
}
