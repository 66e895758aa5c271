// Another name of the header.
#pragma once

#include "tiling/hccl/hccl_tiling.h"
