// Another name of the header.
#pragma once

#include "tiling/tiling_api.h"
