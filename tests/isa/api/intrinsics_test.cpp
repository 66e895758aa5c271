// The compiler's intrinsics: each does what the call of AscendC does that it stands behind.
#include "ascendc/intrinsics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "kernel_operator.h"
#include "tests/isa/api/on_chip.hpp"
#include "tests/isa/api/sync_log.hpp"

namespace davsim::test {
namespace {

class IntrinsicsTest : public testing::Test {
 protected:
  template <class T>
  T* ub(std::uint64_t byte) {
    return core.buffer<T>(isa::Space::kUb, byte);
  }
  template <class T>
  std::vector<T> global(std::size_t count, T first = T(0)) {
    std::vector<T> data(count);
    for (std::size_t i = 0; i < count; ++i) data[i] = T(float(first) + float(i));
    return data;
  }
  template <class T>
  void add_global(const std::vector<T>& data) {
    core.global.add(data.data(), data.size() * sizeof(T));
  }

  TestCore core;
};

// --- the scalar unit --------------------------------------------------------------------------

TEST_F(IntrinsicsTest, FlagsAndBarriers) {
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
  wait_flag(PIPE_MTE2, PIPE_V, 3);
  set_flag(PIPE_V, PIPE_V, EVENT_ID0);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // not pipes of a vector core
  pipe_barrier(PIPE_V);
  pipe_barrier(PIPE_S);
  pipe_barrier(PIPE_ALL);
  EXPECT_EQ(take_log(core), (Lines{"SET MTE2_V 3", "WAIT MTE2_V 3", "BAR V", "BAR V", "BAR ALL"}));
  EXPECT_EQ(fault_of([] { set_flag(PIPE_ALL, PIPE_V, 0); }).message,
            "set_flag: no event orders V behind ALL");
  EXPECT_EQ(fault_of([] { wait_flag(PIPE_MTE2, PIPE_V, 8); }).message,
            "wait_flag: eventID is 8, allowed are 0 to 7");
}

TEST_F(IntrinsicsTest, RefusalsNameTheIntrinsic) {
  auto* a = on_chip<float>(0);
  const auto message = [](auto call) { return fault_of(call).message; };
  EXPECT_EQ(message([&] { vadd(a, a, a, 300, 1, 1, 1, 8, 8, 8); }),
            "vadd: repeatTime is 300, allowed are 0 to 255");
  EXPECT_EQ(message([&] { vexp(a, a, 256, 1, 1, 8, 8); }),
            "vexp: repeatTime is 256, allowed are 0 to 255");
  EXPECT_EQ(message([&] { vcmax(a, a, 256, 1, 1, 8, ONLY_VALUE); }),
            "vcmax: repeatTime is 256, allowed are 0 to 255");
  EXPECT_EQ(message([&] { vector_dup(a, 0.0f, 256, 1, 1, 8, 0); }),
            "vector_dup: repeatTime is 256, allowed are 0 to 255");
  EXPECT_EQ(message([&] { vconv_f322f16(on_chip<half>(0), a, 256, 1, 1, 4, 8); }),
            "vconv_f322f16: repeatTime is 256, allowed are 0 to 255");
}

TEST_F(IntrinsicsTest, FlagsBetweenCores) {
  EXPECT_EQ(AscendC::GetffstMsg(2, 5), 1 | 2 << 4 | 5 << 8);
  ffts_cross_core_sync(PIPE_MTE3, AscendC::GetffstMsg(2, 5));
  ffts_cross_core_sync(PIPE_MTE2, 0x0b01);
  wait_flag_dev(5);
  wait_flag_dev(PIPE_V, 6);
  EXPECT_EQ(take_log(core),
            (Lines{"CROSS_SET mode 2 id 5 on MTE3", "CROSS_SET mode 0 id 11 on MTE2",
                   "CROSS_WAIT mode 0 id 5 on S", "CROSS_WAIT mode 0 id 6 on V"}));
  EXPECT_EQ(fault_of([] { ffts_cross_core_sync(PIPE_MTE3, 0x0b00); }).cls,
            isa::FaultClass::kParameter);
  EXPECT_EQ(fault_of([] { ffts_cross_core_sync(PIPE_S, 0x0b01); }).cls,
            isa::FaultClass::kParameter);
}

TEST_F(IntrinsicsTest, IdentityIsThatOfTheBlock) {
  core.id.kernel_type = isa::KernelType::kMix12;
  core.id.block_idx = 3;
  core.id.block_num = 24;
  core.id.sub_block_idx = 1;
  core.id.sub_block_num = 2;
  EXPECT_EQ(get_block_idx(), 3);
  EXPECT_EQ(get_block_num(), 24);
  const std::int64_t from = block_idx * 16, blocks = block_num;
  EXPECT_EQ(from, 48);
  EXPECT_EQ(blocks, 24);
  EXPECT_TRUE(block_idx == 3 && block_idx < block_num);
  EXPECT_EQ(min(5, block_idx), 3);
  const int block_idx = 7;  // a kernel's own
  EXPECT_EQ(block_idx, 7);
  EXPECT_EQ(get_subblockid(), 1);
  EXPECT_EQ(get_subblockdim(), 2);
  EXPECT_EQ(AscendC::GetBlockIdx(), get_block_idx() * get_subblockdim() + get_subblockid());
}

TEST_F(IntrinsicsTest, BitsAndTheControlRegister) {
  EXPECT_EQ(sbitset1(0, 56), 1ull << 56);
  EXPECT_EQ(sbitset0(~0ull, 0), ~1ull);
  EXPECT_EQ(get_imm(0x40), 0x40);
  set_ctrl(sbitset1(get_ctrl(), 56));
  EXPECT_EQ(core.registers().mask_mode, isa::MaskMode::kCounter);
  set_mask_norm();
  EXPECT_EQ(get_ctrl() >> 56 & 1, 0u);
  set_ctrl(sbitset1(get_ctrl(), 46));
  EXPECT_TRUE(core.registers().hf32);
  AscendC::SetHF32Mode(false);
  EXPECT_EQ(get_ctrl() >> 46 & 1, 0u);
  EXPECT_NE(fault_of([] {
              set_ctrl(sbitset1(get_ctrl(), 3));
            }).message.find("set_ctrl: the bit that changes is 3, allowed are"),
            std::string::npos);
}

TEST_F(IntrinsicsTest, WhatTheCoreTellsOfItself) {
  EXPECT_EQ(get_arch_ver() >> 32 & 0xfff, 0x220) << "where GetArchVersion finds it";
  set_ffts_base_addr(0x1234500);
  EXPECT_EQ(get_ffts_base_addr(), 0x1234500);
  core.emitted.clear();
  EXPECT_EQ(get_status(), 0);
  EXPECT_EQ(get_overflow_status(), 0u);
  EXPECT_EQ(take_log(core), (Lines{"SCALAR", "SCALAR"}));
  set_ctrl(sbitset0(get_ctrl(), 48));
  EXPECT_EQ(fault_of([] { get_status(); }).message,
            "get_status: bit 48 of CTRL is 0, allowed are 1: results that saturate are not "
            "recorded");
  EXPECT_EQ(fault_of([] { get_overflow_status(); }).cls, isa::FaultClass::kParameter);
}

TEST_F(IntrinsicsTest, Caches) {
  int value = 0;
  dcci(&value, SINGLE_CACHE_LINE);
  dcci(&value, cache_line_t::ENTIRE_DATA_CACHE, CACHELINE_OUT);
  dcci(static_cast<volatile int*>(&value), SINGLE_CACHE_LINE);  // a flag that a kernel polls
  dsb(DSB_DDR);
  EXPECT_EQ(take_log(core), Lines{"SCALAR"});
  dc_preload(reinterpret_cast<std::uint64_t*>(&value), std::int16_t{0});
  dc_preload(reinterpret_cast<std::uint64_t*>(&value), std::int64_t{64});
  EXPECT_EQ(take_log(core), (Lines{"SCALAR", "SCALAR"}));
  EXPECT_EQ(fault_of([&] { dcci(&value, 2); }).cls, isa::FaultClass::kParameter);
  EXPECT_EQ(fault_of([] { trap(); }).cls, isa::FaultClass::kAssert);
}

// --- moves ------------------------------------------------------------------------------------

TEST_F(IntrinsicsTest, BlocksGoThroughUb) {
  const auto in = global<half>(128, 1);
  auto out = std::vector<half>(128, half(0));
  add_global(in);
  add_global(out);
  // Two bursts of two blocks, a block skipped in between; then back without gaps.
  copy_gm_to_ubuf(on_chip<half>(64), const_cast<half*>(in.data()), 0, 2, 2, 1, 0);
  copy_ubuf_to_ubuf(on_chip<half>(512), on_chip<half>(64), 0, 1, 4, 0, 0);
  copy_ubuf_to_gm(out.data(), on_chip<half>(512), 0, 1, 4, 0, 0);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(float(out[i]), float(in[i < 32 ? i : i + 16])) << i;
  }
  EXPECT_EQ(take_log(core), (Lines{"MOV_OUT_TO_UB", "MOV_UB_TO_UB", "MOV_UB_TO_OUT"}));
}

TEST_F(IntrinsicsTest, BurstsOfAnyLengthArePadded) {
  const auto in = global<std::int32_t>(10, 100);
  auto out = std::vector<std::int32_t>(10, 0);
  add_global(in);
  add_global(out);
  set_mov_pad_val(7);
  copy_gm_to_ubuf_align_b32(on_chip<void>(0), in.data(), 0, 2, 5 * 4, 1, 2, 0, 0);
  const std::vector<std::int32_t> expected = {7, 100, 101, 102, 103, 104, 7, 7,
                                              7, 105, 106, 107, 108, 109, 7, 7};
  EXPECT_EQ(std::vector<std::int32_t>(ub<std::int32_t>(0), ub<std::int32_t>(0) + 16), expected);
  copy_ubuf_to_gm_align_b32(out.data(), on_chip<void>(0), 0, 2, 3 * 4, 0, 0, 0, 4);
  EXPECT_EQ(out, (std::vector<std::int32_t>{7, 100, 101, 0, 7, 105, 106, 0, 0, 0}));
}

TEST_F(IntrinsicsTest, AtomicsTakeTypeAndOperationApart) {
  auto out = std::vector<float>(8, 10.f);
  add_global(out);
  for (int i = 0; i < 8; ++i) ub<float>(0)[i] = static_cast<float>(i);
  set_atomic_f32();
  set_atomic_add();
  copy_ubuf_to_gm(out.data(), on_chip<float>(0), 0, 1, 1, 0, 0);
  set_atomic_none();
  EXPECT_EQ(out[3], 13.f);
  copy_ubuf_to_gm(out.data(), on_chip<float>(0), 0, 1, 1, 0, 0);
  EXPECT_EQ(out[3], 3.f);
}

TEST_F(IntrinsicsTest, AtomicsTakeTypeAndOperationInOneNumber) {
  auto out = std::vector<std::int32_t>(8, 10);
  add_global(out);
  for (int i = 0; i < 8; ++i) ub<std::int32_t>(0)[i] = i;
  const auto store = [&] { copy_ubuf_to_gm(out.data(), on_chip<float>(0), 0, 1, 1, 0, 0); };
  const atomic_type_t type = atomic_type_t::ATOMIC_S32;
  set_st_atomic_cfg(type | (atomic_op_t::ATOMIC_SUM << 3));
  EXPECT_EQ(get_st_atomic_cfg(), 4u);
  store();
  EXPECT_EQ(out[3], 13);
  set_st_atomic_cfg(ATOMIC_NONE, ATOMIC_SUM);
  EXPECT_EQ(get_st_atomic_cfg(), 0u);
  store();
  EXPECT_EQ(out[3], 3);
  EXPECT_EQ(fault_of([] { set_st_atomic_cfg(7); }).message,
            "set_st_atomic_cfg: config is 7, allowed are 0 to 6");
}

// --- the vector unit --------------------------------------------------------------------------

TEST_F(IntrinsicsTest, VectorsUnderTheMaskRegister) {
  for (int i = 0; i < 256; ++i) {
    ub<float>(0)[i] = static_cast<float>(i);
    ub<float>(1024)[i] = 0.5f;
    ub<float>(2048)[i] = -1.f;
  }
  set_mask_norm();
  set_vector_mask(0, 0xff);  // eight lanes: one block of each repeat
  vadd(on_chip<float>(2048), on_chip<float>(0), on_chip<float>(1024), 2, 1, 1, 1, 8, 8, 8);
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(ub<float>(2048)[i], i % 64 < 8 ? static_cast<float>(i) + 0.5f : -1.f) << i;
  }
  set_mask_count();
  set_vector_mask(0, 100);
  vmuls(on_chip<float>(2048), on_chip<float>(0), 2.0f, 1, 1, 1, 8, 8);
  EXPECT_EQ(ub<float>(2048)[99], 198.f);
  EXPECT_EQ(ub<float>(2048)[100], -1.f);
  vector_dup(on_chip<float>(2048), 4.0f, 1, 1, 1, 8, 0);
  vsqrt(on_chip<float>(2048), on_chip<float>(2048), 1, 1, 1, 8, 8);
  EXPECT_EQ(ub<float>(2048)[99], 2.f);
  set_mask_norm();
  EXPECT_NE(fault_of([] {
              vadd(on_chip<float>(0), on_chip<float>(0), on_chip<float>(0), 256, 1, 1, 1, 8, 8, 8);
            }).message.find("repeatTime is 256, allowed are 0 to 255"),
            std::string::npos);
}

