// Names of the numbers that functions of operators return.
#pragma once

typedef unsigned int UINT32;
typedef UINT32 KernelStatus;
