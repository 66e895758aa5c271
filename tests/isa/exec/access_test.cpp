// Accesses: runs at pitches against sets of bytes, and hazards between instructions.
#include "isa/exec/access.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "ascendc/cube.h"
#include "isa/exec/accesses.hpp"
#include "kernel_operator.h"
#include "tests/isa/test_core.hpp"

namespace davsim::test {
namespace {

using isa::Access;
using isa::Hazard;
using Kind = isa::Access::Kind;

/// Byte by byte, from the definition of an access alone.
std::set<std::int64_t> bytes_of(const Access& access) {
  std::set<std::int64_t> bytes;
  for (std::uint64_t group = 0; group < access.groups; ++group) {
    for (std::uint64_t row = 0; row < access.rows; ++row) {
      const std::int64_t start = static_cast<std::int64_t>(access.addr) +
                                 static_cast<std::int64_t>(group) * access.group_pitch +
                                 static_cast<std::int64_t>(row) * access.pitch;
      for (std::uint64_t i = 0; i < access.bytes; ++i) {
        if ((access.block_mask >> i % 32 & 1u) != 0) {
          bytes.insert(start + static_cast<std::int64_t>(i));
        }
      }
    }
  }
  return bytes;
}

class AnyAccess {
 public:
  Access operator()() {
    Access access;
    access.space = isa::Space::kUb;
    access.rows = at_most(4) + 1;
    access.groups = at_most(3) + 1;
    if (at_most(3) == 0) {  // a mask with holes, in whole DataBlocks
      access.bytes = 32 * (at_most(1) + 1);
      access.block_mask = static_cast<std::uint32_t>(random_()) & static_cast<unsigned>(random_());
      if (access.block_mask == 0) access.block_mask = 0x00ff0000;
      access.addr = 1024 + 32 * at_most(8);
      access.pitch = 32 * (static_cast<std::int64_t>(at_most(8)) - 4);
      access.group_pitch = 32 * (static_cast<std::int64_t>(at_most(16)) - 8);
    } else {
      access.bytes = at_most(12) + 1;
      access.addr = 1024 + at_most(200);
      access.pitch = static_cast<std::int64_t>(at_most(60)) - 30;
      access.group_pitch = static_cast<std::int64_t>(at_most(200)) - 100;
    }
    return access;
  }
  std::uint64_t at_most(std::uint64_t most) { return random_() % (most + 1); }

