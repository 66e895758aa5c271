// Extensions include it without a folder.
#pragma once

#include "op_plugin/include/npu_cpp_extension.h"
