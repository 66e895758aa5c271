// The kernel API under the name of its helpers: all of it.
#pragma once

#include "kernel_operator.h"
