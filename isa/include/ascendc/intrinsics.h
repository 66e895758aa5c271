// The compiler's intrinsics that kernels for NPU architecture 2201 call directly: thin names on the
// same instructions as the calls of AscendC. A pointer into an on-chip buffer is its byte offset
// there, which LocalTensor::GetPhyAddr returns; isa/core/local_pointer.hpp says how kernels
// dereference it.
#pragma once

#include "ascendc/intrinsics_convert.h"
#include "ascendc/intrinsics_copy.h"
#include "ascendc/intrinsics_cube.h"
#include "ascendc/intrinsics_order.h"
#include "ascendc/intrinsics_select.h"
#include "ascendc/intrinsics_system.h"
#include "ascendc/intrinsics_vector.h"

// The namespace in which the vendor's compiler has them.
#define __cce_scalar
