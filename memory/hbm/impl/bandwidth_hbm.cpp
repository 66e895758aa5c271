// HBM as a server of a fixed rate and latency. Its work is counted in bytes of whole lines that are
// read. It serves one request after the other.
#include <algorithm>

#include "memory/bandwidth_server.hpp"
#include "memory/hbm/hbm_model.hpp"

namespace davsim::memory {
namespace {

class BandwidthHbm : public HbmModel {
 public:
  BandwidthHbm(const MemoryTiming& timing, DieSocket& die)
      : HbmModel("hbm", die), timing_(timing), server_(timing.hbm_bytes_per_cycle) {}

 private:
  void serve(HbmChunk& chunk, double now) override {
    chunk.first_ready = std::max(now, server_.free_at()) + timing_.hbm_read_latency;
    const double work = static_cast<double>(chunk.line_bytes) +
                        static_cast<double>(chunk.short_bytes) * timing_.hbm_short_burst +
                        static_cast<double>(chunk.written_bytes) * timing_.hbm_write_back;
    chunk.written = server_.reserve(now, work);
    chunk.ready = chunk.written + timing_.hbm_read_latency;
  }

  const MemoryTiming& timing_;
  BandwidthServer server_;
};

const HbmRegistry kBandwidthHbm({"bandwidth",
                                 "a fixed rate and latency, fitted to measured streams",
                                 HbmProtocol::kChunks, false,
                                 [](const HbmSetup& setup, DieSocket& die) {
                                   return std::make_shared<BandwidthHbm>(setup.timing, die);
                                 }});

}  // namespace
}  // namespace davsim::memory
