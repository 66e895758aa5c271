// Intrinsics that sort, select, gather and transpose, those that fill L1, and the forms of all
// others that take their numbers packed into one or two words.
#include "ascendc/intrinsics.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "kernel_operator.h"
#include "tests/isa/api/on_chip.hpp"
#include "tests/isa/api/sync_log.hpp"

namespace davsim::test {
namespace {

std::uint64_t word(std::initializer_list<std::pair<int, std::uint64_t>> parts) {
  std::uint64_t result = 0;
  for (const auto& [from, value] : parts) result |= value << from;
  return result;
}

class IntrinsicsOrderTest : public testing::Test {
 protected:
  template <class T>
  T* ub(std::uint64_t byte) {
    return core.buffer<T>(isa::Space::kUb, byte);
  }
  template <class T>
  void count_up(std::uint64_t byte, int count) {
    for (int i = 0; i < count; ++i) ub<T>(byte)[i] = T(float(i));
  }

  TestCore core;
};

/// Scores fall, equal ones in the order they came, whatever was packed how.
TEST_F(IntrinsicsOrderTest, SortsOf32AreMergedByFour) {
  for (std::uint32_t i = 0; i < 128; ++i) {
    ub<float>(0)[i] = static_cast<float>(i * 37 % 64);
    ub<std::uint32_t>(1024)[i] = i;
  }
  vbitsort(on_chip<float>(2048), on_chip<float>(0), on_chip<std::uint32_t>(1024), 4);
  float* queues[4];
  for (std::uint64_t i = 0; i < 4; ++i) queues[i] = on_chip<float>(2048 + 256 * i);
  vmrgsort4(on_chip<float>(4096), queues, word({{0, 32}, {16, 32}, {32, 32}, {48, 32}}),
            word({{0, 1}, {8, 15}}));
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(ub<float>(4096)[2 * i], static_cast<float>(63 - i / 2)) << i;
    const std::uint32_t index = ub<std::uint32_t>(4096)[2 * i + 1];
    EXPECT_EQ(index * 37 % 64, 63u - static_cast<std::uint32_t>(i) / 2) << i;
    if (i % 2 == 1) {
      EXPECT_GT(index, ub<std::uint32_t>(4096)[2 * i - 1]);
    }
  }
  EXPECT_EQ(get_vms4_sr(), word({{0, 32}, {16, 32}, {32, 32}, {48, 32}}));
  vmrgsort4(on_chip<float>(8192), queues, 1, 32, 8, 0, 0, false, 3);
  EXPECT_EQ(get_vms4_sr(), word({{0, 32}, {16, 8}}));
  EXPECT_EQ(fault_of([&] { vmrgsort4(on_chip<float>(8192), queues, 0, 0x101); }).message,
            "vmrgsort4: validBit is 1, allowed are 3, 7 and 15");
}

TEST_F(IntrinsicsOrderTest, ElementsAreKeptByPatternAndByBits) {
  count_up<std::int32_t>(0, 128);
  ub<std::uint32_t>(1024)[0] = 0x80000001u;
  set_mask_norm();
  vreducev2(on_chip<std::uint32_t>(2048), on_chip<std::uint32_t>(0), nullptr, 2, 1, 2, 8, 8);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(ub<std::int32_t>(2048)[i], 2 * i + 1);
  EXPECT_EQ(get_rsvd_cnt(), 64);
  // In counter mode the mask register says how many elements a repeat has; it stays as it is.
  set_mask_count();
  set_vector_mask(0, 32);
  vreducev2(on_chip<std::uint32_t>(2048), on_chip<std::uint32_t>(0), on_chip<std::uint32_t>(1024),
            1, 1, 0, 8, 8);
  EXPECT_EQ(get_rsvd_cnt(), 2);
  EXPECT_EQ(ub<std::int32_t>(2048)[1], 31);
  EXPECT_EQ(core.registers().mask_mode, isa::MaskMode::kCounter);
  EXPECT_EQ(core.registers().mask[0], 32u);
  EXPECT_EQ(fault_of([] {
              vreducev2(on_chip<std::uint16_t>(0), on_chip<std::uint16_t>(64), nullptr, 1, 1, 8, 8,
                        0);
            }).message,
            "vreducev2: patternMode is 8, allowed are 0 to 7");
}

TEST_F(IntrinsicsOrderTest, DataBlocksAreGathered) {
  count_up<std::int32_t>(0, 256);
  for (std::uint32_t i = 0; i < 8; ++i) ub<std::uint32_t>(2048)[i] = (7 - i) * 64;
  vgatherb(on_chip<std::uint32_t>(4096), on_chip<std::uint32_t>(2048), 32, 8, 1, 1);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(ub<std::int32_t>(4096)[i], (7 - i / 8) * 16 + 8 + i % 8) << i;
  }
}

