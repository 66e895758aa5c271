// Comparisons into tensors and into CMPMASK, and the moves of CMPMASK.
#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {
namespace {

using AscendC::CMPMODE;
using isa::FaultClass;

constexpr CMPMODE kModes[] = {CMPMODE::LT, CMPMODE::GT, CMPMODE::EQ,
                              CMPMODE::LE, CMPMODE::GE, CMPMODE::NE};

/// Documented: false for NaN in every mode, NE included; zeros of both signs are equal.
bool compared(double a, double b, CMPMODE mode) {
  if (std::isnan(a) || std::isnan(b)) return false;
  switch (mode) {
    case CMPMODE::LT:
      return a < b;
    case CMPMODE::GT:
      return a > b;
    case CMPMODE::EQ:
      return a == b;
    case CMPMODE::LE:
      return a <= b;
    case CMPMODE::GE:
      return a >= b;
    case CMPMODE::NE:
      return a != b;
  }
  return false;
}

class VectorCompare : public VectorTest {
 protected:
  static constexpr std::uint32_t kA = 64 * 1024, kB = 128 * 1024;

  template <class T>
  static constexpr std::uint32_t kAll = 256 / sizeof(T);

  /// Numbers, every third of the second source equal to the first.
  template <class T>
  void fill_pairs(std::uint32_t seed) {
    fill<T>(seed);
    for (std::uint32_t at = 0; at < kUbBytes - kB; at += 3 * sizeof(T)) {
      put<T>(kB + at, get<T>(kA + at));
    }
    std::memcpy(core.buffer<std::byte>(isa::Space::kUb), expected.data(), kUbBytes);
  }

  template <class T>
  void expect_bits(std::uint32_t repeats, CMPMODE mode, Strides from0, Strides from1,
                   const T* scalar = nullptr) {
    std::vector<std::uint8_t> bits(repeats * kAll<T> / 8);
    for (std::uint32_t r = 0; r < repeats; ++r) {
      for (std::uint32_t l = 0; l < kAll<T>; ++l) {
        const T a = get<T>(lane_offset(kA, from0, r, l, sizeof(T)));
        const T b = scalar != nullptr ? *scalar : get<T>(lane_offset(kB, from1, r, l, sizeof(T)));
        const std::uint32_t i = r * kAll<T> + l;
        const bool yes = compared(static_cast<double>(Exact<T>::read(a)),
                                  static_cast<double>(Exact<T>::read(b)), mode);
        bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | (yes ? 1u << i % 8 : 0u));
      }
    }
    for (std::size_t i = 0; i < bits.size(); ++i) put<std::uint8_t>(i, bits[i]);
  }

  template <class T, class U>
  void check_tensors() {
    const auto dst = tensor<U>(0);
    const auto a = tensor<T>(kA), b = tensor<T>(kB);
    for (CMPMODE mode : kModes) {
      if (std::is_same_v<T, std::int32_t> && mode != CMPMODE::EQ) continue;
      fill_pairs<T>(static_cast<std::uint32_t>(mode) + 1);
      const std::uint64_t bits[2] = {1, 0};
      for (std::uint32_t repeats : {0u, 1u, 3u, 240u}) {
        // Neither the mask nor the strides of the destination have an effect.
        expect_bits<T>(repeats, mode, {1, 8}, {1, 8});
        AscendC::Compare(dst, a, b, mode, 5, repeats, {1, 1, 1, 8, 8, 8});
        ASSERT_NO_FATAL_FAILURE(check()) << "mode " << static_cast<int>(mode);
        if (repeats < 100) {  // one source or both with gaps between blocks, and whole repeats
          expect_bits<T>(repeats, mode, {2, 8}, {1, 8});
          AscendC::Compare(dst, a, b, mode, bits, repeats, {1, 2, 1, 8, 8, 8});
          ASSERT_NO_FATAL_FAILURE(check()) << "mode " << static_cast<int>(mode);
          expect_bits<T>(repeats, mode, {1, 8}, {2, 8});
          AscendC::Compare(dst, a, b, mode, bits, repeats, {1, 1, 2, 8, 8, 8});
          ASSERT_NO_FATAL_FAILURE(check()) << "mode " << static_cast<int>(mode);
          expect_bits<T>(repeats, mode, {2, 8}, {2, 8});
          AscendC::Compare(dst, a, b, mode, bits, repeats, {1, 2, 2, 8, 8, 8});
          ASSERT_NO_FATAL_FAILURE(check()) << "mode " << static_cast<int>(mode);
        }
        expect_bits<T>(repeats, mode, {2, 3}, {0, 1});
        AscendC::Compare(dst, a, b, mode, bits, repeats, {3, 2, 0, 1, 3, 1});
        ASSERT_NO_FATAL_FAILURE(check()) << "mode " << static_cast<int>(mode);
      }
      for (std::uint32_t count : {0u, kAll<T> - 1, kAll<T>, 3 * kAll<T> + 1, 255 * kAll<T>}) {
        expect_bits<T>(count / kAll<T>, mode, {1, 8}, {1, 8});
        AscendC::Compare(dst, a, b, mode, count);
        ASSERT_NO_FATAL_FAILURE(check()) << "mode " << static_cast<int>(mode) << " " << count;
      }
    }
  }

