// kernel_tiling/kernel_tiling.h under another name of the public interface.
#pragma once

#include "kernel_tiling/kernel_tiling.h"
