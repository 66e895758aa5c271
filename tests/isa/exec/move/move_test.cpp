// DataCopy between GM, UB and L1.
#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using AscendC::DataCopy;
using AscendC::DataCopyParams;
using AscendC::TPosition;
using isa::Opcode;
using isa::Pipe;
using isa::Space;

template <class T>
class MoveTypedTest : public MoveTest {};
using MoveTypes = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, half,
                                   bfloat16_t, std::int32_t, std::uint32_t, float, std::int64_t>;
TYPED_TEST_SUITE(MoveTypedTest, MoveTypes);

TYPED_TEST(MoveTypedTest, CountGoesToUbAndBack) {
  using T = TypeParam;
  std::vector<T> in = counting<T>(96), out(96);
  auto from = this->gm(in);
  auto to = this->gm(out);
  auto ub = this->template local<T>(TPosition::VECIN, 64);
  DataCopy(ub, from, 96);
  EXPECT_EQ(std::memcmp(this->core.template buffer<T>(Space::kUb, 64), in.data(), 96 * sizeof(T)),
            0);
  DataCopy(to, ub, 96);
  EXPECT_EQ(std::memcmp(out.data(), in.data(), 96 * sizeof(T)), 0);
}

TEST_F(MoveTest, BlocksWithGaps) {
  // The documentation's example: 2 blocks of 3 DataBlocks, gaps of 1 and 2 DataBlocks.
  std::vector<half> in = counting<half>(112);
  auto from = gm(in);
  half* ub = core.buffer<half>(Space::kUb);
  std::fill(ub, ub + 200, half(-1));
  DataCopy(local<half>(TPosition::VECIN), from, DataCopyParams{2, 3, 1, 2});
  for (int i = 0; i < 200; ++i) {
    float expected = -1;
    if (i < 48) expected = in[i];
    if (i >= 80 && i < 128) expected = in[64 + i - 80];
    EXPECT_EQ(float(ub[i]), expected) << i;
  }
}

TEST_F(MoveTest, BlocksOutOfUbWithGaps) {
  std::vector<std::int32_t> out(64, -1);
  auto to = gm(out);
  auto* ub = core.buffer<std::int32_t>(Space::kUb);
  for (int i = 0; i < 64; ++i) ub[i] = i;
  DataCopy(to, local<std::int32_t>(TPosition::VECOUT), DataCopyParams{3, 1, 2, 1});
  for (int i = 0; i < 64; ++i) {
    const int block = i / 8;
    const int expected = block % 2 == 0 && block <= 4 ? block / 2 * 24 + i % 8 : -1;
    EXPECT_EQ(out[i], expected) << i;
  }
}

TEST_F(MoveTest, BetweenPlacesInUb) {
  auto* ub = core.buffer<float>(Space::kUb);
  for (int i = 0; i < 64; ++i) ub[i] = static_cast<float>(i);
  DataCopy(local<float>(TPosition::VECOUT, 1024), local<float>(TPosition::VECCALC), 32);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(ub[256 + i], static_cast<float>(i));
  EXPECT_EQ(last().op, Opcode::kMoveUbToUb);
  EXPECT_EQ(last().pipe, Pipe::V);
}

TEST_F(MoveTest, ToL1AndBack) {
  std::vector<float> in = counting<float>(64), out(64);
  auto from = gm(in);
  auto to = gm(out);
  auto l1 = local<float>(TPosition::B1, 4096);
  DataCopy(l1, from, DataCopyParams{4, 2, 0, 0});
  EXPECT_EQ(last().op, Opcode::kMoveGmToL1);
  EXPECT_EQ(last().pipe, Pipe::MTE2);
  DataCopy(to, l1, 64);
  EXPECT_EQ(last().op, Opcode::kMoveL1ToGm);
  EXPECT_EQ(last().pipe, Pipe::MTE3);
  EXPECT_EQ(in, out);
}

TEST_F(MoveTest, PipesFollowFromThePositions) {
  std::vector<float> data(64);
  auto tensor = gm(data);
  DataCopy(local<float>(TPosition::VECIN), tensor, 64);
  EXPECT_EQ(last().op, Opcode::kMoveGmToUb);
  EXPECT_EQ(last().pipe, Pipe::MTE2);
  DataCopy(tensor, local<float>(TPosition::VECOUT), 64);
  EXPECT_EQ(last().op, Opcode::kMoveUbToGm);
  EXPECT_EQ(last().pipe, Pipe::MTE3);
}

TEST_F(MoveTest, NothingToCopyEmitsNothing) {
  std::vector<float> data(64);
  auto tensor = gm(data);
  DataCopy(local<float>(TPosition::VECIN), tensor, DataCopyParams{0, 4, 0, 0});
  DataCopy(local<float>(TPosition::VECIN), tensor, DataCopyParams{4, 0, 0, 0});
  DataCopy(local<float>(TPosition::VECIN), tensor, 0);
  EXPECT_TRUE(core.emitted.empty());
}

