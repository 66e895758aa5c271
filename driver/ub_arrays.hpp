// Arrays in UB, `__ubuf__ float x[64];`, of sources that include the SIMD C API.
#pragma once

#include <string>

namespace davsim::driver {

/// What c_api/asc_simd.h makes of __ubuf__.
inline constexpr const char* kUbMark = "__davsim_ubuf__";

/// `text` without the mark. An array that is declared with it becomes a reference to one in UB, of
/// a davsim::api::UbArrays of its scope. Lines stay where they are.
std::string with_ub_arrays(std::string text);

}  // namespace davsim::driver
