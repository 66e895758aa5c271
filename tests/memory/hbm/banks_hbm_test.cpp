// Where addresses lie in HBM, and how rules in nanoseconds become slots.
#include "memory/hbm/impl/banks_hbm.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

namespace davsim::memory {
namespace {

HbmBanksTiming parts() {
  HbmBanksTiming timing;
  timing.stacks = 2;
  timing.channels = 4;
  timing.pseudo_channels = 2;
  timing.bank_groups = 4;
  timing.banks = 4;
  timing.row_bytes = 1024;
  timing.interleave = 512;
  timing.set_groups = 2;
  return timing;
}

TEST(HbmMapping, NeighbouringBlocksGoToAllChannelsOnce) {
  const HbmMapping mapping(parts());
  ASSERT_EQ(mapping.channels(), 16u);
  for (std::uint64_t stripe = 0; stripe < 1000; stripe += 37) {
    std::set<std::uint32_t> channels;
    for (std::uint64_t i = 0; i < 16; ++i) channels.insert(mapping.place(stripe * 16 + i).channel);
    EXPECT_EQ(channels.size(), 16u);
  }
}

TEST(HbmMapping, NoRowOfASetHoldsMoreThanItsBytes) {
  const HbmMapping mapping(parts());
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint32_t> blocks;
  constexpr std::uint64_t kRows = 8, kSets = 8, kBlocksARow = 4, kChannels = 16;
  for (std::uint64_t block = 0; block < kRows * kSets * kBlocksARow * kChannels; ++block) {
    const HbmPlace place = mapping.place(block);
    ++blocks[{place.channel, place.set, place.row}];
  }
  EXPECT_EQ(blocks.size(), kRows * kSets * kChannels);
  for (const auto& [where, count] : blocks) EXPECT_EQ(count, kBlocksARow);
}

TEST(HbmMapping, BurstsOfABlockAlternateBetweenBankGroups) {
  const HbmMapping mapping(parts());
  std::set<std::uint32_t> banks;
  for (std::uint32_t set = 0; set < 8; ++set) {
    EXPECT_NE(mapping.bank(set, 0) % 4, mapping.bank(set, 1) % 4) << "group";
    EXPECT_EQ(mapping.bank(set, 0) / 4, mapping.bank(set, 1) / 4) << "place in its group";
    EXPECT_EQ(mapping.bank(set, 0), mapping.bank(set, 2));
    banks.insert({mapping.bank(set, 0), mapping.bank(set, 1)});
  }
  EXPECT_EQ(banks.size(), 16u) << "the sets share no bank";
}

TEST(BankRules, AreRoundedUpToWholeSlots) {
  HbmBanksTiming timing = parts();
  timing.rcd_read = 12;
  timing.rp = 12.5;
  timing.ccd_l = 2.5;
  timing.write_batch = 2048;
  const BankRules rules = rules_in_slots(timing, 1.25);
  EXPECT_EQ(rules.rcd_read, 10u);
  EXPECT_EQ(rules.rp, 10u);
  EXPECT_EQ(rules.ccd_l, 2u);
  EXPECT_EQ(rules.write_batch, 64u);
}

}  // namespace
}  // namespace davsim::memory
