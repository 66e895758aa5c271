// BilinearInterpolation against sums of products, one element at a time.
#include <random>

#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {
namespace {

class VectorInterpolation : public VectorTest {
 protected:
  static constexpr std::uint32_t kDst = 0, kSrc = 64 * 1024, kOffsets = 96 * 1024,
                                 kWeights = 128 * 1024, kTmp = 140 * 1024;
  struct Case {
    std::uint32_t steps, rows;
    bool eights;
    std::uint32_t dst_block, dst_offset;
    std::uint32_t tmp_bytes;
  };

  /// Elements of half are random, every product and every sum is rounded.
  void expect_sums(const Case& c, const Lanes& lanes) {
    for (std::uint32_t row = 0; row < c.rows; ++row) {
      for (std::uint32_t lane = 0; lane < 128; ++lane) {
        if (!lanes.active(0, lane)) continue;
        half sum;
        for (std::uint32_t step = 0; step < c.steps; ++step) {
          const std::uint32_t nth = row * c.steps + step, block = lane / 16;
          const auto offset = get<std::uint32_t>(kOffsets + (nth * 8 + block) * 4);
          const auto weight = get<half>(kWeights + (c.eights ? nth * 8 + block : nth) * 2);
          const auto x = get<half>(kSrc + offset + lane % 16 * 2);
          const half product = Exact<half>::write(Exact<half>::read(x) * Exact<half>::read(weight));
          sum = step == 0 ? product
                          : Exact<half>::write(Exact<half>::read(product) + Exact<half>::read(sum));
        }
        put(kDst + (row * c.dst_offset + lane / 16 * c.dst_block * 16 + lane % 16) * 2, sum);
      }
    }
  }

  void prepare(std::uint32_t seed) {
    fill<half>(seed);
    std::mt19937 random(seed);
    for (std::uint32_t at = kOffsets; at < kWeights; at += 4) {
      put<std::uint32_t>(at, random() % 1000 * 32);
    }
    std::memcpy(core.buffer<std::byte>(isa::Space::kUb), expected.data(), kUbBytes);
  }

  template <class Mask>
  void call(const Case& c, Mask mask) {
    const AscendC::LocalTensor<std::uint8_t> tmp(AscendC::TPosition::VECCALC, kTmp, c.tmp_bytes);
    AscendC::BilinearInterpolation(
        tensor<half>(kDst), tensor<half>(kSrc), tensor<std::uint32_t>(kOffsets),
        tensor<half>(kWeights), mask, static_cast<std::uint8_t>(c.steps), c.eights,
        static_cast<std::uint16_t>(c.dst_block), static_cast<std::uint16_t>(c.dst_offset),
        static_cast<std::uint8_t>(c.rows), tmp);
    // What the temporary space holds now is the call's own.
    std::memcpy(expected.data() + kTmp, core.buffer<std::byte>(isa::Space::kUb) + kTmp,
                c.tmp_bytes);
  }
};

TEST_F(VectorInterpolation, AddsWeightedDataBlocks) {
  for (const Case& c : {Case{1, 1, false, 1, 128, 512}, Case{2, 2, false, 1, 128, 17408},
                        Case{2, 2, true, 1, 128, 17408}, Case{7, 3, true, 2, 272, 22 * 256},
                        Case{7, 3, false, 3, 400, 6 * 256}, Case{255, 2, false, 1, 144, 40 * 1024},
                        Case{3, 40, true, 1, 160, 40 * 1024}}) {
    SCOPED_TRACE(testing::Message() << c.steps << " x " << c.rows << " eights " << c.eights);
    prepare(c.steps * 3 + c.eights);
    expect_sums(c, Lanes::first(128, 128, 1));
    call(c, std::uint64_t{128});
    check();
    expect_sums(c, Lanes::first(37, 128, 1));
    call(c, std::uint64_t{37});
    check();
    const std::uint64_t bits[2] = {0x69a500000000ff01, 0x8000000000000001};
    expect_sums(c, Lanes::bits(bits[0], bits[1], 128, 1));
    call(c, &bits[0]);
    check();
  }
}

/// The documentation's example.
TEST_F(VectorInterpolation, Example) {
  fill<half>();
  for (std::uint32_t i = 0; i < 512; ++i) put(kSrc + i * 2, half(static_cast<float>(i + 1)));
  for (std::uint32_t i = 0; i < 16; ++i) put(kWeights + i * 2, half(static_cast<float>(i + 2)));
  for (std::uint32_t i = 0; i < 32; ++i) put(kOffsets + i * 4, i * 32);
  std::memcpy(core.buffer<std::byte>(isa::Space::kUb), expected.data(), kUbBytes);
  AscendC::SetMaskCount();  // the mask is lanes all the same
  call({2, 2, false, 1, 128, 512 * 32 + 16 * 32}, std::uint64_t{128});
  EXPECT_EQ(core.registers().mask_mode, isa::MaskMode::kNormal);
  const auto dst = tensor<half>(kDst);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(static_cast<float>(dst.GetValue(i)), 389.0f + 5.0f * static_cast<float>(i));
  }
  EXPECT_EQ(static_cast<float>(dst.GetValue(255)), 4096.0f);
}

TEST_F(VectorInterpolation, Refused) {
  prepare(1);
  const Case legal = {2, 2, false, 1, 128, 4096};
  const auto refused = [&](Case c) { EXPECT_THROW(call(c, std::uint64_t{128}), isa::Fault); };
  for (auto [steps, rows, offset, bytes] :
       {std::array{0u, 1u, 128u, 4096u}, std::array{1u, 0u, 128u, 4096u},
        std::array{1u, 1u, 112u, 4096u}, std::array{1u, 1u, 136u, 4096u},
        std::array{1u, 1u, 128u, 480u}}) {
    refused({steps, rows, false, 1, offset, bytes});
  }
  EXPECT_NO_THROW(call(legal, std::uint64_t{128}));
}

}  // namespace
}  // namespace davsim::test
