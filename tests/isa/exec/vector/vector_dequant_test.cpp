// CastDequant: DEQSCALE in its forms, halves of DataBlocks, limits.
#include "tests/isa/exec/vector/vector_calls.hpp"

namespace davsim::test {
namespace {

struct Word {
  float scale;
  std::int16_t offset;
};

/// The factor keeps ten bits of its fraction.
double cut(float scale) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scale) & 0xffffe000u);
}

template <class To>
To reference(std::int16_t x, Word word) {
  const float product = static_cast<float>(x) * static_cast<float>(cut(word.scale));
  if (std::isnan(product)) {
    return static_cast<To>(std::clamp<int>(word.offset, std::numeric_limits<To>::min(),
                                           std::numeric_limits<To>::max()));
  }
  const double sum = std::nearbyint(static_cast<double>(product)) + word.offset;
  return static_cast<To>(std::clamp(sum, double{std::numeric_limits<To>::min()},
                                    double{std::numeric_limits<To>::max()}));
}

class VectorDequant : public VectorTest {
 protected:
  static constexpr std::uint32_t kSrc = 65536, kTable = 190 * 1024;

  /// Sixteen words with everything that words can hold.
  static std::array<Word, 16> words() {
    std::array<Word, 16> all;
    for (int i = 0; i < 16; ++i) {
      all[i] = {(i % 3 - 1) * (0.001f + 0.017f * static_cast<float>(i * i)),
                static_cast<std::int16_t>(i * 34 - 256)};
    }
    return all;
  }

  template <class To>
  void set_table() {
    AscendC::VdeqInfo info;
    for (int i = 0; i < 16; ++i) {
      info.vdeqScale[i] = words()[i].scale;
      info.vdeqOffset[i] = words()[i].offset;
      info.vdeqSignMode[i] = std::is_signed_v<To>;
    }
    AscendC::SetDeqScale(tensor<std::uint64_t>(kTable), info);
    std::memcpy(expected.data() + kTable, core.buffer<std::byte>(isa::Space::kUb, kTable), 128);
  }

  /// Writes what the active lanes give into the expected UB.
  template <class To, class WordOf>
  void expect(const Lanes& lanes, Strides to, Strides from, bool upper, WordOf word_of) {
    for (std::uint32_t r = 0; r < lanes.repeats; ++r) {
      for (std::uint32_t l = 0; l < lanes.per_repeat; ++l) {
        if (!lanes.active(r, l)) continue;
        const std::size_t at =
            (r * to.repeat + l / 16 * to.block) * 32 + (upper ? 16u : 0u) + l % 16;
        put(at,
            reference<To>(get<std::int16_t>(lane_offset(kSrc, from, r, l, 2)), word_of(l % 16)));
      }
    }
  }

  template <class To, bool upper>
  void check_table() {
    fill<std::int16_t>();
    set_table<To>();
    const auto dst = tensor<To>(0);
    const auto src = tensor<std::int16_t>(kSrc);
    const auto word_of = [](std::uint32_t i) { return words()[i]; };
    AscendC::CastDequant<To, std::int16_t, true, true, upper>(dst, src, 100, 5, {2, 1, 17, 8});
    expect<To>(Lanes::first(100, 128, 5), {2, 17}, {1, 8}, upper, word_of);
    check();
    const std::uint64_t bits[2] = {0x8000f00000000005, 0xff};
    AscendC::CastDeq<To, std::int16_t, true, true, upper>(dst, src, bits, 255, {1, 3, 8, 1});
    expect<To>(Lanes::bits(bits[0], bits[1], 128, 255), {1, 8}, {3, 1}, upper, word_of);
    check();
    AscendC::CastDequant<To, std::int16_t, true, upper>(dst, src, 1000u);
    expect<To>(Lanes::count(1000, 128), {1, 8}, {1, 8}, upper, word_of);
    check();
    AscendC::CastDequant<To, std::int16_t, true, upper>(dst, src, 7u);
    expect<To>(Lanes::count(7, 128), {1, 8}, {1, 8}, upper, word_of);
    check();
    AscendC::CastDequant<To, std::int16_t, true, true, upper>(dst, src, 128, 0, {1, 1, 8, 8});
    AscendC::CastDequant<To, std::int16_t, true, upper>(dst, src, 0u);
    check();
  }

  std::string refusal(const std::function<void()>& call) {
    try {
      call();
    } catch (const isa::Fault& fault) {
      EXPECT_EQ(fault.cls, isa::FaultClass::kParameter);
      return fault.message;
    }
    return "nothing";
  }
};

