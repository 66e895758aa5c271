// The geometry that the meaning of vector instructions and the model of UB's banks share.
#include "isa/exec/vector/vector_shape.hpp"

#include <gtest/gtest.h>

#include "tests/isa/test_core.hpp"

namespace davsim::test {
namespace {

using isa::DType;
using isa::Opcode;

isa::Instr instr(Opcode op, DType dst, DType src, const isa::VectorParams& params) {
  const auto at = [](DType type, std::uint64_t addr) {
    return isa::Operand{isa::Space::kUb, type, addr};
  };
  return {op, isa::Pipe::V, at(dst, 0), at(src, 1024), at(src, 2048), params, {}};
}

TEST(VectorShape, FullMask) {
  isa::VectorParams params;
  params.repeats = 5;
  params.src0 = {2, 16};
  const auto shape = isa::vector_shape(instr(Opcode::kAdd, DType::kF32, DType::kF32, params));
  EXPECT_EQ(shape.repeats, 5u);
  EXPECT_EQ(shape.steps(), 5u);
  EXPECT_EQ(shape.lanes(), 320u);
  EXPECT_EQ(shape.lanes_per_repeat, 64u);
  EXPECT_TRUE(shape.prefix());
  EXPECT_EQ(shape.blocks_of(shape.src0, 4), 8u);
  EXPECT_EQ(shape.src0.block_addr(3, 7), 1024u + 3 * 512 + 7 * 64);
  EXPECT_EQ(shape.src1.block_addr(1, 1), 2048u + 256 + 32);
}

TEST(VectorShape, NarrowOperandsHaveFewerBlocks) {
  isa::VectorParams params;
  const auto shape = isa::vector_shape(instr(Opcode::kCast, DType::kI64, DType::kF32, params));
  EXPECT_EQ(shape.lanes_per_repeat, 32u);
  EXPECT_EQ(shape.blocks_of(shape.dst, 0), 8u);
  EXPECT_EQ(shape.blocks_of(shape.src0, 0), 4u);
  EXPECT_FALSE(shape.src1.used());
  const auto bytes = isa::vector_shape(instr(Opcode::kCast, DType::kF16, DType::kI8, params));
  EXPECT_EQ(bytes.lanes_per_repeat, 128u);
  EXPECT_EQ(bytes.blocks_of(bytes.src0, 0), 4u);
}

TEST(VectorShape, MaskBits) {
  isa::VectorParams params;
  params.repeats = 2;
  params.mask = {0b1011, 0xff};
  const auto wide = isa::vector_shape(instr(Opcode::kExp, DType::kF32, DType::kF32, params));
  EXPECT_EQ(wide.lanes(), 6u);  // the upper word is beyond the lanes of fp32
  EXPECT_EQ(wide.lanes_per_repeat, 4u);
  EXPECT_FALSE(wide.prefix());
  EXPECT_TRUE(wide.lane_active(params.mask, 3));
  EXPECT_FALSE(wide.lane_active(params.mask, 2));
  const auto half = isa::vector_shape(instr(Opcode::kExp, DType::kF16, DType::kF16, params));
  EXPECT_EQ(half.lanes(), 22u);
  EXPECT_EQ(half.lanes_per_repeat, 72u);
  EXPECT_EQ(half.blocks_of(half.dst, 1), 5u);
  EXPECT_TRUE(half.lane_active(params.mask, 64));
  params.mask = {~std::uint64_t{0}, 7};
  const auto prefix = isa::vector_shape(instr(Opcode::kExp, DType::kF16, DType::kF16, params));
  EXPECT_TRUE(prefix.prefix());
  EXPECT_EQ(prefix.lanes(), 134u);
}

TEST(VectorShape, NoLaneIsNoRepeat) {
  isa::VectorParams params;
  params.mask = {0, 1};
  EXPECT_EQ(isa::vector_shape(instr(Opcode::kExp, DType::kF32, DType::kF32, params)).repeats, 0u);
  params.mask_mode = isa::MaskMode::kCounter;
  const auto shape = isa::vector_shape(instr(Opcode::kExp, DType::kF32, DType::kF32, params));
  EXPECT_EQ(shape.repeats, 0u);
  EXPECT_EQ(shape.steps(), 0u);
  EXPECT_EQ(shape.lanes(), 0u);
}

TEST(VectorShape, CounterMode) {
  isa::VectorParams params;
  params.mask_mode = isa::MaskMode::kCounter;
  params.mask = {130, 0};
  params.repeats = 99;  // ignored
  const auto shape = isa::vector_shape(instr(Opcode::kExp, DType::kF32, DType::kF32, params));
  EXPECT_EQ(shape.repeats, 3u);
  EXPECT_EQ(shape.lanes(), 130u);
  EXPECT_EQ(shape.lanes_of(1), 64u);
  EXPECT_EQ(shape.lanes_of(2), 2u);
  EXPECT_EQ(shape.blocks_of(shape.dst, 2), 1u);
}

TEST(VectorShape, CopyInCounterModeHasLongRepeats) {
  isa::VectorParams params;
  params.mask_mode = isa::MaskMode::kCounter;
  params.mask = {144, 0};
  params.repeats = 2;
  const auto shape =
      isa::vector_shape(instr(Opcode::kCopyUbToUb, DType::kI32, DType::kI32, params));
  EXPECT_EQ(shape.repeats, 2u);
  EXPECT_EQ(shape.lanes_per_repeat, 144u);
  EXPECT_EQ(shape.blocks_of(shape.src0, 0), 18u);  // the documented example
  EXPECT_EQ(shape.steps(), 6u);
}

/// Whoever times, carries out or checks a decoded instruction finds the shape in it.
TEST(VectorShape, TravelsWithTheInstruction) {
  TestCore core;
  isa::VectorParams params;
  params.repeats = 3;
  params.mask = {0b1011, 0};
  const isa::Instr add = instr(Opcode::kAdd, DType::kF32, DType::kF32, params);
  const isa::DecodedInstr decoded = isa::decode(add, core.memory);
  EXPECT_EQ(decoded.op, Opcode::kAdd);
  EXPECT_EQ(decoded.shape.repeats, 3u);
  EXPECT_EQ(decoded.shape.lanes(), 9u);
  EXPECT_EQ(decoded.shape.src1.addr, 2048u);
  // Carrying it out asks the shape and nothing else: a repeat less is done.
  isa::DecodedInstr shorter = decoded;
  shorter.shape.repeats = 2;
  auto* ub = core.buffer<float>(isa::Space::kUb);
  std::fill_n(ub + 256, 512, 1.0f);
  isa::execute(shorter, core.memory);
  EXPECT_EQ(ub[64 + 3], 2.0f);
  EXPECT_EQ(ub[128 + 3], 0.0f);
  isa::Instr move{Opcode::kMoveUbToUb, isa::Pipe::V, {}, {}, {}, isa::MoveParams{1, 64}, {}};
  move.dst = move.src0 = {isa::Space::kUb, DType::kF32, 0};
  EXPECT_EQ(isa::decode(move, core.memory).shape.repeats, 0u);
}

}  // namespace
}  // namespace davsim::test
