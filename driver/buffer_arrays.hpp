// Arrays in buffers of a core, `__ubuf__ float x[64];`, of sources that include the SIMD C API.
#pragma once

#include <string>

namespace davsim::driver {

/// `text` without the words that c_api/asc_simd.h makes of __ubuf__ and its like. An array that is
/// declared with one becomes a reference to one in that buffer, of a davsim::api::BufferArrays of
/// its scope. Lines stay where they are.
std::string with_buffer_arrays(std::string text);

}  // namespace davsim::driver