TEST_F(IntrinsicsTest, EveryVectorNameIsItsInstruction) {
  set_vector_mask(~0ull, ~0ull);
  const auto h = on_chip<half>(0);
  const auto f = on_chip<float>(4096);
  const auto s = on_chip<std::int16_t>(8192);
  const auto w = on_chip<std::int32_t>(12288);
  core.emitted.clear();
  vsub(h, h, h, 1, 1, 1, 1, 8, 8, 8);
  vmul(h, h, h, 1, 1, 1, 1, 8, 8, 8);
  vdiv(h, h, h, 1, 1, 1, 1, 8, 8, 8);
  vmax(h, h, h, 1, 1, 1, 1, 8, 8, 8);
  vmin(h, h, h, 1, 1, 1, 1, 8, 8, 8);
  vand(s, s, s, 1, 1, 1, 1, 8, 8, 8);
  vor(s, s, s, 1, 1, 1, 1, 8, 8, 8);
  vmla(f, h, h, 1, 1, 1, 1, 8, 4, 4);
  vexp(f, f, 1, 1, 1, 8, 8);
  vln(f, f, 1, 1, 1, 8, 8);
  vabs(f, f, 1, 1, 1, 8, 8);
  vrsqrt(f, f, 1, 1, 1, 8, 8);
  vrec(f, f, 1, 1, 1, 8, 8);
  vrelu(f, f, 1, 1, 1, 8, 8);
  vnot(s, s, 1, 1, 1, 8, 8);
  vadds(w, w, 3, 1, 1, 1, 8, 8);
  vmaxs(h, h, half(1), 1, 1, 1, 8, 8);
  vmins(h, h, 1, 1, 1, 1, 8, 8);
  vaxpy(f, f, 2.0f, 1, 1, 1, 8, 8);
  vcopy(h, h, 1, 1, 1, 8, 8);
  vaddrelu(h, h, h, 1, 1, 1, 1, 8, 8, 8);
  vsubrelu(h, h, h, 1, 1, 1, 1, 8, 8, 8);
  vmadd(h, h, h, 1, 1, 1, 1, 8, 8, 8);
  vmaddrelu(h, h, h, 1, 1, 1, 1, 8, 8, 8);
  vlrelu(f, f, 0.5f, 1, 1, 1, 8, 8);
  vshl(s, s, 2, 1, 1, 1, 8, 8);
  vshr(w, w, 2, 1, 1, 1, 8, 8);
  EXPECT_EQ(take_log(core),
            (Lines{"VSUB",     "VMUL",  "VDIV",      "VMAX",   "VMIN",   "VAND",  "VOR",
                   "VMLA",     "VEXP",  "VLN",       "VABS",   "VRSQRT", "VREC",  "VRELU",
                   "VNOT",     "VADDS", "VMAXS",     "VMINS",  "VAXPY",  "VCOPY", "VADDRELU",
                   "VSUBRELU", "VMADD", "VMADDRELU", "VLRELU", "VSHL",   "VSHR"}));
}

