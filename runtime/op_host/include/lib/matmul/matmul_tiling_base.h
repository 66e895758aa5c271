// lib/matmul/matmul_tiling.h under another name of the public interface.
#pragma once

#include "lib/matmul/matmul_tiling.h"
