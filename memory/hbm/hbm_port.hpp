// A die's side of the socket to its memory. It speaks each target's protocol and tells the memory
// system when chunks are accepted and complete.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

#include "memory/cycle.hpp"
#include "memory/hbm/hbm_model.hpp"

namespace davsim::memory {

/// The listener for chunks whose completion is not known when they are sent. It is called from the
/// target's processes, at whatever time SystemC runs them.
class HbmListener {
 public:
  virtual void hbm_changed() = 0;  ///< finished() or accepts() may have changed

 protected:
  ~HbmListener() = default;
};

class HbmPort : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  /// Makes the model `model` and binds it. Throws std::invalid_argument if there is no such model.
  HbmPort(sc_core::sc_module_name module, std::string_view model, const MemoryTiming& timing,
          HbmListener& listener);
  ~HbmPort() override;

  bool wants_spans() const { return entry_.wants_spans || !answers_at_once(); }
  bool answers_at_once() const { return entry_.protocol == HbmProtocol::kChunks; }

  /// Sends a chunk that is not empty. Returns whether the answer is known. If so, the chunk has it.
  /// Else finished() will name `fetch`.
  bool send(HbmChunk& chunk, std::uint64_t fetch);
  /// Whether at most a few of the sent transactions wait for the target.
  bool accepts() const { return queue_.size() < kBacklog; }

  struct Finished {
    std::uint64_t fetch;
    Cycle cycle;  ///< at which the last byte has reached L2, or the memory
  };
  /// The chunks that have completed since the last call, by number of fetch.
  std::vector<Finished> finished();

 private:
  /// The port accepts no chunk while so many transactions wait for the target.
  static constexpr std::size_t kBacklog = 16;
  /// The calls of b_transport that may wait at the same time.
  static constexpr std::size_t kMostBlocked = 512;

  class Transaction;
  class Pool;
  static std::shared_ptr<Pool> pool_of_all();
  struct Open {
    std::uint32_t transactions = 0;
    Cycle cycle = 0;
  };

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  void send_plain(const HbmChunk& chunk, std::uint64_t fetch);
  /// Begins the transactions that the protocol permits now.
  void drain();
  void begin_request(Transaction& transaction);
  void request_ended();
  void complete(Transaction& transaction, Cycle cycle);
  void block(Transaction& transaction);
  void blocking_process(std::size_t worker);

  const HbmEntry& entry_;
  HbmListener& listener_;
  DieSocket socket_{"socket"};
  std::shared_ptr<Pool> pool_;  ///< of all ports
  std::shared_ptr<void> model_;

  std::deque<Transaction*> queue_;     ///< transactions that have not begun
  Transaction* requesting_ = nullptr;  ///< the transaction whose request phase has not ended
  std::unordered_map<std::uint64_t, Open> open_;  ///< by fetch
  std::vector<Finished> finished_;

  struct Worker {
    sc_core::sc_event wake;
    Transaction* transaction = nullptr;
  };
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::size_t> idle_workers_;
};

}  // namespace davsim::memory
