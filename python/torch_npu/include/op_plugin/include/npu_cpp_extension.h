// What extensions for the two-phase functions include.
#pragma once

#include "op_plugin/utils/op_api_common.h"

namespace op_plugin::utils {}
namespace op_infer {}