TEST_F(IntrinsicsTest, ReductionsOfRepeats) {
  for (int i = 0; i < 128; ++i) ub<float>(0)[i] = static_cast<float>(i % 64 == 5 ? 100 : i % 64);
  set_vector_mask(0, ~0ull);
  vcadd(on_chip<float>(1024), on_chip<float>(0), 2, 1, 1, 8, false);
  EXPECT_EQ(ub<float>(1024)[1], 63 * 64 / 2 + 95);
  vcadd(on_chip<float>(2048), on_chip<float>(0), 2, 1, 1, 8, true);
  EXPECT_EQ(ub<float>(2048)[0], 0.f) << "the sum stays in its register";
  EXPECT_EQ(AscendC::GetAccVal<float>(), 2 * (63 * 64 / 2 + 95));
  vcmax(on_chip<float>(1024), on_chip<float>(0), 2, 1, 1, 8, INDEX_VALUE);
  EXPECT_EQ(ub<std::uint32_t>(1024)[2], 5u);
  EXPECT_EQ(ub<float>(1024)[3], 100.f);
  vcmin(on_chip<float>(1024), on_chip<float>(0), 1, 1, 1, 8, ONLY_VALUE);
  EXPECT_EQ(ub<float>(1024)[0], 0.f);
  vcgadd(on_chip<float>(1024), on_chip<float>(0), 1, 1, 1, 8);
  EXPECT_EQ(ub<float>(1024)[1], 8 * 11.5f);
  vcgmax(on_chip<float>(1024), on_chip<float>(0), 1, 1, 1, 8);
  EXPECT_EQ(ub<float>(1024)[0], 100.f);
  vcgmin(on_chip<float>(1024), on_chip<float>(0), 1, 1, 1, 8);
  EXPECT_EQ(ub<float>(1024)[7], 56.f);
  vcpadd(on_chip<float>(1024), on_chip<float>(0), 1, 1, 1, 8);
  EXPECT_EQ(ub<float>(1024)[31], 62.f + 63.f);
  vbrcb(on_chip<float>(4096), on_chip<float>(0), 1, 8, 1);
  EXPECT_EQ(ub<float>(4096)[8 * 5 + 3], 100.f);
}

