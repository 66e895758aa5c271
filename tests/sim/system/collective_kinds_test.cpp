// Every collective operation over every data type and reduction, in place and not, on both shapes
// of fabric, directly and through the windows. The numbers are small, so that all types hold their
// sums and products exactly; what only moves is bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"
#include "sim/system/collective_plan.hpp"
#include "sim/system/communicators.hpp"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using isa::CollectiveKind;
constexpr std::uint32_t kRanks = 4;

void put(std::byte* to, std::uint32_t type, int value) {
  const auto as = [to](auto number) { std::memcpy(to, &number, sizeof number); };
  switch (type) {
    case 0:
    case 7:
      return as(static_cast<std::int8_t>(value));
    case 1:
    case 8:
      return as(static_cast<std::int16_t>(value));
    case 2:
    case 9:
      return as(static_cast<std::int32_t>(value));
    case 3:
      return as(isa::half(static_cast<float>(value)));
    case 4:
      return as(static_cast<float>(value));
    case 10:
      return as(static_cast<double>(value));
    case 11:
      return as(isa::bfloat16_t(static_cast<float>(value)));
    default:
      return as(static_cast<std::int64_t>(value));
  }
}
bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kReduceScatter ||
         kind == CollectiveKind::kReduce;
}

/// One operation of all ranks.
struct Operation {
  CollectiveKind kind;
  std::uint32_t type, op;
  std::uint64_t count;
  bool in_place;

  std::uint64_t sent() const {
    const bool blocks = kind == CollectiveKind::kReduceScatter ||
                        kind == CollectiveKind::kAllToAll || kind == CollectiveKind::kScatter;
    return blocks ? kRanks * count : count;
  }
  std::uint64_t received() const {
    const bool blocks = kind == CollectiveKind::kAllGather || kind == CollectiveKind::kAllToAll;
    return blocks ? kRanks * count : count;
  }
};

/// Element `at` of a rank's input: 1 to 3.
int number(std::uint32_t rank, std::uint64_t at) {
  return 1 + static_cast<int>((5 * rank + at + at / 7) % 3);
}
int reduced(const Operation& what, std::uint64_t at) {
  int result = number(0, at);
  for (std::uint32_t rank = 1; rank < kRanks; ++rank) {
    const int more = number(rank, at);
    result = what.op == 0   ? result + more
             : what.op == 1 ? result * more
             : what.op == 2 ? std::max(result, more)
                            : std::min(result, more);
  }
  return result;
}
/// Element `at` of a rank's output; -1: it has none. The root is rank 1.
int expected(const Operation& what, std::uint32_t rank, std::uint64_t at) {
  const auto block = static_cast<std::uint32_t>(at / what.count);
  switch (what.kind) {
    case CollectiveKind::kAllReduce:
      return reduced(what, at);
    case CollectiveKind::kReduceScatter:
      return reduced(what, rank * what.count + at);
    case CollectiveKind::kAllGather:
      return number(block, at % what.count);
    case CollectiveKind::kAllToAll:
      return number(block, rank * what.count + at % what.count);
    case CollectiveKind::kBroadcast:
      return number(1, at);
    case CollectiveKind::kScatter:
      return number(1, rank * what.count + at);
    default:
      return rank == 1 ? reduced(what, at) : -1;
  }
}

class SystemKindsTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    sim::SystemConfig system = sim::SystemConfig::named(GetParam());
    system.use_dies(kRanks);
    sim::DeviceOptions options;
    options.cores = false;
    device_ = std::make_unique<sim::Device>(without_code(system.soc()), system, options);
    device_->communicators()->create("group", {0, 1, 2, 3}, 1 << 16);
    for (std::uint32_t die = 0; die < kRanks; ++die) {
      send_.push_back(device_->memory(die).allocate(kBytes, "send"));
      recv_.push_back(device_->memory(die).allocate(kBytes, "recv"));
    }
  }

  /// The input lies where the output does; of AllGather and ReduceScatter at the rank's own block.
  std::byte* input_of(const Operation& what, std::uint32_t rank) const {
    if (!what.in_place) return send_[rank];
    const bool own_block = what.kind == CollectiveKind::kAllGather;
    return recv_[rank] + (own_block ? rank * what.count * sim::bytes_of_type(what.type) : 0);
  }
  std::byte* output_of(const Operation& what, std::uint32_t rank) const {
    const bool own_block = what.in_place && what.kind == CollectiveKind::kReduceScatter;
    return recv_[rank] + (own_block ? rank * what.count * sim::bytes_of_type(what.type) : 0);
  }

  void run(const Operation& what) {
    const std::uint64_t size = sim::bytes_of_type(what.type);
    std::vector<isa::Collective> ranks(kRanks);
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      isa::Collective& of = ranks[rank];
      std::fill_n(recv_[rank], kBytes, std::byte{0x7f});
      std::byte* const input = input_of(what, rank);
      for (std::uint64_t i = 0; i < what.sent(); ++i) {
        std::fill_n(input + i * size, size, std::byte{0});
        put(input + i * size, what.type, number(rank, i));
      }
      of.kind = what.kind;
      of.type = what.type;
      of.op = what.op;
      of.count = what.count;
      of.root = 1;
      of.send = reinterpret_cast<std::uint64_t>(input);
      // Broadcast has one buffer.
      const bool one = what.kind == CollectiveKind::kBroadcast && rank == 1;
      of.recv = one ? of.send : reinterpret_cast<std::uint64_t>(output_of(what, rank));
    }
    device_->communicators()->run("group", ranks);
    EXPECT_GT(device_->finish_transfers(), 0u);
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      const auto* const output = reinterpret_cast<const std::byte*>(ranks[rank].recv);
      for (std::uint64_t i = 0; i < what.received(); ++i) {
        const int number = expected(what, rank, i);
        if (number < 0) break;
        std::byte bytes[16] = {};
        put(bytes, what.type, number);
        ASSERT_EQ(std::memcmp(output + i * size, bytes, size), 0)
            << "kind " << static_cast<int>(what.kind) << ", type " << what.type << ", reduction "
            << what.op << ", " << what.count << " elements" << (what.in_place ? " in place" : "")
            << ": element " << i << " of rank " << rank;
      }
    }
  }

  static constexpr std::uint64_t kBytes = 1 << 18;
  std::unique_ptr<sim::Device> device_;
  std::vector<std::byte*> send_, recv_;
};

/// One element goes in one step; 24 KiB go through windows.
TEST_P(SystemKindsTest, MoveAndReduceEveryType) {
  for (const CollectiveKind kind :
       {CollectiveKind::kAllReduce, CollectiveKind::kReduceScatter, CollectiveKind::kReduce,
        CollectiveKind::kAllGather, CollectiveKind::kAllToAll, CollectiveKind::kBroadcast,
        CollectiveKind::kScatter}) {
    for (std::uint32_t type = 0; type < 18; ++type) {
      if (sim::bytes_of_type(type) == 0) continue;
      if (reduces(kind) && type > 11) continue;
      if (!reduces(kind) && sim::bytes_of_type(type) == 1 && type > 11) continue;
      for (std::uint32_t op = 0; op < (reduces(kind) ? 4u : 1u); ++op) {
        for (const bool in_place : {false, true}) {
          run({kind, type, op, 1, in_place});
          if (op == 0) run({kind, type, op, 24576 / sim::bytes_of_type(type), in_place});
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fabrics, SystemKindsTest,
                         ::testing::Values("atlas_a2_server", "atlas_a3_server"));

}  // namespace
}  // namespace davsim::test
