// What the memory answers its requesters, with HBM models that know at once and ones that do not.
#include "memory/memory_system.hpp"

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <map>

namespace davsim::memory {
namespace {

constexpr std::uint32_t kLineBytes = 512;
constexpr double kMhz = 1000;  // a cycle has a nanosecond
constexpr Cycle kL2Latency = 150, kMemoryLatency = 400;

MemoryTiming timing(const std::string& hbm, const std::string& l2 = "bandwidth") {
  MemoryTiming timing;
  timing.l2_model = l2;
  timing.hbm_model = hbm;
  timing.l2_bytes = std::uint64_t{1} << 20;
  timing.line_bytes = kLineBytes;
  timing.ways = 16;
  timing.l2_rotation = 1;
  timing.l2_bytes_per_cycle = 1024;
  timing.l2_read_latency = kL2Latency;
  timing.l2_write_latency = 100;
  timing.l2_write_ahead = 4 * kLineBytes;
  timing.ns_per_cycle = 1e3 / kMhz;
  timing.hbm_bytes_per_cycle = timing.hbm_peak_bytes_per_cycle = 512;
  timing.hbm_read_latency = 300;
  return timing;
}

/// A fixed latency for each transaction, by waiting.
class LateMemory : public sc_core::sc_module {
 public:
  explicit LateMemory(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_b_transport(this, &LateMemory::b_transport);
  }
  tlm_utils::simple_target_socket<LateMemory> socket{"socket"};
  static inline std::vector<std::pair<std::uint64_t, std::uint32_t>> seen;  ///< address, bytes

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    seen.emplace_back(payload.get_address(), payload.get_data_length());
    // What is asked for in odd lines takes twice as long.
    const bool odd = payload.get_address() / kLineBytes % 2 != 0;
    wait(delay + sc_core::sc_time((odd ? 2 : 1) * double(kMemoryLatency), sc_core::SC_NS));
    delay = sc_core::SC_ZERO_TIME;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

template <HbmProtocol kProtocol>
std::shared_ptr<void> make_slow(const HbmSetup&, DieSocket& die) {
  auto memory = std::make_shared<LateMemory>("slow");
  die.bind(memory->socket);
  return memory;
}
const HbmRegistry kBlocking({"test_blocking", "", HbmProtocol::kBlocking, true,
                             make_slow<HbmProtocol::kBlocking>});
const HbmRegistry kNonBlocking({"test_nonblocking", "", HbmProtocol::kNonBlocking, true,
                                make_slow<HbmProtocol::kNonBlocking>});

/// Notes when requests are accepted and complete.
class Client : public MemoryClient {
 public:
  void accepted(std::uint32_t tag, Cycle completes) override {
    accepted_at[tag] = current_cycle();
    if (completes != kNever) done[tag] = completes;
  }
  void completed(std::uint32_t tag, Cycle cycle) override {
    told_at[tag] = current_cycle();
    done[tag] = cycle;
  }
  std::map<std::uint32_t, Cycle> accepted_at, told_at, done;
};

class MemorySystemTest : public ::testing::Test {
 protected:
  MemorySystem& memory(const MemoryTiming& timing) {
    ClockPeriod::set(kMhz);
    LateMemory::seen.clear();
    clock_ = std::make_unique<CycleClock>("clock");
    timing_ = timing;
    memory_ = std::make_unique<MemorySystem>("memory", timing_, *clock_);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return *memory_;
  }
  static MemoryRequest read(std::uint64_t line, std::uint32_t tag, RequesterId requester = 0,
                            std::uint32_t lines = 1) {
    MemoryRequest request{line * kLineBytes, 1, lines * kLineBytes, kLineBytes};
    request.tag = tag;
    request.requester = requester;
    return request;
  }
  Client client_;