TEST_F(IntrinsicsTest, ConversionsRoundAsTheirNamesSay) {
  const float values[] = {-2.5f, -1.25f, 0.5f, 1.5f, 2.5f};
  std::copy(std::begin(values), std::end(values), ub<float>(0));
  set_mask_count();
  set_vector_mask(0, 5);
  const auto from = on_chip<float>(0);
  const auto to = on_chip<std::int32_t>(1024);
  const auto rounded = [&] {
    return std::vector<std::int32_t>(ub<std::int32_t>(1024), ub<std::int32_t>(1024) + 5);
  };
  vconv_f322s32r(to, from, 1, 1, 1, 8, 8);
  EXPECT_EQ(rounded(), (std::vector<std::int32_t>{-2, -1, 0, 2, 2}));
  vconv_f322s32a(to, from, 1, 1, 1, 8, 8);
  EXPECT_EQ(rounded(), (std::vector<std::int32_t>{-3, -1, 1, 2, 3}));
  vconv_f322s32f(to, from, 1, 1, 1, 8, 8);
  EXPECT_EQ(rounded(), (std::vector<std::int32_t>{-3, -2, 0, 1, 2}));
  vconv_f322s32c(to, from, 1, 1, 1, 8, 8);
  EXPECT_EQ(rounded(), (std::vector<std::int32_t>{-2, -1, 1, 2, 3}));
  vconv_f322s32z(to, from, 1, 1, 1, 8, 8);
  EXPECT_EQ(rounded(), (std::vector<std::int32_t>{-2, -1, 0, 1, 2}));
  vconv_f322f16(on_chip<half>(2048), from, 1, 1, 1, 4, 8);
  vconv_f162f32(on_chip<float>(3072), on_chip<half>(2048), 1, 1, 1, 8, 4);
  EXPECT_EQ(ub<float>(3072)[4], 2.5f);
  set_mask_norm();
}

