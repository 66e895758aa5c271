// InitGlobalMemory, which belongs to the basic calls here.
#pragma once

#include "kernel_operator.h"
