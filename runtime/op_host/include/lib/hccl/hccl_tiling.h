// tiling/hccl/hccl_tiling.h under another name of the public interface.
#pragma once

#include "tiling/hccl/hccl_tiling.h"
