// The compiler's intrinsics of the cube side: loads, products and results.
#include <gtest/gtest.h>

#include "ascendc/intrinsics.h"
#include "kernel_operator.h"
#include "tests/isa/api/on_chip.hpp"
#include "tests/isa/test_core.hpp"

namespace davsim::test {
namespace {

class CubeIntrinsics : public testing::Test {
 protected:
  CubeIntrinsics() { core.become(isa::CoreType::AIC); }
  template <class T>
  void add_global(const std::vector<T>& data) {
    core.global.add(data.data(), data.size() * sizeof(T));
  }

  TestCore core;
};

TEST_F(CubeIntrinsics, AProductFromLoadsMadAndFixpipe) {
  constexpr int kN = 16;
  auto* a = core.buffer<half>(isa::Space::kL1);
  auto* b = core.buffer<half>(isa::Space::kL1, 512);
  for (int i = 0; i < kN * kN; ++i) {
    a[i] = half(static_cast<float>(i % 7) - 3);
    b[i] = half(static_cast<float>(i % 5) - 2);
  }
  std::vector<float> c(kN * kN, -1.f);
  add_global(c);
  // A as it lies, B[k, n] row-major transposed into the fractal that L0B wants.
  load_cbuf_to_ca(on_chip<half>(0), on_chip<half>(0), 0, 1, 1, 0, 0, false, inc);
  load_cbuf_to_cb(on_chip<half>(0), on_chip<half>(512), 0, 1, 1, 0, 0, true, inc);
  mad(on_chip<float>(0), on_chip<half>(0), on_chip<half>(0), kN, kN, kN, 0, false, false, true);
  set_nd_para(1);
  copy_matrix_cc_to_gm(c.data(), on_chip<float>(0), 0, kN, kN, kN, kN, 0, NoQuant, 0, false, true);
  for (int row = 0; row < kN; ++row) {
    for (int col = 0; col < kN; ++col) {
      float sum = 0;
      for (int k = 0; k < kN; ++k) sum += float(a[row * kN + k]) * float(b[k * kN + col]);
      EXPECT_EQ(c[static_cast<std::size_t>(row * kN + col)], sum) << row << " " << col;
    }
  }
  EXPECT_EQ(fault_of([&] {
              copy_matrix_cc_to_gm(c.data(), on_chip<float>(0), 0, kN, kN, kN, kN, 0, NoQuant, 2,
                                   false, true);
            }).message,
            "copy_matrix_cc_to_gm: ReLUPRE is 2, allowed are 0 to 1");
}

TEST_F(CubeIntrinsics, FractalsComeFromGlobalMemory) {
  std::vector<half> fractals(4 * 256);
  for (std::size_t i = 0; i < fractals.size(); ++i) fractals[i] = half(static_cast<float>(i));
  add_global(fractals);
  load_gm_to_cbuf(on_chip<half>(0), fractals.data(), 1, 2, 2, 0, 0, inc);
  load_gm_to_ca(on_chip<half>(512), fractals.data(), 2, 1, 1, 0, 0, inc);
  load_gm_to_cb(on_chip<half>(0), fractals.data(), 3, 2, 1, 1, 0, dec);
  const auto first_of = [&](isa::Space space, int fractal) {
    return static_cast<float>(core.buffer<half>(space, 512u * static_cast<unsigned>(fractal))[0]);
  };
  EXPECT_EQ(first_of(isa::Space::kL1, 0), 256.f);
  EXPECT_EQ(first_of(isa::Space::kL1, 1), 768.f);
  EXPECT_EQ(first_of(isa::Space::kL0A, 1), 512.f);
  EXPECT_EQ(first_of(isa::Space::kL0B, 0), 768.f);
  EXPECT_EQ(first_of(isa::Space::kL0B, 2), 512.f);
}

TEST_F(CubeIntrinsics, LongFormsTakeNoOffsets) {
  auto* a = core.buffer<half>(isa::Space::kL0A);
  auto* b = core.buffer<half>(isa::Space::kL0B);
  for (int i = 0; i < 256; ++i) a[i] = half(1.f), b[i] = half(2.f);
  const auto product = [](std::uint8_t feature, std::uint8_t mask, bool weight, bool init) {
    mad(on_chip<float>(0), on_chip<half>(0), on_chip<half>(0), 16, 16, 16, feature, mask, 0, false,
        weight, false, init);
  };
  product(0, 0, false, true);
  product(0, 0, false, false);
  EXPECT_EQ(core.buffer<float>(isa::Space::kL0C)[7], 64.f) << "once from 0, once on top";
  const auto message = [](auto call) { return fault_of(call).message; };
  EXPECT_EQ(message([&] { product(1, 0, false, true); }),
            "mad: featOffset is 1, allowed are 0 to 0");
  EXPECT_EQ(message([&] { product(0, 2, false, true); }),
            "mad: smaskOffset is 2, allowed are 0 to 0");
  EXPECT_EQ(message([&] { product(0, 0, true, true); }),
            "mad: isWeightOffset is 1, allowed are 0 to 0");
}

TEST_F(CubeIntrinsics, ProductsOfInt4) {
  for (int i = 0; i < 512; ++i) {
    core.buffer<std::uint8_t>(isa::Space::kL1)[i] = 0x3e;       // -2, 3
    core.buffer<std::uint8_t>(isa::Space::kL1, 512)[i] = 0x71;  // 1, 7
  }
  const auto at = [](std::uint64_t byte) {
    return reinterpret_cast<void*>(on_chip<std::uint8_t>(byte));
  };
  load_cbuf_to_ca_s4(at(0), at(0), 0, 1, 1, 0, 0, false, inc);
  load_cbuf_to_cb_s4(at(0), at(0), 1 | 1ull << 16 | 1ull << 24, false, inc);  // the second fractal
  mad_s4(on_chip<std::int32_t>(0), at(0), at(0), 16, 64, 16, 0, false, false, true);
  EXPECT_EQ(core.buffer<std::int32_t>(isa::Space::kL0C)[200], 32 * (-2 * 1 + 3 * 7));
  mad_s4(on_chip<std::int32_t>(0), at(0), at(0), 16, 64, 16, 0, 0, 0, false, false, false, false);
  EXPECT_EQ(core.buffer<std::int32_t>(isa::Space::kL0C)[200], 64 * (-2 * 1 + 3 * 7));
  const auto message = [](auto call) { return fault_of(call).message; };
  EXPECT_EQ(message([&] {
              mad_s4(on_chip<std::int32_t>(0), at(0), at(0), 16, 64, 16, 0, 1, 0, false, false,
                     false, false);
            }),
            "mad_s4: smaskOffset is 1, allowed are 0 to 0");
  EXPECT_EQ(message([&] {
              mad_s4(on_chip<std::int32_t>(0), at(0), at(0), 4096, 64, 16, 0, false, false, true);
            }),
            "mad_s4: m is 4096, allowed are 0 to 4095");
  EXPECT_EQ(
      message([&] { load_cbuf_to_ca_s4(at(0), at(0), 0, 1, 1, 0, 0, false, addr_cal_mode_t(2)); }),
      "load_cbuf_to_ca_s4: addrMode is 2, allowed are 0 to 1");
}

TEST_F(CubeIntrinsics, QuantisationMayBeANumber) {
  core.buffer<float>(isa::Space::kL0C)[3] = 1.5f;
  std::vector<half> c(256, half(0));
  add_global(c);
  copy_matrix_cc_to_gm(c.data(), on_chip<float>(0), std::uint8_t{0}, 16, 16, 16, 16,
                       std::uint8_t{0}, static_cast<std::uint8_t>(F322F16), std::uint8_t{0}, false,
                       true);
  EXPECT_EQ(float(c[3]), 1.5f);
}

TEST_F(CubeIntrinsics, Img2colTakesTheFeatureMapOfEitherMatrix) {
  auto* l1 = core.buffer<half>(isa::Space::kL1);
  for (int i = 0; i < 64 * 16; ++i) l1[i] = half(static_cast<float>(i / 16));
  set_fmatrix(32ull | 1ull << 16);
  set_fmatrix_b(8ull | 4ull << 16);
  // Every second column of the map: 4 in a row of 8, 16 in a row of 32.
  const auto load = [](bool from_b) {
    img2colv2_cbuf_to_ca(on_chip<half>(0), on_chip<half>(0), 16, 16, 0, 0, 2, 1, 1, 1, 1, 1, false,
                         false, false, from_b, 16);
  };
  const auto* l0a = core.buffer<half>(isa::Space::kL0A);
  load(false);
  EXPECT_EQ(float(l0a[5 * 16]), 10.f);
  load(true);
  EXPECT_EQ(float(l0a[5 * 16]), 10.f);
  set_fmatrix_b(5ull | 6ull << 16);
  load(true);  // 3 places in a row of 5
  EXPECT_EQ(float(l0a[5 * 16]), 5.f + 4.f);
}

TEST_F(CubeIntrinsics, MadStartsFromTheBiasTable) {
  auto* bias = core.buffer<float>(isa::Space::kL1);
  for (int i = 0; i < 16; ++i) bias[i] = static_cast<float>(i);
  copy_cbuf_to_bt(64, on_chip<float>(0), 0, 1, 1, 0, 0);
  mad(on_chip<float>(0), on_chip<half>(0), on_chip<half>(0), 64, 16, 16, 16, 0, false, true, false);
  EXPECT_EQ(core.buffer<float>(isa::Space::kL0C)[5], 5.f) << "A and B are 0";
  // The form without the argument has the row in the upper half of C's address.
  mad(on_chip<float>(1024 | 64ull << 32), on_chip<half>(0), on_chip<half>(0), 16, 16, 16, 0, false,
      true, false);
  EXPECT_EQ(core.buffer<float>(isa::Space::kL0C, 1024)[5], 5.f);
  for (const bool source : {false, true}) {
    mad(on_chip<float>(1024 | 64ull << 32), on_chip<half>(0), on_chip<half>(0), 16, 16, 16, 0,
        false, source, true);
    EXPECT_EQ(core.buffer<float>(isa::Space::kL0C, 1024)[5], 0.f) << "starts from 0";
  }
}

TEST_F(CubeIntrinsics, RegistersOfTheCubeSide) {
  set_nd_para(3ull | 4ull << 16 | 500ull << 32);
  EXPECT_EQ(core.registers().nd_num, 3);
  EXPECT_EQ(core.registers().src_nd_stride, 4);
  EXPECT_EQ(core.registers().dst_nd_stride, 500);
  set_quant_pre(0x123456789ull);
  EXPECT_EQ(core.registers().fixpipe_quant, 0x123456789ull);
  set_fpc(3 << 8);
  EXPECT_EQ(core.registers().fixpipe_quant_addr, 384u);
  set_padding(0x3c00);
  EXPECT_EQ(core.registers().load_data_padding, 0x3c00u);
  set_fmatrix(7ull | 5ull << 16 | 1ull << 32 | 2ull << 40 | 3ull << 48 | 4ull << 56);
  EXPECT_EQ(core.registers().fmatrix.width, 7);
  EXPECT_EQ(core.registers().fmatrix.height, 5);
  EXPECT_EQ(core.registers().fmatrix.pad, (std::array<std::uint8_t, 4>{1, 2, 3, 4}));
  EXPECT_EQ(fault_of([] { set_fmatrix_b(0x8000); }).message,
            "set_fmatrix_b: l1W is 32768, allowed are 0 to 32767");
  core.emitted.clear();
  set_l1_3d_size(2048);
  EXPECT_EQ(core.registers().load_3d_boundary, 2048u);
  set_l1_3d_size(0);
  EXPECT_EQ(core.registers().load_3d_boundary, 0u);
  EXPECT_EQ(core.emitted.size(), 2u) << "each costs its issue";
}

TEST_F(CubeIntrinsics, QuantisationWordsGoToTheFixpipeBuffer) {
  auto* words = core.buffer<std::uint64_t>(isa::Space::kL1);
  for (std::uint64_t i = 0; i < 16; ++i) words[i] = i + 1;
  copy_cbuf_to_fbuf(on_chip<std::uint64_t>(128), on_chip<std::uint64_t>(0), 1, 1, 0, 0);
  EXPECT_EQ(core.buffer<std::uint64_t>(isa::Space::kFb, 128)[15], 16u);
}

}  // namespace
}  // namespace davsim::test
