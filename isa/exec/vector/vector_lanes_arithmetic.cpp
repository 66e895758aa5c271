// Lanes of the instructions with exact or once-rounded results: sums, products, quotients, maxima,
// bits, fills and copies.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/exec/vector/vector_lanes_arithmetic.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes first.
#include "hwy/highway.h"
#include "isa/exec/vector/vector_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace davsim::isa::HWY_NAMESPACE {
namespace {

/// Integers wrap around. They are computed as unsigned integers of 32 bits or more.
template <class T, class Compute>
HWY_INLINE T wrapped(T a, T b, Compute compute) {
  return static_cast<T>(compute(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)));
}

struct AddOp {
  HWY_INLINE float operator()(float a, float b) const { return canonical(a + b); }
  template <std::integral T>
  HWY_INLINE T operator()(T a, T b) const {
    return wrapped(a, b, [](std::uint32_t x, std::uint32_t y) { return x + y; });
  }
};

struct SubOp {
  HWY_INLINE float operator()(float a, float b) const { return canonical(a - b); }
  template <std::integral T>
  HWY_INLINE T operator()(T a, T b) const {
    return wrapped(a, b, [](std::uint32_t x, std::uint32_t y) { return x - y; });
  }
};

struct MulOp {
  HWY_INLINE float operator()(float a, float b) const { return canonical(a * b); }
  template <std::integral T>
  HWY_INLINE T operator()(T a, T b) const {
    return wrapped(a, b, [](std::uint32_t x, std::uint32_t y) { return x * y; });
  }
};

struct DivOp {
  HWY_INLINE float operator()(float a, float b) const { return canonical(a / b); }
};

HWY_INLINE bool unordered(float a, float b) {
  return (a != a) | (b != b);
}

// NaN wins over numbers, and -0 is less than +0. Equal numbers have different bits only if they are
// zeros of different signs.
struct MaxOp {
  HWY_INLINE float operator()(float a, float b) const {
    const float equal =
        std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) & std::bit_cast<std::uint32_t>(b));
    const float larger = a > b ? a : a == b ? equal : b;
    return unordered(a, b) ? std::numeric_limits<float>::quiet_NaN() : larger;
  }
  template <std::integral T>
  HWY_INLINE T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};

struct MinOp {
  HWY_INLINE float operator()(float a, float b) const {
    const float equal =
        std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) | std::bit_cast<std::uint32_t>(b));
    const float smaller = a < b ? a : a == b ? equal : b;
    return unordered(a, b) ? std::numeric_limits<float>::quiet_NaN() : smaller;
  }
  template <std::integral T>
  HWY_INLINE T operator()(T a, T b) const {
    return a < b ? a : b;
  }
};

struct AndOp {
  HWY_INLINE std::uint16_t operator()(std::uint16_t a, std::uint16_t b) const { return a & b; }
};
struct OrOp {
  HWY_INLINE std::uint16_t operator()(std::uint16_t a, std::uint16_t b) const { return a | b; }
};
struct NotOp {
  HWY_INLINE std::uint16_t operator()(std::uint16_t a) const {
    return static_cast<std::uint16_t>(~a);
  }
};

struct AbsOp {
  HWY_INLINE float operator()(float a) const {
    return canonical(std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) & 0x7fffffffu));
  }
};

struct ReluOp {
  HWY_INLINE float operator()(float a) const {
    // A number is positive if its bits are a positive integer.
    const std::int32_t bits = std::bit_cast<std::int32_t>(a);
    const auto number = std::bit_cast<float>(bits > 0 ? bits : 0);
    return a == a ? number : std::numeric_limits<float>::quiet_NaN();
  }
  HWY_INLINE std::int32_t operator()(std::int32_t a) const { return a > 0 ? a : 0; }
};

/// dst += src0 * src1, the product rounded to fp32 before the sum.
void mul_add_float(void* dst, const void* src0, const void* src1, std::uint64_t, std::size_t n) {
  auto* to = static_cast<float*>(dst);
  const auto* a = static_cast<const float*>(src0);
  const auto* b = static_cast<const float*>(src1);
  DAVSIM_INDEPENDENT_LANES
  for (std::size_t i = 0; i < n; ++i) to[i] = canonical(to[i] + a[i] * b[i]);
}

/// dst += src0 * scalar, likewise.
void axpy_float(void* dst, const void* src0, const void*, std::uint64_t scalar, std::size_t n) {
  auto* to = static_cast<float*>(dst);
  const auto* a = static_cast<const float*>(src0);
  const auto b = scalar_of<float>(scalar);
  DAVSIM_INDEPENDENT_LANES
  for (std::size_t i = 0; i < n; ++i) to[i] = canonical(to[i] + a[i] * b);
}

/// dst += kProduct(src0, src1) on half lanes: the product is rounded to half before the sum.
template <LaneFn kProduct>
void accumulate_half(void* dst, const void* src0, const void* src1, std::uint64_t scalar,
                     std::size_t n) {
  std::uint16_t products[kHalfChunk];
  auto* to = static_cast<std::uint16_t*>(dst);
  const auto* a = static_cast<const std::uint16_t*>(src0);
  const auto* b = static_cast<const std::uint16_t*>(src1);
  for (std::size_t done = 0; done < n; done += kHalfChunk) {
    const std::size_t lanes = std::min(n - done, kHalfChunk);
    kProduct(products, a + done, b == nullptr ? nullptr : b + done, scalar, lanes);
    half_lanes<binary_lanes<float, AddOp>>(to + done, to + done, products, 0, lanes);
  }
}

