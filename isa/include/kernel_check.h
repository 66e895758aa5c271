// The kernel API under the name of its checks: all of it.
#pragma once

#include "kernel_operator.h"
