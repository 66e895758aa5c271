// The rules between commands of HBM, each in exact slots. The rules are numbers of this test's own,
// no two alike, so that one cannot stand for another.
#include "memory/hbm/impl/pseudo_channel.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace davsim::memory {
namespace {

constexpr BankRules kRules = {.rcd_read = 11,
                              .rcd_write = 5,
                              .rp = 13,
                              .ras = 29,
                              .cl = 17,
                              .cwl = 7,
                              .ccd_l = 2,
                              .rrd_s = 3,
                              .rrd_l = 6,
                              .faw = 19,
                              .rtp = 4,
                              .wr = 14,
                              .wtr = 9,
                              .rtw = 8,
                              .refi = 0,
                              .rfc = 0,
                              .groups = 4,
                              .banks = 4,
                              .write_batch = 4};
constexpr Slot kNone = PseudoChannel::kNone;
// Bank b is in group b % 4.
constexpr std::uint32_t kBank = 0, kSameGroup = 4, kOtherGroup = 1;

TEST(PseudoChannel, AReadOfAClosedRowComesRcdBehindItsActivate) {
  PseudoChannel channel(kRules);
  const auto access = channel.read(kBank, 7, 1, 100);
  EXPECT_EQ(access.precharge, kNone);
  EXPECT_EQ(access.activate, 100u);
  EXPECT_EQ(access.first_column, 100 + kRules.rcd_read);
  EXPECT_EQ(access.end, access.first_column + kRules.cl + 1);
}

TEST(PseudoChannel, AReadOfAnOpenRowNeedsNoActivate) {
  PseudoChannel channel(kRules);
  channel.read(kBank, 7, 1, 0);
  const auto access = channel.read(kBank, 7, 1, 100);
  EXPECT_EQ(access.activate, kNone);
  EXPECT_EQ(access.first_column, 100u);
}

TEST(PseudoChannel, AReadThatFollowsAnActivateStillWaitsForIt) {
  PseudoChannel channel(kRules);
  channel.read(kBank, 7, 1, 0);
  EXPECT_EQ(channel.read(kBank, 7, 1, 1).first_column, kRules.rcd_read + kRules.ccd_l);
}

TEST(PseudoChannel, AnotherRowIsOpenedRasAndRpBehindTheFirst) {
  PseudoChannel channel(kRules);
  channel.read(kBank, 7, 1, 0);
  const auto access = channel.read(kBank, 8, 1, 0);
  EXPECT_EQ(access.precharge, kRules.ras);
  EXPECT_EQ(access.activate, kRules.ras + kRules.rp);
}

TEST(PseudoChannel, APrechargeWaitsRtpForTheLastRead) {
  PseudoChannel channel(kRules);
  const auto first = channel.read(kBank, 7, 20, 0);
  ASSERT_GT(first.last_column + kRules.rtp, kRules.ras);
  EXPECT_EQ(channel.read(kBank, 8, 1, 0).precharge, first.last_column + kRules.rtp);
}

TEST(PseudoChannel, BurstsOfOneGroupAreCcdApartAndThoseOfOthersFollowAtOnce) {
  PseudoChannel channel(kRules);
  channel.read(kBank, 7, 1, 0);
  channel.read(kOtherGroup, 7, 1, 0);
  const auto even = channel.read(kBank, 7, 4, 100), odd = channel.read(kOtherGroup, 7, 4, 100);
  EXPECT_EQ(even.first_column, 100u);
  EXPECT_EQ(even.last_column, 100 + 3 * kRules.ccd_l);
  EXPECT_EQ(odd.first_column, 101u) << "in the gaps that the first leaves";
  EXPECT_EQ(odd.last_column, even.last_column + 1);
}

TEST(PseudoChannel, ActivatesKeepTheirDistance) {
  PseudoChannel other(kRules), same(kRules);
  other.read(kBank, 7, 1, 0);
  EXPECT_EQ(other.read(kOtherGroup, 7, 1, 0).activate, kRules.rrd_s);
  same.read(kBank, 7, 1, 0);
  EXPECT_EQ(same.read(kSameGroup, 7, 1, 0).activate, kRules.rrd_l);
}

TEST(PseudoChannel, FourActivatesFillTheirWindow) {
  PseudoChannel channel(kRules);
  for (std::uint32_t bank = 0; bank < 4; ++bank) {
    EXPECT_EQ(channel.read(bank, 7, 1, 0).activate, bank * kRules.rrd_s);
  }
  ASSERT_GT(kRules.faw, 4 * kRules.rrd_s);
  EXPECT_EQ(channel.read(kSameGroup, 7, 1, 0).activate, kRules.faw);
}

TEST(PseudoChannel, AnAccessTakesTheGapThatAnEarlierOneHadToLeave) {
  PseudoChannel channel(kRules);
  channel.read(kBank, 7, 1, 0);
  const auto late = channel.read(kBank, 8, 1, 0);  // waits for its row
  const auto early = channel.read(kOtherGroup, 7, 1, 0);
  EXPECT_LT(early.first_column, late.first_column);
  EXPECT_EQ(early.activate, kRules.rrd_s);
}

TEST(PseudoChannel, NoTwoBurstsShareASlot) {
  PseudoChannel channel(kRules);
  Slot end = 0;
  constexpr std::uint32_t kBursts = 8, kReads = 200;
  for (std::uint32_t i = 0; i < kReads; ++i) {
    end = std::max(end, channel.read(i * 5 % 16, i % 3, kBursts, 0).end);
  }
  EXPECT_GE(end, std::uint64_t{kBursts} * kReads);
}

TEST(PseudoChannel, WritesWaitForTheirBatchAndTurnTheBusRound) {
  PseudoChannel channel(kRules);
  const auto read = channel.read(kBank, 7, 1, 0);
  channel.write(kOtherGroup, 7, 3, 0);
  EXPECT_EQ(channel.busy_until(), read.end) << "three of four";
  channel.write(kOtherGroup, 7, 1, 0);
  const auto batch = channel.last_batch();
  EXPECT_EQ(batch.activate, kRules.rrd_s);
  const Slot data = std::max(read.end + kRules.rtw, batch.activate + kRules.rcd_write + kRules.cwl);
  EXPECT_EQ(batch.first_column, data - kRules.cwl);
  EXPECT_EQ(batch.end, data + 3 * kRules.ccd_l + 1);
  // The next read command comes wtr behind the last data.
  const auto next = channel.read(kBank, 7, 1, read.end);
  EXPECT_EQ(next.first_column, batch.end + kRules.wtr);
}

TEST(PseudoChannel, APrechargeWaitsWrForWhatWasWritten) {
  PseudoChannel channel(kRules);
  channel.write(kBank, 7, kRules.write_batch, 0);
  const Slot end = channel.last_batch().end;
  EXPECT_EQ(channel.read(kBank, 8, 1, 0).precharge, std::max(end + kRules.wr, kRules.ras));
}

TEST(PseudoChannel, ARefreshClosesItsBankForRfc) {
  BankRules rules = kRules;
  rules.refi = 1600;
  rules.rfc = 96;
  PseudoChannel channel(rules);
  // Bank 0 is refreshed at 0, 1600, ...; it is open then.
  channel.read(kBank, 7, 1, 200);
  EXPECT_EQ(channel.read(kBank, 7, 1, 1605).activate, 1600 + rules.rp + rules.rfc);
  // Bank 4 of sixteen has its turn a quarter of refi later.
  channel.read(kSameGroup, 7, 1, 1750);
  EXPECT_EQ(channel.read(kSameGroup, 7, 1, 1990).activate, kNone);
  EXPECT_EQ(channel.read(kSameGroup, 7, 1, 2000).activate, 2000 + rules.rp + rules.rfc);
}

}  // namespace
}  // namespace davsim::memory
