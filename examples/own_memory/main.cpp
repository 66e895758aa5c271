// A memory of your own behind a die: any TLM-2.0 target. This one has a fixed latency and serves
// one transaction after the other, like a slow HBM. It knows nothing of davsim.
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>

#include "examples/common/example.hpp"
#include "memory/hbm/hbm_model.hpp"

namespace {

using example::half;
using sc_core::sc_time;

constexpr double kBytesPerNs = 100, kLatencyNs = 200;

class OwnMemory : public sc_core::sc_module {
 public:
  explicit OwnMemory(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_b_transport(this, &OwnMemory::b_transport);
  }
  ~OwnMemory() override { std::printf("own memory: %llu reads, %llu writes\n", reads_, writes_); }
  tlm_utils::simple_target_socket<OwnMemory> socket{"socket"};

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_time& delay) {
    ++(payload.is_read() ? reads_ : writes_);
    const sc_time now = sc_core::sc_time_stamp() + delay;
    free_at_ =
        std::max(free_at_, now) + sc_time(payload.get_data_length() / kBytesPerNs, sc_core::SC_NS);
    wait(free_at_ + sc_time(kLatencyNs, sc_core::SC_NS) - sc_core::sc_time_stamp());
    delay = sc_core::SC_ZERO_TIME;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  sc_time free_at_;
  unsigned long long reads_ = 0, writes_ = 0;
};

// Registered before main begins; `[Models] hbm = own_memory` in a description, or --set
// hbm.model=own_memory in a program that reads options, chooses it.
const davsim::memory::HbmRegistry kOwnMemory(
    {"own_memory", "the memory of examples/own_memory", davsim::memory::HbmProtocol::kBlocking,
     true, [](const davsim::memory::HbmSetup&, davsim::memory::DieSocket& die) {
       auto memory = std::make_shared<OwnMemory>("own_memory");
       die.bind(memory->socket);
       return memory;
     }});

constexpr std::uint32_t kBlocks = 40, kLength = kBlocks * 16 * 500;

bool add(example::Device& device) {
  const auto x = example::tensor<half>(device, kLength, "x", [](auto i) { return i % 100; });
  const auto y = example::tensor<half>(device, kLength, "y", [](auto i) { return i % 7; });
  const auto z = example::tensor<half>(device, kLength, "z", [](auto) { return 0; });
  const auto report =
      device.launch("add_custom", kBlocks, example::gm(x), example::gm(y), example::gm(z), kLength);
  for (std::size_t i = 0; i < kLength; ++i) {
    const half expected = float(x[i]) + float(y[i]);
    if (!example::right(z[i].bits != expected.bits, "sum", i, expected, z[i])) return false;
  }
  example::print("own_memory", report);
  // Two tensors come from the memory, which nothing else can make faster.
  const double least_us = 2e-3 * kLength * sizeof(half) / kBytesPerNs;
  std::printf("the memory alone needs %.2f us\n", least_us);
  return report.time_us() >= least_us && report.time_us() <= 1.3 * least_us;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run(argc, argv, add, {{"hbm", "own_memory"}});
}
