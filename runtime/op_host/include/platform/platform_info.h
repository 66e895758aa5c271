// The public name of what platform_infos_def.h declares.
#pragma once

#include "platform/platform_infos_def.h"
