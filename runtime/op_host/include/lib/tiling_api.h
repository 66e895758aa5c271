// tiling/tiling_api.h under another name of the public interface.
#pragma once

#include "tiling/tiling_api.h"
