// A device with other models of HBM than the default: moves take what the model makes of them.
#include <tlm_utils/simple_target_socket.h>

#include <cmath>

#include "memory/hbm/hbm_model.hpp"
#include "sim/soc/timing_table.hpp"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

constexpr double kLatencyNs = 5000;

/// Any bandwidth, one latency; the answer comes when it is over and not before.
class FarMemory : public sc_core::sc_module {
 public:
  explicit FarMemory(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_b_transport(this, &FarMemory::b_transport);
  }
  tlm_utils::simple_target_socket<FarMemory> socket{"socket"};

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    wait(delay + sc_core::sc_time(kLatencyNs, sc_core::SC_NS));
    delay = sc_core::SC_ZERO_TIME;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

const memory::HbmRegistry kFar({"test_far", "", memory::HbmProtocol::kBlocking, true,
                                [](const memory::HbmSetup&, memory::DieSocket& die) {
                                  auto memory = std::make_shared<FarMemory>("far");
                                  die.bind(memory->socket);
                                  return memory;
                                }});

/// What is asked for first takes longest: chunks complete in the reverse of their order.
class ReversingMemory : public memory::HbmModel {
 public:
  static constexpr double kFirst = 10000, kLess = 500;  // cycles
  explicit ReversingMemory(memory::DieSocket& die) : HbmModel("reversing", die) {}

 private:
  void serve(memory::HbmChunk& chunk, double now) override {
    chunk.first_ready = chunk.ready = chunk.written = now + kFirst - kLess * served_++;
  }
  int served_ = 0;
};

const memory::HbmRegistry kReversing({"test_reversing", "", memory::HbmProtocol::kChunks, false,
                                      [](const memory::HbmSetup&, memory::DieSocket& die) {
                                        return std::make_shared<ReversingMemory>(die);
                                      }});

class HbmModels : public DeviceTest {
 protected:
  static sim::SocConfig soc(const char* hbm, const char* l2 = "bandwidth") {
    sim::SocConfig config = without_code("Ascend910B3");
    config.set({{{"Models", "hbm"}, hbm}, {{"Models", "l2"}, l2}});
    return config;
  }
  /// Copies `rows` rows of `bytes`, `pitch` bytes apart, into UB on every core.
  observe::LaunchReport copy(std::uint32_t cores, std::uint32_t rows, std::uint32_t bytes,
                             std::uint64_t pitch) {
    const std::size_t total = std::size_t{cores} * rows * pitch;
    if (data_ == nullptr) data_ = device().memory().allocate(total, "data");
    auto* data = reinterpret_cast<std::int8_t*>(data_);
    return on_vector(cores, [=] {
      const auto x = ub<std::int8_t>(0, bytes);
      for (std::uint32_t row = 0; row < rows; ++row) {
        // Cores and rows are scattered over all of the data.
        const std::size_t place =
            (row * std::size_t{cores} + GetBlockIdx()) * 7919 % (std::size_t{cores} * rows);
        DataCopy(x, gm(data, total)[place * pitch], bytes);
      }
    });
  }

