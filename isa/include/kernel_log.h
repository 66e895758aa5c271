// The kernel API under the name of its messages: all of it.
#pragma once

#include "kernel_operator.h"
