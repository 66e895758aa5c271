// The seam between a die and its memory: a TLM-2.0 socket. The targets behind it register
// themselves by name. docs/extending/memory_model.md adds one and describes the protocols.
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

/// A contiguous piece of HBM that L2 reads or writes back, in device addresses. Whole sectors.
struct HbmSpan {
  std::uint64_t addr = 0;
  std::uint32_t bytes = 0;
  bool write = false;
};

/// All reads and writes of HBM that one memory request needs. A model that knows its answer at once
/// writes it here.
struct HbmChunk {
  /// The spans in the order in which L2 reaches them. Neighbouring spans are merged. Empty unless
  /// the model wants spans.
  std::vector<HbmSpan> spans;
  /// The bytes read in bursts of whole lines, the bytes read in shorter bursts, the bytes written.
  std::uint64_t line_bytes = 0, short_bytes = 0, written_bytes = 0;
  RequesterId requester = 0;
  bool no_allocate = false;

  /// The answer, in core cycles from the start of the simulation. `first_ready` and `ready` are the
  /// ready times, at the core, of the first and the last bytes read, so they include the latency of
  /// L2. `written` is the end of HBM's work.
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

/// The extension of a chunk's generic payload. Targets that do not know it get plain transactions.
/// These carry the extension with the requester alone.
struct HbmExtension : tlm::tlm_extension<HbmExtension> {
  HbmChunk* chunk = nullptr;
  RequesterId requester = 0;
  bool no_allocate = false;
  tlm::tlm_extension_base* clone() const override { return new HbmExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const HbmExtension&>(other);
  }
};

/// The protocol between a die and its target.
enum class HbmProtocol {
  /// One transaction for each chunk, by nb_transport_fw. The target knows HbmExtension. It returns
  /// TLM_COMPLETED and writes the times into the chunk.
  kChunks,
  /// One transaction for each span, by b_transport, from processes that may wait. For loosely timed
  /// targets.
  kBlocking,
  /// One transaction for each span, by nb_transport_fw, under the base protocol. For approximately
  /// timed targets.
  kNonBlocking,
};

/// The properties of the die for a model.
struct HbmSetup {
  const MemoryTiming& timing;
};

using DieSocket = tlm::tlm_initiator_socket<>;

struct HbmEntry {
  static constexpr const char* kKind = "hbm";
  std::string name, doc;
  HbmProtocol protocol = HbmProtocol::kChunks;
  bool wants_spans = true;  ///< whether the model reads the spans of a chunk
  /// Makes the target and binds the die's socket to it. Returns the owner of the target.
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
  /// Answers a chunk that arrives at cycle `now`. The chunk is not empty. Chunks come in the order
  /// of time.
  virtual void serve(HbmChunk& chunk, double now) = 0;
};

}  // namespace davsim::memory