/// dst += kProduct(src0, src1) with half sources and an fp32 destination. The product of two halves
/// is exact.
template <LaneFn kFloatLanes>
void accumulate_half_in_float(void* dst, const void* src0, const void* src1, std::uint64_t scalar,
                              std::size_t n) {
  alignas(64) float a[kHalfChunk], b[kHalfChunk];
  auto* to = static_cast<float*>(dst);
  const auto* from0 = static_cast<const std::uint16_t*>(src0);
  const auto* from1 = static_cast<const std::uint16_t*>(src1);
  const std::uint64_t wide_scalar =
      std::bit_cast<std::uint32_t>(static_cast<float>(scalar_of<half>(scalar)));
  for (std::size_t done = 0; done < n; done += kHalfChunk) {
    const std::size_t lanes = std::min(n - done, kHalfChunk);
    widen(from0 + done, a, lanes);
    if (from1 != nullptr) widen(from1 + done, b, lanes);
    kFloatLanes(to + done, a, b, wide_scalar, lanes);
  }
}

template <class T>
void duplicate_lanes(void* dst, const void*, const void*, std::uint64_t scalar, std::size_t n) {
  std::fill_n(static_cast<T*>(dst), n, static_cast<T>(scalar));
}

template <class T>
void copy_lanes(void* dst, const void* src0, const void*, std::uint64_t, std::size_t n) {
  std::memmove(dst, src0, n * sizeof(T));
}

template <class Op>
void add_float_and_half(LaneTable& table, Opcode op) {
  table.set(op, DType::kF32, binary_lanes<float, Op>);
  table.set(op, DType::kF16, half_lanes<binary_lanes<float, Op>>);
}

template <class Op>
void add_four_types(LaneTable& table, Opcode op) {
  add_float_and_half<Op>(table, op);
  table.set(op, DType::kI16, binary_lanes<std::int16_t, Op>);
  table.set(op, DType::kI32, binary_lanes<std::int32_t, Op>);
}

template <class Op>
void add_four_types_with_scalar(LaneTable& table, Opcode op) {
  table.set(op, DType::kF32, scalar_lanes<float, Op>);
  table.set(op, DType::kF16, half_lanes<scalar_lanes<float, Op>>);
  table.set(op, DType::kI16, scalar_lanes<std::int16_t, Op>);
  table.set(op, DType::kI32, scalar_lanes<std::int32_t, Op>);
}

template <class Op>
void add_unary(LaneTable& table, Opcode op) {
  table.set(op, DType::kF32, unary_lanes<float, Op>);
  table.set(op, DType::kF16, half_lanes<unary_lanes<float, Op>>);
}

void add_accumulations(LaneTable& table) {
  using Product = MulOp;
  table.set(Opcode::kMulAddDst, DType::kF32, mul_add_float);
  table.set(Opcode::kMulAddDst, DType::kF16,
            accumulate_half<half_lanes<binary_lanes<float, Product>>>);
  table.set(Opcode::kMulAddDst, DType::kF32, DType::kF16, accumulate_half_in_float<mul_add_float>);
  table.set(Opcode::kAxpy, DType::kF32, axpy_float);
  table.set(Opcode::kAxpy, DType::kF16, accumulate_half<half_lanes<scalar_lanes<float, Product>>>);
  table.set(Opcode::kAxpy, DType::kF32, DType::kF16, accumulate_half_in_float<axpy_float>);
}

void add_bits_and_fills(LaneTable& table) {
  for (DType type : {DType::kI16, DType::kU16}) {
    table.set(Opcode::kAnd, type, binary_lanes<std::uint16_t, AndOp>);
    table.set(Opcode::kOr, type, binary_lanes<std::uint16_t, OrOp>);
    table.set(Opcode::kNot, type, unary_lanes<std::uint16_t, NotOp>);
  }
  for (DType type : {DType::kI16, DType::kU16, DType::kF16, DType::kBF16}) {
    table.set(Opcode::kDuplicate, type, duplicate_lanes<std::uint16_t>);
    table.set(Opcode::kCopyUbToUb, type, copy_lanes<std::uint16_t>);
  }
  for (DType type : {DType::kI32, DType::kU32, DType::kF32}) {
    table.set(Opcode::kDuplicate, type, duplicate_lanes<std::uint32_t>);
    table.set(Opcode::kCopyUbToUb, type, copy_lanes<std::uint32_t>);
  }
}

void add_arithmetic(LaneTable& table) {
  add_four_types<AddOp>(table, Opcode::kAdd);
  add_four_types<SubOp>(table, Opcode::kSub);
  add_four_types<MulOp>(table, Opcode::kMul);
  add_four_types<MaxOp>(table, Opcode::kMax);
  add_four_types<MinOp>(table, Opcode::kMin);
  add_float_and_half<DivOp>(table, Opcode::kDiv);
  add_four_types_with_scalar<AddOp>(table, Opcode::kAdds);
  add_four_types_with_scalar<MulOp>(table, Opcode::kMuls);
  add_four_types_with_scalar<MaxOp>(table, Opcode::kMaxs);
  add_four_types_with_scalar<MinOp>(table, Opcode::kMins);
  add_unary<AbsOp>(table, Opcode::kAbs);
  add_unary<ReluOp>(table, Opcode::kRelu);
  table.set(Opcode::kRelu, DType::kI32, unary_lanes<std::int32_t, ReluOp>);
  add_accumulations(table);
  add_bits_and_fills(table);
}

}  // namespace
}  // namespace davsim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace davsim::isa {

HWY_EXPORT(add_arithmetic);

void add_arithmetic_lanes(LaneTable& table) {
  HWY_DYNAMIC_DISPATCH(add_arithmetic)(table);
}

}  // namespace davsim::isa
#endif  // HWY_ONCE
