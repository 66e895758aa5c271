// Forms in which kernels write calls although the documentation shows others: elements of tensors
// as numbers, results of comparisons in tensors of any type, integers of other widths, counts.
#include <gtest/gtest.h>

#include "kernel_operator.h"
#include "tests/isa/api/sync_log.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class PublicForms : public testing::Test {
 protected:
  template <typename T>
  LocalTensor<T> tensor(std::uint32_t byte, std::uint32_t count) {
    return {TPosition::VECCALC, byte, count};
  }
  template <typename T>
  T* ub(std::uint64_t byte) {
    return core.buffer<T>(isa::Space::kUb, byte);
  }
  template <typename T>
  T* at(std::uint64_t byte) {
    return reinterpret_cast<T*>(byte);
  }
  TestCore core;
};

TEST_F(PublicForms, AnElementStandsForANumber) {
  const auto x = tensor<float>(0, 64), y = tensor<float>(256, 64), z = tensor<float>(512, 64);
  for (int i = 0; i < 64; ++i) ub<float>(0)[i] = static_cast<float>(i);
  Adds(y, x, x(3), 64);
  EXPECT_EQ(ub<float>(256)[5], 8.f);
  Muls(y, x, x(2), 64);
  EXPECT_EQ(ub<float>(256)[5], 10.f);
  Duplicate(z, x(7), 64);
  EXPECT_EQ(ub<float>(512)[63], 7.f);
  Axpy(z, x, x(2), 64);
  EXPECT_EQ(ub<float>(512)[63], 133.f);
  const auto bits = tensor<std::uint8_t>(1024, 32);
  CompareScalar(bits, x, x(4), CMPMODE::LT, 64);
  EXPECT_EQ(ub<std::uint64_t>(1024)[0], 0xfull);
  Select(y, bits, x, x(9), SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
  EXPECT_EQ(ub<float>(256)[3], 3.f);
  EXPECT_EQ(ub<float>(256)[4], 9.f);
  const auto words = tensor<std::int32_t>(2048, 64);
  for (int i = 0; i < 64; ++i) ub<std::int32_t>(2048)[i] = i;
  ShiftLeft(words, words, words(2), 64);
  EXPECT_EQ(ub<std::int32_t>(2048)[5], 20);
}

TEST_F(PublicForms, ATensorOverAWholeBuffer) {
  LocalTensor<std::uint8_t> buffer;
  buffer.InitBuffer(0, 192 * 1024);
  buffer.address_.logicPos = static_cast<std::uint8_t>(TPosition::VECIN);
  const auto part = buffer[512].ReinterpretCast<float>();
  Duplicate(part, 3.0f, 64);
  EXPECT_EQ(ub<float>(512)[63], 3.f);
  EXPECT_EQ(part.GetSize(), (192 * 1024 - 512) / 4u);
}

TEST_F(PublicForms, ElementsOfOtherTypesAreCast) {
  const auto floats = tensor<float>(0, 8);
  const auto halves = tensor<half>(256, 16);
  const auto words = tensor<std::int32_t>(512, 8);
  floats(0) = 2.5f;
  halves(1) = floats(0);
  EXPECT_EQ(static_cast<float>(halves(1)), 2.5f);
  words(0) = floats(0);
  EXPECT_EQ(words.GetValue(0), 2);
  halves(2) = static_cast<half>(words(0));
  floats(3) = halves(2);
  EXPECT_EQ(floats.GetValue(3), 2.f);
}

TEST_F(PublicForms, ComparisonsWriteBitsIntoTensorsOfAnyType) {
  const auto x = tensor<float>(0, 128), y = tensor<float>(512, 128);
  for (int i = 0; i < 128; ++i) {
    ub<float>(0)[i] = static_cast<float>(i);
    ub<float>(512)[i] = 70;
  }
  Compare(tensor<std::uint16_t>(1024, 16), x, y, CMPMODE::GE, 128);
  EXPECT_EQ(ub<std::uint64_t>(1024)[0], 0ull);
  EXPECT_EQ(ub<std::uint64_t>(1024)[1], ~0ull << 6);
  Compares(tensor<std::uint32_t>(1056, 8), x, 1.0f, CMPMODE::LE, 128);
  EXPECT_EQ(ub<std::uint64_t>(1056)[0], 3ull);
  Compare(tensor<std::uint64_t>(1088, 4), x, y, CMPMODE::EQ, 64, 2, BinaryRepeatParams());
  EXPECT_EQ(ub<std::uint64_t>(1088)[1], 1ull << 6);
  Select(y, tensor<std::int8_t>(1056, 32), x, -1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
  EXPECT_EQ(ub<float>(512)[1], 1.f);
  EXPECT_EQ(ub<float>(512)[2], -1.f);
}

TEST_F(PublicForms, BitsOfIntegersOfAllWidths) {
  for (int i = 0; i < 64; ++i) ub<std::uint8_t>(0)[i] = static_cast<std::uint8_t>(3 * i);
  Adds(tensor<std::int16_t>(256, 32), tensor<std::int16_t>(0, 32), std::int16_t{0}, 32);
  for (int i = 0; i < 64; ++i) ub<std::uint8_t>(256)[i] = 0x35;
  And(tensor<std::int8_t>(512, 64), tensor<std::int8_t>(0, 64), tensor<std::int8_t>(256, 64), 33);
  Or(tensor<std::int32_t>(768, 16), tensor<std::int32_t>(0, 16), tensor<std::int32_t>(256, 16), 16);
  Not(tensor<std::uint32_t>(1024, 16), tensor<std::uint32_t>(0, 16), 16);
  for (int i = 0; i < 64; ++i) {
    const auto byte = static_cast<std::uint8_t>(3 * i);
    EXPECT_EQ(ub<std::uint8_t>(512)[i], i < 34 ? byte & 0x35 : 0) << i << ", in words of two";
    EXPECT_EQ(ub<std::uint8_t>(768)[i], byte | 0x35) << i;
    EXPECT_EQ(ub<std::uint8_t>(1024)[i], static_cast<std::uint8_t>(~byte)) << i;
  }
}

TEST_F(PublicForms, CopiesOfACountAndBlocksOfAnyType) {
  for (int i = 0; i < 200; ++i) ub<float>(0)[i] = static_cast<float>(i);
  Copy(tensor<float>(1024, 200), tensor<float>(0, 200), 150);
  EXPECT_EQ(ub<float>(1024)[149], 149.f);
  EXPECT_EQ(ub<float>(1024)[150], 0.f);
  for (std::uint32_t i = 0; i < 8; ++i) ub<std::uint32_t>(4096)[i] = 32 * (7 - i);
  Gatherb(tensor<float>(5120, 64), tensor<float>(0, 64), tensor<std::uint32_t>(4096, 8), 1, {1, 8});
  EXPECT_EQ(ub<float>(5120)[0], 56.f);
  EXPECT_EQ(ub<float>(5120)[63], 7.f);
}

/// The layouts are those of the unions of configurations that the documentation shows.
TEST_F(PublicForms, NumbersInOneWord) {
  constexpr std::uint64_t kReduce = 0x0100000800010001, kUnary = 0x0100800800010001;
  for (int i = 0; i < 128; ++i) ub<float>(0)[i] = static_cast<float>(i);
  set_vector_mask(0, ~0ull);
  vcadd(at<float>(1024), at<float>(0), kReduce + (1ull << 56));
  EXPECT_EQ(ub<float>(1024)[1], 64 * 95.5f);
  vcgmax(at<float>(1024), at<float>(0), kReduce);
  EXPECT_EQ(ub<float>(1024)[7], 63.f);
  vcmax(at<float>(1024), at<float>(0), kReduce, ONLY_VALUE);
  EXPECT_EQ(ub<float>(1024)[0], 63.f);
  // The second repeat of the source lies two blocks behind the first.
  vadds(at<float>(1024), at<float>(0), 1.0f,
        (kUnary & ~(0xfffull << 44)) + (2ull << 44) + (1ull << 56));
  EXPECT_EQ(ub<float>(1024)[64], 17.f);
  vcmpvs_eq(at<std::uint8_t>(2048), at<float>(0), 3.0f, kUnary);
  EXPECT_EQ(ub<std::uint64_t>(2048)[0], 8ull);
  vcmp_eq(at<float>(0), at<float>(0), 0x0100080808010101ull);
  vsel(at<float>(3072), at<float>(0), at<float>(1024), 0x0100080808010101ull);
  EXPECT_EQ(ub<float>(3072)[9], 9.f);
}

}  // namespace
}  // namespace davsim::test
