#include "tests/isa/exec/vector/vector_calls.hpp"

namespace davsim::test {
namespace {

template <class T, class Op>
auto lifted(Op op) {
  return [op](T a, T b, T) { return Exact<T>::write(op(Exact<T>::read(a), Exact<T>::read(b))); };
}

DAVSIM_TEST_CALL(Add);
DAVSIM_TEST_CALL(Sub);
DAVSIM_TEST_CALL(Mul);
DAVSIM_TEST_CALL(Div);
DAVSIM_TEST_CALL(Max);
DAVSIM_TEST_CALL(Min);
DAVSIM_TEST_CALL(And);
DAVSIM_TEST_CALL(Or);
DAVSIM_TEST_CALL_TWO_TYPES(MulAddDst);

template <class T>
class VectorBinary : public VectorCallTest {};
using ArithmeticTypes = ::testing::Types<std::int16_t, half, std::int32_t, float>;
TYPED_TEST_SUITE(VectorBinary, ArithmeticTypes);

TYPED_TEST(VectorBinary, Add) {
  this->template check_binary<TypeParam, TypeParam>(
      AddCall(), lifted<TypeParam>([](auto a, auto b) { return a + b; }));
}
TYPED_TEST(VectorBinary, Sub) {
  this->template check_binary<TypeParam, TypeParam>(
      SubCall(), lifted<TypeParam>([](auto a, auto b) { return a - b; }));
}
TYPED_TEST(VectorBinary, Mul) {
  this->template check_binary<TypeParam, TypeParam>(
      MulCall(), lifted<TypeParam>([](auto a, auto b) { return a * b; }));
}
TYPED_TEST(VectorBinary, Max) {
  this->template check_binary<TypeParam, TypeParam>(
      MaxCall(), lifted<TypeParam>([](auto a, auto b) { return larger(a, b); }));
}
TYPED_TEST(VectorBinary, Min) {
  this->template check_binary<TypeParam, TypeParam>(
      MinCall(), lifted<TypeParam>([](auto a, auto b) { return smaller(a, b); }));
}

template <class T>
class VectorBinaryFloat : public VectorCallTest {};
using FloatTypes = ::testing::Types<half, float>;
TYPED_TEST_SUITE(VectorBinaryFloat, FloatTypes);

TYPED_TEST(VectorBinaryFloat, Div) {
  this->template check_binary<TypeParam, TypeParam>(
      DivCall(), lifted<TypeParam>([](double a, double b) { return a / b; }));
}

TYPED_TEST(VectorBinaryFloat, MulAddDstRoundsTheProductFirst) {
  using E = Exact<TypeParam>;
  this->template check_binary<TypeParam, TypeParam>(
      MulAddDstCall(), [](TypeParam a, TypeParam b, TypeParam d) {
        const TypeParam product = E::write(E::read(a) * E::read(b));
        return E::write(E::read(d) + E::read(product));
      });
}

using VectorBinaryMixed = VectorCallTest;

TEST_F(VectorBinaryMixed, MulAddDstOfHalvesIntoFloat) {
  check_binary<float, half>(MulAddDstCall(), [](half a, half b, float d) {
    const double product = decode(a.bits, kHalfFormat) * decode(b.bits, kHalfFormat);
    return to_float(d + product);
  });
}

template <class T>
class VectorBits : public VectorCallTest {};
using BitTypes = ::testing::Types<std::int16_t, std::uint16_t>;
TYPED_TEST_SUITE(VectorBits, BitTypes);

TYPED_TEST(VectorBits, And) {
  this->template check_binary<TypeParam, TypeParam>(
      AndCall(), lifted<TypeParam>([](std::int64_t a, std::int64_t b) { return a & b; }));
}
TYPED_TEST(VectorBits, Or) {
  this->template check_binary<TypeParam, TypeParam>(
      OrCall(), lifted<TypeParam>([](std::int64_t a, std::int64_t b) { return a | b; }));
}

/// The documented results of boundary values (a selection of each kind).
class VectorBoundary : public VectorTest {
 protected:
  template <class T, class Call>
  T result(Call call, T a, T b) {
    core.buffer<T>(isa::Space::kUb)[0] = a;
    core.buffer<T>(isa::Space::kUb, 64)[0] = b;
    call(tensor<T>(128), tensor<T>(0), tensor<T>(64), 1);
    return core.buffer<T>(isa::Space::kUb, 128)[0];
  }
};

TEST_F(VectorBoundary, IntegersWrapAround) {
  using std::int16_t, std::int32_t;
  EXPECT_EQ((result<int16_t>(AddCall(), -32768, -32768)), 0);
  EXPECT_EQ((result<int16_t>(AddCall(), 32767, 32767)), -2);
  EXPECT_EQ((result<int16_t>(SubCall(), -32768, 32767)), 1);
  EXPECT_EQ((result<int16_t>(MulCall(), -32768, -32768)), 0);
  EXPECT_EQ((result<int16_t>(MulCall(), 32767, 32767)), 1);
  EXPECT_EQ((result<int32_t>(AddCall(), INT32_MAX, INT32_MAX)), -2);
  EXPECT_EQ((result<int32_t>(SubCall(), INT32_MAX, INT32_MIN)), -1);
  EXPECT_EQ((result<int32_t>(MulCall(), INT32_MIN, INT32_MAX)), INT32_MIN);
}

TEST_F(VectorBoundary, HalvesOverflowToInfinity) {
  const auto inf = std::uint16_t{0x7c00};
  EXPECT_EQ(result<half>(AddCall(), 65504.0f, 65504.0f).bits, inf);
  EXPECT_EQ(result<half>(SubCall(), -65504.0f, 65504.0f).bits, inf | 0x8000);
  EXPECT_EQ(result<half>(MulCall(), -0.0f, half::from_bits(inf)).bits, kHalfNanBits);
  EXPECT_EQ(result<half>(DivCall(), 0.0f, -65504.0f).bits, 0x8000);
  EXPECT_EQ(result<half>(MaxCall(), -65504.0f, half::from_bits(0xfe00)).bits, kHalfNanBits);
  EXPECT_EQ(result<half>(MaxCall(), -0.0f, 0.0f).bits, 0);
  EXPECT_EQ(result<half>(MinCall(), 0.0f, -0.0f).bits, 0x8000);
}

TEST_F(VectorBoundary, AProductOfHalvesOverflowsBeforeItIsAdded) {
  core.buffer<half>(isa::Space::kUb)[0] = 65504.0f;
  core.buffer<half>(isa::Space::kUb, 32)[0] = half::from_bits(0xfc00);  // -infinity
  AscendC::MulAddDst(tensor<half>(32), tensor<half>(0), tensor<half>(0), 1);
  EXPECT_EQ(core.buffer<half>(isa::Space::kUb, 32)[0].bits, kHalfNanBits);
  core.buffer<float>(isa::Space::kUb, 32)[0] = -INFINITY;
  AscendC::MulAddDst(tensor<float>(32), tensor<half>(0), tensor<half>(0), 1);
  EXPECT_EQ(core.buffer<float>(isa::Space::kUb, 32)[0], -INFINITY);
}

}  // namespace
}  // namespace davsim::test
