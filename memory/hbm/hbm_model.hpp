// The seam between a die and its memory: a TLM-2.0 socket. What stands behind it registers itself
// by name. docs/memory-models.md walks through both kinds of target.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "memory/memory_request.hpp"
#include "memory/memory_timing.hpp"
#include "memory/model_registry.hpp"

namespace davsim::memory {

/// A piece of HBM that L2 reads or writes back, in device addresses: whole sectors.
struct HbmSpan {
  std::uint64_t addr = 0;
  std::uint32_t bytes = 0;
  bool write = false;
};

/// All that one memory request asks of HBM, and the answer of a model that knows it at once.
struct HbmChunk {
  /// In the order in which L2 comes by them; neighbours are joined. Only for models that want
  /// addresses.
  std::vector<HbmSpan> spans;
  /// Bytes that are read in bursts of whole lines and in shorter ones, and that are written.
  std::uint64_t line_bytes = 0, short_bytes = 0, written_bytes = 0;
  RequesterId requester = 0;
  bool no_allocate = false;

  /// The answer, in core cycles from the start of the simulation. A read is seen from the core, so
  /// the latency of L2 is part of it. `first_ready`: ready time of the first bytes read; `ready`:
  /// of the last. `written`: when HBM is through with everything.
  double first_ready = 0, ready = 0, written = 0;

  bool empty() const { return line_bytes + short_bytes + written_bytes == 0; }
  void clear() {
    spans.clear();
    line_bytes = short_bytes = written_bytes = 0;
  }
  void add(std::uint64_t addr, std::uint32_t bytes, bool write) {
    if (!spans.empty()) {
      HbmSpan& last = spans.back();
      if (last.write == write && last.addr + last.bytes == addr) {
        last.bytes += bytes;
        return;
      }
    }
    spans.push_back({addr, bytes, write});
  }
};

/// What a chunk's generic payload carries. A target that does not know it is sent plain
/// transactions instead; they carry it with the requester alone.
struct HbmExtension : tlm::tlm_extension<HbmExtension> {
  HbmChunk* chunk = nullptr;
  RequesterId requester = 0;
  bool no_allocate = false;
  tlm::tlm_extension_base* clone() const override { return new HbmExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const HbmExtension&>(other);
  }
};

/// How a target is spoken to.
enum class HbmProtocol {
  /// One transaction a chunk by nb_transport_fw. The target knows HbmExtension and answers
  /// TLM_COMPLETED with the times in the chunk.
  kChunks,
  /// A transaction a span by b_transport, from processes that may wait: for loosely timed targets.
  kBlocking,
  /// A transaction a span by nb_transport_fw under the base protocol: for approximately timed ones.
  kNonBlocking,
};

/// What a model may want to know of the die.
struct HbmSetup {
  const MemoryTiming& timing;
};

using DieSocket = tlm::tlm_initiator_socket<>;

struct HbmEntry {
  static constexpr const char* kKind = "hbm";
  std::string name, doc;
  HbmProtocol protocol = HbmProtocol::kChunks;
  bool wants_spans = true;  ///< false: the sums of a chunk are enough
  /// Makes the target, binds the die's socket to it, and returns whatever has to live on.
  std::function<std::shared_ptr<void>(const HbmSetup&, DieSocket&)> make;
};
using HbmRegistry = ModelRegistry<HbmEntry>;

/// A model that answers each chunk at once, by arithmetic.
class HbmModel : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
 public:
  HbmModel(sc_core::sc_module_name name, DieSocket& die) : sc_module(name) {
    socket.bind(*this);
    die.bind(socket);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

  tlm::tlm_target_socket<> socket{"socket"};

 protected:
  /// Answers a chunk that is not empty and arrives at cycle `now`; chunks come in order of time.
  virtual void serve(HbmChunk& chunk, double now) = 0;
};

}  // namespace davsim::memory
