// Operands of Mmad as float panels that a matrix-product kernel reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/instr/params.hpp"

namespace davsim::isa {

/// How float operands are rounded before they are multiplied.
enum class Hf32 : std::uint8_t { kOff, kNearestEven, kNearestAway };

/// fp32 to HF32: 11 of 23 bits of mantissa stay. Infinities and NaNs stay what they are.
float round_to_hf32(float value, Hf32 mode);

/// A in L0A (Zz) to row-major float [m][k], for rows of fractals `fractals_per_row` long.
void unpack_a(float* panel, const std::byte* l0a, DType type, std::size_t m, std::size_t k,
              std::size_t fractals_per_row, Hf32 hf32);

/// A of a matrix-vector product: k consecutive elements.
void unpack_row(float* panel, const std::byte* l0a, DType type, std::size_t k, Hf32 hf32);

/// Columns [16 * block, 16 * block + 16) of B in L0B (Zn, `column_fractals` fractals a row) to
/// float [k][16]; columns from `n` on are 0. `panel` must have room for k rounded up to whole
/// fractals.
void unpack_b(float* panel, const std::byte* l0b, DType type, std::size_t block, std::size_t n,
              std::size_t k, std::size_t column_fractals, Hf32 hf32);

}  // namespace davsim::isa