 private:
  std::byte* data_ = nullptr;
};

TEST_F(HbmModels, ALateAnswerIsWaitedForWithManyChunksOutstanding) {
  sim::SocConfig far = soc("test_far");
  // Whole chunks fill what may be outstanding.
  far.set({{{"Timing.Dma", "chunk"}, "4096"}, {{"Timing.Dma", "read_requests"}, "128"}});
  device(far);
  constexpr std::uint32_t kBytes = 32768, kMoves = 40;
  const auto report = copy(1, kMoves, kBytes, kBytes);
  const auto& config = device().soc();
  const double outstanding = 128 * config.constant("Timing.L2", "line", "bytes"),
               latency_ns = kLatencyNs + config.constant("Timing.L2", "read_latency", "ns"),
               rounds = kMoves * double(kBytes) / outstanding;
  EXPECT_GE(report.time_us() * 1e3, rounds * latency_ns);
  EXPECT_LE(report.time_us() * 1e3, (rounds + 1) * latency_ns);
}

TEST_F(HbmModels, AMoveEndsWhenAllOfItIsThere) {
  device(soc("test_far"));
  copy(1, 1, 32768, 32768);
  const auto move = recorder.of(isa::Opcode::kMoveGmToUb).at(0);
  const sim::TimingTable timing(device().soc());
  const double ns = kLatencyNs + device().soc().constant("Timing.L2", "read_latency", "ns"),
               chunks = std::ceil(32768.0 / timing.dma.chunk),
               // The last chunk is posted when those before it have passed the port.
      last_post = timing.dma.instruction_overhead +
                  (chunks - 1) * timing.dma.chunk / timing.dma.aiv_read_port,
               cycles = last_post + ns * device().soc().frequency_mhz() * 1e-3;
  EXPECT_GE(double(move.end - move.start), cycles);
  EXPECT_LE(double(move.end - move.start), cycles + chunks + 3) << "a chunk begins with a cycle";
}

TEST_F(HbmModels, AMoveEndsWithTheChunkThatCompletesLastWhicheverItIs) {
  device(soc("test_reversing"));
  const double chunk = device().soc().constant("Timing.Dma", "chunk", "bytes"),
               setup = device().soc().constant("Timing.Dma", "instruction_overhead", "cycles");
  const auto bytes = static_cast<std::uint32_t>(4 * chunk);
  copy(1, 1, bytes, bytes);
  const auto move = recorder.of(isa::Opcode::kMoveGmToUb).at(0);
  // The first chunk is posted when the instruction is set up.
  EXPECT_EQ(move.end - move.start,
            static_cast<observe::Cycle>(std::ceil(setup) + ReversingMemory::kFirst));
}

/// HBM2E and ports as they were when the rates below were measured, whatever they are calibrated
/// to.
sim::SocConfig measured_banks(sim::SocConfig soc) {
  sim::SocConfig::Values values = {
      {{"Timing.Hbm", "peak"}, "1.6e12"},       {{"Timing.Hbm", "read_latency"}, "280"},
      {{"Timing.L2", "bandwidth"}, "3243"},     {{"Timing.L2", "read_latency"}, "150"},
      {{"Timing.Dma", "aiv_read_port"}, "119"}, {{"Timing.Dma", "instruction_overhead"}, "15.6"},
      {{"Timing.Dma", "granule"}, "128"},       {{"Timing.Dma", "read_requests"}, "128"},
      {{"Timing.Dma", "chunk"}, "4096"}};
  const std::pair<const char*, const char*> rules[] = {
      {"rcd_read", "12"}, {"rp", "14"},         {"ras", "28"},  {"cl", "17"},
      {"ccd_l", "2.5"},   {"rrd_s", "4"},       {"rrd_l", "6"}, {"faw", "16"},
      {"rtp", "5"},       {"refi", "3900"},     {"rfc", "96"},  {"stacks", "4"},
      {"channels", "8"},  {"interleave", "512"}};
  for (const auto& [key, value] : rules) values[{"Timing.HbmBanks", key}] = value;
  soc.set(values);
  return soc;
}

TEST_F(HbmModels, BanksReadStreamsAtWhatSiliconReaches) {
  device(measured_banks(soc("banks")));
  constexpr std::uint32_t kCores = 40, kRows = 60, kBytes = 32768;
  const auto report = copy(kCores, kRows, kBytes, kBytes);
  const double rate = double(kCores) * kRows * kBytes / report.time_us() / 1e6;
  EXPECT_GE(rate, 1.35);
  EXPECT_LE(rate, 1.6);
}

TEST_F(HbmModels, BanksDoNotReachThatWithRandomReadsOf64Bytes) {
  device(measured_banks(soc("banks")));
  constexpr std::uint32_t kCores = 40, kRows = 2000;
  const auto report = copy(kCores, kRows, 64, 4096);
  EXPECT_LE(double(kCores) * kRows * 64 / report.time_us() / 1e6, 0.7);
}

}  // namespace
}  // namespace davsim::test
