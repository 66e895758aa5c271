// Operators between tensors: the calls that they stand for, over whole tensors.
#include "ascendc/vector_operators.h"

#include <gtest/gtest.h>

#include "kernel_operator.h"
#include "tests/isa/api/sync_log.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

constexpr std::uint32_t kCount = 128, kA = 4096, kB = 8192;

template <class T>
LocalTensor<T> tile(std::uint32_t at) {
  return {TPosition::VECCALC, at, kCount};
}

class TensorOperators : public testing::Test {
 protected:
  template <class T>
  T* ub(std::uint32_t at) {
    return core.buffer<T>(isa::Space::kUb, at);
  }
  template <class T>
  void fill() {
    for (std::uint32_t i = 0; i < kCount; ++i) {
      ub<T>(kA)[i] = static_cast<T>(i % 13 + 1);
      ub<T>(kB)[i] = static_cast<T>(i % 7 + 1);
    }
  }
  template <class T, class Op>
  void expect(Op op) {
    for (std::uint32_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(ub<T>(0)[i], static_cast<T>(op(ub<T>(kA)[i], ub<T>(kB)[i]))) << i;
    }
  }
  template <class Op>
  void expect_bits(Op op) {
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const bool bit = (ub<std::uint8_t>(0)[i / 8] >> i % 8 & 1) != 0;
      EXPECT_EQ(bit, op(ub<float>(kA)[i], ub<float>(kB)[i])) << i;
    }
  }

  TestCore core;
};

TEST_F(TensorOperators, Arithmetic) {
  fill<float>();
  LocalTensor<float> z = tile<float>(0), x = tile<float>(kA), y = tile<float>(kB);
  z = x + y;
  expect<float>([](float a, float b) { return a + b; });
  z = x - y;
  expect<float>([](float a, float b) { return a - b; });
  z = x * y;
  expect<float>([](float a, float b) { return a * b; });
  z = x / y;
  expect<float>([](float a, float b) { return a / b; });
}

TEST_F(TensorOperators, Bits) {
  fill<std::int16_t>();
  auto z = tile<std::int16_t>(0);
  z = tile<std::int16_t>(kA) & tile<std::int16_t>(kB);
  expect<std::int16_t>([](int a, int b) { return a & b; });
  z = tile<std::int16_t>(kA) | tile<std::int16_t>(kB);
  expect<std::int16_t>([](int a, int b) { return a | b; });
}

TEST_F(TensorOperators, Comparisons) {
  fill<float>();
  auto bits = tile<std::uint8_t>(0);
  const auto x = tile<float>(kA), y = tile<float>(kB);
  bits = x < y;
  expect_bits([](float a, float b) { return a < b; });
  bits = x > y;
  expect_bits([](float a, float b) { return a > b; });
  bits = x == y;
  expect_bits([](float a, float b) { return a == b; });
  bits = x <= y;
  expect_bits([](float a, float b) { return a <= b; });
  bits = x >= y;
  expect_bits([](float a, float b) { return a >= b; });
  bits = x != y;
  expect_bits([](float a, float b) { return a != b; });
}

TEST_F(TensorOperators, AsManyElementsAsTheResultHas) {
  fill<float>();
  auto z = tile<float>(0);
  z.SetSize(10);
  z = tile<float>(kA) + tile<float>(kB);
  EXPECT_EQ(ub<float>(0)[9], ub<float>(kA)[9] + ub<float>(kB)[9]);
  EXPECT_EQ(ub<float>(0)[10], 0.0f);
}

TEST_F(TensorOperators, RefusalsNameTheLineOfTheAssignment) {
  LocalTensor<float> z(TPosition::VECCALC, 4, kCount);
  const auto x = tile<float>(kA), y = tile<float>(kB);
  const isa::Fault fault = fault_of([&] { z = x + y; });
  EXPECT_EQ(fault.cls, isa::FaultClass::kAlignment);
  EXPECT_EQ(fault.where.line(), static_cast<std::uint32_t>(__LINE__ - 2));
}

}  // namespace
}  // namespace davsim::test
