// The operations of Fixpipe on the numbers of one row of C: rectify, scale, convert.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/exec/vector/vector_lanes.hpp"
#include "isa/instr/params.hpp"

namespace davsim::isa {

/// A quantisation word as the documentation of NPU architecture 2201 lays it out.
struct QuantWord {
  explicit QuantWord(std::uint64_t word);

  float scale;          ///< bits 13 to 31: a float of 10 bits of mantissa
  std::uint8_t shift;   ///< bits 32 to 35, 1 to 16, if bit 36 is set; else 0: no shift
  std::int16_t offset;  ///< bits 37 to 45
  bool is_signed;       ///< bit 46: int8, else uint8
};

/// True for the modes that take a word per column from the Fixpipe buffer.
bool takes_words_per_column(QuantMode mode);
/// True for the modes that take one word from the instruction.
bool takes_one_word(QuantMode mode);

/// Throws Fault(kParameter) if 2201 has no such conversion.
void require_quant_types(QuantMode mode, DType from, DType to);

/// Throws Fault(kParameter) if the scale is infinite, NaN or subnormal.
void require_scale(std::uint64_t word);

/// Converts rows of C; holds the words of all columns, decoded.
class RowQuantiser {
 public:
  /// `words` points to one word, or to one a column for the modes that take them; unused by the
  /// others.
  RowQuantiser(const FixpipeInstrParams& fixpipe, DType from, const std::byte* words);

  /// Converts the n elements (32 bits each) at `row`, which it may change, and returns where the
  /// result lies: n dense elements of the destination's type.
  const std::byte* convert(std::byte* row);

 private:
  const std::byte* rectify(std::byte* row);
  const std::byte* narrow_floats(std::byte* row, bool bfloat);
  const std::byte* dequantise(std::byte* row);
  const std::byte* quantise(std::byte* row);
  /// The 16-bit results, saturated where CTRL says so.
  const std::byte* narrowed();
  /// The source of the scaled modes as floats, integers shifted where their word says so.
  void load_floats(const std::byte* row);

  QuantMode mode_;
  bool relu_;
  DType from_;
  std::size_t n_;
  bool shifts_ = false;
  SaturateFn saturate_ = nullptr;  ///< for results of 16 bits; null: infinities and NaN stay
  std::vector<float> scale_, values_;
  std::vector<std::int32_t> shift_, offset_, low_, high_;
  std::vector<std::uint16_t> narrow_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace davsim::isa
