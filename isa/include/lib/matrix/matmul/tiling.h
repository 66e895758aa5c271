// Another path of the header.
#pragma once

#include "kernel_tiling/kernel_tiling.h"
