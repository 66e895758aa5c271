#include "isa/exec/move/move_atomic.hpp"

#include <cstring>
#include <limits>
#include <string>

#include "isa/instr/fault.hpp"
#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"

namespace davsim::isa {
namespace {

template <class T>
T added(T a, T b) {
  if constexpr (std::numeric_limits<T>::is_integer) {
    const std::int64_t sum = std::int64_t{a} + b;
    if (sum > std::numeric_limits<T>::max()) return std::numeric_limits<T>::max();
    if (sum < std::numeric_limits<T>::min()) return std::numeric_limits<T>::min();
    return static_cast<T>(sum);
  } else {
    return T(static_cast<float>(a) + static_cast<float>(b));
  }
}

template <class T>
T greater(T a, T b) {
  return static_cast<float>(b) > static_cast<float>(a) ? b : a;
}
template <>
std::int32_t greater(std::int32_t a, std::int32_t b) {
  return b > a ? b : a;
}

template <class T>
T lesser(T a, T b) {
  return static_cast<float>(b) < static_cast<float>(a) ? b : a;
}
template <>
std::int32_t lesser(std::int32_t a, std::int32_t b) {
  return b < a ? b : a;
}

template <class T, class Operation>
void for_each(std::byte* dst, const std::byte* src, std::size_t bytes, Operation operation) {
  for (std::size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T there, comes;  // GM addresses of moves need no alignment
    std::memcpy(&there, dst + at, sizeof(T));
    std::memcpy(&comes, src + at, sizeof(T));
    there = operation(there, comes);
    std::memcpy(dst + at, &there, sizeof(T));
  }
}

template <class T>
void combine_as(AtomicOp op, std::byte* dst, const std::byte* src, std::size_t bytes) {
  switch (op) {
    case AtomicOp::kNone:
      std::memcpy(dst, src, bytes);
      return;
    case AtomicOp::kAdd:
      return for_each<T>(dst, src, bytes, added<T>);
    case AtomicOp::kMax:
      return for_each<T>(dst, src, bytes, greater<T>);
    case AtomicOp::kMin:
      return for_each<T>(dst, src, bytes, lesser<T>);
  }
}

}  // namespace

void require_atomic_type(AtomicOp op, DType type) {
  if (op == AtomicOp::kNone) return;
  switch (type) {
    case DType::kF32:
    case DType::kF16:
    case DType::kBF16:
    case DType::kI32:
    case DType::kI16:
    case DType::kI8:
      return;
    default:
      break;
  }
  throw Fault(FaultClass::kParameter,
              "the atomic operation's type is " + std::string(dtype_name(type)) +
                  ", allowed are float32, float16, bfloat16, int32, int16 and int8");
}

void combine(AtomicOp op, DType type, std::byte* dst, const std::byte* src, std::size_t bytes) {
  switch (op == AtomicOp::kNone ? DType::kI8 : type) {
    case DType::kF32:
      return combine_as<float>(op, dst, src, bytes);
    case DType::kF16:
      return combine_as<half>(op, dst, src, bytes);
    case DType::kBF16:
      return combine_as<bfloat16_t>(op, dst, src, bytes);
    case DType::kI32:
      return combine_as<std::int32_t>(op, dst, src, bytes);
    case DType::kI16:
      return combine_as<std::int16_t>(op, dst, src, bytes);
    case DType::kI8:
      return combine_as<std::int8_t>(op, dst, src, bytes);
    default:
      return require_atomic_type(op, type);
  }
}

}  // namespace davsim::isa
