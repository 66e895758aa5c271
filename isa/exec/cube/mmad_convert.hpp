// Conversions between the cube's number formats in bulk, by the host's vector unit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/numeric/dtype.hpp"

namespace davsim::isa {

/// `count` elements of `type` (float16, bfloat16, int4, int8, float32) to float; exact.
void to_floats(float* to, const std::byte* from, DType type, std::size_t count);

/// `count` fractals, each 16 rows of 32 bytes, to floats with rows and columns exchanged: fractal i
/// becomes C0 rows of 16 floats at `to` + i * 16 * C0; fractals are `pitch` bytes apart.
void to_floats_transposed(float* to, const std::byte* from, DType type, std::size_t count,
                          std::size_t pitch);

/// float to half and bfloat16 bits, to nearest even; overflow gives infinity.
void to_halves(std::uint16_t* to, const float* from, std::size_t count);
void to_bfloats(std::uint16_t* to, const float* from, std::size_t count);

}  // namespace davsim::isa
