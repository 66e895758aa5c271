// The kernel API under the name of its types: all of it.
#pragma once

#include "kernel_operator.h"
