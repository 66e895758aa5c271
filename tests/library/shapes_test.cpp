// Masks, padding, transposition, running sums along rows, products and truths.
#include <algorithm>
#include <cmath>

#include "tests/library/library_run.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

template <class T>
class ShapesTest : public LibraryTest {};
using ShapesTypes = testing::Types<float, half>;
TYPED_TEST_SUITE(ShapesTest, ShapesTypes);

TYPED_TEST(ShapesTest, SelectByAMaskOfBytes) {
  using T = TypeParam;
  constexpr std::uint32_t kRows = 5, kMask = 64;
  for (const std::uint32_t width : {24u, 48u}) {
    if (width * sizeof(T) % 32 != 0) continue;
    const Values x = rounded<T>(numbers(kRows * width, -2, 3));
    Values mask = numbers(kRows * kMask, 0, 1, 2), taken = x, dropped = x;
    for (double& m : mask) m = m < 0.5 ? 0 : 1 + std::floor(m * 100);
    for (std::size_t i = 0; i < x.size(); ++i) {
      (mask[i / width * kMask + i % width] != 0 ? taken : dropped)[i] = 0.25;
    }
    this->forget();
    this->template tensor<T>(x.size(), x);
    this->template tensor<T>(x.size());
    this->template tensor<T>(x.size());
    this->template tensor<std::uint8_t>(mask.size(), mask);
    this->template tensor<std::int32_t>(mask.size(), mask);
    this->scratch(1024);
    this->run([&] {
      const auto src = this->template at<T>(0);
      const auto tmp = this->template at<std::uint8_t>(5);
      const SelectWithBytesMaskShapeInfo info{kRows, width, kMask};
      SelectWithBytesMask(this->template at<T>(1), src, T(0.25f),
                          this->template at<std::uint8_t>(3), tmp, info);
      Select(this->template at<T>(2), T(0.25f), src, this->template at<std::int32_t>(4), tmp, info);
    });
    this->expect_near(1, taken, 0, 0, "scalar where set");
    this->expect_near(2, dropped, 0, 0, "scalar where clear");
  }
}

TYPED_TEST(ShapesTest, DropOutByBytesAndBits) {
  using T = TypeParam;
  constexpr std::uint32_t kRows = 3, kWidth = 64;
  const Values x = rounded<T>(numbers(kRows * kWidth, -2, 3)), m = numbers(x.size(), 0, 1, 2);
  Values bytes, bits(kRows * kWidth / 8 + 8, 0.0), expected, rows(kRows * 32, 255.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    bytes.push_back(m[i] < 0.5 ? 1 : 0);
    bits[i / 8] += bytes[i] * (1u << i % 8);
    expected.push_back(bytes[i] * x[i] * 2);
  }
  for (std::uint32_t i = 0; i < kRows * 8; ++i) rows[i / 8 * 32 + i % 8] = bits[i];
  this->template tensor<T>(x.size(), x);
  for (int i = 0; i < 6; ++i) this->template tensor<T>(x.size());
  this->template tensor<std::uint8_t>(bytes.size(), bytes);
  this->template tensor<std::uint8_t>(bits.size(), bits);
  this->template tensor<std::uint8_t>(rows.size(), rows);
  this->run([&] {
    DropOutShapeInfo info{kRows, kWidth, kWidth};
    const auto src = this->template at<T>(0);
    DropOut(this->template at<T>(1), src, this->template at<std::uint8_t>(7), 0.5f, info);
    info.maskLastAxis = kWidth / 8;
    DropOut(this->template at<T>(2), src, this->template at<std::uint8_t>(8), 0.5f, info);
    info.maskLastAxis = 32;
    DropOut<T, false, DROPOUT_MODE_BIT_MISALIGN>(this->template at<T>(3), src,
                                                 this->template at<std::uint8_t>(9), 0.5f, info);
    // The bits lie one behind the other, whatever maskLastAxis says.
    DropOut<T, false, DROPOUT_MODE_BIT_ALIGN>(this->template at<T>(4), src,
                                              this->template at<std::uint8_t>(8), 0.5f, info);
    info.maskLastAxis = kWidth;
    DropOut<T, false, DROPOUT_MODE_BYTE_ALIGN>(this->template at<T>(5), src,
                                               this->template at<std::uint8_t>(7), 0.5f, info);
    DropOut<T, false, DROPOUT_MODE_BYTE_MISALIGN>(this->template at<T>(6), src,
                                                  this->template at<std::uint8_t>(7), 0.5f, info);
  });
  for (const std::size_t at : {1u, 2u, 3u, 4u, 5u, 6u}) {
    this->expect_near(at, expected, 1e-6, 0, "mask " + std::to_string(at));
  }
}

