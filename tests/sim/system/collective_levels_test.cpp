// Collective operations of several servers, their sizes, types and reductions.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"
#include "sim/system/collective_levels.hpp"
#include "sim/system/collective_plan.hpp"
#include "sim/system/communicators.hpp"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using isa::CollectiveKind;

class SystemLevelsTest : public ::testing::Test {
 protected:
  void begin(const std::string& name, std::uint32_t dies, bool values = true) {
    sim::SystemConfig system = sim::SystemConfig::named(name);
    system.use_dies(dies);
    sim::DeviceOptions options;
    options.values = values;
    options.cores = false;
    device_ = std::make_unique<sim::Device>(without_code(system.soc()), system, options);
    std::vector<std::uint32_t> all;
    for (std::uint32_t die = 0; die < dies; ++die) all.push_back(die);
    device_->communicators()->create("group", all, 1 << 20);
  }
  std::byte* buffer(std::uint32_t die, std::uint64_t bytes) {
    return device_->memory(die).allocate(bytes, "buffer");
  }
  /// Runs an operation; `count` as in the call. In place where `sent` is 0. Returns microseconds.
  double run(CollectiveKind kind, std::uint64_t count, std::uint32_t type, std::uint32_t op,
             std::uint64_t sent, std::uint64_t received) {
    std::vector<isa::Collective> ranks;
    recv_.clear();
    for (std::uint32_t die = 0; die < device_->dies(); ++die) {
      isa::Collective& of = ranks.emplace_back();
      recv_.push_back(buffer(die, received));
      of.kind = kind;
      of.recv = reinterpret_cast<std::uint64_t>(recv_.back());
      of.send = sent == 0 ? of.recv : reinterpret_cast<std::uint64_t>(buffer(die, sent));
      of.count = count;
      of.type = type;
      of.op = op;
      if (fill_) fill_(die, reinterpret_cast<std::byte*>(of.send));
    }
    device_->communicators()->run("group", ranks);
    return static_cast<double>(device_->finish_transfers()) / device_->soc().frequency_mhz();
  }
  /// Bytes that left the dies by a class of links.
  std::uint64_t left_by(const std::string& link) const {
    std::uint64_t bytes = 0;
    for (const sim::LinkCounters& port : device_->links()) {
      if (port.link == link && port.out) bytes += port.bytes;
    }
    return bytes;
  }

  std::unique_ptr<sim::Device> device_;
  std::vector<std::byte*> recv_;
  std::function<void(std::uint32_t, std::byte*)> fill_;
};

// --- levels --------------------------------------------------------------------------------------

TEST(SystemLevels, GroupsOfWholeServersHaveTwoLevels) {
  EXPECT_EQ(sim::ranks_of_server({0, 1, 2, 3, 4, 5}, 3), 3u);
  EXPECT_EQ(sim::ranks_of_server({1, 2, 4, 5}, 3), 2u) << "equal parts of servers";
  EXPECT_EQ(sim::ranks_of_server({0, 3, 6}, 3), 1u);
  EXPECT_EQ(sim::ranks_of_server({0, 1, 2}, 3), 0u) << "one server";
  EXPECT_EQ(sim::ranks_of_server({0, 1, 2, 3}, 3), 0u) << "unequal parts";
  EXPECT_EQ(sim::ranks_of_server({0, 3, 1, 4}, 3), 0u) << "not one behind the other";
  EXPECT_EQ(sim::ranks_of_server({0, 1, 3, 4}, 0), 0u) << "a system without servers";
}

/// The sums of a server cross the cards once there and once back.
TEST_F(SystemLevelsTest, CardsCarryOnlyTheirPartsOfAllReduce) {
  begin("atlas_a2_cluster", 24);  // three servers: a ring between them
  constexpr std::uint64_t kBytes = 24 * 64 * 1024;
  run(CollectiveKind::kAllReduce, kBytes / 2, 3, 0, 0, kBytes);
  // Of each of the 8 places, twice 2/3 of its part leave each of the 3 servers.
  EXPECT_EQ(left_by("nic"), 8u * 3 * 2 * (kBytes / 8) * 2 / 3);
  // Within a server 7 of 8 parts go to their ranks, and back.
  EXPECT_EQ(left_by("hccs"), 24u * 2 * (kBytes / 8) * 7);
}

