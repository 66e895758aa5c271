// The SIMD C API for NPU architecture 2201. Names and signatures are those of the public
// documentation. Each call is one or a few intrinsics.
#pragma once

#include "ascendc/buffer_arrays.h"
#include "c_api/cube_compute/cube_compute.h"
#include "c_api/cube_datamove/cube_datamove.h"
#include "c_api/misc/misc.h"
#include "c_api/scalar_compute/scalar_compute.h"
#include "c_api/sync/sync.h"
#include "c_api/sys_var/sys_var.h"
#include "c_api/vector_compute/vector_compute.h"
#include "c_api/vector_datamove/vector_datamove.h"

// davsim-cc looks for arrays behind these words, and takes them out.
#undef __ubuf__
#undef __cbuf__
#undef __ca__
#undef __cb__
#undef __cc__
#define __ubuf__ __davsim_ubuf__
#define __cbuf__ __davsim_cbuf__
#define __ca__ __davsim_ca__
#define __cb__ __davsim_cb__
#define __cc__ __davsim_cc__