 private:
  MemoryTiming timing_;
  std::unique_ptr<CycleClock> clock_;
  std::unique_ptr<MemorySystem> memory_;
};

TEST_F(MemorySystemTest, AMissTakesTheLatencyOfHbmAndItsBytes) {
  auto& system = memory(timing("bandwidth"));
  system.post_at(10, read(0, 1), client_);
  sc_core::sc_start();
  EXPECT_EQ(client_.accepted_at.at(1), 10u);
  EXPECT_EQ(client_.done.at(1), 10 + kLineBytes / 512 + 300u);
}

TEST_F(MemorySystemTest, AHitTakesThatOfL2) {
  auto& system = memory(timing("bandwidth"));
  system.post_at(10, read(0, 1), client_);
  system.post_at(1000, read(0, 2), client_);
  sc_core::sc_start();
  EXPECT_EQ(client_.done.at(2), 1000 + 1 + kL2Latency) << "half a cycle for the line, rounded up";
}

TEST_F(MemorySystemTest, RequestsOfOneInstantAreTakenUpInTheOrderOfTheirRequesters) {
  auto& system = memory(timing("bandwidth"));
  constexpr std::uint32_t kRequesters = 5;
  for (const std::uint32_t requester : {3u, 0u, 4u, 1u, 2u}) {
    system.post_at(10, read(16 * requester, requester, requester), client_);
  }
  sc_core::sc_start();
  for (std::uint32_t r = 1; r < kRequesters; ++r) {
    EXPECT_LT(client_.done.at(r - 1), client_.done.at(r));
  }
}

TEST_F(MemorySystemTest, WithoutL2EveryReadGoesToHbm) {
  auto& system = memory(timing("bandwidth", "none"));
  system.post_at(10, read(0, 1), client_);
  system.post_at(1000, read(0, 2), client_);
  sc_core::sc_start();
  EXPECT_EQ(client_.done.at(2), 1000 + 1 + 300u);
  EXPECT_EQ(system.counters().hbm_read_bytes, 2u * kLineBytes);
}

TEST_F(MemorySystemTest, AnUnknownModelIsRefusedWithTheKnownOnes) {
  for (const bool l2 : {false, true}) {
    try {
      memory(l2 ? timing("bandwidth", "fast") : timing("fast"));
      FAIL();
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("model named 'fast'; known are "),
                std::string::npos);
      EXPECT_NE(std::string(error.what()).find("bandwidth"), std::string::npos) << error.what();
    }
  }
}

class LateMemoryTest : public MemorySystemTest,
                       public ::testing::WithParamInterface<const char*> {};

TEST_P(LateMemoryTest, AcceptsAtOnceAndCompletesWhenTheTargetDoes) {
  auto& system = memory(timing(GetParam()));
  system.post_at(10, read(0, 1), client_);
  sc_core::sc_start();
  EXPECT_EQ(client_.accepted_at.at(1), 10u);
  // The transaction begins half a cycle into the tenth; what is there goes on through L2.
  EXPECT_EQ(client_.told_at.at(1), 11 + kMemoryLatency);
  EXPECT_EQ(client_.done.at(1), 11 + kMemoryLatency + kL2Latency);
}

TEST_P(LateMemoryTest, SendsPlainTransactionsOfNeighbouringLines) {
  auto& system = memory(timing(GetParam()));
  system.post_at(10, read(8, 1, 0, 3), client_);
  sc_core::sc_start();
  ASSERT_EQ(LateMemory::seen.size(), 1u);
  EXPECT_EQ(LateMemory::seen.at(0), std::make_pair(std::uint64_t{8 * kLineBytes}, 3 * kLineBytes));
}

TEST_P(LateMemoryTest, ALineThatIsOnItsWayIsWaitedFor) {
  auto& system = memory(timing(GetParam()));
  system.post_at(10, read(0, 1), client_);
  system.post_at(20, read(0, 2, 1), client_);
  sc_core::sc_start();
  EXPECT_EQ(LateMemory::seen.size(), 1u);
  EXPECT_EQ(client_.done.at(2), client_.done.at(1));
  EXPECT_EQ(client_.accepted_at.at(2), 20u);
}

TEST_P(LateMemoryTest, TheSameTwiceIsTheSame) {
  auto& system = memory(timing(GetParam()));
  const auto round = [&](Cycle start) {
    for (std::uint32_t i = 0; i < 20; ++i) {
      system.post_at(start + i / 7, read(i * 3 % 64, i, 20 - i), client_);
    }
    sc_core::sc_start();
    std::vector<Cycle> done;
    for (const auto& [tag, cycle] : client_.done) done.push_back(cycle - start);
    system.l2().flush();
    return done;
  };
  const auto first = round(1000);
  EXPECT_EQ(first, round(100000));
}
INSTANTIATE_TEST_SUITE_P(Protocols, LateMemoryTest,
                         ::testing::Values("test_blocking", "test_nonblocking"));

TEST_F(MemorySystemTest, ABlockingTargetHasManyRequestsAtATimeAndTheyOvertake) {
  auto& system = memory(timing("test_blocking"));
  system.post_at(10, read(1, 1), client_);  // an odd line
  system.post_at(11, read(2, 2), client_);
  sc_core::sc_start();
  EXPECT_LT(client_.done.at(2), client_.done.at(1));
}

TEST_F(MemorySystemTest, WritesNeedNotWaitWhileHbmIsNotFarBehind) {
  auto& system = memory(timing("test_blocking", "none"));
  for (std::uint32_t i = 0; i < 6; ++i) {
    MemoryRequest request = read(2 * i, i, i);
    request.write = true;
    system.post_at(10, request, client_);
  }
  sc_core::sc_start();
  // Four lines may be under way.
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(client_.done.at(i), 10u) << i;
  for (std::uint32_t i = 4; i < 6; ++i) EXPECT_GT(client_.done.at(i), kMemoryLatency) << i;
}

TEST_F(MemorySystemTest, WhatIsDroppedIsNotAnswered) {
  auto& system = memory(timing("test_blocking"));
  system.post_at(10, read(0, 1), client_);
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_NS));
  bool acted = false;
  system.at_arbitration(0, [&] { acted = true; });
  system.drop_posts();
  system.post_at(current_cycle() + 200, read(2, 2), client_);
  sc_core::sc_start();
  EXPECT_EQ(client_.done.size(), 1u);
  EXPECT_EQ(client_.done.count(2), 1u);
  EXPECT_FALSE(acted) << "who asked for it is gone";
}

struct SampledBytes : observe::Observer {
  void memory_sample(const observe::MemorySample& sample) override { bytes += sample.l2_bytes; }
  std::uint64_t bytes = 0;
};

TEST_F(MemorySystemTest, WhatWasSampledIsToldBeforeTheRestIsDropped) {
  auto& system = memory(timing("test_blocking"));
  SampledBytes of_this, of_next;
  system.attach(&of_this);
  system.post_at(10, read(0, 1), client_);
  sc_core::sc_start();
  EXPECT_EQ(of_this.bytes, 0u) << "the sample is not over";
  system.drop_posts();
  EXPECT_EQ(of_this.bytes, system.counters().l2_bytes);
  system.attach(&of_next);
  system.flush_sample(current_cycle());
  EXPECT_EQ(of_next.bytes, 0u);
}

}  // namespace
}  // namespace davsim::memory
