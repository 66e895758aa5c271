// Values that rows have one each, such as their maxima: in the work one behind the other, or in a
// DataBlock of eight equal floats a row; in tensors of the kernel in either form, as float or half.
#pragma once

#include "isa/api/library/code.hpp"

namespace davsim::api::lib {

class RowValues {
 public:
  RowValues() = default;
  /// `blocks`: the kernel's tensors have a DataBlock a row, else an element.
  RowValues(const Code& code, Arena& arena, std::uint32_t rows, bool blocks);

  /// One float a row; what is not a row is 0.
  const Tensor& dense() const { return dense_; }
  /// Rows `first` to `first + rows` of a tensor of the kernel into DataBlocks of floats.
  void load(const Tensor& blocks, const Tensor& user, std::uint32_t first, std::uint32_t rows);
  /// The other way round.
  void store(const Tensor& user, const Tensor& blocks, std::uint32_t first, std::uint32_t rows);

  /// Bytes in the arena.
  static std::uint32_t bytes(std::uint32_t rows) { return round_up(rows, 8) * (2 * 4 + 32) + 32; }

 private:
  const Code* code_ = nullptr;
  bool blocks_ = true;
  Tensor dense_;   ///< a float a row
  Tensor half_;    ///< a half a row, or a float
  Tensor staged_;  ///< a DataBlock a row
};

}  // namespace davsim::api::lib
