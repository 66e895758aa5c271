// The memory of a die: L2, and HBM behind the die's socket, shared by all cores. Requesters post
// requests; the requests of one instant are collected and taken up half a cycle later in the order
// of their requesters, so that timing does not depend on the order in which SystemC happens to run
// the processes of an instant.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <systemc>
#include <vector>

#include "memory/cycle_clock.hpp"
#include "memory/hbm/hbm_port.hpp"
#include "memory/l2/l2_model.hpp"
#include "memory/memory_request.hpp"
#include "memory/memory_timing.hpp"
#include "memory/open_requests.hpp"
#include "observe/counters.hpp"
#include "observe/observer.hpp"

namespace davsim::memory {

class MemorySystem : public sc_core::sc_module,
                     public MemoryPortIf,
                     private Arbiter,
                     private HbmListener {
 public:
  /// `timing` and `clock` must outlive this. Throws std::invalid_argument if there is no L2 or HBM
  /// model of the names in `timing`.
  MemorySystem(sc_core::sc_module_name name, const MemoryTiming& timing, CycleClock& clock);

  void post(const MemoryRequest& request, MemoryClient& client) override;
  void post_at(Cycle cycle, const MemoryRequest& request, MemoryClient& client) override;
  void drop_posts();  ///< forgets every request that is not complete
  /// Runs `action` in the arbitration of this instant, after its memory requests, in `order`.
  void at_arbitration(std::uint32_t order, std::function<void()> action);

  L2Model& l2() { return *l2_; }
  /// Whether HBM is a target that may have processes of its own.
  bool has_processes() const { return !hbm_.answers_at_once(); }
  const observe::MemoryCounters& counters() const { return counters_; }
  /// Requesters from `first` on belong to no core, so nobody asks what they find in L2.
  void set_first_without_core(RequesterId first) { first_without_core_ = first; }
  /// What the requests of requesters [first, first + count) found in L2.
  observe::L2Counters l2_counters(RequesterId first, std::uint32_t count) const;
  void reset_counters();
  void attach(observe::Observer* observer) { observer_ = observer; }
  /// Hands the last, unfinished sample to the observer.
  void flush_sample(Cycle now);

  sc_core::sc_export<MemoryPortIf> port{"port"};

 private:
  struct Posted {
    MemoryRequest request;
    MemoryClient* client;
    std::uint32_t order() const { return request.requester; }
  };
  struct Waiting {
    Cycle cycle;
    std::uint64_t number;  ///< a requester's requests of one cycle keep their order
    std::uint32_t slot;    ///< in waiting_posts_, where the request stays while the queue is sorted
    bool operator>(const Waiting& other) const {
      return cycle != other.cycle ? cycle > other.cycle : number > other.number;
    }
  };
  struct Action {
    std::uint32_t rank;
    std::function<void()> run;
    std::uint32_t order() const { return rank; }
  };

  void arbitrate() override;
  void hbm_changed() override;
  void run_actions();
  void finish_fetches(Cycle now);
  void take_up(const Posted& posted, Cycle now);
  /// Answers a request of which HBM has not said when its part is complete.
  void keep_open(const Posted& posted, FetchId fetch, bool sent);
  void count(RequesterId requester);
  void sample(Cycle now);

  const MemoryTiming& timing_;
  CycleClock& clock_;

  // What each request needs is together: that of many dies is not in the host's caches.
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  std::vector<Posted> waiting_posts_;      ///< the requests of waiting_, by slot
  std::vector<std::uint32_t> free_slots_;  ///< of waiting_posts_
  std::uint64_t numbers_ = 0;
  std::vector<Posted> posted_;
  std::vector<Action> actions_;
  std::unique_ptr<L2Model> l2_;
  observe::Observer* observer_ = nullptr;
  observe::MemoryCounters counters_;
  std::vector<observe::L2Counters> l2_counters_;  ///< by requester
  RequesterId first_without_core_ = ~RequesterId{0};
  bool hbm_changed_ = false;

  // Of the requests and actions at hand. All dies take the same, which so stays in those caches.
  inline static std::vector<Posted> serving_;
  inline static L2Answer answer_;  ///< to the request at hand
  inline static HbmChunk chunk_;   ///< of it

  std::uint64_t hbm_backlog_ = 0;  ///< bytes sent to HBM whose completion is not known
  std::map<FetchId, std::uint64_t> hbm_bytes_;
  OpenRequests open_;
  observe::MemorySample sample_;
  HbmPort hbm_;
};

}  // namespace davsim::memory
