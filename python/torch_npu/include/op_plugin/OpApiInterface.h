// Sources of operators include this beside op_api_common.h.
#pragma once

#include "op_plugin/utils/op_api_common.h"
