// The same by another path.
#pragma once

#include "ascendc/host_api/tiling/template_argument.h"