TYPED_TEST(ShapesTest, DropOutByDenseBytesOfShortRows) {
  using T = TypeParam;
  constexpr std::uint32_t kRows = 6, kWidth = 40, kCount = kRows * kWidth, kMask = 256;
  const Values x = rounded<T>(numbers(kCount, -2, 3));
  Values mask = numbers(kMask, 0, 1, 2), expected;
  for (double& m : mask) m = m < 0.5 ? 0 : 1;
  for (std::uint32_t i = 0; i < kCount; ++i) expected.push_back(mask[i] * x[i] * 2);
  this->template tensor<T>(kCount, x);
  this->template tensor<T>(kCount);
  this->template tensor<std::uint8_t>(kMask, mask);
  this->run([&] {
    DropOut(this->template at<T>(1), this->template at<T>(0), this->template at<std::uint8_t>(2),
            0.5f, DropOutShapeInfo{kRows, kWidth, kWidth});
  });
  this->expect_near(1, expected, 1e-6, 0);
}

TYPED_TEST(ShapesTest, PadAndUnPad) {
  using T = TypeParam;
  constexpr std::uint32_t kRows = 7, kWidth = 29, kWide = 32;
  const Values x = rounded<T>(numbers(kRows * kWidth, -2, 3));
  Values padded(kRows * kWide, 9.0), bare;
  for (std::size_t i = 0; i < x.size(); ++i) padded[i / kWidth * kWide + 1 + i % kWidth] = x[i];
  for (std::uint32_t i = 0; i < kRows * kWide; ++i) {
    if (i % kWide < 20) bare.push_back(padded[i]);
  }
  this->template tensor<T>(x.size(), x);
  this->template tensor<T>(padded.size());
  this->template tensor<T>(bare.size());
  PadTiling tiling;
  tiling.srcHeight = kRows, tiling.srcWidth = tiling.srcOriWidth = kWidth;
  UnPadTiling back;
  back.srcHeight = kRows, back.srcWidth = kWide;
  this->run([&] {
    PadParams pads{1, 2, 9};
    Pad(this->template at<T>(1), this->template at<T>(0), pads, tiling);
    UnPadParams unpads{1, 12};  // leftPad has no effect
    UnPad(this->template at<T>(2), this->template at<T>(1), unpads, back);
  });
  this->expect_near(1, padded, 0, 0, "Pad");
  this->expect_near(2, bare, 0, 0, "UnPad");
  EXPECT_EQ(this->refusal([&] {
    PadParams pads{2, 3, 9};
    Pad(this->template at<T>(1), this->template at<T>(0), pads, tiling);
  }),
            "Pad: leftPad + rightPad is 5, allowed are 0 to 3");
}

