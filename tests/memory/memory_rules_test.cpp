// When requests complete with the models of the SoC's description: the rules of
// docs/memory-models.md worked out a second time, for requests at random, and held against each
// answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "memory/l2/l2_cache.hpp"
#include "memory/memory_system.hpp"
#include "sim/soc/timing_table.hpp"

namespace davsim::memory {
namespace {

/// Notes when requests complete.
class RecordingClient : public MemoryClient {
 public:
  void accepted(std::uint32_t tag, Cycle completes) override { done[tag] = completes; }
  void completed(std::uint32_t tag, Cycle cycle) override { done[tag] = cycle; }
  std::map<std::uint32_t, Cycle> done;
};

class MemoryRules : public ::testing::TestWithParam<const char*> {
 protected:
  MemoryRules() : soc_(sim::SocConfig::named(GetParam())), timing_(sim::TimingTable(soc_).memory) {}

  /// To be changed before the first request.
  MemoryTiming& timing() { return timing_; }
  double line() const { return timing_.line_bytes; }

  void post(Cycle cycle, const MemoryRequest& request) {
    if (memory_ == nullptr) {
      ClockPeriod::set(soc_.frequency_mhz());
      clock_ = std::make_unique<CycleClock>("clock");
      memory_ = std::make_unique<MemorySystem>("memory", timing_, *clock_);
      sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    memory_->post_at(cycle, request, client_);
  }
  static void run() { sc_core::sc_start(); }
  /// Requests end in the first whole cycle that is not before the time that the rule gives.
  void expect_end(std::uint32_t tag, double rule) {
    constexpr double kRounding = 1e-6;
    ASSERT_TRUE(client_.done.contains(tag)) << tag;
    const auto done = static_cast<double>(client_.done.at(tag));
    EXPECT_GE(done, rule - kRounding) << "request " << tag;
    EXPECT_LT(done, rule + 1 + kRounding) << "request " << tag;
  }
  MemoryRequest lines(std::uint64_t first, std::uint32_t count, std::uint32_t tag) const {
    const auto line = static_cast<std::uint32_t>(timing_.line_bytes);
    MemoryRequest request{first * line, 1, count * line, line};
    request.tag = tag;
    request.requester = tag % 100;
    return request;
  }

  // What the rules say, one request after the other in order of time.
  double l2_through(double now, double accesses) {
    l2_free_ = std::max(l2_free_, now) + accesses * line() / timing_.l2_bytes_per_cycle;
    return l2_free_;
  }
  double hbm_through(double now, double line_bytes, double short_bytes, double written_bytes) {
    const double work =
        line_bytes + timing_.hbm_short_burst * short_bytes + timing_.hbm_write_back * written_bytes;
    hbm_free_ = std::max(hbm_free_, now) + work / timing_.hbm_bytes_per_cycle;
    return hbm_free_;
  }

 private:
  sim::SocConfig soc_;
  MemoryTiming timing_;
  std::unique_ptr<CycleClock> clock_;
  std::unique_ptr<MemorySystem> memory_;
  RecordingClient client_;
  double l2_free_ = 0, hbm_free_ = 0;
};

TEST_P(MemoryRules, ReadsOfHbmTakeTheirTurnAtItsBandwidthAndItsLatency) {
  std::mt19937 random(1);
  std::vector<double> rule;
  Cycle now = 10;
  std::uint64_t next = 0;
  for (std::uint32_t tag = 0; tag < 400; ++tag) {
    // Bursts of requests that have to wait for each other, and pauses in which HBM falls idle.
    now += 1 + (random() % 20 == 0 ? 2000 : random() % 8);
    const std::uint32_t count = 1 + random() % 8;
    MemoryRequest request = lines(next, count, tag);
    next += count;
    request.line_bursts = random() % 2 == 0;
    const double bytes = count * line();
    const double l2 = l2_through(double(now), count) + timing().l2_read_latency;
    const double hbm = hbm_through(double(now), request.line_bursts ? bytes : 0,
                                   request.line_bursts ? 0 : bytes, 0) +
                       timing().hbm_read_latency;
    rule.push_back(std::max(l2, hbm));
    request.requester = 0;
    post(now, request);
  }
  run();
  for (std::uint32_t tag = 0; tag < rule.size(); ++tag) expect_end(tag, rule[tag]);
}

TEST_P(MemoryRules, HitsTakeTheirTurnAtTheBandwidthOfL2AndItsLatency) {
  constexpr std::uint32_t kLines = 1000;
  post(10, lines(0, kLines, 0));
  run();
  l2_through(10, kLines);
  std::mt19937 random(2);
  std::map<std::uint32_t, double> rule;
  Cycle now = 100000;
  for (std::uint32_t tag = 1; tag < 400; ++tag) {
    now += 1 + (random() % 20 == 0 ? 500 : random() % 2);
    const std::uint32_t count = 1 + random() % 8;
    // A line is free again before it has its next turn.
    MemoryRequest request = lines(tag * 8 % (kLines - 8), count, tag);
    request.write = random() % 2 == 0;
    request.requester = 0;
    rule[tag] = l2_through(double(now), count) +
                (request.write ? timing().l2_write_latency : timing().l2_read_latency);
    post(now, request);
  }
  run();
  for (const auto& [tag, end] : rule) expect_end(tag, end);
}

TEST_P(MemoryRules, APartOfALineTakesL2AsLongAsAllOfIt) {
  post(10, lines(0, 1, 0));
  MemoryRequest part = lines(0, 1, 1);
  part.row_bytes = 32;
  post(100000, part);
  run();
  expect_end(1, 100000 + line() / timing().l2_bytes_per_cycle + timing().l2_read_latency);
}

TEST_P(MemoryRules, OnlyWhatL2HoldsIsThereEarlierForAScalarUnit) {
  constexpr std::uint32_t kEarlier = 50;
  post(10, lines(0, 1, 0));
  MemoryRequest hit = lines(0, 1, 1), miss = lines(1, 1, 2);
  hit.earlier_hit = miss.earlier_hit = kEarlier;
  post(100000, hit);
  post(200000, miss);
  run();
  hbm_through(10, line(), 0, 0);
  expect_end(1, l2_through(100000, 1) + timing().l2_read_latency - kEarlier);
  expect_end(2, hbm_through(200000, line(), 0, 0) + timing().hbm_read_latency);
}

TEST_P(MemoryRules, ALineServesOneRequestAfterTheOther) {
  const double service = timing().l2_line_service;
  post(10, lines(0, 1, 0));
  for (std::uint32_t tag = 1; tag <= 3; ++tag) post(100000, lines(0, 1, tag));
  MemoryRequest again = lines(0, 1, 4), write = lines(0, 1, 5), code = lines(0, 1, 6);
  again.requester = 3;  // requests of one engine wait for each other, too
  write.write = true;
  code.by_scalar_unit = true;  // those of scalar units and their code do not
  for (const MemoryRequest& request : {again, write, code}) post(100000, request);
  run();
  const auto expect = [&](std::uint32_t tag, double served, double latency) {
    expect_end(tag, std::max(l2_through(100000, 1), 100000 + served) + latency);
  };
  // Requests of one cycle are served in the order of their requesters.
  expect(1, 0, timing().l2_read_latency);
  expect(2, service, timing().l2_read_latency);
  expect(3, 2 * service, timing().l2_read_latency);
  expect(4, 3 * service, timing().l2_read_latency);
  expect(5, 4 * service, timing().l2_write_latency);
  expect(6, 0, timing().l2_read_latency);
}

TEST_P(MemoryRules, EachShortRowOfALineIsARequestToIt) {
  constexpr std::uint32_t kRows = 8;
  post(10, lines(0, 1, 0));
  MemoryRequest rows = lines(0, 1, 1);
  rows.rows = kRows;
  rows.row_bytes = 4;
  rows.row_pitch = 16;
  post(100000, rows);
  run();
  const double waits = (kRows - 1) * timing().l2_line_service;
  expect_end(1, std::max(l2_through(100000, kRows), 100000 + waits) + timing().l2_read_latency);
}

TEST_P(MemoryRules, SoDoesALineThatL2DoesNotKeep) {
  constexpr std::uint64_t kFar = 4096;  // other lines in between leave no trace
  for (std::uint32_t tag = 1; tag <= 4; ++tag) {
    MemoryRequest request = lines(tag == 4 ? kFar : 0, 1, tag);
    request.no_allocate = true;
    post(100000, request);
  }
  run();
  for (std::uint32_t tag = 1; tag <= 4; ++tag) {
    const double waits = tag == 4 ? 0 : (tag - 1) * timing().l2_line_service;
    const double l2 = std::max(l2_through(100000, 1), 100000 + waits) + timing().l2_read_latency;
    const double hbm = hbm_through(100000, line(), 0, 0) + timing().hbm_read_latency;
    expect_end(tag, std::max(l2, hbm));
  }
}

TEST_P(MemoryRules, WhatIsWrittenBackTakesHbmItsShare) {
  timing().l2_bytes = timing().line_bytes * timing().ways;  // one set
  const std::uint32_t ways = timing().ways;
  post(10, lines(0, ways, 0));
  MemoryRequest dirty = lines(0, ways, 1);
  dirty.write = true;
  post(100000, dirty);
  post(200000, lines(ways, ways, 2));
  run();
  const double bytes = ways * line();
  expect_end(2, hbm_through(200000, bytes, 0, bytes) + timing().hbm_read_latency);
}

TEST_P(MemoryRules, AWriteWaitsUntilHbmIsNotFarBehind) {
  timing().l2_bytes = timing().line_bytes * timing().ways;
  timing().l2_write_ahead = static_cast<std::uint32_t>(timing().line_bytes);
  const std::uint32_t ways = timing().ways;
  for (std::uint32_t tag = 0; tag < 2; ++tag) {
    MemoryRequest dirty = lines(std::uint64_t{tag} * ways, ways, tag);
    dirty.write = true;
    post(10 + tag * 100000, dirty);
  }
  run();
  expect_end(0, l2_through(10, ways) + timing().l2_write_latency);
  const double l2 = l2_through(100010, ways) + timing().l2_write_latency;
  const double hbm =
      hbm_through(100010, 0, 0, ways * line()) - line() / timing().hbm_bytes_per_cycle;
  expect_end(1, std::max(l2, hbm));
}

TEST_P(MemoryRules, ABankOfAnIdleHbmTakesItsCommandsAndThePath) {
  timing().hbm_model = "banks";
  timing().l2_model = "none";
  timing().banks.refi = 0;
  const HbmBanksTiming& banks = timing().banks;
  const double channels = banks.stacks * banks.channels * banks.pseudo_channels;
  const double slot = 32 * channels / timing().hbm_peak_bytes_per_cycle;  // cycles of a burst
  const auto slots = [&](double ns) { return std::ceil(ns / timing().ns_per_cycle / slot - 1e-9); };
  // The bursts of a sector come in turns from banks of the groups that share a block. The banks are
  // activated rrd_s apart; the bursts of each are ccd_l apart, in the slots that the bus has free.
  MemoryRequest sector = lines(0, 1, 0);
  sector.row_bytes = 32;
  post(1000, sector);
  run();
  const auto bursts = static_cast<std::uint32_t>(line()) / L2Cache::kSectors / 32;
  ASSERT_EQ(bursts % banks.set_groups, 0u);
  const double ccd = std::max(1.0, slots(banks.ccd_l)), opened = slots(banks.rcd_read);
  std::set<double> taken;
  for (std::uint32_t bank = 0; bank < banks.set_groups; ++bank) {
    double next = std::ceil(1000 / slot) + bank * slots(banks.rrd_s) + opened + slots(banks.cl);
    for (std::uint32_t i = 0; i < bursts / banks.set_groups; ++i, next += ccd) {
      while (!taken.insert(next).second) ++next;
    }
  }
  // Of the measured latency of an idle HBM, what is not commands is the path.
  const double path = timing().hbm_read_latency - (opened + slots(banks.cl) + 1) * slot;
  expect_end(0, (*taken.rbegin() + 1) * slot + std::max(path, 0.0));
}

INSTANTIATE_TEST_SUITE_P(Socs, MemoryRules, ::testing::Values("Ascend910B3", "Ascend910B4"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace davsim::memory
