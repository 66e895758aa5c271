// L2 and HBM, shared by all cores. Requesters post requests; the requests of one instant are
// collected and taken up half a cycle later in the order of their requesters, so that timing does
// not depend on the order in which SystemC happens to run the processes of an instant.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <systemc>
#include <vector>

#include "isa/exec/execute.hpp"
#include "memory/bandwidth_server.hpp"
#include "memory/cycle_clock.hpp"
#include "memory/l2_cache.hpp"
#include "memory/memory_timing.hpp"
#include "observe/counters.hpp"
#include "observe/observer.hpp"

namespace davsim::memory {

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
  bool no_allocate = false;   ///< L2 keeps no lines of it that it has not had before
  RequesterId requester = 0;  ///< ranks the requests of one instant
  std::uint32_t tag = 0;      ///< the requester's own number for it, handed back with each answer
};

/// Whoever posts requests. A request has two answers, as in TLM-2.0's base protocol: the memory
/// accepts it (END_REQ) and completes it (BEGIN_RESP). Both come half a cycle after a cycle begins
/// or later, never in the call that posts.
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

/// What engines see of the memory system: their port.
class MemoryPortIf : public virtual sc_core::sc_interface {
 public:
  /// Posts a request at the present cycle. Requests of one requester are taken up in the order of
  /// their posts.
  virtual void post(const MemoryRequest& request, MemoryClient& client) = 0;
  /// Posts a request for a cycle to come, so that a requester which knows when its turn is need not
  /// be woken for it. Each is for a later cycle than the one before.
  virtual void post_at(Cycle cycle, const MemoryRequest& request, MemoryClient& client) = 0;
};

class MemorySystem : public sc_core::sc_module, public MemoryPortIf, private Arbiter {
 public:
  /// `clock` must outlive this.
  MemorySystem(sc_core::sc_module_name name, const MemoryTiming& timing, CycleClock& clock);

  void post(const MemoryRequest& request, MemoryClient& client) override;
  void post_at(Cycle cycle, const MemoryRequest& request, MemoryClient& client) override;
  void drop_posts();  ///< forgets what is posted and not accepted
  /// Runs `action` in the arbitration of this instant, after its memory requests, in `order`.
  void at_arbitration(std::uint32_t order, std::function<void()> action);

  L2Cache& l2() { return l2_; }
  const observe::MemoryCounters& counters() const { return counters_; }
  /// What the requests of requesters [first, first + count) found in L2.
  observe::L2Counters l2_counters(RequesterId first, std::uint32_t count) const;
  void reset_counters();
  void attach(observe::Observer* observer) { observer_ = observer; }
  /// Hands the last, unfinished sample to the observer.
  void flush_sample(Cycle now);

  sc_core::sc_export<MemoryPortIf> port{"port"};

 private:
  using Sectors = L2Cache::Sectors;

  struct Posted {
    MemoryRequest request;
    MemoryClient* client;
    std::uint32_t order() const { return request.requester; }
  };
  struct Waiting {
    Cycle cycle;
    Posted posted;
    bool operator>(const Waiting& other) const { return cycle > other.cycle; }
  };
  struct Action {
    std::uint32_t rank;
    std::function<void()> run;
    std::uint32_t order() const { return rank; }
  };
  /// When what is asked for now is dealt with.
  struct Schedule {
    Cycle now = 0;
    Cycle l2_turn = 0;            ///< L2 gets to it
    std::uint64_t requester = 0;  ///< bit of whoever asks
    Cycle from_hbm = 0;           ///< HBM brings it
  };
  /// What a request moves, in sectors.
  struct Lookup {
    std::uint64_t l2 = 0;                        ///< between core and L2
    double l2_lines = 0;                         ///< L2's work, in accesses to a line
    Cycle ready = 0;                             ///< when the lines that others fetch have come
    std::uint64_t hbm_lines = 0, hbm_short = 0;  ///< read from HBM, in long and short bursts
    std::uint64_t hbm_written = 0;               ///< to HBM
    observe::L2Counters lines;
  };

  void arbitrate() override;
  Cycle serve(const Posted& posted, Cycle now);
  Schedule schedule_of(const Posted& posted, Cycle now) const;
  Lookup look_up(const MemoryRequest& request, const Schedule& schedule);
  void count(const Lookup& found, RequesterId requester);
  void touch_row(std::uint64_t addr, const MemoryRequest& request, const Schedule& schedule,
                 Lookup& found);
  /// Bytes [begin, end) of a line, not all of them.
  void touch_part(std::uint64_t line, std::uint32_t begin, std::uint32_t end,
                  const MemoryRequest& request, const Schedule& schedule, Lookup& found);
  /// Sectors of a line; of those in `partial`, not all bytes.
  void touch_sectors(std::uint64_t line, Sectors sectors, Sectors partial,
                     const MemoryRequest& request, const Schedule& schedule, Lookup& found);
  /// What L2 does about the line.
  L2Cache::Access access(std::uint64_t line, Sectors sectors, Sectors partial,
                         const MemoryRequest& request);
  /// Accesses that one request to a line takes.
  double turns_of(L2Cache::Pending& pending, const Schedule& schedule) const;
  /// Sectors of a line of which all bytes lie in [begin, end).
  Sectors whole_sectors(std::uint32_t begin, std::uint32_t end) const;
  void sample(Cycle now, const Lookup& found);

  MemoryTiming timing_;
  std::uint32_t sector_bytes_;
  L2Cache l2_;
  BandwidthServer l2_server_, hbm_server_;
  observe::MemoryCounters counters_;
  std::vector<observe::L2Counters> l2_counters_;  ///< by requester
  observe::Observer* observer_ = nullptr;
  observe::MemorySample sample_;

  std::vector<Posted> posted_, serving_;
  std::vector<Action> actions_, running_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  CycleClock& clock_;
};

}  // namespace davsim::memory