TYPED_TEST(ShapesTest, TransposesMatricesAndFractals) {
  using T = TypeParam;
  constexpr std::uint32_t kH = 48, kW = 32, kN = 2, kS = 32, kD = 16;
  const Values x = rounded<T>(numbers(kH * kW, -2, 3)),
               f = rounded<T>(numbers(kN * kS * kD, -1, 1));
  Values turned(x.size()), swapped(f.size()), merged(f.size());
  for (std::uint32_t i = 0; i < x.size(); ++i) turned[i % kW * kH + i / kW] = x[i];
  for (std::uint32_t i = 0; i < f.size(); ++i) {
    // One column of fractals a head: [n, s, d] in memory.
    const std::uint32_t n = i / (kS * kD), s = i / kD % kS, d = i % kD;
    swapped[(s * kN + n) * kD + d] = merged[s * kN * kD + n * kD + d] = f[i];
  }
  this->template tensor<T>(x.size(), x);
  this->template tensor<T>(x.size());
  this->template tensor<T>(f.size(), f);
  this->template tensor<T>(f.size());
  this->template tensor<T>(f.size());
  ConfusionTransposeTiling plain, heads;
  plain.param1 = kH, plain.param2 = kW;
  heads.param0 = 1, heads.param1 = kN, heads.param2 = kS, heads.param3 = kD;
  this->run([&] {
    const auto src = this->template at<T>(2);
    ConfusionTranspose(this->template at<T>(1), this->template at<T>(0),
                       TransposeType::TRANSPOSE_ND2ND_ONLY, plain);
    Transpose(this->template at<T>(3), src, TransposeType::TRANSPOSE_NZ2ND_0213, heads);
    Transpose(this->template at<T>(4), src, TransposeType::TRANSPOSE_NZ2ND_012_WITHOUT_N, heads);
  });
  this->expect_near(1, turned, 0, 0, "ND2ND_ONLY");
  this->expect_near(3, swapped, 0, 0, "NZ2ND_0213");
  this->expect_near(4, merged, 0, 0, "NZ2ND_012_WITHOUT_N");
}

TYPED_TEST(ShapesTest, CumSumAlongRows) {
  using T = TypeParam;
  constexpr std::uint32_t kRows = 19, kWidth = 48;
  const Values x = rounded<T>(numbers(kRows * kWidth, -1, 1));
  Values sums = x;
  for (std::uint32_t i = 0; i < sums.size(); ++i) {
    if (i % kWidth > 0) sums[i] += sums[i - 1];
  }
  this->template tensor<T>(x.size(), x);
  this->template tensor<T>(x.size());
  this->template tensor<T>(kWidth);
  this->scratch(4200);  // 32 columns at a time
  this->run([&] {
    auto dst = this->template at<T>(1), last = this->template at<T>(2);
    auto tmp = this->template at<std::uint8_t>(3);
    CumSum(dst, last, this->template at<T>(0), tmp, {kRows, kWidth});
  });
  this->expect_near(1, sums, 1e-3, 1e-3);
  this->expect_near(2, Values(sums.end() - kWidth, sums.end()), 1e-3, 1e-3);
}

class FormatsTest : public LibraryTest {};

constexpr TransDataConfig kToRows = {DataFormat::NCDHW, DataFormat::NDC1HWC0};
constexpr TransDataConfig kFromRows = {DataFormat::NDC1HWC0, DataFormat::NCDHW};
constexpr TransDataConfig kToFractals = {DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D};
constexpr TransDataConfig kFromFractals = {DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW};

