#include "runtime/basic_operators/reduce_task.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace davsim::basic {
namespace {

using davsim_basic::Arithmetic;
using davsim_basic::ReduceMap;
using runtime::BoundTensor;

template <class T>
T mapped(const ReduceTask& task, T x, T shift) {
  switch (task.map) {
    case ReduceMap::kNone:
      return x;
    case ReduceMap::kAbs:
      return x < 0 ? -x : x;
    case ReduceMap::kNotZero:
      return x != 0;
    case ReduceMap::kNanToZero:
      return x == x ? x : 0;
    case ReduceMap::kPower:
      return static_cast<T>(std::pow(std::fabs(static_cast<double>(x)), task.power));
    case ReduceMap::kSquare:
      return x * x;
    case ReduceMap::kSquareOfDifference:
      return (x - shift) * (x - shift);
    case ReduceMap::kExpOfDifference:
      return static_cast<T>(std::exp(static_cast<double>(x - shift)));
  }
  return x;
}

/// Whole numbers wrap around.
template <class T>
T combined(Arithmetic op, T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    const auto a = static_cast<std::uint64_t>(x), b = static_cast<std::uint64_t>(y);
    if (op == Arithmetic::kAdd) return static_cast<T>(a + b);
    if (op == Arithmetic::kMul) return static_cast<T>(a * b);
  }
  switch (op) {
    case Arithmetic::kAdd:
      return x + y;
    case Arithmetic::kMul:
      return x * y;
    case Arithmetic::kMax:
      return x != x || x > y ? x : y;
    case Arithmetic::kMin:
      return x != x || x < y ? x : y;
    default:
      return x;
  }
}

template <class T>
void reduce(const ReduceTask& task, const BoundTensor& to, std::span<const BoundTensor> from) {
  const auto* const x = reinterpret_cast<const T*>(from[0].first());
  const auto* const shift = from.size() > 1 ? reinterpret_cast<const T*>(from[1].first()) : nullptr;
  auto* const out = reinterpret_cast<T*>(to.first());
  const std::int64_t rows = from[0].shape.GetDim(0), length = from[0].shape.GetDim(1);
  for (std::int64_t row = 0; row < rows; ++row) {
    const T own = shift == nullptr ? T(0) : shift[row];
    T total = mapped(task, x[row * length], own);
    for (std::int64_t i = 1; i < length; ++i) {
      total = combined(task.op, total, mapped(task, x[row * length + i], own));
    }
    out[row] = task.scale == 1 ? total : static_cast<T>(total * task.scale);
  }
}

template <class T>
void find(const BoundTensor& values, const BoundTensor& places, const BoundTensor& rows,
          bool least) {
  const auto* const x = reinterpret_cast<const T*>(rows.first());
  auto* const best = reinterpret_cast<T*>(values.first());
  auto* const place = reinterpret_cast<std::int32_t*>(places.first());
  const std::int64_t count = rows.shape.GetDim(0), length = rows.shape.GetDim(1);
  for (std::int64_t row = 0; row < count; ++row) {
    std::int64_t at = 0;
    for (std::int64_t i = 1; i < length; ++i) {
      const T is = x[row * length + i], so_far = x[row * length + at];
      if (so_far != so_far) break;
      if (is != is || (least ? is < so_far : is > so_far)) at = i;
    }
    best[row] = x[row * length + at];
    place[row] = static_cast<std::int32_t>(at);
  }
}

}  // namespace

void ReduceTask::run(const BoundTensor& to, std::span<const BoundTensor> from) const {
  if (to.type == ge::DT_DOUBLE) return reduce<double>(*this, to, from);
  reduce<std::int64_t>(*this, to, from);
}

void find_best(const BoundTensor& values, const BoundTensor& places, const BoundTensor& rows,
               bool least) {
  if (rows.type == ge::DT_DOUBLE) return find<double>(values, places, rows, least);
  find<std::int64_t>(values, places, rows, least);
}

}  // namespace davsim::basic