  template <class T>
  void check_scalars(std::initializer_list<T> scalars) {
    const auto dst = tensor<std::uint8_t>(0);
    const auto a = tensor<T>(kA);
    for (CMPMODE mode : kModes) {
      if (std::is_same_v<T, std::int32_t> && mode != CMPMODE::EQ) continue;
      fill_pairs<T>(9);
      for (const T& scalar : scalars) {
        const std::uint64_t bits[2] = {1, 0};
        expect_bits<T>(100, mode, {2, 3}, {}, &scalar);
        AscendC::CompareScalar(dst, a, scalar, mode, 1, 100, {1, 2, 8, 3});
        ASSERT_NO_FATAL_FAILURE(check()) << "mode " << static_cast<int>(mode);
        expect_bits<T>(7, mode, {1, 8}, {}, &scalar);
        AscendC::Compares(dst, a, scalar, mode, bits, 7, {1, 1, 8, 8});
        ASSERT_NO_FATAL_FAILURE(check());
        expect_bits<T>(255, mode, {1, 8}, {}, &scalar);
        AscendC::CompareScalar(dst, a, scalar, mode, 255 * kAll<T> + 1);
        ASSERT_NO_FATAL_FAILURE(check());
      }
    }
  }

  template <class T>
  void check_to_mask() {
    const auto a = tensor<T>(kA), b = tensor<T>(kB);
    const auto out = tensor<std::uint8_t>(16);
    for (CMPMODE mode : kModes) {
      for (const auto& [low, high] : {std::pair{~0ull, ~0ull}, {0x8421ull, 0x10ull}}) {
        fill_pairs<T>(static_cast<std::uint32_t>(mode) + 20);
        std::uint8_t bits[16] = {};
        for (std::uint32_t l = 0; l < kAll<T>; ++l) {
          if (((l < 64 ? low >> l : high >> (l - 64)) & 1) == 0) continue;
          const T x = get<T>(lane_offset(kA, {2, 8}, 0, l, sizeof(T)));
          const T y = get<T>(lane_offset(kB, {1, 8}, 0, l, sizeof(T)));
          const bool yes = compared(Exact<T>::read(x), Exact<T>::read(y), mode);
          bits[l / 8] = static_cast<std::uint8_t>(bits[l / 8] | (yes ? 1u << l % 8 : 0u));
        }
        for (std::uint32_t i = 0; i < 16; ++i) put<std::uint8_t>(16 + i, bits[i]);
        const std::uint64_t mask[2] = {low, high};
        AscendC::Compare(a, b, mode, mask, {1, 2, 1, 8, 8, 8});
        AscendC::GetCmpMask(out);
        ASSERT_NO_FATAL_FAILURE(check()) << "mode " << static_cast<int>(mode);
      }
    }
  }

