// Duplicate and Copy.
#include "tests/isa/exec/vector/vector_calls.hpp"

namespace davsim::test {
namespace {

template <class T>
class VectorMove : public VectorTest {};
using MoveTypes = ::testing::Types<std::int16_t, std::uint16_t, half, bfloat16_t, std::int32_t,
                                   std::uint32_t, float>;
TYPED_TEST_SUITE(VectorMove, MoveTypes);

template <class T>
T pattern() {
  T value;
  constexpr std::uint32_t kBits = 0x7fa1c0de;  // a signalling NaN for float: bits, not numbers
  std::memcpy(&value, &kBits, sizeof(T));
  return value;
}

TYPED_TEST(VectorMove, Duplicate) {
  using T = TypeParam;
  this->template fill<T>();
  constexpr std::uint32_t kLanes = 256 / sizeof(T);
  const T value = pattern<T>();
  const auto dst = this->template tensor<T>(64);
  const auto expect = [&](const Lanes& lanes, Strides to) {
    this->template expect_walk<T, T>(lanes, 64, to, 0, {}, 0, {}, [&](T, T, T) { return value; });
    this->check();
  };
  for (std::int32_t count : {0, 1, 100, 300}) {
    AscendC::Duplicate(dst, value, count);
    expect(Lanes::count(static_cast<std::uint32_t>(count), kLanes), {});
    this->template fill<T>();
  }
  AscendC::Duplicate(dst, value, 7, 3, 2, 20);
  expect(Lanes::first(7, kLanes, 3), {2, 20});
  const std::uint64_t bits[2] = {0xf00f, 0};
  AscendC::Duplicate(dst, value, bits, 255, 1, 9);
  expect(Lanes::bits(0xf00f, 0, kLanes, 255), {1, 9});
  AscendC::SetVectorMask<T>(3);
  AscendC::Duplicate<T, false>(dst, value, AscendC::MASK_PLACEHOLDER, 2, 1, 16);
  expect(Lanes::first(3, kLanes, 2), {1, 16});
}

TYPED_TEST(VectorMove, Copy) {
  using T = TypeParam;
  this->template fill<T>();
  constexpr std::uint32_t kLanes = 256 / sizeof(T);
  const auto dst = this->template tensor<T>(96 * 1024), src = this->template tensor<T>(0);
  const auto expect = [&](const Lanes& lanes, Strides to, Strides from) {
    this->template expect_walk<T, T>(lanes, 96 * 1024, to, 0, from, 0, from,
                                     [](T a, T, T) { return a; });
    this->check();
  };
  AscendC::Copy(dst, src, kLanes, 8, {1, 1, 8, 8});
  expect(Lanes::first(kLanes, kLanes, 8), {}, {});
  AscendC::Copy(dst, src, 8, 18, {1, 1, 1, 8});  // documented: one block out of every row
  expect(Lanes::first(8, kLanes, 18), {1, 1}, {1, 8});
  AscendC::Copy(dst, src, 8, 2, {0, 0, 300, 300});  // repeat strides of more than 8 bits
  expect(Lanes::first(8, kLanes, 2), {0, 300}, {0, 300});
  const std::uint64_t bits[2] = {0x8001, 0};
  AscendC::Copy(dst, src, bits, 3, {2, 3, 16, 24});
  expect(Lanes::bits(0x8001, 0, kLanes, 3), {2, 16}, {3, 24});
}

/// In counter mode a Copy's mask counts the elements of every repeat, which may be more than 256
/// bytes, and the repeats count.
TYPED_TEST(VectorMove, CopyInCounterMode) {
  using T = TypeParam;
  this->template fill<T>();
  const auto dst = this->template tensor<T>(96 * 1024), src = this->template tensor<T>(0);
  AscendC::SetMaskCount();
  AscendC::SetVectorMask<T, AscendC::MaskMode::COUNTER>(301);
  AscendC::Copy<T, false>(dst, src, AscendC::MASK_PLACEHOLDER, 3, {1, 2, 50, 100});
  this->template expect_walk<T, T>(Lanes::first(301, 301, 3), 96 * 1024, {1, 50}, 0, {2, 100}, 0,
                                   {2, 100}, [](T a, T, T) { return a; });
  this->check();
  AscendC::SetMaskNorm();
}

}  // namespace
}  // namespace davsim::test
