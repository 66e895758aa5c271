// Functions of the high-level API, element by element, against double precision.
#include "ascendc/vector_function.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "kernel_operator.h"
#include "tests/isa/api/sync_log.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

template <class T>
class FunctionByElement : public testing::Test {
 protected:
  using Tensor = LocalTensor<T>;
  using Scratch = LocalTensor<std::uint8_t>;
  using Call = std::function<void(Tensor, Tensor)>;
  static constexpr std::uint32_t kCount = 200, kY = 4096, kScratch = 8192;

  T* ub(std::uint32_t byte) { return core.buffer<T>(isa::Space::kUb, byte); }
  Scratch scratch(std::uint32_t bytes) { return {TPosition::VECCALC, kScratch, bytes}; }

  /// y = function(x) over numbers from -9 to 9; whether in place or not.
  void check(const Call& call, const std::function<double(double)>& function, double tolerance) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> taken;
    pipe.InitBuffer(taken, 8192);
    for (const std::uint32_t to : {kY, 0u}) {
      std::vector<double> x(kCount);
      for (std::uint32_t i = 0; i < kCount; ++i) {
        ub(0)[i] = T(static_cast<float>(i) * 0.0905f - 9.0f);
        x[i] = static_cast<double>(static_cast<float>(ub(0)[i]));
        if (to != 0) ub(to)[i] = T(77.0f);
      }
      ub(to)[kCount] = T(77.0f);
      call({TPosition::VECCALC, to, kCount}, {TPosition::VECCALC, 0, kCount});
      for (std::uint32_t i = 0; i < kCount; ++i) {
        const double expected = function(x[i]), got = static_cast<float>(ub(to)[i]);
        ASSERT_NEAR(got, expected, tolerance * std::max(1.0, std::abs(expected))) << "x " << x[i];
      }
      EXPECT_EQ(static_cast<float>(ub(to)[kCount]), 77.0f) << "no element too many";
    }
  }

  static constexpr double kTolerance = std::is_same_v<T, half> ? 1e-3 : 1e-6;
  TestCore core;
};
using FunctionByElementTypes = testing::Types<half, float>;
TYPED_TEST_SUITE(FunctionByElement, FunctionByElementTypes);

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}
double silu(double x) {
  return x * sigmoid(x);
}
double gelu(double x) {
  return x * sigmoid(std::sqrt(8 / M_PI) * (x + 0.044715 * x * x * x));
}

TYPED_TEST(FunctionByElement, Values) {
  const auto n = this->kCount;
  this->check([&](auto y, auto x) { Ceil(y, x, n); }, [](double x) { return std::ceil(x); }, 0);
  this->check([&](auto y, auto x) { Floor(y, x, n); }, [](double x) { return std::floor(x); }, 0);
  this->check([&](auto y, auto x) { Trunc(y, x, n); }, [](double x) { return std::trunc(x); }, 0);
  this->check([&](auto y, auto x) { Tanh(y, x, n); }, [](double x) { return std::tanh(x); },
              this->kTolerance);
  this->check([&](auto y, auto x) { Sigmoid(y, x, n); }, sigmoid, this->kTolerance);
  this->check([&](auto y, auto x) { Silu(y, x, n); }, silu, this->kTolerance);
  this->check([&](auto y, auto x) { Gelu(y, x, n); }, gelu, this->kTolerance);
}

TYPED_TEST(FunctionByElement, SmallScratchTakesPieces) {
  // Room for 32 elements of 4 tensors, so for at most 64 of 2; the last piece is a part of one.
  this->check([&](auto y, auto x) { Tanh(y, x, this->scratch(512), this->kCount); },
              [](double x) { return std::tanh(x); }, this->kTolerance);
  this->check([&](auto y, auto x) { Gelu(y, x, this->scratch(512)); }, gelu, this->kTolerance);
  this->check([&](auto y, auto x) { Silu(y, x); }, silu, this->kTolerance);
}

TYPED_TEST(FunctionByElement, ScratchHasToBeThere) {
  const LocalTensor<TypeParam> x(TPosition::VECCALC, 0, 64);
  EXPECT_EQ(fault_of([&] { Tanh(x, x, this->scratch(64), 64); }).message.substr(0, 46),
            "Tanh: bytes of sharedTmpBuffer is 64, allowed ");
  TPipe pipe;
  TBuf<TPosition::VECCALC> all;
  pipe.InitBuffer(all, 192 * 1024);
  EXPECT_NE(fault_of([&] { Tanh(x, x, 64); }).message.find("nothing is left of UB for its scratch"),
            std::string::npos);
}

TEST(FunctionByElementLimits, FarOutIsTheLimitAndNoNan) {
  TestCore core;
  auto* x = core.buffer<float>(isa::Space::kUb, 0);
  const LocalTensor<float> tensor(TPosition::VECCALC, 0, 8);
  const LocalTensor<std::uint8_t> scratch(TPosition::VECCALC, 4096, 1024);
  const auto at = [&](float value, auto call) {
    std::fill_n(x, 8, value);
    call(tensor, tensor, scratch, 8);
    return x[7];
  };
  const auto tanh = [](auto... a) { Tanh(a...); };
  EXPECT_EQ(at(1e4f, tanh), 1);
  EXPECT_EQ(at(-1e4f, tanh), -1);
  const auto sigmoid_call = [](auto... a) { Sigmoid(a...); };
  EXPECT_EQ(at(1e4f, sigmoid_call), 1);
  EXPECT_EQ(at(-1e4f, sigmoid_call), 0);
  const auto gelu_call = [](auto... a) { Gelu(a...); };
  EXPECT_EQ(at(1e4f, gelu_call), 1e4f);
  EXPECT_EQ(at(-1e4f, gelu_call), 0);
}

}  // namespace
}  // namespace davsim::test
