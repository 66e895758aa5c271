// Another path of the header.
#pragma once

#include "lib/matmul_intf.h"
