// CreateVecIndex and ArithProgression, with the roundings of the device's steps.
#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {
namespace {

template <class T>
class VectorIndex : public VectorTest {
 protected:
  static constexpr std::uint32_t kBlock = 32 / sizeof(T), kRepeat = 256 / sizeof(T);

  /// `count` steps from `start`: integers wrap around, half and float round.
  static T after(T start, T step, std::uint32_t count) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<std::uint64_t>(start) +
                            static_cast<std::uint64_t>(step) * count);
    } else {
      const double product = Exact<float>::read(to_float(Exact<T>::read(step) * count));
      return Exact<T>::write(Exact<T>::read(start) + product);
    }
  }
  /// The scalar unit makes the first DataBlock, Adds makes seven more, then whole repeats; every
  /// Adds rounds its step and its sum to T.
  static T element(T first, T step, std::uint32_t i) {
    T value = after(first, step, i % kBlock);
    const auto add = [&](std::uint32_t count) {
      const T rounded = after(T(0), step, count);
      value = after(value, rounded, 1);
    };
    for (std::uint32_t b = 0; b < i % kRepeat / kBlock; ++b) add(kBlock);
    for (std::uint32_t r = 0; r < i / kRepeat; ++r) add(kRepeat);
    return value;
  }

  std::vector<T> firsts() const {
    if constexpr (std::is_integral_v<T>) {
      return {T{0}, T{-7}, static_cast<T>(std::numeric_limits<T>::max() - 20)};
    } else {
      return {T(0.0f), T(-3.3f), T(2000.0f)};
    }
  }
};
using VectorIndexTypes = ::testing::Types<std::int16_t, half, std::int32_t, float>;
TYPED_TEST_SUITE(VectorIndex, VectorIndexTypes);

TYPED_TEST(VectorIndex, Counted) {
  using T = TypeParam;
  for (T first : this->firsts()) {
    for (std::uint32_t count : {0u, 1u, 7u, 8u, 16u, 17u, 64u, 100u, 128u, 129u, 1000u, 5000u}) {
      this->template fill<T>();
      AscendC::CreateVecIndex(this->template tensor<T>(4096), first, count);
      for (std::uint32_t i = 0; i < count; ++i) {
        this->put(4096 + i * sizeof(T), this->element(first, T(1), i));
      }
      this->check();
    }
  }
}

TYPED_TEST(VectorIndex, WithMasks) {
  using T = TypeParam;
  constexpr std::uint32_t kRepeat = 256 / sizeof(T);
  const T first(5);
  for (std::uint32_t repeats : {0u, 1u, 4u}) {
    for (std::uint32_t lanes : {0u, 3u, 19u, 64u}) {
      this->template fill<T>();
      AscendC::CreateVecIndex(this->template tensor<T>(0), first, std::uint64_t{lanes}, repeats, 2,
                              17);
      for (std::uint32_t r = 0; r < repeats; ++r) {
        for (std::uint32_t l = 0; l < std::min(lanes, kRepeat); ++l) {
          this->put(lane_offset(0, {2, 17}, r, l, sizeof(T)),
                    this->element(first, T(1), r * kRepeat + l));
        }
      }
      this->check();
    }
    this->template fill<T>();
    const std::uint64_t bits[2] = {0x8421000000000ff1, 0x5};
    AscendC::CreateVecIndex(this->template tensor<T>(0), first, bits, repeats, 1, 8);
    for (std::uint32_t r = 0; r < repeats; ++r) {
      for (std::uint32_t l = 0; l < kRepeat; ++l) {
        if ((bits[l / 64] >> l % 64 & 1) == 0) continue;
        // The scalar unit makes the first repeat.
        T value = this->after(first, T(1), l);
        for (std::uint32_t i = 0; i < r; ++i) value = this->after(value, T(kRepeat), 1);
        this->put(lane_offset(0, {1, 8}, r, l, sizeof(T)), value);
      }
    }
    this->check();
  }
}

TYPED_TEST(VectorIndex, ArithProgression) {
  using T = TypeParam;
  for (T step : {T(3), T(-1.5f), T(0)}) {
    for (std::int32_t count : {0, 5, 200, 777}) {
      this->template fill<T>();
      AscendC::ArithProgression(this->template tensor<T>(64), T(1), step, count);
      for (std::int32_t i = 0; i < count; ++i) {
        this->put(64 + i * sizeof(T), this->element(T(1), step, static_cast<std::uint32_t>(i)));
      }
      this->check();
    }
  }
}

/// Up to a DataBlock the scalar unit writes all elements, and waits for the vector unit before it
/// does. A longer progression and CreateVecIndex do not wait.
TEST_F(VectorTest, ShortProgressionsAwaitTheVectorUnit) {
  const auto flags = [&](auto call) {
    core.emitted.clear();
    call();
    return std::count_if(core.emitted.begin(), core.emitted.end(), [](const isa::Instr& instr) {
      return instr.op == isa::Opcode::kSetFlag || instr.op == isa::Opcode::kWaitFlag;
    });
  };
  const auto t = tensor<std::int32_t>(0);
  EXPECT_EQ(flags([&] { AscendC::ArithProgression(t, 0, 1, 8); }), 4);
  EXPECT_EQ(core.emitted.front().pipe, isa::Pipe::V);  // the set: V tells S
  EXPECT_EQ(flags([&] { AscendC::ArithProgression(t, 0, 1, 9); }), 2);
  EXPECT_EQ(flags([&] { AscendC::CreateVecIndex(t, 0, 8u); }), 2);
}

TEST_F(VectorTest, IndexRefusals) {
  const auto t = tensor<float>(0);
  const std::uint64_t bits[2] = {5, 0};
  AscendC::SetMaskCount();
  EXPECT_THROW(AscendC::CreateVecIndex(t, 0.0f, bits, 2, 1, 8), isa::Fault);
  AscendC::SetMaskNorm();
  EXPECT_THROW(AscendC::CreateVecIndex(t, 0.0f, 64, 256, 1, 8), isa::Fault);
  EXPECT_THROW(AscendC::ArithProgression(t, 0.0f, 1.0f, -1), isa::Fault);
}

}  // namespace
}  // namespace davsim::test
