// The public name of what tiling_parse_context.h declares.
#pragma once

#include "exe_graph/runtime/tiling_parse_context.h"
