// Numbers and fields of traces as text, against the standard library's.
#include "traces/output/json_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <limits>
#include <string>

#include "traces/output/instr_args.hpp"

namespace davsim::traces {
namespace {

template <class Write>
std::string text_of(Write write) {
  std::array<char, 512> room;
  room.fill('#');
  JsonText text(room.data());
  write(text);
  return {room.data(), text.at()};
}

TEST(JsonText, IntegersOfEveryLength) {
  for (std::uint64_t power = 1, last = 0; power > last; last = power, power *= 10) {
    for (const std::uint64_t value : {power - 1, power, power + 1, 9 * power / 2}) {
      EXPECT_EQ(text_of([&](JsonText& t) { t.integer(value); }), std::to_string(value));
      const auto negative = -static_cast<std::int64_t>(value / 2);
      EXPECT_EQ(text_of([&](JsonText& t) { t.integer(negative); }), std::to_string(negative));
    }
    if (power == 10'000'000'000'000'000'000u) break;
  }
  const auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(text_of([&](JsonText& t) { t.integer(most); }), std::to_string(most));
  const auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(text_of([&](JsonText& t) { t.integer(least); }), std::to_string(least));
  EXPECT_EQ(text_of([&](JsonText& t) { t.integer(std::uint8_t{200}); }), "200");
}

TEST(JsonText, HexadecimalNumbersOfEveryLength) {
  for (std::uint64_t value = 0x9abcdef123456789; value != 0; value >>= 4) {
    char expected[24];
    std::snprintf(expected, sizeof expected, "0x%llx", static_cast<unsigned long long>(value));
    EXPECT_EQ(text_of([&](JsonText& t) { t.hex(value); }), expected);
  }
  EXPECT_EQ(text_of([](JsonText& t) { t.hex(0); }), "0x0");
}

TEST(JsonText, MicrosecondsHaveAllTheirDigits) {
  const auto us = [](std::uint64_t ps) {
    return text_of([&](JsonText& t) { t.microseconds(ps); });
  };
  EXPECT_EQ(us(0), "0.000000");
  EXPECT_EQ(us(7), "0.000007");
  EXPECT_EQ(us(1'000'000), "1.000000");
  EXPECT_EQ(us(293'729'444), "293.729444");
  EXPECT_EQ(us(86'400'000'000'102'030), "86400000000.102030");
}

TEST(JsonText, Members) {
  EXPECT_EQ(text_of([](JsonText& t) {
              t.raw("{\"a\":1");
              t.member("flag", true);
              t.member("name", "text");
              t.hex_member("mask", 255);
              t.list_member("stride", 1, 8);
              t.put('}');
            }),
            R"({"a":1,"flag":true,"name":"text","mask":"0xff","stride":[1,8]})");
  const ShortText<8> few("abc");
  EXPECT_EQ(text_of([&](JsonText& t) { t.raw(few), t.put('d'); }), "abcd");
  EXPECT_THROW(ShortText<8>("123456789"), std::length_error);
}

/// The longest text of these parameters.
std::size_t longest(isa::Opcode op, const isa::Params& params) {
  isa::Instr instr;
  instr.op = op;
  instr.params = params;
  instr.dst = instr.src0 = instr.src1 = {isa::Space::kSparseIndex, isa::DType::kBF16, ~0ull};
  instr.src0.type = isa::DType::kF16;
  std::array<char, 2 * kMostInstrArgs> room;
  const JsonText end = write_params(write_operands(JsonText(room.data()), instr, 0), instr);
  return static_cast<std::size_t>(end.at() - room.data());
}

TEST(InstrArgs, FitWhatIsKeptForThem) {
  constexpr std::uint16_t k16 = 0xffff;
  constexpr std::uint32_t k32 = 0xffffffff;
  constexpr std::uint64_t k64 = ~0ull;
  isa::VectorParams vector;
  vector.repeats = k16, vector.scalar = k64, vector.dst = vector.src0 = vector.src1 = {k16, k16};
  EXPECT_LE(longest(isa::Opcode::kCast, vector), kMostInstrArgs);
  isa::TransposeParams transpose;
  transpose.dst.fill(k16), transpose.src.fill(k16), transpose.repeats = 255;
  transpose.dst_step = transpose.src_step = k16, transpose.dst_upper = transpose.src_upper = true;
  EXPECT_LE(longest(isa::Opcode::kTransDataTo5hd, transpose), kMostInstrArgs);
  isa::MoveParams move;
  move.bursts = move.burst_bytes = k32, move.pad = true, move.pad_value = k64;
  move.src_pitch = move.dst_pitch = std::numeric_limits<std::int64_t>::min();
  move.left_pad = move.right_pad = 255, move.atomic = isa::AtomicOp::kAdd;
  EXPECT_LE(longest(isa::Opcode::kMoveGmToUb, move), kMostInstrArgs);
  isa::Nd2NzMoveParams nd2nz{k16, k16, k16, k64, k32, k32, k32, k64};
  EXPECT_LE(longest(isa::Opcode::kMoveGmToL1Nd2Nz, nd2nz), kMostInstrArgs);
  isa::Load3dParams load;
  load.pad.fill(255), load.l1_h = load.l1_w = load.channels = k16;
  load.k_extension = load.m_extension = load.filter_w = load.filter_h = k16;
  load.k_start = load.m_start = k32, load.repeats = load.stride_w = load.stride_h = 255;
  load.dilation_w = load.dilation_h = 255, load.transpose = true;
  EXPECT_LE(longest(isa::Opcode::kLoadData3d, load), kMostInstrArgs);
  isa::FixpipeInstrParams fixpipe;
  fixpipe.m = fixpipe.n = fixpipe.nd_num = k16, fixpipe.src_stride = fixpipe.dst_stride = k32;
  fixpipe.nz2nd = fixpipe.relu = true, fixpipe.quant = isa::QuantMode::kQF32ToB8;
  fixpipe.unit_flag = isa::UnitFlag::kToggle, fixpipe.atomic = isa::AtomicOp::kAdd;
  EXPECT_LE(longest(isa::Opcode::kFixpipeToGm, fixpipe), kMostInstrArgs);
}

}  // namespace
}  // namespace davsim::traces