TEST_F(IntrinsicsTest, ConversionsOfInt4PackTwoIntoAByte) {
  const float values[] = {-2.5f, 1.5f, 0.5f, 7.75f};
  for (int i = 0; i < 4; ++i) ub<half>(0)[i] = half(values[i]);
  set_mask_count();
  set_vector_mask(0, 4);
  const auto from = on_chip<half>(0);
  const auto to = reinterpret_cast<__ubuf__ void*>(on_chip<std::uint8_t>(1024));
  const auto packed = [&](auto convert) {
    convert(to, from, 1, 1, 1, 2, 8);
    return std::vector<int>(ub<std::uint8_t>(1024), ub<std::uint8_t>(1024) + 2);
  };
  const auto by = [](auto... numbers) { return std::vector<int>{numbers...}; };
#define CONVERSION(name) [](auto... arguments) { name(arguments...); }
  EXPECT_EQ(packed(CONVERSION(vconv_f162s4r)), by(0x2e, 0x70));
  EXPECT_EQ(packed(CONVERSION(vconv_f162s4a)), by(0x2d, 0x71));
  EXPECT_EQ(packed(CONVERSION(vconv_f162s4f)), by(0x1d, 0x70));
  EXPECT_EQ(packed(CONVERSION(vconv_f162s4c)), by(0x2e, 0x71));
  EXPECT_EQ(packed(CONVERSION(vconv_f162s4z)), by(0x1e, 0x70));
  EXPECT_EQ(packed(CONVERSION(vconv_f162s4)), by(0x2e, 0x70));
#undef CONVERSION
  vconv_s42f16(on_chip<half>(2048), reinterpret_cast<AscendC::int4b_t*>(to), 1, 1, 1, 8, 2);
  EXPECT_EQ(float(ub<half>(2048)[0]), -2.f);
  EXPECT_EQ(float(ub<half>(2048)[3]), 7.f);
  set_mask_norm();
}

