// The same by the path of the basic API's folder.
#pragma once

#include "kernel_operator.h"