/// Four servers: halves and doubles between them.
TEST_F(SystemLevelsTest, GathersCrossTheCardsOnce) {
  constexpr std::uint64_t kBlock = 64 * 1024;
  begin("atlas_a2_cluster", 32);
  run(CollectiveKind::kAllGather, kBlock / 2, 3, 0, kBlock, 32 * kBlock);
  EXPECT_EQ(left_by("nic"), 32u * 3 * kBlock);
  EXPECT_EQ(left_by("hccs"), 32u * 7 * 4 * kBlock);
}
TEST_F(SystemLevelsTest, ScattersCrossTheCardsOnce) {
  constexpr std::uint64_t kBlock = 64 * 1024;
  begin("atlas_a2_cluster", 32);
  run(CollectiveKind::kReduceScatter, kBlock / 2, 3, 0, 32 * kBlock, kBlock);
  EXPECT_EQ(left_by("nic"), 32u * 3 * kBlock);
  EXPECT_EQ(left_by("hccs"), 32u * 7 * 4 * kBlock);
}

// --- sizes, types and reductions -----------------------------------------------------------------

/// A copy through a window does not get slower because the window is used again and again.
TEST_F(SystemLevelsTest, WhatIsLargerThanTheWindowsGoesInPieces) {
  begin("atlas_a2_server", 8, false);
  const auto us = [&](std::uint64_t bytes) {
    return run(CollectiveKind::kAllReduce, bytes / 2, 3, 0, 0, bytes);
  };
  us(1 << 20);
  const double one = us(1 << 20), sixteen = us(16 << 20);
  EXPECT_GT(sixteen, 14 * one - 14 * 10) << "10 us are the server's, once";
  EXPECT_LT(sixteen, 16 * one);
}

TEST_F(SystemLevelsTest, TwoBytesAreReducedInOneStep) {
  begin("atlas_a2_cluster", 16);
  fill_ = [](std::uint32_t die, std::byte* to) {
    const isa::half value(static_cast<float>(die));
    std::memcpy(to, &value, 2);
  };
  EXPECT_LT(run(CollectiveKind::kAllReduce, 1, 3, 0, 0, 2), 30);
  for (const std::byte* got : recv_) {
    isa::half sum;
    std::memcpy(&sum, got, 2);
    EXPECT_EQ(static_cast<float>(sum), 120.0f);
  }
}

template <class T>
void store(std::byte* to, double value) {
  const T number = static_cast<T>(static_cast<float>(value));
  std::memcpy(to, &number, sizeof number);
}
template <class T>
double load(const std::byte* from) {
  T number;
  std::memcpy(&number, from, sizeof number);
  return static_cast<double>(static_cast<float>(number));
}
struct NumberType {
  std::uint32_t number;  ///< of HcclDataType
  std::uint64_t bytes;
  void (*store)(std::byte*, double);
  double (*load)(const std::byte*);
};
template <class T>
NumberType of_type(std::uint32_t number) {
  return {number, sizeof(T), store<T>, load<T>};
}

/// Small whole numbers, which all types have: rank r has r + 1 and r + 2, in place and not.
TEST_F(SystemLevelsTest, AllTypesAreReducedByAllOperations) {
  begin("atlas_a2_server", 4);
  const NumberType types[] = {
      of_type<std::int8_t>(0),   of_type<std::int16_t>(1), of_type<std::int32_t>(2),
      of_type<isa::half>(3),     of_type<float>(4),        of_type<std::int64_t>(5),
      of_type<std::uint64_t>(6), of_type<std::uint8_t>(7), of_type<std::uint16_t>(8),
      of_type<std::uint32_t>(9), of_type<double>(10),      of_type<isa::bfloat16_t>(11)};
  const double expected[4][2] = {{10, 14}, {24, 120}, {4, 5}, {1, 2}};  // sum, product, max, min
  for (const NumberType& type : types) {
    fill_ = [&](std::uint32_t die, std::byte* to) {
      type.store(to, die + 1);
      type.store(to + type.bytes, die + 2);
    };
    for (std::uint32_t op = 0; op < 4; ++op) {
      for (const bool in_place : {true, false}) {
        const std::uint64_t bytes = 2 * type.bytes;
        run(CollectiveKind::kAllReduce, 2, type.number, op, in_place ? 0 : bytes, bytes);
        for (const std::byte* got : recv_) {
          EXPECT_EQ(type.load(got), expected[op][0]) << type.number << " " << op;
          EXPECT_EQ(type.load(got + type.bytes), expected[op][1]) << type.number << " " << op;
        }
      }
    }
  }
}

}  // namespace
}  // namespace davsim::test