TEST_F(IntrinsicsTest, NumbersAreConvertedAsTheVectorUnitDoes) {
  EXPECT_EQ(conv_f322s32r(2.5f), 2);
  EXPECT_EQ(conv_f322s32a(2.5f), 3);
  EXPECT_EQ(conv_f322s32f(-1.25f), -2);
  EXPECT_EQ(conv_f322s32c(-1.25f), -1);
  EXPECT_EQ(conv_f322s32r(1e20f), INT32_MAX);
  EXPECT_EQ(conv_bf162f32(bfloat16_t(1.5f)), 1.5f);
}

TEST_F(IntrinsicsTest, ConversionsOfTwoSources) {
  set_vector_mask(0, 0xff);
  const float a[] = {1.5f, 2.5f, -3, 100, 0, 7, 8, 300};
  const float b[] = {1, 0, 1, 100, -1, 0.25f, -9, 1};
  for (int i = 0; i < 8; ++i) {
    ub<float>(0)[i] = a[i], ub<float>(256)[i] = b[i];
    ub<half>(512)[i] = half(a[i]), ub<half>(768)[i] = half(b[i]);
    ub<std::int16_t>(1024)[i] = static_cast<std::int16_t>(a[i]);
    ub<std::int16_t>(1280)[i] = static_cast<std::int16_t>(b[i]);
  }
  const auto bytes = [&](std::uint64_t at) {
    return std::vector<int>(ub<std::int8_t>(at), ub<std::int8_t>(at) + 8);
  };
  const auto halves = [&](std::uint64_t at) {
    return std::vector<float>(ub<half>(at), ub<half>(at) + 8);
  };
  auto* to8 = on_chip<std::int8_t>(2048);
  auto* to16 = on_chip<half>(4096);
  vaddreluconv_f162s8(to8, on_chip<half>(512), on_chip<half>(768), 1, 1, 1, 1, 4, 8, 8, false);
  EXPECT_EQ(bytes(2048), (std::vector<int>{2, 2, 0, 127, 0, 7, 0, 127}));
  vsubreluconv_f162s8(to8, on_chip<half>(512), on_chip<half>(768), 1, 1, 1, 1, 4, 8, 8, false);
  EXPECT_EQ(bytes(2048), (std::vector<int>{0, 2, 0, 0, 1, 7, 17, 127}));
  vaddreluconv_s162s8(to8, on_chip<std::int16_t>(1024), on_chip<std::int16_t>(1280), 1, 1, 1, 1, 4,
                      8, 8, false);
  EXPECT_EQ(bytes(2048), (std::vector<int>{2, 2, 0, 127, 0, 7, 0, 127}));
  vsubreluconv_s162s8(to8, on_chip<std::int16_t>(1024), on_chip<std::int16_t>(1280), 1, 1, 1, 1, 4,
                      8, 8, false);
  EXPECT_EQ(bytes(2048), (std::vector<int>{0, 2, 0, 0, 1, 7, 17, 127}));
  vmulconv_f162s8(to8, on_chip<half>(512), on_chip<half>(768), 1, 1, 1, 1, 4, 8, 8);
  EXPECT_EQ(bytes(2048), (std::vector<int>{2, 0, -3, 127, 0, 2, -72, 127}));
  vmulconv_f162u8(on_chip<std::uint8_t>(2048), on_chip<half>(512), on_chip<half>(768), 1, 1, 1, 1,
                  4, 8, 8);
  EXPECT_EQ(ub<std::uint8_t>(2048)[3], 255);
  EXPECT_EQ(ub<std::uint8_t>(2048)[6], 0);
  vaddreluconv_f322f16(to16, on_chip<float>(0), on_chip<float>(256), 1, 1, 1, 1, 4, 8, 8, false);
  EXPECT_EQ(halves(4096), (std::vector<float>{2.5f, 2.5f, 0, 200, 0, 7.25f, 0, 301}));
  vsubreluconv_f322f16(to16, on_chip<float>(0), on_chip<float>(256), 1, 1, 1, 1, 4, 8, 8, false);
  EXPECT_EQ(halves(4096), (std::vector<float>{0.5f, 2.5f, 0, 0, 1, 6.75f, 17, 299}));
  const auto message = [](auto call) { return fault_of(call).message; };
  EXPECT_EQ(message([&] {
              vaddreluconv_f162s8(to8, on_chip<half>(512), on_chip<half>(768), 300, 1, 1, 1, 4, 8,
                                  8, false);
            }),
            "vaddreluconv_f162s8: repeatTime is 300, allowed are 0 to 255");
  EXPECT_EQ(message([&] {
              vsubreluconv_f322f16(to16, on_chip<float>(0), on_chip<float>(256), 1, 1, 1, 1, 4, 8,
                                   8, true);
            }),
            "vsubreluconv_f322f16: h is 1, allowed are 0 to 0");
}

}  // namespace
}  // namespace davsim::test
