// The kernel API under the name of its basic part: all of it.
#pragma once

#include "kernel_operator.h"
