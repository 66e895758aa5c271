// What the elementwise operators compute, instruction by instruction.
#pragma once

#include <stdexcept>
#include <string>

#include "bench/silicon/kernels/gelu.hpp"
#include "bench/silicon/kernels/preamble.hpp"

namespace davsim::silicon::elementwise {

using namespace AscendC;
using Floats = LocalTensor<float>;

inline constexpr std::uint32_t kMostInputs = 4, kMostOutputs = 3, kMostTemps = 3;

/// A tile in the type that is computed in: its inputs, room for results and for what is in between.
template <class F>
struct Tile {
  LocalTensor<F> in[kMostInputs];
  LocalTensor<F> out[kMostOutputs], temp[kMostTemps];
  LocalTensor<std::uint8_t> bits;  ///< one for each element
  std::int32_t count;
};

/// 1 / (1 + exp(-x)).
inline void sigmoid(const Tile<float>& t) {
  Muls(t.out[0], t.in[0], -1.0f, t.count);
  Exp(t.out[0], t.out[0], t.count);
  Adds(t.out[0], t.out[0], 1.0f, t.count);
  Duplicate(t.temp[0], 1.0f, t.count);
  Div(t.out[0], t.temp[0], t.out[0], t.count);
}

/// exp(scale x + shift), or base^(scale x + shift) as exp(ln(base) (scale x + shift)). The measured
/// kernels are graphs of three or four operators that became one kernel: the numbers are tensors
/// of one element.
template <bool with_base>
void exponential(const Tile<float>& t) {
  Duplicate(t.temp[0], 0.5f, t.count);
  Mul(t.out[0], t.in[0], t.temp[0], t.count);
  Duplicate(t.temp[0], 1.0f, t.count);
  Add(t.out[0], t.out[0], t.temp[0], t.count);
  if constexpr (with_base) {
    Duplicate(t.temp[0], 0.7f, t.count);
    Mul(t.out[0], t.out[0], t.temp[0], t.count);
  }
  Exp(t.out[0], t.out[0], t.count);
}

inline void gelu(const Tile<float>& t) {
  silicon::gelu(t.out[0], t.in[0], t.temp[0], t.count);
}

/// x tanh(ln(1 + exp x)). The published expression computes tanh(ln(1 + exp x)) twice, with
/// exponents that do not overflow for x > 0 and for x <= 0, and selects by the sign. The zero that
/// is compared and selected with is spread over a tile first, as each number beside a tensor.
inline void mish(const Tile<float>& t) {
  const auto& [a, b, c] = t.temp;
  const auto& zero = t.out[0];
  const auto whole_repeats = round_up(static_cast<std::uint32_t>(t.count), 64);
  const auto selected = [&](const Floats& value) {
    Duplicate(zero, 0.0f, t.count);
    Select(value, t.bits, value, zero, SELMODE::VSEL_TENSOR_TENSOR_MODE,
           static_cast<std::uint32_t>(t.count));
  };
  const auto compare = [&](CMPMODE mode) {
    Duplicate(zero, 0.0f, t.count);
    Compare(t.bits, t.in[0], zero, mode, whole_repeats);
  };
  compare(CMPMODE::GT);
  Muls(a, t.in[0], -1.0f, t.count);
  Muls(b, t.in[0], -2.0f, t.count);
  Exp(a, a, t.count);
  Exp(b, b, t.count);
  Muls(a, a, 2.0f, t.count);
  Muls(b, b, 2.0f, t.count);
  Adds(c, a, 1.0f, t.count);
  Add(b, a, b, t.count);
  Adds(b, b, 1.0f, t.count);
  Div(c, c, b, t.count);
  selected(c);
  compare(CMPMODE::LE);
  Muls(a, t.in[0], 2.0f, t.count);
  Exp(b, t.in[0], t.count);
  Muls(b, b, 2.0f, t.count);
  Exp(a, a, t.count);
  Add(a, a, b, t.count);
  Adds(b, a, 2.0f, t.count);
  Div(a, a, b, t.count);
  selected(a);
  Add(c, c, a, t.count);
  Mul(t.out[0], t.in[0], c, t.count);
}

/// x + scalar y / z.
inline void addcdiv(const Tile<float>& t) {
  Div(t.temp[0], t.in[1], t.in[2], t.count);
  Muls(t.temp[0], t.temp[0], 2.0f, t.count);
  Add(t.out[0], t.in[0], t.temp[0], t.count);
}

/// A step of AdamW: weights, first and second moment, gradient. The published expression spreads
/// each parameter over a tile before it uses it, and computes in the type of the tensors.
template <class F>
void apply_adam_w(const Tile<F>& t) {
  const auto& [weight, first, second] = t.out;
  const auto& [a, b, gradient] = t.temp;
  Muls(gradient, t.in[3], F(1), t.count);
  const auto moment = [&](const LocalTensor<F>& out, const LocalTensor<F>& in, bool squared) {
    Duplicate(a, F(0.9f), t.count);
    Mul(out, in, a, t.count);
    Adds(a, a, F(-1), t.count);
    Mul(a, a, gradient, t.count);
    if (squared) Mul(a, a, gradient, t.count);
    Sub(out, out, a, t.count);
  };
  moment(first, t.in[1], false);
  moment(second, t.in[2], true);
  Duplicate(a, F(1e-3f), t.count);
  Duplicate(b, F(0.1f), t.count);
  Muls(a, a, F(-1), t.count);
  Mul(a, a, b, t.count);
  Adds(a, a, F(1), t.count);
  Mul(weight, t.in[0], a, t.count);
  Muls(a, second, F(-1), t.count);
  Duplicate(b, F(-0.5f), t.count);
  Div(a, a, b, t.count);
  Sqrt(a, a, t.count);
  Duplicate(b, F(1e-3f), t.count);
  Add(a, a, b, t.count);
  Div(a, first, a, t.count);
  Duplicate(b, F(-1e-2f), t.count);
  Mul(a, b, a, t.count);
  Add(weight, weight, a, t.count);
}

struct Operation {
  const char* name;
  std::uint32_t inputs, outputs, temps;
  void (*compute)(const Tile<float>&);
  /// For tensors of half, if the operator computes in half.
  void (*compute_half)(const Tile<half>&) = nullptr;
  /// Before the kernel begins.
  KernelReads reads = {};
  /// Whether tensors of float go the way of foreach.hpp.
  bool foreach = false;
  /// Whether the outputs are the first inputs.
  bool in_place = false;
};
inline constexpr Operation kOperations[] = {
    {"sigmoid", 1, 1, 1, sigmoid},
    {"exp", 1, 1, 1, exponential<false>, nullptr, {.scalars = 2}},
    {"exp_with_base", 1, 1, 1, exponential<true>, nullptr, {.scalars = 3}},
    {"gelu", 1, 1, 1, gelu},
    {"mish", 1, 1, 3, mish},
    {"addcdiv", 3, 1, 1, addcdiv, nullptr, {.tiling = 2824}, true},
    {"apply_adam_w", 4, 3, 3, apply_adam_w<float>, apply_adam_w<half>, {.scalars = 7}, false, true},
};

/// `op=`, and `base=` for an exponential of another base than e.
inline const Operation& operation_of(const Params& params) {
  std::string name = params.text("op", "");
  if (name == "exp" && params.number("base", 0) > 0) name = "exp_with_base";
  for (const Operation& operation : kOperations) {
    if (operation.name == name) return operation;
  }
  throw std::invalid_argument("no elementwise operation is called " + name);
}

}  // namespace davsim::silicon::elementwise
