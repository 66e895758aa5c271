// Element-wise functions of the high-level API for half and float. They evaluate formulas with
// basic calls, in float for both types. Their scratch memory is what the caller names, or else the
// rest of UB after InitBuffer.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "ascendc/tpipe.h"
#include "ascendc/vector_binary.h"
#include "ascendc/vector_cast.h"
#include "ascendc/vector_duplicate.h"
#include "ascendc/vector_scalar.h"
#include "ascendc/vector_unary.h"
#include "isa/numeric/min_max.hpp"

namespace davsim::api {

using Scratch = AscendC::LocalTensor<std::uint8_t>;
using Floats = AscendC::LocalTensor<float>;

/// What InitBuffer has left of UB, where T and `work` tensors need any.
template <typename T, std::uint32_t work>
Scratch rest_of_ub(const char* call, Location where) {
  Scratch rest;
  if (work == 0 && std::is_same_v<T, float>) return rest;
  if (!AscendC::PopStackBuffer<std::uint8_t, AscendC::TPosition::LCM>(rest, where)) {
    queue_fault(call, AscendC::TPosition::MAX, "nothing is left of UB for its scratch", where);
  }
  return rest;
}

/// Runs `formula(y, x, work, n)` over `count` elements, as many at once as `scratch` has room for.
/// `work` are `kWork` tensors; half takes two more, for y and x.
template <std::uint32_t kWork, typename T, typename Formula>
void by_element(const char* call, const AscendC::LocalTensor<T>& dst,
                const AscendC::LocalTensor<T>& src, const Scratch& scratch, std::uint32_t count,
                Formula formula, Location where) {
  static_assert(std::is_same_v<T, isa::half> || std::is_same_v<T, float>,
                "functions by element take half and float");
  constexpr bool kIsHalf = std::is_same_v<T, isa::half>;
  constexpr std::uint32_t kTensors = kWork + (kIsHalf ? 2 : 0);
  std::array<Floats, kTensors> work;
  if constexpr (kTensors == 0) {
    formula(dst, src, work, count);
    return;
  }
  constexpr std::uint32_t kGrain = isa::kBlockBytes / sizeof(isa::half);
  const std::uint32_t room =
      scratch.GetSize() / std::max<std::size_t>(kTensors * sizeof(float), 1) / kGrain * kGrain;
  if (room == 0) {
    require_range(call, "bytes of sharedTmpBuffer", scratch.GetSize(),
                  kTensors * kGrain * sizeof(float), INT32_MAX, where);
  }
  const Floats tensors = scratch.ReinterpretCast<float>();
  for (std::uint32_t i = 0; i < kTensors; ++i) work[i] = tensors[i * room];
  for (std::uint32_t at = 0; at < count; at += room) {
    const std::uint32_t n = std::min(room, count - at);
    AscendC::PipeBarrier<PIPE_V>(where);  // the piece before has done with the scratch
    if constexpr (kIsHalf) {
      const Floats &y = work[kWork], &x = work[kWork + 1];
      AscendC::Cast(x, src[at], AscendC::RoundMode::CAST_NONE, n, where);
      AscendC::PipeBarrier<PIPE_V>(where);
      formula(y, x, work, n);
      AscendC::PipeBarrier<PIPE_V>(where);
      AscendC::Cast(dst[at], y, AscendC::RoundMode::CAST_RINT, n, where);
    } else {
      formula(dst[at], src[at], work, n);
    }
  }
}

/// Basic calls one after the other, each of which needs what the one before has written.
class InTurn {
 public:
  InTurn(std::uint32_t count, Location where)
      : count_(static_cast<std::int32_t>(count)), where_(where) {}

  /// t = 1 + exp(scale * x)
  void one_plus_exp(const Floats& t, const Floats& x, float scale) const {
    AscendC::Muls(t, x, scale, count_, where_);
    wait();
    AscendC::Exp(t, t, count_, where_);
    wait();
    AscendC::Adds(t, t, 1.0f, count_, where_);
    wait();
  }
  /// y = value / t; `all` holds the value.
  void divide(const Floats& y, float value, const Floats& t, const Floats& all) const {
    AscendC::Duplicate(all, value, count_, where_);
    wait();
    AscendC::Div(y, all, t, count_, where_);
  }
  void round(const Floats& y, const Floats& x, AscendC::RoundMode mode) const {
    AscendC::Cast(y, x, mode, static_cast<std::uint32_t>(count_), where_);
  }
  /// y = x / (1 + exp(-beta * x))
  void swish(const Floats& y, const Floats& x, const Floats& t, float beta) const {
    one_plus_exp(t, x, -beta);
    AscendC::Div(y, x, t, count_, where_);
  }
  /// y = x / (1 + exp(-sqrt(8 / pi) * (x + 0.044715 * x^3)))
  void gelu(const Floats& y, const Floats& x, const Floats& t) const {
    AscendC::Mul(t, x, x, count_, where_);
    wait();
    AscendC::Mul(t, t, x, count_, where_);
    wait();
    AscendC::Muls(t, t, 0.044715f, count_, where_);
    wait();
    AscendC::Add(t, t, x, count_, where_);
    wait();
    one_plus_exp(t, t, -1.5957691216f);
    AscendC::Div(y, x, t, count_, where_);
  }
  /// y = 1 - 2 / (1 + exp(2 * x)); exp may overflow
  void tanh(const Floats& y, const Floats& x, const Floats& t, const Floats& all) const {
    one_plus_exp(t, x, 2.0f);
    divide(t, -2.0f, t, all);
    wait();
    AscendC::Adds(y, t, 1.0f, count_, where_);
  }

