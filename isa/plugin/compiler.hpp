// The headers of g++'s middle end. They depend on each other, and only this order compiles.
#pragma once

// clang-format off
#include "gcc-plugin.h"
#include "plugin-version.h"
#include "tree.h"
#include "backend.h"
#include "gimple.h"
#include "cp/cp-tree.h"
#include "tree-pass.h"
#include "context.h"
#include "diagnostic-core.h"
#include "fold-const.h"
#include "tree-vrp.h"
#include "gimple-expr.h"
#include "gimple-iterator.h"
#include "ssa.h"
#include "cfgloop.h"
#include "cfganal.h"
#include "cgraph.h"
#include "stringpool.h"
#include "attribs.h"
#include "tree-cfg.h"
#include "tree-eh.h"
#include "tree-dfa.h"
#include "tree-ssa-alias.h"
#include "gimplify.h"
#include "gimplify-me.h"
#include "real.h"
// clang-format on

// Of builtins.h, which needs the headers of a library for complex numbers.
extern unsigned int get_object_alignment(tree);