TEST_F(IntrinsicsOrderTest, RegistersOfAddressesAreTransposed) {
  count_up<half>(0, 512);
  std::uint64_t from[16], to[16];
  for (std::uint64_t i = 0; i < 16; ++i) {
    from[i] = 32 * i;
    to[i] = 4096 + 32 * i;
  }
  set_va_reg_sb(VA2, from);
  set_va_reg_sb(VA3, from + 8);
  set_va_reg_sb(VA0, to);
  set_va_reg_sb(VA1, to + 8);
  scatter_vnchwconv_b16(VA0, VA2, 1, 0, 0);
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(float(ub<half>(4096)[i]), static_cast<float>(i % 16 * 16 + i / 16)) << i;
  }
  scatter_vnchwconv_b16(VA0, VA2, word({{0, 16}, {16, 16}, {56, 2}}));
  for (int i = 256; i < 512; ++i) {
    EXPECT_EQ(float(ub<half>(4096)[i]), static_cast<float>(256 + i % 16 * 16 + i % 256 / 16)) << i;
  }
  EXPECT_EQ(fault_of([] { scatter_vnchwconv_b16(VA7, VA2, 1, 0, 0); }).cls,
            isa::FaultClass::kParameter);
}

TEST_F(IntrinsicsOrderTest, OneValueFillsL1) {
  core.become(isa::CoreType::AIC);
  const auto* l1 = core.buffer<std::uint16_t>(isa::Space::kL1);
  create_cbuf_matrix(on_chip<half>(0), word({{0, 2}, {16, 1}, {32, 1}}), half(1.0f));
  EXPECT_EQ(l1[0], 0x3c00);
  EXPECT_EQ(l1[15], 0x3c00);
  EXPECT_EQ(l1[16], 0);
  EXPECT_EQ(l1[32], 0x3c00);
  EXPECT_EQ(l1[48], 0);
  // Whatever the pointer, a number is a pattern of 32 bits.
  create_cbuf_matrix(on_chip<std::uint16_t>(0), word({{0, 1}, {16, 1}}), 0x00020001);
  EXPECT_EQ(l1[4], 1);
  EXPECT_EQ(l1[5], 2);
  create_cbuf_matrix_bf16(on_chip<bfloat16_t>(0), word({{0, 1}, {16, 1}}),
                          AscendC::ToBfloat16(1.0f));
  EXPECT_EQ(l1[15], 0x3f80);
}

/// What the packed form of a call emits is what the other form emits.
template <class First, class Second>
void expect_same(TestCore& core, First first, Second second) {
  core.emitted.clear();
  first();
  second();
  ASSERT_EQ(core.emitted.size(), 2u);
  const isa::Instr &a = core.emitted[0], &b = core.emitted[1];
  EXPECT_EQ(a.op, b.op);
  if (const auto* move = std::get_if<isa::MoveParams>(&a.params)) {
    const auto& other = std::get<isa::MoveParams>(b.params);
    EXPECT_EQ(move->bursts, other.bursts);
    EXPECT_EQ(move->burst_bytes, other.burst_bytes);
    EXPECT_EQ(move->src_pitch, other.src_pitch);
    EXPECT_EQ(move->dst_pitch, other.dst_pitch);
    EXPECT_EQ(move->left_pad, other.left_pad);
    EXPECT_EQ(move->right_pad, other.right_pad);
  }
  if (const auto* vector = std::get_if<isa::VectorParams>(&a.params)) {
    const auto& other = std::get<isa::VectorParams>(b.params);
    EXPECT_EQ(vector->repeats, other.repeats);
    const auto strides = [](const isa::VectorParams& params) {
      return std::array<int, 6>{params.dst.block,   params.dst.repeat, params.src0.block,
                                params.src0.repeat, params.src1.block, params.src1.repeat};
    };
    EXPECT_EQ(strides(*vector), strides(other));
  }
}