TEST_F(FormatsTest, TransDataAndBack) {
  struct Case {
    int n, c, d, h, w;
  };
  for (const Case& s : {Case{3, 20, 2, 3, 7}, Case{1, 16, 2, 4, 8}, Case{17, 5, 1, 4, 4}}) {
    const int hw = s.h * s.w, pitch = (hw + 15) / 16 * 16, c1 = (s.c + 15) / 16,
              n1 = (s.n + 15) / 16;
    Values plain(s.n * s.c * s.d * pitch, 0.0), rows(s.n * s.d * c1 * hw * 16, 0.0),
        fractals(s.d * c1 * hw * n1 * 16 * 16, 0.0);
    for (int at = 0; at < static_cast<int>(plain.size()); ++at) {
      const int p = at % pitch, d = at / pitch % s.d, c = at / pitch / s.d % s.c,
                n = at / pitch / s.d / s.c;
      if (p >= hw) continue;
      plain[at] = rows[(((n * s.d + d) * c1 + c / 16) * hw + p) * 16 + c % 16] =
          fractals[(((d * c1 + c / 16) * hw + p) * n1 * 16 + n) * 16 + c % 16] = 1 + at;
    }
    forget();
    tensor<std::int16_t>(plain.size(), plain);
    tensor<std::int16_t>(rows.size());
    tensor<std::int16_t>(fractals.size());
    tensor<std::int16_t>(plain.size());
    tensor<std::int16_t>(plain.size());
    scratch(544);
    Layout ncdhw = MakeLayout(MakeShape(s.n, s.c, s.d, s.h, s.w), MakeStride());
    Layout ndc = MakeLayout(MakeShape(s.n, s.d, c1, s.h, s.w, 16), MakeStride());
    Layout fractal = MakeLayout(MakeShape(s.d, c1, s.h, s.w, n1, 16, 16), MakeStride());
    using Plain = decltype(ncdhw);
    using Rows = decltype(ndc);
    using Fractals = decltype(fractal);
    run([&] {
      using T = std::int16_t;
      const auto tmp = at<std::uint8_t>(5);
      TransData<kToRows>(at<T>(1), at<T>(0), tmp, TransDataParams<Plain, Rows>{ncdhw, ndc});
      TransData<kToFractals>(at<T>(2), at<T>(0), TransDataParams<Plain, Fractals>{ncdhw, fractal});
      TransData<kFromRows>(at<T>(3), at<T>(1), tmp, TransDataParams<Rows, Plain>{ndc, ncdhw});
      TransData<kFromFractals>(at<T>(4), at<T>(2), tmp,
                               TransDataParams<Fractals, Plain>{fractal, ncdhw});
    });
    expect_near(1, rows, 0, 0, "NDC1HWC0");
    expect_near(2, fractals, 0, 0, "FRACTAL_Z_3D");
    expect_near(3, plain, 0, 0, "from NDC1HWC0");
    expect_near(4, plain, 0, 0, "from FRACTAL_Z_3D");
    Layout wrong = MakeLayout(MakeShape(s.n, s.d, c1 + 1, s.h, s.w, 16), MakeStride());
    EXPECT_EQ(refusal([&] {
                TransData<kToRows>(at<std::int16_t>(1), at<std::int16_t>(0),
                                   TransDataParams<Plain, Rows>{ncdhw, wrong});
              }),
              "TransData: C1 of NDC1HWC0 is " + std::to_string(c1 + 1) + ", allowed are only " +
                  std::to_string(c1));
  }
}

template <class Trait>
class TraitTest : public LibraryTest {};
using Dynamic = AscendC::Layout<AscendC::Shape<int, int>, AscendC::Stride<int, int>>;
using Traits = testing::Types<TensorTrait<float>, TensorTrait<float, TPosition::VECCALC, Dynamic>,
                              TensorTrait<half, TPosition::VECCALC, Dynamic>>;
TYPED_TEST_SUITE(TraitTest, Traits);