 private:
  void wait() const { AscendC::PipeBarrier<PIPE_V>(where_); }

  std::int32_t count_;
  Location where_;
};

}  // namespace davsim::api

/// Defines the four forms of a function: with and without scratch, of so many elements and of all
/// of src. `formula` says y from x, with `work` and `turn` at hand.
#define DAVSIM_FUNCTION_BY_ELEMENT(Name, work_tensors, formula)                                 \
  template <typename T, bool isReuseSource = false>                                             \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                               \
            const LocalTensor<std::uint8_t>& sharedTmpBuffer, const std::uint32_t calCount,     \
            davsim::api::Location where = davsim::api::Location::current()) {                   \
    if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;                                   \
    davsim::api::by_element<work_tensors>(                                                      \
        #Name, dst, src, sharedTmpBuffer, calCount,                                             \
        [where](const auto& y, const auto& x, [[maybe_unused]] const auto& work,                \
                std::uint32_t n) {                                                              \
          const davsim::api::InTurn turn(n, where);                                             \
          formula;                                                                              \
        },                                                                                      \
        where);                                                                                 \
  }                                                                                             \
  template <typename T, bool isReuseSource = false>                                             \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                               \
            const LocalTensor<std::uint8_t>& sharedTmpBuffer,                                   \
            davsim::api::Location where = davsim::api::Location::current()) {                   \
    Name(dst, src, sharedTmpBuffer, src.GetSize(), where);                                      \
  }                                                                                             \
  template <typename T, bool isReuseSource = false>                                             \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t calCount, \
            davsim::api::Location where = davsim::api::Location::current()) {                   \
    if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;                                   \
    Name(dst, src, davsim::api::rest_of_ub<T, work_tensors>(#Name, where), calCount, where);    \
  }                                                                                             \
  template <typename T, bool isReuseSource = false>                                             \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                               \
            davsim::api::Location where = davsim::api::Location::current()) {                   \
    Name(dst, src, src.GetSize(), where);                                                       \
  }

namespace AscendC {

/// To whole numbers: up, down, towards zero. float needs no scratch.
DAVSIM_FUNCTION_BY_ELEMENT(Ceil, 0, turn.round(y, x, RoundMode::CAST_CEIL))
DAVSIM_FUNCTION_BY_ELEMENT(Floor, 0, turn.round(y, x, RoundMode::CAST_FLOOR))
DAVSIM_FUNCTION_BY_ELEMENT(Trunc, 0, turn.round(y, x, RoundMode::CAST_TRUNC))
DAVSIM_FUNCTION_BY_ELEMENT(Tanh, 2, turn.tanh(y, x, work[0], work[1]))
/// 1 / (1 + exp(-x))
DAVSIM_FUNCTION_BY_ELEMENT(Sigmoid, 2,
                           (turn.one_plus_exp(work[0], x, -1.0f),
                            turn.divide(y, 1.0f, work[0], work[1])))
/// x * Sigmoid(x)
DAVSIM_FUNCTION_BY_ELEMENT(Silu, 1, turn.swish(y, x, work[0], 1.0f))
/// x / (1 + exp(-1.5957691 * (x + 0.044715 * x^3)))
DAVSIM_FUNCTION_BY_ELEMENT(Gelu, 1, turn.gelu(y, x, work[0]))

/// Natural logarithm.
template <typename T, bool isReuseSource = false>
void Log(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t calCount,
         davsim::api::Location where = davsim::api::Location::current()) {
  Ln(dst, src, static_cast<std::int32_t>(calCount), where);
}
template <typename T, bool isReuseSource = false>
void Log(const LocalTensor<T>& dst, const LocalTensor<T>& src,
         davsim::api::Location where = davsim::api::Location::current()) {
  Log(dst, src, src.GetSize(), where);
}

}  // namespace AscendC

#undef DAVSIM_FUNCTION_BY_ELEMENT
