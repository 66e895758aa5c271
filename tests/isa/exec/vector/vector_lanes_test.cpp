// All versions of the lane functions give the same bits, whatever the host's instruction set.
#include "isa/exec/vector/vector_lanes.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "hwy/targets.h"
#include "isa/exec/vector/compare_lanes.hpp"
#include "isa/exec/vector/reduce_lanes.hpp"
#include "isa/exec/vector/vector_dequant.hpp"
#include "isa/instr/vector_types.hpp"
#include "isa/numeric/half.hpp"

namespace davsim::test {
namespace {

constexpr std::size_t kLanes = 1003;  // whole vectors of any length and a rest

isa::LaneTable table_of(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  isa::LaneTable table;
  isa::add_all_lanes(table);
  hwy::SetSupportedTargetsForTest(0);
  return table;
}

/// Random bits: with 16- and 32-bit types infinities, NaNs and subnormals are frequent enough; a
/// third of the words is given the exponent of a small number.
std::vector<std::uint32_t> random_words(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> words(kLanes * 2);
  for (auto& word : words) {
    word = static_cast<std::uint32_t>(random());
    if (random() % 3 == 0) word = (word & 0x83ff83ffu) | 0x3c003c00u;
    if (random() % 50 == 0) word |= 0x7f800000u;
  }
  return words;
}

/// What a CastDequant takes as its second source: scales and offsets of any size that words hold.
isa::DequantTable random_table(const std::vector<std::uint32_t>& words) {
  isa::DequantTable table;
  for (std::size_t i = 0; i < isa::kDequantWords; ++i) {
    table.scale[i] = std::bit_cast<float>(words[i]);
    table.offset[i] = static_cast<std::int32_t>(words[i + 16] % 512) - 256;
  }
  return table;
}

/// A scalar that the instruction takes: shifts go as far as the narrowest type is wide.
std::uint64_t scalar_for(isa::Opcode op, std::uint32_t word) {
  const bool shifts = op == isa::Opcode::kShiftLeft || op == isa::Opcode::kShiftRight;
  return shifts ? word % 17 | std::uint64_t{word >> 31} << 32 : word;
}

/// The modes in which one thing each does not fit in another way.
constexpr isa::OverflowModes kOverflowModes[] = {{}, {false, true, false}, {false, false, true}};

class VectorLanes : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(VectorLanes, GiveTheSameBitsAsTheSimplestTarget) {
  const auto targets = hwy::SupportedAndGeneratedTargets();
  const isa::LaneTable simplest = table_of(targets.back());
  const isa::LaneTable table = table_of(GetParam());
  std::vector<std::vector<std::uint32_t>> words;
  for (std::uint32_t seed = 0; seed < 10; ++seed) words.push_back(random_words(seed));
  int compared = 0;
  for (std::size_t op = 0; op < isa::kOpcodeCount; ++op) {
    for (std::size_t types = 0; types < isa::kDTypeCount * isa::kDTypeCount; ++types) {
      for (std::size_t mode = 0; mode < isa::kRoundModes; ++mode) {
        const auto opcode = static_cast<isa::Opcode>(op);
        const auto dst = static_cast<isa::DType>(types % isa::kDTypeCount);
        const auto src = static_cast<isa::DType>(types / isa::kDTypeCount);
        const auto round = static_cast<isa::RoundMode>(mode);
        for (const isa::OverflowModes& overflow : kOverflowModes) {
          const isa::LaneFn lanes = table.find(opcode, dst, src, round, overflow);
          const isa::LaneFn reference = simplest.find(opcode, dst, src, round, overflow);
          ASSERT_EQ(lanes == nullptr, reference == nullptr);
          if (lanes == nullptr) continue;
          for (std::size_t set = 0; set + 2 < words.size(); ++set) {
            const auto &a = words[set], &b = words[set + 1];
            const isa::DequantTable words_of_deqscale = random_table(b);
            auto actual = words[set + 2];
            auto expected = actual;
            const void* src1 = isa::facts(opcode).src1 != isa::Form::kAbsent ? b.data() : nullptr;
            if (opcode == isa::Opcode::kCastDequant) src1 = &words_of_deqscale;
            const std::uint64_t scalar = scalar_for(opcode, b[set]);
            lanes(actual.data(), a.data(), src1, scalar, kLanes);
            reference(expected.data(), a.data(), src1, scalar, kLanes);
            ASSERT_EQ(actual, expected) << isa::info(opcode).mnemonic << " " << isa::dtype_name(dst)
                                        << " from " << isa::dtype_name(src) << " mode " << mode;
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 1000);
}

template <class Make>
auto lanes_of(std::int64_t target, Make make) {
  hwy::SetSupportedTargetsForTest(target);
  const auto lanes = make();
  hwy::SetSupportedTargetsForTest(0);
  return lanes;
}

TEST_P(VectorLanes, ReduceAsTheSimplestTargetDoes) {
  const auto simplest_target = hwy::SupportedAndGeneratedTargets().back();
  const auto words = random_words(1);
  for (isa::DType type : {isa::DType::kF32, isa::DType::kF16}) {
    const auto make = [&] { return isa::make_reduce_lanes(type); };
    const isa::ReduceLanes lanes = lanes_of(GetParam(), make);
    const isa::ReduceLanes simplest = lanes_of(simplest_target, make);
    for (std::size_t group : {2u, 8u, 16u, 64u, 128u}) {
      const std::size_t groups = 1003 / group;
      for (auto reduce : {&isa::ReduceLanes::sum, &isa::ReduceLanes::max, &isa::ReduceLanes::min}) {
        std::vector<std::uint32_t> actual(groups), expected(groups);
        (lanes.*reduce)(words.data(), actual.data(), groups, group);
        (simplest.*reduce)(words.data(), expected.data(), groups, group);
        ASSERT_EQ(actual, expected) << isa::dtype_name(type) << " by " << group;
        if (reduce == &isa::ReduceLanes::sum) continue;
        std::vector<std::uint32_t> at(groups), expected_at(groups);
        lanes.find(words.data(), actual.data(), at.data(), groups, group);
        simplest.find(words.data(), actual.data(), expected_at.data(), groups, group);
        ASSERT_EQ(at, expected_at) << isa::dtype_name(type) << " by " << group;
      }
    }
  }
}

TEST_P(VectorLanes, CompareAndSelectAsTheSimplestTargetDoes) {
  const auto simplest_target = hwy::SupportedAndGeneratedTargets().back();
  const isa::CompareTable table = lanes_of(GetParam(), isa::make_compare_table);
  const isa::CompareTable simplest = lanes_of(simplest_target, isa::make_compare_table);
  const auto a = random_words(1);
  auto b = random_words(2);
  for (std::size_t i = 0; i < b.size(); i += 3) b[i] = a[i];
  constexpr std::size_t kWhole = kLanes / isa::kCompareChunk * isa::kCompareChunk;
  for (std::size_t mode = 0; mode < isa::CompareTable::kModes; ++mode) {
    for (isa::DType type : {isa::DType::kF32, isa::DType::kF16, isa::DType::kI32}) {
      const auto compare_mode = static_cast<isa::CompareMode>(mode);
      const isa::CompareFn compare = table.compare(compare_mode, type);
      if (compare == nullptr) continue;
      for (std::size_t b_step : {isa::kCompareChunk, std::size_t{0}}) {
        std::vector<std::uint8_t> actual(kWhole / 8), expected(kWhole / 8);
        compare(a.data(), b.data(), b_step, actual.data(), kWhole);
        simplest.compare(compare_mode, type)(a.data(), b.data(), b_step, expected.data(), kWhole);
        ASSERT_EQ(actual, expected)
            << isa::dtype_name(type) << " mode " << mode << " step " << b_step;
      }
    }
  }
  const auto* bits = reinterpret_cast<const std::uint8_t*>(b.data());
  for (std::size_t bytes : {2u, 4u}) {
    auto actual = random_words(3), expected = actual;
    table.select(bytes)(actual.data(), a.data(), b.data(), bits, kLanes);
    simplest.select(bytes)(expected.data(), a.data(), b.data(), bits, kLanes);
    ASSERT_EQ(actual, expected);
  }
}

/// Floats to halves, one bit pattern in `stride`.
void expect_narrow_as_scalars(const isa::LaneTable& table, std::uint64_t stride) {
  const auto narrow =
      table.find(isa::Opcode::kCast, isa::DType::kF16, isa::DType::kF32, isa::RoundMode::kRint);
  std::vector<float> floats(0x10000);
  std::vector<std::uint16_t> halves(floats.size());
  for (std::uint64_t first = 0; first < 0x100000000; first += stride * floats.size()) {
    for (std::size_t i = 0; i < floats.size(); ++i) {
      floats[i] = std::bit_cast<float>(static_cast<std::uint32_t>(first + i * stride));
    }
    narrow(halves.data(), floats.data(), nullptr, 0, floats.size());
    for (std::size_t i = 0; i < floats.size(); ++i) {
      const std::uint16_t expected = isa::half_bits_from_float(floats[i]);
      // An assertion for each of 2^32 floats would take longer than the conversions.
      if (halves[i] != expected) FAIL() << std::hexfloat << floats[i] << " gives " << halves[i];
    }
  }
}

/// The hardware's own conversions, where a target uses them, against the scalar ones: all halves,
/// and one float in 251.
TEST_P(VectorLanes, ConvertHalvesAsTheScalarsDo) {
  const isa::LaneTable table = table_of(GetParam());
  const auto widen =
      table.find(isa::Opcode::kCast, isa::DType::kF32, isa::DType::kF16, isa::RoundMode::kNone);
  std::vector<std::uint16_t> halves(0x10000);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  std::vector<float> floats(halves.size());
  widen(floats.data(), halves.data(), nullptr, 0, halves.size());
  for (std::size_t i = 0; i < halves.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(floats[i]),
              std::bit_cast<std::uint32_t>(isa::float_from_half_bits(halves[i])));
  }
  expect_narrow_as_scalars(table, 251);
}

/// The same for every float there is, on the host's best target.
TEST(SlowVectorLanes, NarrowEveryFloatAsTheScalarDoes) {
  expect_narrow_as_scalars(isa::lane_table(), 1);
}

std::string target_name(const ::testing::TestParamInfo<std::int64_t>& info) {
  return hwy::TargetName(info.param);
}
INSTANTIATE_TEST_SUITE_P(Targets, VectorLanes,
                         ::testing::ValuesIn(hwy::SupportedAndGeneratedTargets()), target_name);

}  // namespace
}  // namespace davsim::test