TEST_F(VectorDequant, ByATableIntoEitherHalf) {
  check_table<std::int8_t, true>();
  check_table<std::int8_t, false>();
  check_table<std::uint8_t, true>();
  check_table<std::uint8_t, false>();
}

TEST_F(VectorDequant, ByOneWordWithTheMaskOfTheRegister) {
  for (const Word word : {Word{1.0f, 0}, Word{0.3333f, 255}, Word{-7.77f, -256}, Word{1e30f, 3},
                          Word{std::numeric_limits<float>::infinity(), 9}}) {
    fill<std::int16_t>();
    AscendC::SetDeqScale(word.scale, word.offset, false);
    AscendC::SetVectorMask<std::int16_t>(33);
    AscendC::CastDequant<std::uint8_t, std::int16_t, false, false, false>(
        tensor<std::uint8_t>(0), tensor<std::int16_t>(kSrc), AscendC::MASK_PLACEHOLDER, 9,
        {1, 1, 8, 8});
    expect<std::uint8_t>(Lanes::first(33, 128, 9), {1, 8}, {1, 8}, false,
                         [&](std::uint32_t) { return word; });
    check();
    AscendC::SetMaskCount();
    AscendC::SetVectorMask<std::int16_t, AscendC::MaskMode::COUNTER>(300);
    AscendC::CastDequant<std::uint8_t, std::int16_t, false, false, true>(
        tensor<std::uint8_t>(0), tensor<std::int16_t>(kSrc), AscendC::MASK_PLACEHOLDER, 1,
        {1, 1, 8, 8});
    expect<std::uint8_t>(Lanes::count(300, 128), {1, 8}, {1, 8}, true,
                         [&](std::uint32_t) { return word; });
    check();
    AscendC::SetMaskNorm();
    AscendC::ResetMask();
  }
}

TEST_F(VectorDequant, Int32ToHalfIsTheScaledCast) {
  fill<std::int32_t>();
  AscendC::SetDeqScale(half(0.01f));
  AscendC::Cast(tensor<half>(0), tensor<std::int32_t>(kSrc), AscendC::RoundMode::CAST_NONE, 700);
  std::memcpy(expected.data(), core.buffer<std::byte>(isa::Space::kUb), 1400);
  AscendC::CastDequant<half, std::int32_t>(tensor<half>(4096), tensor<std::int32_t>(kSrc), 700u);
  std::memcpy(expected.data() + 4096, expected.data(), 1400);
  AscendC::CastDeq<half, std::int32_t, true, false>(tensor<half>(8192), tensor<std::int32_t>(kSrc),
                                                    64, 3, {1, 1, 4, 8});
  std::memcpy(expected.data() + 8192, expected.data(), 64 * 3 * 2);
  check();
}

TEST_F(VectorDequant, Refusals) {
  const auto i8 = tensor<std::int8_t>(0);
  const auto i16 = tensor<std::int16_t>(kSrc);
  const auto dequantise = [&] {
    AscendC::CastDequant<std::int8_t, std::int16_t, false>(i8, i16, 8u);
  };
  EXPECT_EQ(
      refusal(dequantise),
      "CastDequant: needs SetDeqScale(float, int16_t, bool) before it, DEQSCALE was never set");
  EXPECT_EQ(refusal([&] {
              AscendC::Cast(tensor<half>(0), tensor<std::int32_t>(kSrc),
                            AscendC::RoundMode::CAST_NONE, 8);
            }),
            "Cast: needs SetDeqScale(half) before it, DEQSCALE was never set");
  AscendC::SetDeqScale(half(1.0f));
  EXPECT_EQ(refusal(dequantise),
            "CastDequant: needs SetDeqScale(float, int16_t, bool) before it, DEQSCALE was last set "
            "by another form");
  EXPECT_EQ(refusal([] { AscendC::SetDeqScale(1.0f, 256, true); }),
            "SetDeqScale: offset is 256, allowed are -256 to 255");
  AscendC::SetDeqScale(1.0f, 0, false);
  EXPECT_EQ(refusal(dequantise),
            "VCONV_DEQ: signMode of SetDeqScale is false, which gives uint8, but dst is int8");
  AscendC::VdeqInfo info;
  EXPECT_EQ(refusal([&] { AscendC::SetDeqScale(tensor<std::uint64_t>(8), info); }),
            "SetDeqScale: address of vdeq is 8, allowed are multiples of 32");
  AscendC::SetDeqScale(tensor<std::uint64_t>(kTable), info);
  EXPECT_EQ(refusal([&] { AscendC::CastDequant<std::int8_t, std::int16_t>(i8, i16, 8u); }),
            "VCONV_DEQ: signMode of SetDeqScale is false, which gives uint8, but dst is int8");
}

}  // namespace
}  // namespace davsim::test
