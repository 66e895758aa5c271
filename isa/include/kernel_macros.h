// The kernel API under the name of its macros: all of it.
#pragma once

#include "kernel_operator.h"
