// The links between the dies of a system. Each die sees the fabric as its memory: requests for the
// die's own addresses go on to its memory system, all others travel to the memory of another die.
//
// A transfer passes the port of its source, the way, the port of its destination, and the memory
// there. Ports serve one transfer after the other and reserve time by arithmetic, as
// BandwidthServer does. Requests of one instant are taken up in the order of dies and requesters.
//
// What happens to a transfer happens at one die, and events of one cycle are in the order of dies
// and transfers. Where dies are dealt to ranks, an event at a die of another rank travels there as
// a message (fabric_ranks.cpp). It is known at least lookahead() cycles before.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "isa/instr/fault.hpp"
#include "memory/memory_system.hpp"
#include "memory/remote_values.hpp"
#include "sim/core/effect_thread.hpp"
#include "sim/soc/system_config.hpp"
#include "sim/system/chunks.hpp"
#include "sim/system/communicators.hpp"
#include "sim/system/die_memory.hpp"
#include "sim/system/event_queue.hpp"
#include "sim/system/rank_group.hpp"

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
  /// What the dies of a device share; all of it outlives this.
  struct Surroundings {
    DieMemories& memories;
    memory::CycleClock& clock;
    EffectThread& effects;
    bool values = true;          ///< false: transfers carry none
    RankGroup* group = nullptr;  ///< nullptr: all dies are in this process
    std::function<void(isa::Fault)> fail;
  };
  Fabric(const SystemConfig& system, double mhz, Surroundings around);
  ~Fabric();

  /// Connects the memory of a die, whose own requesters have numbers below `first_requester`, so
  /// many of them for each core. Every die of this process is connected before anything travels.
  void connect(std::uint32_t die, memory::MemorySystem& memory, memory::RequesterId first_requester,
               std::uint32_t requesters_per_core);
  /// The memory as a die sees it. A request's address counts from the start of its own memory; what
  /// lies outside of [0, stride) is another die's.
  memory::MemoryPortIf& port(std::uint32_t die);

  /// Copies by engines of the dies, beside each other. `done` is called `delay` cycles after the
  /// last byte of all is written. Every rank asks for all copies.
  void copy(const std::vector<FabricCopy>& copies, Cycle delay, std::function<void()> done);
  /// Calls `action` in the second half of a cycle to come. Every rank asks for it. Actions of one
  /// cycle have different `order`s, below 2^62, and are called in it.
  void call_at(Cycle cycle, std::uint64_t order, std::function<void()> action);

  /// Whether dies are dealt to several processes, and whether this one has a die.
  bool is_dealt() const { return group_ != nullptr; }
  bool has(std::uint32_t die) const { return deal_.has(die); }
  /// What tell() sends arrives here.
  void listen(std::function<void(const std::string&)> told) { told_ = std::move(told); }
  /// Lets the listeners of the other ranks hear `bytes`, lookahead() cycles from now; that of this
  /// one too if `here`. `order` is as for call_at().
  void tell(std::uint64_t order, const std::string& bytes, bool here);

  void drop();  ///< forgets everything that is on its way
  void reset_counters();
  /// Ports that something passed, on all ranks, each of which asks.
  std::vector<LinkCounters> counters() const;
  /// Every use of a port is kept from now on.
  void keep_uses() { keeps_uses_ = true; }
  /// Those that were kept, by port and then by time, on all ranks, each of which asks.
  std::vector<LinkUse> uses() const;
  Cycle cycles(double seconds) const;

  /// The least number of cycles between the cause of a message to another rank and its effect
  /// there. `write_cycles` is what the memory of a die takes for a write at least. Throws
  /// std::invalid_argument if there is none.
  void set_lookahead(double write_cycles);
  Cycle lookahead() const { return lookahead_; }
  /// Hands over what this rank has for the others and takes up what they have for it. Returns the
  /// first cycle in which a rank has something to do if the first on this one is `next`; kNever:
  /// none has.
  Cycle exchange(Cycle next);

 private:
  struct Message;
  class DiePort;
  struct Port {
    std::uint64_t bytes = 0, messages = 0;
    double busy = 0, waited = 0;  ///< cycles
    double free_at = 0;
  };
  /// A use of the port with this key: its die, and its key of passed_.
  struct Use {
    std::uint64_t key = 0, bytes = 0;
    double came = 0, began = 0, ended = 0;
    std::uint32_t other = 0;
  };
  enum class Phase : std::uint8_t { kArrives, kPosted, kReturns, kReturned, kOver };
  /// Two lines of the host's caches: what the memory asks about, and the rest.
  struct alignas(64) Flight {
    std::uint32_t die = 0, other = 0;  ///< who asked, and whose memory it is
    memory::MemoryRequest request;     ///< in addresses of `other`
    memory::MemoryClient* client = nullptr;

    const LinkClass* link = nullptr;
    std::shared_ptr<memory::RemoteValues> values;  ///< of the move, with a read's pieces or a
                                                   ///< write's last one
    std::uint64_t order = 0;                       ///< among the events of a die in one cycle
    std::uint32_t tag = 0;
    std::uint32_t engine = 0;    ///< who asked on its die: the number of the requester
    std::uint32_t copy = 0;      ///< of which it is a piece
    std::uint32_t next = kNone;  ///< that waits behind it at its engine
    /// Where it comes from another rank: that rank, and the number of the flight there.
    std::uint32_t rank = kThisRank, flight = 0;
    Phase phase = Phase::kArrives;
    bool is_piece = false, free = true;
    bool wants_values = false;  ///< of a read from another rank: those are to come back
    std::uint64_t bytes() const { return std::uint64_t{request.rows} * request.row_bytes; }
  };
  struct alignas(64) Copy {
    FabricCopy what;
    std::uint32_t number = 0;  ///< among all that were asked for, which other ranks count too
    std::uint32_t group = 0;
    std::uint64_t begun = 0, over = 0;
    std::uint32_t in_flight = 0;
  };
  /// Copies that were asked for together.
  struct Group {
    std::size_t copies_left = 0;   ///< of this rank's dies
    std::uint32_t parts_left = 0;  ///< ranks whose copies are not over
    Cycle end = 0, delay = 0;
    std::function<void()> done;
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
    /// Of `number`: a flight, a copy that begins, or one of actions_.
    enum class Kind : std::uint8_t { kFlight, kCopy, kAction };
    Cycle cycle;
    std::uint64_t order;  ///< by what it happens to, which is the same whoever has the die
    std::uint32_t die;    ///< at which it happens; kNoDie: on all ranks
    std::uint32_t number;
    Kind kind = Kind::kFlight;
    bool operator>(const Event& other) const {
      return cycle != other.cycle ? cycle > other.cycle
             : die != other.die   ? die > other.die
                                  : order > other.order;
    }
  };
  static constexpr std::uint32_t kThisRank = ~0u, kNoDie = ~0u, kNone = ~0u;
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
  void events_of(Cycle now);
  /// Asks the host for the flight of an event that comes soon.
  void prefetch(const Event& event) const;
  /// A write's values go with it from here on.
  void take_along(memory::RemoteValues& values);
  /// Where its bytes lie in the other memory.
  memory::RemoteRows rows_of(const Flight& flight) const;
  /// A write's values are in the other memory at `cycle`.
  void arrive(Flight& flight, Cycle cycle);
  void memory_done(std::uint32_t flight, Cycle cycle);
  void leave(std::uint32_t flight, Cycle now);
  void begin_pieces(std::uint32_t copy);
  void piece_over(std::uint32_t flight);
  void copy_over(std::uint32_t group);
  void part_over(std::uint32_t group, Cycle end);
  /// The port of a key of a Use, without what passed it.
  LinkCounters place_of(std::uint64_t key) const;
  Port& port_at(std::uint32_t die, std::uint64_t key);
  /// When the last of `bytes` has passed the port if they come at `now`, and when the first began.
  double pass(std::uint32_t die, std::uint32_t peer, bool out, const Flight& flight, double now,
              double& began);
  /// What comes next of a flight happens at this die.
  void wake(std::uint32_t flight, Cycle cycle, std::uint32_t die);
  void add_event(const Event& event);
  void add_action(Cycle cycle, std::uint32_t die, std::uint64_t order,
                  std::function<void()> action);
  void run_action(std::uint32_t number);
  std::uint32_t new_flight();
  void release(std::uint32_t flight);

  // with other ranks
  void send_to(std::uint32_t rank, Message message, std::string_view payload = {});
  void send_arrival(std::uint32_t flight, Cycle cycle, std::uint32_t die);
  void tell_part_over(std::uint32_t group);
  void send_over(const Flight& flight, Cycle cycle);
  void send_return(const Flight& flight, Cycle cycle);
  void take(std::uint32_t rank, const Message& message, std::string_view payload);
  void take_arrival(std::uint32_t rank, const Message& message, std::string_view payload);
  /// The records of all ranks, which each of them asks for, one rank's behind the other's.
  template <class Record>
  std::vector<Record> of_all_ranks(std::vector<Record> own) const;

  const SystemConfig& system_;
  std::uint64_t base_, stride_;  ///< of the dies in the host's addresses
  double mhz_;
  memory::CycleClock& clock_;
  EffectThread& effects_;
  bool values_;
  RankGroup* group_;
  std::function<void(isa::Fault)> fail_;
  std::function<void(const std::string&)> told_;
  DieDeal deal_;
  std::vector<std::string> outbox_;  ///< messages for each rank
  Cycle first_message_ = memory::kNever, lookahead_ = 0;
  std::vector<memory::MemorySystem*> memories_;  ///< nullptr: of another rank
  memory::RequesterId first_requester_ = 0;
  std::uint32_t requesters_per_core_ = 1;
  std::vector<std::unique_ptr<DiePort>> ports_;

  Chunks<Flight> flights_;  ///< a request may add one while another is at hand
  std::vector<std::uint32_t> free_;
  std::vector<Copy> copies_;  ///< by place, which flights and events name
  std::vector<std::uint32_t> free_copies_;
  std::vector<std::function<void()>> actions_;
  std::vector<std::uint32_t> free_actions_;
  std::map<std::uint32_t, Group> groups_;
  std::uint32_t next_copy_ = 0, next_group_ = 0;
  Queue<Posted> posted_;
  EventQueue<Event> events_;
  std::uint64_t numbers_ = 0;
  /// An engine of a core: bytes on their way, and the flights that wait for them, oldest first.
  struct Engine {
    std::uint64_t bytes = 0;
    std::uint32_t requests = 0, first = kNone, last = kNone;
  };
  Engine& engine_of(const Flight& flight) {
    return engines_[flight.die * first_requester_ + flight.engine];
  }
  std::vector<Engine> engines_;  ///< by die and requester
  std::map<std::string, std::uint32_t> port_numbers_;
  std::vector<std::uint32_t> port_of_link_;  ///< by place in the system's list
  /// The ports of each die that something has passed, with number of the port's class, peer (0:
  /// all), direction. A die uses few of them.
  std::vector<std::vector<std::pair<std::uint64_t, Port>>> passed_;
  bool keeps_uses_ = false;
  std::vector<Use> uses_;
};

}  // namespace davsim::sim
