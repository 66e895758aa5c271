// lib/matmul_intf.h under another name of the public interface.
#pragma once

#include "lib/matmul_intf.h"