  template <class Call>
  void expect_fault(FaultClass cls, const std::string& word, Call call) {
    try {
      call();
      ADD_FAILURE() << "no fault: " << word;
    } catch (const isa::Fault& fault) {
      EXPECT_EQ(fault.cls, cls) << fault.message;
      EXPECT_NE(fault.where.line(), 0u);
      EXPECT_NE(fault.message.find(word), std::string::npos) << fault.message;
    }
  }
};

TEST_F(VectorCompare, Tensors) {
  check_tensors<float, std::uint8_t>();
  check_tensors<half, std::uint8_t>();
  check_tensors<std::int32_t, std::uint8_t>();
  check_tensors<float, std::int8_t>();
}

TEST_F(VectorCompare, Scalars) {
  check_scalars<float>({0.0f, -0.0f, 1.0f, INFINITY, -INFINITY, NAN});
  check_scalars<half>({half(0.0f), half(1.0f), half(-INFINITY), half(NAN)});
  check_scalars<std::int32_t>({0, 1, INT32_MIN});
}

TEST_F(VectorCompare, IntoTheMaskRegister) {
  check_to_mask<float>();
  check_to_mask<half>();
}

TEST_F(VectorCompare, ACountIsDoneInInstructionsOf252Repeats) {
  fill<float>();
  AscendC::Compare(tensor<std::uint8_t>(0), tensor<float>(kA), tensor<float>(kB), CMPMODE::LT,
                   253 * 64);
  ASSERT_EQ(core.emitted.size(), 2u);
  EXPECT_EQ(std::get<isa::VectorParams>(core.emitted[0].params).repeats, 252u);
  EXPECT_EQ(core.emitted[1].dst.addr, 252u * 8);
}

TEST_F(VectorCompare, CmpMaskGoesToAndFromUb) {
  fill<std::uint32_t>(4);
  for (std::uint32_t i = 0; i < 16; ++i) {
    put<std::uint8_t>(48 + i, get<std::uint8_t>(128 * 1024 + 16 + i));
  }
  AscendC::SetCmpMask(tensor<std::uint16_t>(128 * 1024 + 16));
  AscendC::GetCmpMask(tensor<float>(48));
  check();
}

TEST_F(VectorCompare, Refused) {
  fill<float>();
  const auto bits = tensor<std::uint8_t>(0);
  const auto a = tensor<float>(kA), b = tensor<float>(kB);
  const auto i = tensor<std::int32_t>(kA);
  expect_fault(FaultClass::kParameter, "int32",
               [&] { AscendC::Compare(bits, i, i, CMPMODE::LT, 64); });
  expect_fault(FaultClass::kParameter, "mode 6",
               [&] { AscendC::Compare(bits, a, b, static_cast<CMPMODE>(6), 64); });
  expect_fault(FaultClass::kParameter, "repeatTime",
               [&] { AscendC::Compare(bits, a, b, CMPMODE::LT, 64, 256, {}); });
  expect_fault(FaultClass::kAlignment, "dst",
               [&] { AscendC::Compare(bits[16], a, b, CMPMODE::LT, 64); });
  expect_fault(FaultClass::kAddress, "src1", [&] {
    AscendC::Compare(bits, a, tensor<float>(kUbBytes - 128), CMPMODE::LT, 64, 1, {});
  });
  expect_fault(FaultClass::kAlignment, "multiples of 16", [&] { AscendC::SetCmpMask(bits[8]); });
  expect_fault(FaultClass::kParameter, "128 bytes",
               [&] { AscendC::GetCmpMask(tensor<std::uint8_t>(kUbBytes - 64)); });
  // The last sixteen bytes that a comparison may write.
  AscendC::Compare(tensor<std::uint8_t>(kUbBytes - 32), a, b, CMPMODE::LT, 64, 4, {});
}

}  // namespace
}  // namespace davsim::test