 private:
  std::mt19937_64 random_{7};
};

TEST(Access, ReachesFromItsFirstByteToItsLast) {
  AnyAccess any;
  for (int i = 0; i < 2000; ++i) {
    const Access access = any();
    const std::set<std::int64_t> bytes = bytes_of(access);
    EXPECT_EQ(static_cast<std::int64_t>(access.low()), *bytes.begin());
    EXPECT_EQ(static_cast<std::int64_t>(access.high()), *bytes.rbegin() + 1);
  }
}

TEST(Access, TouchesItsBytesAndNoOthers) {
  AnyAccess any;
  int touched = 0;
  for (int i = 0; i < 2000; ++i) {
    const Access access = any();
    const std::set<std::int64_t> bytes = bytes_of(access);
    for (int k = 0; k < 10; ++k) {
      const std::uint64_t from = 800 + any.at_most(600), end = from + 1 + any.at_most(40);
      const auto first = bytes.lower_bound(static_cast<std::int64_t>(from));
      const bool expected = first != bytes.end() && *first < static_cast<std::int64_t>(end);
      ASSERT_EQ(access.touches(from, end), expected) << from << " " << end;
      touched += expected;
    }
  }
  EXPECT_GT(touched, 2000);
}

TEST(Access, TwoMeetWhereTheyShareAByte) {
  AnyAccess any;
  int met = 0;
  for (int i = 0; i < 4000; ++i) {
    const Access a = any(), b = any();
    const std::set<std::int64_t> left = bytes_of(a), right = bytes_of(b);
    const bool expected =
        std::any_of(left.begin(), left.end(), [&](std::int64_t at) { return right.contains(at); });
    ASSERT_EQ(isa::meet(a, b), expected);
    ASSERT_EQ(isa::meet(b, a), expected);
    met += expected;
  }
  EXPECT_GT(met, 500);
  EXPECT_LT(met, 3500);
  Access elsewhere;
  elsewhere.bytes = 8;
  elsewhere.space = isa::Space::kL1;
  Access here = elsewhere;
  EXPECT_TRUE(isa::meet(here, elsewhere));
  here.space = isa::Space::kUb;
  EXPECT_FALSE(isa::meet(here, elsewhere)) << "the same bytes of another buffer";
}

TEST(Access, MovesTheSameBytesAgainAtPitch0) {
  Access access;
  access.bytes = 64;
  access.rows = 8;
  EXPECT_TRUE(access.again());
  EXPECT_EQ(access.moved(), 512u);
  int runs = 0;
  access.for_each_run([&](std::uint64_t, std::uint64_t bytes) {
    ++runs;
    EXPECT_EQ(bytes, 64u);
  });
  EXPECT_EQ(runs, 1);
  access.pitch = 64;
  EXPECT_FALSE(access.again());
}

// --- between instructions ------------------------------------------------------------------------

class HazardTest : public testing::Test {
 protected:
  template <class T>
  static AscendC::LocalTensor<T> at(std::uint32_t byte) {
    return {AscendC::TPosition::VECCALC, byte, 4096};
  }
  /// Between the last two instructions.
  Hazard between() {
    const auto list = [&](const isa::Instr& instr, isa::AccessList& to) {
      isa::list_possible_accesses(isa::decode(instr, core.memory),
                                  core.memory.size(isa::Space::kUb), to);
    };
    isa::AccessList earlier, later;
    list(core.emitted.at(core.emitted.size() - 2), earlier);
    list(core.emitted.back(), later);
    return isa::hazard(earlier, later);
  }
  TestCore core;
};

TEST_F(HazardTest, OfVectorInstructions) {
  AscendC::Exp(at<float>(1024), at<float>(0), 64);
  AscendC::Add(at<float>(4096), at<float>(1024 + 224), at<float>(2048), 64);
  EXPECT_EQ(between(), Hazard::kReadAfterWrite);
  AscendC::Exp(at<float>(2048 + 224), at<float>(8192), 8);
  EXPECT_EQ(between(), Hazard::kWriteAfterRead);
  AscendC::Abs(at<float>(2048 + 224), at<float>(0), 8);
  EXPECT_EQ(between(), Hazard::kWriteAfterWrite);
  AscendC::Abs(at<float>(2048 + 256), at<float>(0), 8);
  EXPECT_EQ(between(), Hazard::kNone) << "both read the same bytes";
}

TEST_F(HazardTest, LooksBetweenTheBlocksOfAStride) {
  AscendC::UnaryRepeatParams every_other(2, 1, 16, 8);
  AscendC::Exp(at<float>(0), at<float>(8192), 64, 2, every_other);
  AscendC::Abs(at<float>(32), at<float>(16384), 64, 2, every_other);
  EXPECT_EQ(between(), Hazard::kNone);
  AscendC::Abs(at<float>(96), at<float>(16384), 64, 1, every_other);
  EXPECT_EQ(between(), Hazard::kWriteAfterWrite);
}

TEST_F(HazardTest, OfMovesAgainstTheVectorUnit) {
  std::vector<float> data(512);
  core.global.add(data.data(), data.size() * sizeof(float));
  AscendC::GlobalTensor<float> gm;
  gm.SetGlobalBuffer(data.data(), data.size());
  AscendC::DataCopy(at<float>(0), gm, AscendC::DataCopyParams{4, 2, 0, 2});
  AscendC::Exp(at<float>(1024), at<float>(64), 16);
  EXPECT_EQ(between(), Hazard::kNone) << "the gap behind the first 64 bytes";
  AscendC::DataCopy(at<float>(0), gm, AscendC::DataCopyParams{4, 2, 0, 2});
  AscendC::Exp(at<float>(1024), at<float>(64), 24);
  EXPECT_EQ(between(), Hazard::kReadAfterWrite);
  AscendC::DataCopy(gm, at<float>(1024), 8);
  EXPECT_EQ(between(), Hazard::kReadAfterWrite);
  AscendC::DataCopy(gm[8], at<float>(2048), 8);
  EXPECT_EQ(between(), Hazard::kNone);
}

TEST_F(HazardTest, WhereContentsDecideAllThatMayBeTouchedCounts) {
  AscendC::Duplicate(at<float>(16384), 1.0f, 64);
  AscendC::Gather(at<float>(0), at<float>(8192), at<std::uint32_t>(1024), 0u, 8);
  EXPECT_EQ(between(), Hazard::kReadAfterWrite) << "an offset may lead there";
  AscendC::Duplicate(at<float>(4096), 1.0f, 64);
  AscendC::Gather(at<float>(0), at<float>(8192), at<std::uint32_t>(1024), 0u, 8);
  EXPECT_EQ(between(), Hazard::kNone) << "none leads to what lies before the table";
}

// --- what is read on the chip ---

/// The accesses of an instruction in the order in which they are listed.
std::vector<Access> accesses_of(const isa::Instr& instr) {
  TestCore core;
  isa::AccessList list;
  isa::list_accesses(isa::decode(instr, core.memory), core.memory, list);
  return {list.begin(), list.end()};
}

TEST(Accesses, OnlyTheBiasTableReadsAroundWhatItMoves) {
  isa::Instr move{isa::Opcode::kMoveL1ToBt, isa::Pipe::MTE1, {}, {}, {}, {}, {}};
  move.src0 = {isa::Space::kL1, isa::DType::kF32, 0};
  isa::MoveParams params;
  params.burst_bytes = 32;
  move.params = params;
  move.dst = {isa::Space::kBt, isa::DType::kF32, 0};
  EXPECT_EQ(accesses_of(move).at(0).kind, Kind::kReadAround);
  EXPECT_EQ(accesses_of(move).at(0).unit, 64u);
  move.op = isa::Opcode::kMoveL1ToFb;
  move.dst.space = isa::Space::kFb;
  EXPECT_EQ(accesses_of(move).at(0).kind, Kind::kRead);
}

TEST(Accesses, IndicesOfASparseMatrixTakeAQuarterOfItsPlace) {
  isa::Instr mmad{isa::Opcode::kMmad, isa::Pipe::M, {}, {}, {}, {}, {}};
  mmad.dst = {isa::Space::kL0C, isa::DType::kI32, 0};
  mmad.src0 = {isa::Space::kL0A, isa::DType::kI8, 0};
  mmad.src1 = {isa::Space::kL0B, isa::DType::kI8, 2048};
  isa::MmadInstrParams params;
  params.m = 16, params.n = 16, params.k = 64;
  params.sparse = true;
  mmad.params = params;
  const auto all = accesses_of(mmad);
  const auto index = std::find_if(all.begin(), all.end(), [](const Access& access) {
    return access.space == isa::Space::kSparseIndex;
  });
  ASSERT_NE(index, all.end());
  EXPECT_EQ(index->addr, 512u);
}

// --- moved bytes ---------------------------------------------------------------------------------

TEST(MovedBytes, AreThoseOfTheAccesses) {
  isa::Instr load{isa::Opcode::kLoadData2d, isa::Pipe::MTE1, {}, {}, {}, {}, {}};
  load.dst = {isa::Space::kL0A, isa::DType::kI8, 0};
  load.src0 = {isa::Space::kL1, isa::DType::kI8, 0};
  isa::Load2dParams params;
  params.repeats = 3;
  load.params = params;
  EXPECT_EQ(isa::moved_bytes(load), 3u * 512);
  load.op = isa::Opcode::kLoadDataTranspose;
  EXPECT_EQ(isa::moved_bytes(load), 3u * 1024) << "squares of two fractals";
  load.op = isa::Opcode::kLoadDataSparse;
  load.dst.space = isa::Space::kL0B;
  EXPECT_EQ(isa::moved_bytes(load), 3u * (512 + 128)) << "with their indices";
  isa::Instr fixpipe{isa::Opcode::kFixpipeToL1, isa::Pipe::FIX, {}, {}, {}, {}, {}};
  fixpipe.dst = {isa::Space::kL1, isa::DType::kF16, 0};
  fixpipe.src0 = {isa::Space::kL0C, isa::DType::kF32, 0};
  isa::FixpipeInstrParams rows;
  rows.m = 5, rows.n = 16, rows.nz2nd = true, rows.nd_num = 3;
  fixpipe.params = rows;
  EXPECT_EQ(isa::moved_bytes(fixpipe), 3u * 5 * 16 * 2) << "all of its matrices";
  isa::Instr add{isa::Opcode::kAdd, isa::Pipe::V, {}, {}, {}, isa::VectorParams{}, {}};
  EXPECT_EQ(isa::moved_bytes(add), 0u);
}

}  // namespace
}  // namespace davsim::test