TEST_F(MoveTest, RunsMayLieInSeveralAllocations) {
  // A strided copy whose two runs hit the ends of one block of memory with a hole in between.
  std::vector<float> block = counting<float>(64);
  core.global.add(block.data(), 32);
  core.global.add(block.data() + 56, 32);
  AscendC::GlobalTensor<float> from;
  from.SetGlobalBuffer(block.data());
  DataCopy(local<float>(TPosition::VECIN), from, DataCopyParams{2, 1, 6, 0});
  const auto* ub = core.buffer<float>(Space::kUb);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(ub[i], block[i]);
    EXPECT_EQ(ub[8 + i], block[56 + i]);
  }
  EXPECT_FAULT(kAddress, "outside every allocation",
               DataCopy(local<float>(TPosition::VECIN), from, DataCopyParams{2, 1, 5, 0}));
}

TEST_F(MoveTest, RoundsLengthsDownToDataBlocks) {
  std::vector<float> data = counting<float>(64);
  const auto tensor = gm(data);
  DataCopy(local<float>(TPosition::VECIN), tensor, 23);
  const auto* ub = core.buffer<float>(Space::kUb);
  EXPECT_EQ(ub[15], data[15]);
  EXPECT_EQ(ub[16], 0.0f);
  core.emitted.clear();
  DataCopy(local<float>(TPosition::VECIN), tensor, 7);
  EXPECT_TRUE(core.emitted.empty());
}

TEST_F(MoveTest, RefusesAddresses) {
  std::vector<float> data(64);
  auto tensor = gm(data);
  EXPECT_FAULT(kAlignment, "dst address is 0x10, which is no multiple of 32 bytes",
               DataCopy(local<float>(TPosition::VECIN, 16), tensor, 8));
  EXPECT_FAULT(kAlignment, "src address is 0x21",
               DataCopy(tensor, local<float>(TPosition::VECOUT, 33), 8));
  EXPECT_FAULT(kAddress, "of UB at 0x2ffe0 ends behind",
               DataCopy(local<float>(TPosition::VECIN, 192 * 1024 - 32), tensor, 16));
  EXPECT_FAULT(kAddress, "outside every allocation",
               DataCopy(local<float>(TPosition::VECIN), tensor[8], 64));
  std::vector<std::byte> bytes(68);
  core.global.add(bytes.data(), bytes.size());
  AscendC::GlobalTensor<float> odd;
  odd.SetGlobalBuffer(reinterpret_cast<float*>(bytes.data() + 1));
  EXPECT_FAULT(kAlignment, "which is no multiple of 4 bytes",
               DataCopy(local<float>(TPosition::VECIN), odd, 8));
}

TEST_F(MoveTest, RefusesParameters) {
  std::vector<float> data(64);
  auto tensor = gm(data);
  EXPECT_FAULT(kParameter, "blockCount is 4096, allowed are 0 to 4095",
               DataCopy(local<float>(TPosition::VECIN), tensor, DataCopyParams{4096, 1, 0, 0}));
  EXPECT_FAULT(kParameter, "there is no path from GM to L0A",
               DataCopy(local<float>(TPosition::A2), tensor, 8));
  EXPECT_FAULT(kParameter, "there is no path from UB to L1",
               DataCopy(local<float>(TPosition::A1), local<float>(TPosition::VECIN), 8));
}

/// Where the next run would lie is of no account if there is one run.
TEST_F(MoveTest, PitchesOfBuffersAreWholeBlocksIfThereAreSeveralRuns) {
  std::vector<float> data(256);
  DataCopy(local<float>(TPosition::VECIN), gm(data), DataCopyParams{2, 1, 0, 0});
  for (const std::uint32_t runs : {0u, 1u, 2u, 3u}) {
    for (const std::int64_t pitch : {32, 36, 63, 64, 65}) {
      isa::Instr instr = last();
      auto& move = std::get<isa::MoveParams>(instr.params);
      move.bursts = runs, move.dst_pitch = pitch;
      if (runs > 1 && pitch % 32 != 0) {
        EXPECT_THROW(isa::decode(instr, core.memory), isa::Fault) << runs << " every " << pitch;
      } else {
        EXPECT_NO_THROW(isa::decode(instr, core.memory)) << runs << " every " << pitch;
      }
    }
  }
}

TEST_F(MoveTest, FaultsNameInstructionAndPipe) {
  std::vector<float> data(64);
  auto tensor = gm(data);
  try {
    DataCopy(local<float>(TPosition::VECIN, 16), tensor, 8);
    FAIL();
  } catch (const isa::Fault& fault) {
    EXPECT_EQ(fault.instruction, "MOV_OUT_TO_UB");
    EXPECT_EQ(fault.pipe, "MTE2");
  }
}

}  // namespace
}  // namespace davsim::test
