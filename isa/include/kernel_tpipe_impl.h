// The kernel API under the name of TPipe: all of it.
#pragma once

#include "kernel_operator.h"
