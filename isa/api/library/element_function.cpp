// Runs functions that work element by element: pieces as large as the temporary buffer allows, and
// half by way of float.
#include <algorithm>

#include "ascendc/sync.h"
#include "ascendc/vector_function.h"
#include "isa/api/library/element_formulas.hpp"

namespace davsim::api::lib {

namespace {

struct Row {
  std::uint8_t sources, work;
  void (*formula)(const Piece&);
};

constexpr Row kRows[] = {
#define DAVSIM_ROW(name, sources, work) {sources, work, formula_##name},
    DAVSIM_ELEMENT_FUNCTIONS(DAVSIM_ROW)
#undef DAVSIM_ROW
};

void require_count(const Call& call, const char* name, const Tensor& tensor, std::uint32_t count) {
  if (tensor.present() && tensor.elements() < count) {
    refuse(call.name, "calCount", count, {"0 to ", tensor.elements(), name}, call.where);
  }
}

/// Whether there is anything to do; refuses counts beyond the tensors.
bool begins(const Call& call, const ElementTensors& t, std::uint32_t count) {
  if (!core_has(isa::Pipe::V) || count == 0) return false;
  require_count(call, ", the elements of dst", t.dst, count);
  require_count(call, ", the elements of the source", t.src0, count);
  require_count(call, ", the elements of the second source", t.src1, count);
  return true;
}

/// Calls `step(first, elements)` for pieces for which `tensors` tensors of `bytes` bytes an element
/// fit `arena`, and hands it the tensors.
template <class Step>
void each_piece(const Code& code, const Tensor& scratch, std::uint32_t tensors, isa::DType type,
                std::uint32_t count, Step step) {
  Tensor work[16];
  std::uint32_t room = count;
  if (tensors > 0) {
    Arena arena(code.call(), scratch);
    const auto bytes = static_cast<std::uint32_t>(isa::dtype_bits(type) / 8);
    constexpr std::uint32_t kGrain = sizes::kElementGrain;
    arena.need(std::uint64_t{tensors} * kGrain * bytes);
    room = std::min(arena.bytes() / (tensors * bytes) / kGrain * kGrain, round_up(count, kGrain));
    for (std::uint32_t i = 0; i < tensors; ++i) work[i] = arena.take(type, room);
  }
  for (std::uint32_t first = 0; first < count; first += room) {
    step(work, first, std::min(room, count - first));
  }
}

}  // namespace

void element_function(ElementFunction function, const Call& call, const ElementTensors& t,
                      std::uint32_t count) {
  if (!begins(call, t, count)) return;
  const Row& row = kRows[static_cast<std::size_t>(function)];
  const bool is_short = t.dst.type() != isa::DType::kF32;
  const bool has_scalar = t.scalar_src0 || t.scalar_src1;
  const std::uint32_t tensors =
      sizes::element_tensors(row.sources, row.work, is_short ? 2 : 4) + (!is_short && has_scalar);
  const Code code(call);
  each_piece(code, t.scratch, tensors, isa::DType::kF32, count,
             [&](Tensor* work, std::uint32_t first, std::uint32_t n) {
               Piece piece{code, {}, {}, {}, {}, n, t.scalar};
               std::copy_n(work, row.work, piece.w);
               Tensor* more = work + row.work;
               const auto source = [&](const Tensor& from, bool scalar) {
                 if (!scalar && !is_short) return from.from(first);
                 const Tensor wide = *more++;
                 if (scalar) {
                   code.fill(wide, t.scalar, n);
                 } else {
                   code.cast(wide, from.from(first), isa::RoundMode::kNone, n);
                 }
                 return wide;
               };
               piece.x = source(t.src0, t.scalar_src0);
               if (row.sources == 2) piece.x1 = source(t.src1, t.scalar_src1);
               piece.y = is_short ? *more : t.dst.from(first);
               row.formula(piece);
               if (is_short) {
                 code.cast(t.dst.from(first), piece.y, isa::RoundMode::kRint, n);
               }
             });
}

/// Squares the base for each bit of the exponent. int32_t wraps around, as on the device.
void integer_power(const Call& call, const ElementTensors& t, std::uint32_t count) {
  if (!begins(call, t, count)) return;
  const Code code(call);
  each_piece(code, t.scratch, sizes::kIntegerPowerTensors, isa::DType::kI32, count,
             [&](Tensor* work, std::uint32_t first, std::uint32_t n) {
               const Tensor &base = work[0], &bits = work[1], &result = work[2], &factor = work[3],
                            &more = work[4];
               const auto load = [&](const Tensor& to, const Tensor& from, bool scalar) {
                 if (scalar) {
                   code.fill(to, t.scalar, n);
                 } else {
                   code.copy(to, from.from(first), n);
                 }
               };
               load(base, t.src0, t.scalar_src0);
               load(bits, t.src1, t.scalar_src1);
               // more = 1 where a negative exponent leaves nothing: of bases but 1 and -1. The
               // magnitude of the smallest number stays negative; one less it is the largest.
               code.muls(more, base, -1, n);
               code.binary(op::kMax, more, more, base, n);
               code.adds(more, more, -1, n);
               code.mins(more, more, 1, n);
               code.mul(more, more, more, n);
               code.shift_right(factor, bits, 31, n);
               code.mul(more, more, factor, n);
               code.muls(more, more, -1, n);
               code.muls(factor, bits, -1, n);
               code.binary(op::kMax, bits, bits, factor, n);
               code.maxs(bits, bits, 0, n);  // the smallest number, which is even
               code.fill(result, 1, n);
               for (int bit = 0; bit < 31; ++bit) {
                 // factor = the base where the lowest bit is set, else 1
                 code.shift_right(factor, bits, 1, n);
                 code.muls(factor, factor, -2, n);
                 code.add(factor, factor, bits, n);
                 code.shift_right(bits, bits, 1, n);
                 code.adds(base, base, -1, n);
                 code.mul(factor, factor, base, n);
                 code.adds(factor, factor, 1, n);
                 code.adds(base, base, 1, n);
                 code.mul(result, result, factor, n);
                 code.mul(base, base, base, n);
               }
               code.muls(more, more, -1, n);
               code.adds(more, more, 1, n);
               code.mul(t.dst.from(first), result, more, n);
             });
}

void exclusive_or(const Call& call, const ElementTensors& t, std::uint32_t count) {
  if (!begins(call, t, count)) return;
  const Code code(call);
  each_piece(code, t.scratch, sizes::kXorTensors, t.dst.type(), count,
             [&](Tensor* work, std::uint32_t first, std::uint32_t n) {
               const Tensor a = t.src0.from(first), b = t.src1.from(first);
               code.binary(op::kAnd, work[0], a, b, n);
               code.unary(op::kNot, work[0], work[0], n);
               code.binary(op::kOr, work[1], a, b, n);
               code.binary(op::kAnd, t.dst.from(first), work[0], work[1], n);
             });
}

void axpy(const Call& call, const ElementTensors& t, std::uint32_t count) {
  if (!begins(call, t, count)) return;
  const Code code(call);
  each_piece(code, t.scratch, sizes::kAxpyTensors, t.dst.type(), count,
             [&](Tensor* work, std::uint32_t first, std::uint32_t n) {
               Tensor x = t.src0.from(first);
               if (t.src0.type() != t.dst.type()) {
                 code.cast(work[0], x, isa::RoundMode::kNone, n);
                 x = work[0];
               }
               code.muls(work[0], x, t.scalar, n);
               code.add(t.dst.from(first), t.dst.from(first), work[0], n);
             });
}

void clamp(const Call& call, const ElementTensors& t, bool upper, std::uint32_t count) {
  if (!begins(call, t, count)) return;
  Code(call).scalar(upper ? op::kMins : op::kMaxs, t.dst, t.src0, t.scalar, count);
}

}  // namespace davsim::api::lib
