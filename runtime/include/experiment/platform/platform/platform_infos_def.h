// The description of a SoC in the folder that build files of torch extensions name.
#pragma once

#include "../../../../op_host/include/platform/platform_infos_def.h"
