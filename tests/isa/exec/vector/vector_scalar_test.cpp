#include "tests/isa/exec/vector/vector_calls.hpp"

namespace davsim::test {
namespace {

DAVSIM_TEST_CALL(Adds);
DAVSIM_TEST_CALL(Muls);
DAVSIM_TEST_CALL(Maxs);
DAVSIM_TEST_CALL(Mins);
DAVSIM_TEST_CALL_TWO_TYPES(Axpy);

template <class T>
std::vector<T> scalars() {
  if constexpr (std::is_same_v<T, half>) {
    return {half(1.375f), half::from_bits(0x8000), half::from_bits(0x7e01)};
  } else if constexpr (std::is_same_v<T, float>) {
    return {-1.0f / 3, -0.0f, std::numeric_limits<float>::quiet_NaN()};
  } else {
    return {T{3}, std::numeric_limits<T>::min()};
  }
}

template <class T>
class VectorScalar : public VectorCallTest {
 protected:
  template <class Call, class Op>
  void check_scalars(Call call, Op op) {
    for (T scalar : scalars<T>()) {
      this->template check_unary<T, T>(
          call,
          [&](T a, T) { return Exact<T>::write(op(Exact<T>::read(a), Exact<T>::read(scalar))); },
          scalar);
    }
  }
};
using ArithmeticTypes = ::testing::Types<std::int16_t, half, std::int32_t, float>;
TYPED_TEST_SUITE(VectorScalar, ArithmeticTypes);

TYPED_TEST(VectorScalar, Adds) {
  this->check_scalars(AddsCall(), [](auto a, auto b) { return a + b; });
}
TYPED_TEST(VectorScalar, Muls) {
  this->check_scalars(MulsCall(), [](auto a, auto b) { return a * b; });
}
TYPED_TEST(VectorScalar, Maxs) {
  this->check_scalars(MaxsCall(), [](auto a, auto b) { return larger(a, b); });
}
TYPED_TEST(VectorScalar, Mins) {
  this->check_scalars(MinsCall(), [](auto a, auto b) { return smaller(a, b); });
}

/// With isSetMask = false the form with a count takes mask and mode from the register.
TYPED_TEST(VectorScalar, CountFormTakesTheRegister) {
  using T = TypeParam;
  this->template fill<T>();
  const T scalar = scalars<T>()[0];
  constexpr std::uint32_t kLanes = 256 / sizeof(T);
  const auto expect = [&](const Lanes& lanes) {
    this->template expect_walk<T, T>(lanes, 0, {}, 8192, {}, 8192, {}, [&](T a, T, T) {
      return Exact<T>::write(Exact<T>::read(a) + Exact<T>::read(scalar));
    });
  };
  const auto dst = this->template tensor<T>(0), src = this->template tensor<T>(8192);
  AscendC::SetMaskCount();
  AscendC::SetVectorMask<T, AscendC::MaskMode::COUNTER>(130);
  AscendC::Adds<T, false>(dst, src, scalar, 1);
  expect(Lanes::count(130, kLanes));
  this->check();
  AscendC::SetMaskNorm();
  AscendC::SetVectorMask<T>(0, 0x69a569a569a569a5);
  AscendC::Adds<T, false>(dst, src, scalar, 1);
  expect(Lanes::bits(0x69a569a569a569a5, 0, kLanes, 1));
  this->check();
  AscendC::Adds<T, T>(dst, src, scalar, 3);  // the scalar's type as an argument of its own
  expect(Lanes::count(3, kLanes));
  this->check();
}

template <class T>
class VectorAxpy : public VectorCallTest {};
using FloatTypes = ::testing::Types<half, float>;
TYPED_TEST_SUITE(VectorAxpy, FloatTypes);

TYPED_TEST(VectorAxpy, RoundsTheProductFirst) {
  using E = Exact<TypeParam>;
  for (TypeParam scalar : scalars<TypeParam>()) {
    this->template check_unary<TypeParam, TypeParam>(
        AxpyCall(),
        [&](TypeParam a, TypeParam d) {
          const TypeParam product = E::write(E::read(a) * E::read(scalar));
          return E::write(E::read(d) + E::read(product));
        },
        scalar);
  }
}

using VectorAxpyMixed = VectorCallTest;

TEST_F(VectorAxpyMixed, HalvesIntoFloat) {
  for (half scalar : scalars<half>()) {
    check_unary<float, half>(
        AxpyCall(),
        [&](half a, float d) {
          return to_float(d + decode(a.bits, kHalfFormat) * decode(scalar.bits, kHalfFormat));
        },
        scalar);
  }
}

}  // namespace
}  // namespace davsim::test
