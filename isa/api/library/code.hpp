// What the high-level API is written with: vector instructions on tensors, each followed by the
// barrier that the next one needs. An operand of UB begins on a DataBlock of 32 bytes.
#pragma once

#include <cstdint>

#include "ascendc/library_call.h"
#include "isa/instr/opcode.hpp"
#include "isa/instr/params.hpp"

namespace davsim::api::lib {

constexpr std::uint32_t round_up(std::uint32_t value, std::uint32_t to) {
  return (value + to - 1) / to * to;
}

/// Where the operand of an instruction over rows lies.
struct View {
  enum class Kind : std::uint8_t {
    kAbsent,
    kMatrix,  ///< row r begins `pitch` elements behind row r - 1
    kVector,  ///< one row for all rows
    kBlocks,  ///< one DataBlock a row, for all elements of the row
    kBlock,   ///< one DataBlock for all elements of all rows
  };
  Tensor at;
  Kind kind = Kind::kAbsent;
  std::uint32_t pitch = 0;
};
inline View matrix(const Tensor& at, std::uint32_t pitch) {
  return {at, View::Kind::kMatrix, pitch};
}
inline View every_row(const Tensor& at) {
  return {at, View::Kind::kVector, 0};
}
inline View row_blocks(const Tensor& at) {
  return {at, View::Kind::kBlocks, 0};
}

inline View one_block(const Tensor& at) {
  return {at, View::Kind::kBlock, 0};
}

/// The instructions that the library is written with.
namespace op {
using enum isa::Opcode;
inline constexpr isa::Opcode kCopy = kCopyUbToUb, kSpread = kBrcb, kSumOfRow = kReduceSum,
                             kMaxOfRow = kReduceMax, kMinOfRow = kReduceMin;
}  // namespace op

/// What an instruction has beside its operands.
struct VectorExtra {
  std::uint64_t scalar = 0;  ///< bit pattern
  isa::RoundMode round = isa::RoundMode::kNone;
};

/// The vector code of one call. Every method ends with a barrier of pipe V.
class Code {
 public:
  using Op = isa::Opcode;

  /// Begins with a barrier: what the kernel gave the vector unit before is done.
  explicit Code(const Call& call);

  const Call& call() const { return call_; }

  // On `count` consecutive elements.
  void unary(Op code, const Tensor& y, const Tensor& x, std::uint32_t count) const;
  void binary(Op code, const Tensor& y, const Tensor& a, const Tensor& b,
              std::uint32_t count) const;
  /// The scalar is converted to the type of the elements.
  void scalar(Op code, const Tensor& y, const Tensor& x, double value, std::uint32_t count) const;
  void cast(const Tensor& y, const Tensor& x, isa::RoundMode mode, std::uint32_t count) const;
  void fill(const Tensor& y, double value, std::uint32_t count) const;
  void copy(const Tensor& y, const Tensor& x, std::uint32_t count) const;
  void shift_right(const Tensor& y, const Tensor& x, std::uint32_t bits, std::uint32_t count) const;

  // The arithmetic of formulas.
  void add(const Tensor& y, const Tensor& a, const Tensor& b, std::uint32_t n) const {
    binary(op::kAdd, y, a, b, n);
  }
  void sub(const Tensor& y, const Tensor& a, const Tensor& b, std::uint32_t n) const {
    binary(op::kSub, y, a, b, n);
  }
  void mul(const Tensor& y, const Tensor& a, const Tensor& b, std::uint32_t n) const {
    binary(op::kMul, y, a, b, n);
  }
  void div(const Tensor& y, const Tensor& a, const Tensor& b, std::uint32_t n) const {
    binary(op::kDiv, y, a, b, n);
  }
  void adds(const Tensor& y, const Tensor& x, double value, std::uint32_t n) const {
    scalar(op::kAdds, y, x, value, n);
  }
  void muls(const Tensor& y, const Tensor& x, double value, std::uint32_t n) const {
    scalar(op::kMuls, y, x, value, n);
  }
  void maxs(const Tensor& y, const Tensor& x, double value, std::uint32_t n) const {
    scalar(op::kMaxs, y, x, value, n);
  }
  void mins(const Tensor& y, const Tensor& x, double value, std::uint32_t n) const {
    scalar(op::kMins, y, x, value, n);
  }
  void exp(const Tensor& y, const Tensor& x, std::uint32_t n) const { unary(op::kExp, y, x, n); }
  void ln(const Tensor& y, const Tensor& x, std::uint32_t n) const { unary(op::kLn, y, x, n); }
  void abs(const Tensor& y, const Tensor& x, std::uint32_t n) const { unary(op::kAbs, y, x, n); }
  void sqrt(const Tensor& y, const Tensor& x, std::uint32_t n) const { unary(op::kSqrt, y, x, n); }

