// What the cores of a die ask of its memory, and what the memory answers.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>

#include "observe/counters.hpp"

namespace davsim::isa {
struct DecodedInstr;
}

namespace davsim::memory {

class RemoteValues;

using observe::Cycle;

/// Who asks the memory for something: a number for each pipe and cache of the device that does.
using RequesterId = std::uint32_t;

/// A piece of a move: up to some KiB of rows at a fixed pitch, in device addresses.
struct MemoryRequest {
  std::uint64_t addr = 0;
  std::uint32_t rows = 0, row_bytes = 0;
  std::int64_t row_pitch = 0;
  bool write = false;
  /// True: the rows begin on a line and travel in bursts of whole lines as far as they reach; else
  /// in bursts of a sector.
  bool line_bursts = true;
  bool no_allocate = false;     ///< L2 keeps no lines of it that it has not had before
  bool by_scalar_unit = false;  ///< for it or its code: not by a DMA engine
  /// Cycles by which what L2 holds is there earlier than for a DMA engine.
  std::uint32_t earlier_hit = 0;
  RequesterId requester = 0;  ///< ranks the requests of one instant
  std::uint32_t tag = 0;      ///< the requester's own number for it, handed back with each answer
  /// What carry() gave: with each piece of a read, and with the last one of a write. The requester
  /// keeps it until it has posted its last piece, and that of a read until all have come.
  RemoteValues* values = nullptr;
};

/// Whoever posts requests. A request has two answers, as in TLM-2.0's base protocol: the memory
/// accepts it (END_REQ) and completes it (BEGIN_RESP). Both come in the second half of a cycle,
/// never in the call that posts.
class MemoryClient {
 public:
  virtual ~MemoryClient() = default;
  /// The memory has taken the request over, at the earliest half a cycle after the cycle of the
  /// post; the requester may go on with its next one. `completes` is what completed() would say if
  /// the memory knows that already; completed() is not called then. kNever: completed() follows.
  virtual void accepted(std::uint32_t tag, Cycle completes) = 0;
  /// The last byte of an accepted request is there (read) or taken by L2 (write) at `cycle`, the
  /// present one or a later one. Requests may complete in another order than they were accepted in.
  virtual void completed(std::uint32_t tag, Cycle cycle) = 0;
};

/// What requesters see of the memory system: their port.
class MemoryPortIf : public virtual sc_core::sc_interface {
 public:
  /// Posts a request at the present cycle. Requests of one requester are taken up in the order of
  /// their posts.
  virtual void post(const MemoryRequest& request, MemoryClient& client) = 0;
  /// Posts a request for a cycle to come, so that a requester which knows when its turn is need not
  /// be woken for it. Each is for a later cycle than the one before.
  virtual void post_at(Cycle cycle, const MemoryRequest& request, MemoryClient& client) = 0;

  /// Whether a device address lies in another memory than the requester's own.
  virtual bool is_elsewhere(std::uint64_t addr) const {
    static_cast<void>(addr);
    return false;
  }
  /// For the values of a move of a requester to or from another memory. nullptr: they need not be
  /// carried.
  virtual std::shared_ptr<RemoteValues> carry(const isa::DecodedInstr& instr,
                                              RequesterId requester) {
    static_cast<void>(instr), static_cast<void>(requester);
    return nullptr;
  }
};

}  // namespace davsim::memory
