/* SPDX-License-Identifier: MIT
 * vdom/apply.h — the reference applier: a model of the page that a patch sink edits.
 *
 * Independent of the diff: it knows DOM nodes by nid only, as the browser client does. Used by the
 * property tests, the fuzzer, and to check a resumed client against the server's tree. */
#ifndef BH_VDOM_APPLY_H
#define BH_VDOM_APPLY_H

#include "vdom/patch.h"

typedef struct bh_page_model bh_page_model;
bh_page_model *bh_page_model_new(const bh_names *names /* borrowed */);
void bh_page_model_free(bh_page_model *model);
bh_patch_sink bh_page_model_sink(bh_page_model *model);
/* True if the page shows exactly what `root` describes (structure, names, values, texts, nids). On
 * false, *ret_why (if not NULL) gets a sentence owned by the model. */
bool bh_page_model_equals(bh_page_model *model, const bh_node *root, const char **ret_why);
/* Operations that named an unknown nid, a wrong parent or a node twice; 0 in a right program. */
unsigned bh_page_model_faults(const bh_page_model *model);

#endif
