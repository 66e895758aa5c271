// The same by the path of the high-level API's folders.
#pragma once

#include "kernel_operator.h"
#include "lib/hccl/hccl.h"
