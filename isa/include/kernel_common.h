// The kernel API under the name of what all of it shares: all of it.
#pragma once

#include "kernel_operator.h"
