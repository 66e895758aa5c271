// The SIMD C API for NPU architecture 2201: what vector cores have of it. Names and signatures are
// those of the public documentation. Each call is one or a few intrinsics.
#pragma once

#include "ascendc/ub_array.h"
#include "c_api/misc/misc.h"
#include "c_api/sync/sync.h"
#include "c_api/sys_var/sys_var.h"
#include "c_api/vector_compute/vector_compute.h"
#include "c_api/vector_datamove/vector_datamove.h"

// davsim-cc looks for arrays behind this word, and takes it out.
#undef __ubuf__
#define __ubuf__ __davsim_ubuf__
