// The links between the dies of a system. Each die sees the fabric as its memory: requests for the
// die's own addresses go on to its memory system, all others travel to the memory of another die.
//
// A transfer passes the port of its source, the way, the port of its destination, and the memory
// there. Ports serve one transfer after the other and reserve time by arithmetic, as
// BandwidthServer does. Requests of one instant are taken up in the order of dies and requesters.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "memory/memory_system.hpp"
#include "sim/soc/system_config.hpp"
#include "sim/system/communicators.hpp"

namespace davsim::sim {

using memory::Cycle;

/// A copy by an engine of the system, not by a core. Host addresses lie in the dies' memories.
struct FabricCopy {
  std::uint32_t from = 0, to = 0;             ///< dies
  std::uint64_t source = 0, destination = 0;  ///< device addresses on them
  std::uint64_t bytes = 0;
};

class Fabric : private memory::Arbiter, private memory::MemoryClient {
 public:
  /// `stride` is the distance of the dies in the space of addresses. `clock` outlives this.
  Fabric(const SystemConfig& system, std::uint64_t stride, double mhz, memory::CycleClock& clock);
  ~Fabric();

  /// Connects the memory of the next die, whose own requesters have numbers below
  /// `first_requester`.
  void connect(memory::MemorySystem& memory, memory::RequesterId first_requester);
  /// The memory as a die sees it. A request's address counts from the start of its own memory; what
  /// lies outside of [0, stride) is another die's.
  memory::MemoryPortIf& port(std::uint32_t die);

  /// Copies by engines of the dies; `done` is called when the last byte is written.
  void copy(const FabricCopy& copy, std::function<void()> done);
  /// Calls `action` in the second half of a cycle to come.
  void call_at(Cycle cycle, std::function<void()> action);

  void drop();  ///< forgets everything that is on its way
  void reset_counters();
  /// Ports that something passed.
  std::vector<LinkCounters> counters() const;
  Cycle cycles(double seconds) const;

 private:
  class DiePort;
  struct Port {
    LinkCounters counters;
    double free_at = 0;
  };
  enum class Phase : std::uint8_t { kArrives, kPosted, kReturns, kReturned, kOver };
  struct Flight {
    std::uint32_t die = 0, other = 0;  ///< who asked, and whose memory it is
    memory::MemoryRequest request;     ///< in addresses of `other`
    memory::MemoryClient* client = nullptr;
    std::uint32_t tag = 0;
    const LinkClass* link = nullptr;
    Phase phase = Phase::kArrives;
    Cycle at = 0;
    std::uint32_t engine = 0;  ///< who asked on its die: the number of the requester
    std::uint32_t copy = 0;    ///< of which it is a piece
    bool is_piece = false, free = true;
    std::uint64_t bytes() const { return std::uint64_t{request.rows} * request.row_bytes; }
  };
  struct Copy {
    FabricCopy what;
    std::function<void()> done;
    std::uint64_t begun = 0, over = 0;
    std::uint32_t in_flight = 0;
  };
  struct Posted {
    Cycle cycle;
    std::uint64_t order;  ///< by die and requester, then by post
    std::uint64_t number;
    std::uint32_t flight;
    bool operator>(const Posted& other) const {
      return cycle != other.cycle   ? cycle > other.cycle
             : order != other.order ? order > other.order
                                    : number > other.number;
    }
  };
  struct Event {
    Cycle cycle;
    std::uint64_t number;
    std::uint32_t flight;
    std::function<void()> action;  ///< instead of a flight's
    bool operator>(const Event& other) const {
      return cycle != other.cycle ? cycle > other.cycle : number > other.number;
    }
  };
  template <class Entry>
  using Queue = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

  // memory::Arbiter, memory::MemoryClient
  void arbitrate() override;
  void accepted(std::uint32_t tag, Cycle completes) override;
  void completed(std::uint32_t tag, Cycle cycle) override;

  void post(std::uint32_t die, Cycle cycle, const memory::MemoryRequest& request,
            memory::MemoryClient& client);
  void take_up(std::uint32_t flight);
  void send(std::uint32_t flight, Cycle now);
  void go_on(std::uint32_t flight, Cycle now);
  void post_to_memory(std::uint32_t flight, Cycle cycle);
  void memory_done(std::uint32_t flight, Cycle cycle);
  void leave(std::uint32_t flight, Cycle now);
  void begin_pieces(std::uint32_t copy);
  void piece_over(std::uint32_t flight);
  /// When the last of `bytes` has passed the port if they come at `now`, and when the first began.
  double pass(std::uint32_t die, std::uint32_t peer, bool out, const Flight& flight, double now,
              double& began);
  void wake(std::uint32_t flight, Cycle cycle);
  std::uint32_t new_flight();

  const SystemConfig& system_;
  std::uint64_t stride_;
  double mhz_;
  memory::CycleClock& clock_;
  std::vector<memory::MemorySystem*> memories_;
  std::vector<memory::RequesterId> first_requester_;
  std::vector<std::unique_ptr<DiePort>> ports_;

  std::deque<Flight> flights_;  ///< a request may add one while another is at hand
  std::vector<std::uint32_t> free_;
  std::map<std::uint32_t, Copy> copies_;
  std::uint32_t next_copy_ = 0;
  Queue<Posted> posted_;
  Queue<Event> events_;
  std::uint64_t numbers_ = 0;
  /// By die and requester: bytes on their way, and what waits for them.
  struct Engine {
    std::uint64_t bytes = 0;
    std::deque<std::uint32_t> waiting;
  };
  std::map<std::uint64_t, Engine> engines_;
  std::map<std::string, std::uint32_t> port_numbers_;
  /// By die, number of the port's class, peer (0: all), direction.
  std::map<std::uint64_t, Port> passed_;
};

}  // namespace davsim::sim
