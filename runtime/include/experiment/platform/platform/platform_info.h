// Descriptions of SoCs in the folder that build files of torch extensions name.
#pragma once

#include "../../../../op_host/include/platform/platform_info.h"