  // On the first `width` elements of `rows` rows. A row of a matrix begins on a DataBlock.
  using Extra = VectorExtra;
  void over_rows(Op code, std::uint32_t rows, std::uint32_t width, const View& y, const View& a,
                 const View& b = {}, const Extra& extra = {}) const;
  void cast_rows(std::uint32_t rows, std::uint32_t width, const View& y, const View& x,
                 isa::RoundMode mode) const;
  void scale_rows(Op code, std::uint32_t rows, std::uint32_t width, const View& y, const View& x,
                  double value) const;
  void fill_rows(std::uint32_t rows, std::uint32_t width, const View& y, double value) const;

  /// One value a row into `y`, one behind the other: kSumOfRow, kMaxOfRow or kMinOfRow. `work`
  /// has room for reduce_work(rows, width) elements.
  void reduce_rows(Op code, const Tensor& y, std::uint32_t rows, std::uint32_t width, const View& x,
                   const Tensor& work) const;
  static std::uint32_t reduce_work(std::uint32_t rows, std::uint32_t width);
  /// Element r of `x` fills DataBlock r of `y`. Whole groups of eight are read and written.
  void spread(const Tensor& y, const Tensor& x, std::uint32_t rows) const;
  /// The first element of DataBlock r of `x`, floats, is element r of `y`, which may begin
  /// anywhere.
  void gather_blocks(const Tensor& y, const Tensor& x, std::uint32_t rows) const {
    reduce_rows(op::kMaxOfRow, y, rows, 8, matrix(x, 8), {});
  }

  // Rows between the kernel's tensors, half or float, and floats.
  void load_rows(const View& floats, const View& user, std::uint32_t rows,
                 std::uint32_t width) const;
  void store_rows(const View& user, const View& floats, std::uint32_t rows,
                  std::uint32_t width) const;

  void barrier() const;
  /// The scalar unit reads what the vector unit wrote, and the other way round.
  void vector_to_scalar() const;
  void scalar_to_vector() const;

  /// The first `lanes` elements of each repeat to one, with no barrier behind them.
  void reduce_repeats(Op code, const Tensor& y, const Tensor& x, std::uint32_t lanes,
                      std::uint32_t repeats, std::uint32_t y_step, std::uint32_t x_pitch) const;

  /// Hands over one instruction, with no barrier behind it.
  void emit(Op code, const isa::Operand& y, const isa::Operand& a, const isa::Operand& b,
            isa::VectorParams params) const;

 private:
  isa::VectorParams counted(std::uint32_t count) const;
  void dense(Op code, const Tensor& y, const Tensor& a, const Tensor& b, std::uint32_t count,
             const Extra& extra) const;
  void fold_rows(Op code, const Tensor& y, std::uint32_t rows, std::uint32_t width, const View& x,
                 const Tensor& work) const;
  void reduce_parts(Op code, const Tensor& y, std::uint32_t rows, std::uint32_t width,
                    const View& x, const Tensor& work) const;

  Call call_;
};

/// Refuses a tensor of less than `elements` elements; `name` is "elements of src".
void require_elements(const Call& call, const char* name, const Tensor& tensor,
                      std::uint64_t elements);

/// The bit pattern of a number in a type of elements.
std::uint64_t scalar_bits(isa::DType type, double value);

/// Tensors one behind the other in a temporary buffer.
class Arena {
 public:
  /// `scratch` is what the kernel handed over; where it did not, what InitBuffer has left of UB.
  Arena(const Call& call, const Tensor& scratch);

  std::uint32_t bytes() const { return all_.bytes; }
  /// Refuses a buffer of less than `bytes`.
  void need(std::uint64_t bytes) const;
  Tensor take(isa::DType type, std::uint32_t elements);
  Tensor floats(std::uint32_t elements) { return take(isa::DType::kF32, elements); }

 private:
  Call call_;
  Tensor all_;
  std::uint32_t used_ = 0;
};

/// The most out of 1 to `most` for which `bytes(n)` bytes fit into the arena; refuses one that does
/// not even have bytes(1). From `grain` on multiples of it.
template <class Bytes>
std::uint32_t fitting(const Arena& arena, std::uint32_t most, std::uint32_t grain, Bytes bytes) {
  arena.need(bytes(std::min(1u, most)));
  std::uint32_t low = 1, high = most;
  while (low < high) {
    const std::uint32_t middle = low + (high - low + 1) / 2;
    if (bytes(middle) <= arena.bytes()) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low == most || low < grain ? low : low / grain * grain;
}

}  // namespace davsim::api::lib