/// Tensors typed by a TensorTrait are those of its elements, whatever its layout holds.
TYPED_TEST(TraitTest, TensorsAreThoseOfTheElements) {
  using Trait = TypeParam;
  using T = PrimT<Trait>;
  static_assert(is_tensorTrait<Trait>::value && std::is_same_v<T, typename Trait::LiteType>);
  constexpr std::uint32_t kCount = 384;
  constexpr std::uint64_t kLanes = 256 / sizeof(T);
  const Values x = rounded<T>(numbers(kCount, -2, 3)), y = rounded<T>(numbers(kCount, 1, 2));
  Values largest, expected, filled;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    largest.push_back(std::max(x[i], 0.5) * 2 + y[i]);
    expected.push_back(std::max(largest[i], y[i]));
    filled.push_back(i % kLanes < 40 ? 3 : 1);
  }
  expected[3] = 7;
  this->template tensor<T>(kCount, x);
  this->template tensor<T>(kCount, y);
  this->template tensor<T>(kCount);
  this->template tensor<T>(kCount, Values(kCount, 0.0));
  this->run([&] {
    const auto of = [&](std::size_t number) {
      return this->template at<T>(number).template ReinterpretCast<Trait>();
    };
    const auto wait = [] { PipeBarrier<PIPE_V>(); };
    Maxs(of(2), of(0), T(0.5f), kCount);
    wait();
    Muls(of(2), of(2), T(1.0f), kLanes, kCount / kLanes, {1, 1, 8, 8});
    wait();
    Axpy(of(2), of(2), T(1.0f), kCount);
    wait();
    Add(of(2), of(2), of(1), kCount);
    wait();
    Max(of(2), of(2), of(1), kLanes, kCount / kLanes, {1, 1, 1, 8, 8, 8});
    Duplicate(of(3), T(1.0f), kCount);
    wait();
    SetVectorMask<Trait>(40);
    Adds<Trait, T, false>(of(3), of(3), T(2.0f), MASK_PLACEHOLDER, kCount / kLanes, {1, 1, 8, 8});
    ResetMask();
    const auto done = GetTPipePtr()->FetchEventID(HardEvent::V_S);
    SetFlag<HardEvent::V_S>(done);
    WaitFlag<HardEvent::V_S>(done);
    of(2).SetValue(3, of(2).GetSize() == kCount ? 7.0f : 0.0f);
    const auto stored = GetTPipePtr()->FetchEventID(HardEvent::S_MTE3);
    SetFlag<HardEvent::S_MTE3>(stored);
    WaitFlag<HardEvent::S_MTE3>(stored);
  });
  this->expect_near(2, expected, 2e-3, 2e-3);
  this->expect_near(3, filled, 0, 0);
}

class TruthsTest : public LibraryTest {};

TEST_F(TruthsTest, ProductsAnyAndAll) {
  constexpr std::uint32_t kRows = 21, kWidth = 70, kPitch = 72, kBytes = 96;
  const Values x = numbers(kRows * kPitch, 0.8, 1.25);
  Values bits = numbers(kRows * kBytes, 0, 1, 2), product(kRows, 1.0), columns(kWidth, 1.0),
         any(kRows, 0.0), all(kRows, 1.0), any_column(kWidth, 0.0);
  for (double& bit : bits) bit = bit < 0.02 ? 1 : 0;
  for (std::uint32_t i = 0; i < kBytes; ++i) bits[3 * kBytes + i] = 1;
  for (std::uint32_t r = 0; r < kRows; ++r) {
    for (std::uint32_t c = 0; c < kWidth; ++c) {
      product[r] *= x[r * kPitch + c];
      columns[c] *= x[r * kPitch + c];
      any[r] = std::max(any[r], bits[r * kBytes + c]);
      all[r] = std::min(all[r], bits[r * kBytes + c]);
      any_column[c] = std::max(any_column[c], bits[r * kBytes + c]);
    }
  }
  tensor<float>(x.size(), x);
  tensor<std::uint8_t>(bits.size(), bits);
  tensor<float>(kRows);
  tensor<float>(kWidth);
  for (const std::uint32_t n : {kRows, kRows, kWidth}) tensor<std::uint8_t>(n);
  scratch(9000);
  const std::uint32_t shape[] = {kRows, kWidth};
  run([&] {
    const auto tmp = at<std::uint8_t>(7);
    ReduceProd<float, Pattern::Reduce::AR>(at<float>(2), at<float>(0), tmp, shape, true);
    ReduceProd<float, Pattern::Reduce::RA>(at<float>(3), at<float>(0), shape, true);
    using Byte = std::uint8_t;
    ReduceAny<Byte, Pattern::Reduce::AR>(at<Byte>(4), at<Byte>(1), tmp, shape, true);
    ReduceAll<Byte, Pattern::Reduce::AR>(at<Byte>(5), at<Byte>(1), tmp, shape, true);
    ReduceAny<Byte, Pattern::Reduce::RA>(at<Byte>(6), at<Byte>(1), tmp, shape, true);
  });
  expect_near(2, product, 1e-5, 0, "products of rows");
  expect_near(3, columns, 1e-5, 0, "products of columns");
  expect_near(4, any, 0, 0, "any");
  expect_near(5, all, 0, 0, "all");
  expect_near(6, any_column, 0, 0, "any of columns");
}

}  // namespace
}  // namespace davsim::test