TEST_F(IntrinsicsOrderTest, PackedFormsSayTheSame) {
  std::vector<float> data(1024);
  core.global.add(data.data(), data.size() * sizeof(float));
  auto* gm = data.data();
  auto* a = on_chip<float>(0);
  auto* b = on_chip<float>(8192);
  auto* c = on_chip<float>(16384);
  expect_same(
      core, [&] { copy_gm_to_ubuf(a, gm, 0, 2, 3, 4, 5); },
      [&] {
        copy_gm_to_ubuf(a, gm, word({{4, 2}, {16, 3}, {32, 4}, {48, 5}}));
      });
  expect_same(
      core, [&] { copy_gm_to_ubuf_align_b32(a, gm, 0, 3, 20, 1, 2, 12, 4); },
      [&] {
        copy_gm_to_ubuf_align_b32(a, gm, word({{4, 3}, {16, 20}, {48, 1}, {54, 2}}),
                                  word({{0, 12}, {32, 4}}));
      });
  expect_same(
      core, [&] { vadd(c, a, b, 2, 1, 2, 3, 8, 9, 10); },
      [&] {
        vadd(c, a, b, word({{0, 1}, {8, 2}, {16, 3}, {24, 8}, {32, 9}, {40, 10}, {56, 2}}));
      });
  expect_same(
      core, [&] { vmuls(c, a, 2.0f, 3, 1, 2, 8, 9); },
      [&] {
        vmuls(c, a, 2.0f, word({{0, 1}, {16, 2}, {32, 8}, {44, 9}, {56, 3}}));
      });
}

TEST_F(IntrinsicsOrderTest, PackedFormsOfTheCubeSayTheSame) {
  core.become(isa::CoreType::AIC);
  auto* l1 = on_chip<half>(0);
  load_cbuf_to_ca(on_chip<half>(0), l1, 1, 2, 3, 0, 0, false);
  load_cbuf_to_ca(on_chip<half>(0), l1, word({{0, 1}, {16, 2}, {24, 3}}), false);
  mad(on_chip<float>(0), on_chip<half>(0), on_chip<half>(0), 16, 32, 48, 0, false, false, true);
  mad(on_chip<float>(0), on_chip<half>(0), on_chip<half>(0),
      word({{0, 16}, {12, 32}, {24, 48}, {63, 1}}));
  ASSERT_EQ(core.emitted.size(), 4u);
  const auto& load = std::get<isa::Load2dParams>(core.emitted[0].params);
  const auto& packed = std::get<isa::Load2dParams>(core.emitted[1].params);
  EXPECT_EQ(load.start, packed.start);
  EXPECT_EQ(load.repeats, packed.repeats);
  const auto& mad_params = std::get<isa::MmadInstrParams>(core.emitted[3].params);
  EXPECT_EQ(mad_params.m, 16);
  EXPECT_EQ(mad_params.k, 32);
  EXPECT_EQ(mad_params.n, 48);
}

TEST_F(IntrinsicsOrderTest, DeviceWordsGoPastTheDataCache) {
  std::vector<std::uint32_t> words = {1, 2, 3};
  core.global.add(words.data(), 12);
  EXPECT_EQ(ld_dev(&words[1], 0), 2u);
  st_dev(7, &words[2], 0);
  EXPECT_EQ(words[2], 7u);
  EXPECT_EQ(fault_of([&] { ld_dev(&words[0], 4); }).message,
            "ld_dev: offset is 4, allowed are 0 to 0");
}

}  // namespace
}  // namespace davsim::test
