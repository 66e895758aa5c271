// The kernel API under the name of its events: all of it.
#pragma once

#include "kernel_operator.h"
