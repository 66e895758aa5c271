// The rows of opcodes.def: each is complete and agrees with itself, and what it says is what the
// instruction does. The instructions are carried out on random bytes; nothing here knows a single
// one of them by name, so that a row that is added is tested as well.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "isa/exec/vector/vector_shape.hpp"
#include "isa/numeric/half.hpp"
#include "tests/isa/instr/opcode_records.hpp"

namespace davsim::test {
namespace {

using isa::DType;
using isa::Form;
using isa::Numbers;
using isa::Opcode;
using isa::OpcodeFacts;
using isa::Unit;

std::string name_of(Opcode op, DType dst, DType src) {
  return std::string(isa::info(op).mnemonic) + " " + std::string(isa::dtype_name(dst)) + " from " +
         std::string(isa::dtype_name(src));
}

bool has_types(const OpcodeFacts& row) {
  return row.types.rules[0].dst != 0;
}

// --- each row by itself --------------------------------------------------------------------------

TEST(OpcodeFacts, MnemonicsAreUnique) {
  std::set<std::string_view> seen;
  for (const Opcode op : all_opcodes()) {
    EXPECT_FALSE(isa::info(op).mnemonic.empty());
    EXPECT_TRUE(seen.insert(isa::info(op).mnemonic).second) << isa::info(op).mnemonic;
  }
}

TEST(OpcodeFacts, OperandsAndTypesAreGiven) {
  for (const Opcode op : all_opcodes()) {
    SCOPED_TRACE(isa::info(op).mnemonic);
    const OpcodeFacts& row = isa::facts(op);
    const bool operands =
        row.dst != Form::kAbsent || row.src0 != Form::kAbsent || row.src1 != Form::kAbsent;
    const Unit unit = isa::info(op).unit;
    if (unit != Unit::Scalar) {
      EXPECT_EQ(operands, unit != Unit::Sync);
    }
    EXPECT_EQ(has_types(row), operands);
    EXPECT_EQ(row.sync != isa::SyncRole::kNoSync, unit == Unit::Sync);
    if (row.src1 != Form::kAbsent) {
      EXPECT_NE(row.src0, Form::kAbsent);
    }
    if (row.shown_as != isa::ShownAs::kPipeWork) {
      EXPECT_EQ(unit, Unit::Scalar);
    }
  }
}

TEST(OpcodeFacts, FieldsAgreeWithEachOther) {
  for (const Opcode op : all_opcodes()) {
    SCOPED_TRACE(isa::info(op).mnemonic);
    const OpcodeFacts& row = isa::facts(op);
    EXPECT_EQ(row.group != isa::Group::kNoGroup, row.dst == Form::kResults);
    if (row.numbers == Numbers::kComputed) {
      EXPECT_GT(row.operations, 0);
    }
    if (row.numbers != Numbers::kConverted) {
      EXPECT_EQ(row.converts, isa::Converts::kValue);
      EXPECT_FALSE(row.relu);
    }
    EXPECT_EQ(row.numbers == Numbers::kConverted && row.converts != isa::Converts::kValue,
              row.numbers == Numbers::kConverted && row.src1 == Form::kLanes);
    if (row.chains != 0) {
      EXPECT_EQ(row.src1, Form::kLanes);
    }
    if (row.reads_dst) {
      EXPECT_EQ(row.operations, 2) << "a product and a sum";
    }
  }
}

// --- types ---------------------------------------------------------------------------------------

/// decode() takes exactly the types of the row.
TEST(OpcodeFacts, ValidateTakesTheTypesOfTheRow) {
  TestCore core;
  for (const Opcode op : all_opcodes()) {
    const OpcodeFacts& row = isa::facts(op);
    // Moves within UB take any type; CMPMASK's bytes have none.
    if (isa::info(op).unit != Unit::Vector || row.dst == Form::kRuns) continue;
    if (row.dst == Form::kMaskBytes || row.src0 == Form::kMaskBytes) continue;
    for (const DType dst : all_types()) {
      for (const DType src : all_types()) {
        if (row.src0 == Form::kAbsent && src != DType::kNone) continue;
        isa::Instr instr = record_of(op, dst, src);
        std::string refused;
        try {
          isa::decode(instr, core.memory);
        } catch (const isa::Fault& fault) {
          refused = fault.message;
        }
        EXPECT_EQ(refused.empty(), isa::types_exist(op, dst, src))
            << name_of(op, dst, src) << ": " << refused;
      }
    }
  }
}

// --- what lanes are made of ----------------------------------------------------------------------

/// Calls visit(record) for each vector instruction that computes lanes and each of its types.
void for_each_record(const std::function<void(const isa::Instr&)>& visit) {
  for (const Opcode op : all_opcodes()) {
    if (!isa::computes_lanes(op)) continue;
    for (const DType dst : all_types()) {
      for (const DType src : all_types()) {
        if (!isa::types_exist(op, dst, src)) continue;
        const isa::Instr instr = record_of(op, dst, src);
        SCOPED_TRACE(name_of(op, dst, src));
        visit(instr);
      }
    }
  }
}

/// Bytes of the destination that follow from the bytes [at, at + kOperandBytes) of UB: carried out
/// twice, the second time with other bytes there.
std::size_t bytes_that_change(TestCore& core, const isa::Instr& instr, std::uint64_t at) {
  fill_ub(core, 1);
  const auto first = result_of(core, instr);
  fill_ub(core, 1);
  std::memcpy(ub_of(core).data() + at, random_bytes(2).data() + at, kOperandBytes);
  const auto second = result_of(core, instr);
  // Bytes behind the results, and those that are masked off, stay what they were.
  const std::size_t written =
      isa::vector_shape(instr).dst.bytes_of(isa::vector_shape(instr).lanes());
  std::size_t changed = 0;
  for (std::size_t i = 0; i < written; ++i) changed += first[i] != second[i];
  return changed;
}

TEST(OpcodeFacts, LanesDependOnTheOperandsOfTheRow) {
  TestCore core;
  for_each_record([&](const isa::Instr& instr) {
    const OpcodeFacts& row = isa::facts(instr.op);
    EXPECT_EQ(bytes_that_change(core, instr, kSrc0At) > 0, row.src0 != Form::kAbsent) << "src0";
    EXPECT_EQ(bytes_that_change(core, instr, kSrc1At) > 0, row.src1 != Form::kAbsent) << "src1";
    EXPECT_EQ(bytes_that_change(core, instr, kDstAt) > 0, row.reads_dst) << "dst";
  });
}

TEST(OpcodeFacts, LanesDependOnTheScalarOfTheRow) {
  TestCore core;
  for_each_record([&](const isa::Instr& instr) {
    // Cast takes DEQSCALE for some of its types only.
    const isa::ScalarOperand scalar = isa::facts(instr.op).scalar;
    if (scalar == isa::ScalarOperand::kDeqScale) return;
    isa::Instr other = instr;
    std::get<isa::VectorParams>(other.params).scalar = 3;
    fill_ub(core, 1);
    const auto first = result_of(core, instr);
    fill_ub(core, 1);
    const auto second = result_of(core, other);
    // Floats of which one is the smallest denormal leave most sums as they are.
    const bool floats = instr.dst.type == DType::kF16 || instr.dst.type == DType::kF32 ||
                        instr.dst.type == DType::kBF16;
    if (scalar == isa::ScalarOperand::kNoScalar) {
      EXPECT_EQ(first, second);
    } else if (!floats) {
      EXPECT_NE(first, second);
    }
  });
}

/// A lane's bytes of an operand.
std::uint64_t lane_at(const isa::VectorOperandShape& operand, std::uint32_t lane) {
  return operand.block_addr(0, operand.block_of(lane)) +
         lane % operand.lanes_per_block * operand.element_bytes;
}

/// Changing one lane of the sources changes that lane of the result and no other.
TEST(OpcodeFacts, LanesDoNotDependOnOtherLanes) {
  constexpr std::uint32_t kLane = 5;
  TestCore core;
  for_each_record([&](const isa::Instr& instr) {
    if (instr.dst.type == DType::kI4 || instr.src0.type == DType::kI4) return;  // shared bytes
    const isa::VectorShape shape = isa::vector_shape(instr);
    fill_ub(core, 1);
    const auto first = result_of(core, instr);
    fill_ub(core, 1);
    for (const isa::VectorOperandShape* source : {&shape.src0, &shape.src1}) {
      if (!source->used()) continue;
      for (std::byte& byte : ub_of(core).subspan(lane_at(*source, kLane), source->element_bytes)) {
        byte ^= std::byte{0x2a};
      }
    }
    const auto second = result_of(core, instr);
    const std::uint64_t own = lane_at(shape.dst, kLane);
    std::size_t others = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
      const bool mine = i >= own && i < own + shape.dst.element_bytes;
      others += !mine && first[i] != second[i];
    }
    EXPECT_EQ(others, 0u);
  });
}

/// In place: a source that is the destination gives what a source of the same bytes apart gives.
TEST(OpcodeFacts, WhatWorksLaneByLaneWorksInPlace) {
  int compared = 0;
  TestCore core;
  for (const Opcode op : all_opcodes()) {
    if (!isa::works_lane_by_lane(op) || isa::facts(op).src0 == Form::kAbsent) continue;
    for (const DType type : all_types()) {
      if (!isa::type_exists(op, type)) continue;
      SCOPED_TRACE(name_of(op, type, type));
      for (const bool by_src0 : {true, false}) {
        if (!by_src0 && isa::facts(op).src1 == Form::kAbsent) continue;
        isa::Instr apart = record_of(op, type, type);
        isa::Instr in_place = apart;
        (by_src0 ? in_place.src0 : in_place.src1).addr = apart.dst.addr;
        const auto prepare = [&] {
          fill_ub(core, 1);
          const auto from = ub_of(core).subspan(by_src0 ? kSrc0At : kSrc1At, kOperandBytes);
          std::copy(from.begin(), from.end(), ub_of(core).begin());
        };
        prepare();
        const auto expected = result_of(core, apart);
        prepare();
        EXPECT_EQ(result_of(core, in_place), expected) << (by_src0 ? "src0" : "src1");
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 50);
}

// --- overflow ------------------------------------------------------------------------------------

/// CTRL's modes change some result of what is computed, and none of what is exact.
TEST(OpcodeFacts, OverflowModesMatterWhereNumbersAreComputed) {
  std::set<Opcode> differ;
  TestCore core;
  for_each_record([&](const isa::Instr& instr) {
    isa::Instr other = instr;
    std::get<isa::VectorParams>(other.params).overflow = {true, true, true};
    fill_ub(core, 1);
    const auto first = result_of(core, instr);
    fill_ub(core, 1);
    if (result_of(core, other) != first) differ.insert(instr.op);
  });
  for (const Opcode op : all_opcodes()) {
    if (!isa::computes_lanes(op)) continue;
    const Numbers numbers = isa::facts(op).numbers;
    if (numbers == Numbers::kConverted) continue;  // some saturate whatever CTRL says
    EXPECT_EQ(differ.contains(op), numbers == Numbers::kComputed) << isa::info(op).mnemonic;
  }
}

// --- conversions ---------------------------------------------------------------------------------

/// A small whole number as an element.
void put(TestCore& core, std::uint64_t at, DType type, int value) {
  const auto store = [&](auto element) {
    std::memcpy(ub_of(core).data() + at, &element, sizeof element);
  };
  switch (type) {
    case DType::kF16:
      return store(isa::half(static_cast<float>(value)));
    case DType::kF32:
      return store(static_cast<float>(value));
    case DType::kI16:
      return store(static_cast<std::int16_t>(value));
    case DType::kI32:
      return store(value);
    default:
      return store(static_cast<std::int8_t>(value));
  }
}

int get(TestCore& core, std::uint64_t at, DType type) {
  const auto load = [&](auto element) {
    std::memcpy(&element, ub_of(core).data() + at, sizeof element);
    return element;
  };
  switch (type) {
    case DType::kF16:
      return static_cast<int>(static_cast<float>(load(isa::half())));
    case DType::kI8:
      return load(std::int8_t{});
    default:
      return load(std::uint8_t{});
  }
}

TEST(OpcodeFacts, ConversionsOfTwoSourcesCombineThemAsTheRowSays) {
  int compared = 0;
  TestCore core;
  for_each_record([&](const isa::Instr& instr) {
    const OpcodeFacts& row = isa::facts(instr.op);
    if (row.numbers != Numbers::kConverted || row.converts == isa::Converts::kValue) return;
    const isa::VectorShape shape = isa::vector_shape(instr);
    for (const auto& [a, b] : {std::pair{3, 4}, {7, 2}, {2, 7}}) {
      put(core, lane_at(shape.src0, 1), instr.src0.type, a);
      put(core, lane_at(shape.src1, 1), instr.src1.type, b);
      result_of(core, instr);
      int expected = row.converts == isa::Converts::kSum          ? a + b
                     : row.converts == isa::Converts::kDifference ? a - b
                                                                  : a * b;
      if (row.relu) expected = std::max(expected, 0);
      EXPECT_EQ(get(core, lane_at(shape.dst, 1), instr.dst.type), expected) << a << " " << b;
      ++compared;
    }
  });
  EXPECT_GT(compared, 0);
}

// --- reductions ----------------------------------------------------------------------------------

TEST(OpcodeFacts, ReductionsReduceTheGroupsOfTheRow) {
  int compared = 0;
  for (const Opcode op : all_opcodes()) {
    if (!isa::is_reduction(op)) continue;
    SCOPED_TRACE(isa::info(op).mnemonic);
    const isa::OpcodeFacts& row = isa::facts(op);
    const std::size_t group = row.group == isa::Group::kPair    ? 2
                              : row.group == isa::Group::kBlock ? 8
                                                                : 64;
    TestCore core;
    auto* source = core.buffer<float>(isa::Space::kUb, kSrc0At);
    for (int i = 0; i < 64; ++i) source[i] = static_cast<float>(i * 37 % 64);
    isa::Instr instr = record_of(op, DType::kF32, DType::kF32);
    std::get<isa::VectorParams>(instr.params).repeats = 1;
    isa::execute(instr, core.memory);
    const auto* results = core.buffer<float>(isa::Space::kUb, kDstAt);
    for (std::size_t i = 0; i < 64 / group; ++i) {
      const float* from = source + i * group;
      float expected = from[0];
      for (std::size_t k = 1; k < group; ++k) {
        expected = row.reduces == isa::Reduction::kSum   ? expected + from[k]
                   : row.reduces == isa::Reduction::kMax ? std::max(expected, from[k])
                                                         : std::min(expected, from[k]);
      }
      EXPECT_EQ(results[i], expected) << i;
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace davsim::test
