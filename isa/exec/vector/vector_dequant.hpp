// The quantisation words that CastDequant takes from DEQSCALE, decoded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace davsim::isa {

class CoreMemory;
struct Instr;

/// Words of the table form: one for each of the sixteen int16 elements of a DataBlock.
inline constexpr std::size_t kDequantWords = 16;
inline constexpr std::uint64_t kDequantTableBytes = kDequantWords * sizeof(std::uint64_t);

struct DequantTable {
  std::array<float, kDequantWords> scale;
  std::array<std::int32_t, kDequantWords> offset;
};

/// The words of a CastDequant record: its scalar for all elements, or, where it has a src1, the
/// sixteen that lie there.
/// Throws Fault(kParameter) if a word's sign bit does not fit the destination's type.
DequantTable dequant_table(const Instr& instr, const CoreMemory& memory);

/// Throws Fault if the table of a record with src1 does not lie in UB as it must.
void validate_dequant_table(const Instr& instr, const CoreMemory& memory);

}  // namespace davsim::isa
