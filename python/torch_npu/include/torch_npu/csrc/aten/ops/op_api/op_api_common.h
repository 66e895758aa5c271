// Older sources include EXEC_NPU_CMD by this name.
#pragma once

#include "op_plugin/utils/op_api_common.h"
