#include "sim/system/fabric.hpp"

#include <algorithm>

#include "observe/whole_cycles.hpp"

namespace davsim::sim {
namespace {

using memory::current_cycle;
using memory::kNever;
using observe::whole_cycles;

std::uint64_t engine_key(std::uint32_t die, memory::RequesterId requester) {
  return std::uint64_t{die} << 32 | requester;
}

/// The place of a request among the events of a cycle at a die. It does not depend on who has which
/// die.
std::uint64_t request_order(std::uint32_t die, memory::RequesterId requester,
                            std::uint32_t request) {
  return std::uint64_t{die} << 46 | std::uint64_t{requester} << 32 | request;
}

}  // namespace

/// The memory as one die sees it.
class Fabric::DiePort : public memory::MemoryPortIf {
 public:
  DiePort(Fabric& fabric, std::uint32_t die, memory::MemorySystem& own)
      : fabric_(fabric), die_(die), own_(own) {}

  void post(const memory::MemoryRequest& request, memory::MemoryClient& client) override {
    if (request.addr < fabric_.stride_) return own_.post(request, client);
    fabric_.post(die_, current_cycle(), request, client);
  }
  void post_at(Cycle cycle, const memory::MemoryRequest& request,
               memory::MemoryClient& client) override {
    if (request.addr < fabric_.stride_) return own_.post_at(cycle, request, client);
    fabric_.post(die_, cycle, request, client);
  }
  bool is_elsewhere(std::uint64_t addr) const override { return addr >= fabric_.stride_; }
  std::shared_ptr<memory::RemoteValues> carry(const isa::DecodedInstr& instr,
                                              memory::RequesterId requester) override {
    if (!fabric_.values_) return nullptr;
    const std::uint32_t number = die_ * fabric_.first_requester_ + requester;
    return std::make_shared<memory::RemoteValues>(instr, number / fabric_.requesters_per_core_);
  }

 private:
  Fabric& fabric_;
  std::uint32_t die_;
  memory::MemorySystem& own_;
};

Fabric::Fabric(const SystemConfig& system, double mhz, Surroundings around)
    : system_(system),
      base_(around.memories.of(0).base()),
      stride_(around.memories.stride()),
      mhz_(mhz),
      clock_(around.clock),
      effects_(around.effects),
      values_(around.values),
      group_(around.group),
      fail_(std::move(around.fail)),
      deal_(system.dies(), around.group),
      outbox_(deal_.ranks()),
      memories_(system.dies()),
      ports_(system.dies()),
      passed_(system.dies()) {
  for (const LinkClass& link : system_.links()) {
    const auto fresh = static_cast<std::uint32_t>(port_numbers_.size());
    port_of_link_.push_back(port_numbers_.try_emplace(link.port, fresh).first->second);
  }
}

Fabric::~Fabric() = default;

void Fabric::connect(std::uint32_t die, memory::MemorySystem& memory,
                     memory::RequesterId first_requester, std::uint32_t requesters_per_core) {
  memories_.at(die) = &memory;
  memory.set_first_without_core(first_requester);
  first_requester_ = first_requester;
  requesters_per_core_ = requesters_per_core;
  engines_.resize(std::size_t{system_.dies()} * first_requester);
  ports_.at(die) = std::make_unique<DiePort>(*this, die, memory);
}

memory::MemoryPortIf& Fabric::port(std::uint32_t die) {
  return *ports_.at(die);
}

Cycle Fabric::cycles(double seconds) const {
  return whole_cycles(seconds * mhz_ * 1e6);
}

std::uint32_t Fabric::new_flight() {
  if (free_.empty()) {
    free_.push_back(flights_.size());
    flights_.grow();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  flights_[number] = {};
  flights_[number].free = false;
  return number;
}

void Fabric::release(std::uint32_t flight) {
  flights_[flight].free = true;
  flights_[flight].values.reset();
  free_.push_back(flight);
}

// --- requests of cores ---------------------------------------------------------------------------

void Fabric::post(std::uint32_t die, Cycle cycle, const memory::MemoryRequest& request,
                  memory::MemoryClient& client) {
  const std::uint32_t number = new_flight();
  Flight& flight = flights_[number];
  // Addresses count from the die's own memory, modulo 2^64.
  const std::uint64_t place = request.addr + std::uint64_t{die} * stride_;
  flight.die = die;
  flight.other = static_cast<std::uint32_t>(place / stride_);
  flight.request = request;
  flight.request.addr = place % stride_;
  flight.request.requester = first_requester_ + die;
  flight.request.tag = number;
  flight.request.values = nullptr;
  if (request.values != nullptr) flight.values = request.values->shared_from_this();
  flight.client = &client;
  flight.tag = request.tag;
  flight.engine = request.requester;
  flight.link = &system_.link(die, flight.other);
  flight.order = request_order(die, request.requester, engine_of(flight).requests++);
  posted_.push({cycle, engine_key(die, request.requester), ++numbers_, number});
  clock_.arbitrate_at(*this, cycle);
}

/// An engine's requests leave one after the other, as far as what it has on its way leaves room.
void Fabric::take_up(std::uint32_t number) {
  Flight& flight = flights_[number];
  Engine& engine = engine_of(flight);
  const bool fits = engine.bytes == 0 || engine.bytes + flight.bytes() <= flight.link->outstanding;
  if (!fits || engine.first != kNone) {
    (engine.first == kNone ? engine.first : flights_[engine.last].next) = number;
    engine.last = number;
    return;
  }
  send(number, current_cycle());
}

void Fabric::send(std::uint32_t number, Cycle now) {
  Flight& flight = flights_[number];
  engine_of(flight).bytes += flight.bytes();
  flight.client->accepted(flight.tag, kNever);
  flight.phase = Phase::kArrives;
  if (!flight.request.write) {
    return wake(number, now + cycles(flight.link->read_seconds / 2), flight.other);
  }
  if (flight.values != nullptr) take_along(*flight.values);
  double began = 0;
  pass(flight.die, flight.other, true, flight, static_cast<double>(now), began);
  wake(number, whole_cycles(began) + cycles(flight.link->write_seconds), flight.other);
}

double Fabric::pass(std::uint32_t die, std::uint32_t peer, bool out, const Flight& flight,
                    double now, double& began) {
  const LinkClass& link = *flight.link;
  const std::uint64_t peer_key = link.port_for_each_peer ? peer + 1 : 0;
  const std::uint64_t number = port_of_link_[&link - system_.links().data()];
  const std::uint64_t key = number << 24 | peer_key << 1 | static_cast<std::uint64_t>(out);
  Port& port = port_at(die, key);
  double rate = flight.request.write ? link.write_bytes_per_second : link.bytes_per_second;
  if (flight.is_piece) rate = link.bytes_per_second * system_.collectives().link_share;
  const double takes =
      (static_cast<double>(flight.bytes()) / rate + link.message_seconds) * mhz_ * 1e6;
  began = std::max(now, port.free_at);
  port.free_at = began + takes;
  port.bytes += flight.bytes();
  ++port.messages;
  port.busy += takes;
  port.waited += began - now;
  if (keeps_uses_)
    uses_.push_back(
        {std::uint64_t{die} << 40 | key, flight.bytes(), now, began, port.free_at, peer});
  return port.free_at;
}

Fabric::Port& Fabric::port_at(std::uint32_t die, std::uint64_t key) {
  auto& ports = passed_[die];
  for (auto& [known, port] : ports) {
    if (known == key) return port;
  }
  return ports.emplace_back(key, Port{}).second;
}

LinkCounters Fabric::place_of(std::uint64_t key) const {
  LinkCounters place;
  place.die = static_cast<std::uint32_t>(key >> 40);
  place.peer = static_cast<std::int64_t>(key >> 1 & 0x7fffff) - 1;
  place.out = key % 2 != 0;
  for (const auto& [name, number] : port_numbers_) {
    if (number == (key >> 24 & 0xffff)) place.link = name;
  }
  return place;
}

void Fabric::wake(std::uint32_t flight, Cycle cycle, std::uint32_t die) {
  cycle = std::max(cycle, current_cycle() + 1);
  if (!deal_.has(die)) return send_arrival(flight, cycle, die);
  add_event({cycle, flights_[flight].order, die, flight});
}

void Fabric::call_at(Cycle cycle, std::uint64_t order, std::function<void()> action) {
  add_action(std::max(cycle, current_cycle() + 1), kNoDie, order, std::move(action));
}

void Fabric::add_event(const Event& event) {
  events_.push(event);
  clock_.arbitrate_at(*this, event.cycle);
}

void Fabric::add_action(Cycle cycle, std::uint32_t die, std::uint64_t order,
                        std::function<void()> action) {
  if (free_actions_.empty()) {
    free_actions_.push_back(static_cast<std::uint32_t>(actions_.size()));
    actions_.emplace_back();
  }
  const std::uint32_t number = free_actions_.back();
  free_actions_.pop_back();
  actions_[number] = std::move(action);
  add_event({cycle, order, die, number, Event::Kind::kAction});
}

void Fabric::run_action(std::uint32_t number) {
  const std::function<void()> action = std::move(actions_[number]);
  free_actions_.push_back(number);
  action();
}

void Fabric::arbitrate() {
  try {
    events_of(current_cycle());
  } catch (isa::Fault& fault) {
    return fail_(std::move(fault));
  }
  Cycle next = kNever;
  if (!events_.empty()) next = events_.top().cycle;
  if (!posted_.empty()) next = std::min(next, posted_.top().cycle);
  if (next != kNever) clock_.arbitrate_at(*this, next);
}

void Fabric::prefetch(const Event& event) const {
  const auto* const flight = reinterpret_cast<const char*>(&flights_[event.number]);
  constexpr std::size_t kLine = 64;
  for (std::size_t at = 0; at < sizeof(Flight); at += kLine) __builtin_prefetch(flight + at);
}

void Fabric::events_of(Cycle now) {
  while (!events_.empty() && events_.top().cycle <= now) {
    const Event event = events_.top();
    events_.pop();
    // Flights of many dies are not in the host's caches. The next one comes while this one goes on.
    if (!events_.empty() && events_.top().kind == Event::Kind::kFlight) prefetch(events_.top());
    switch (event.kind) {
      case Event::Kind::kFlight:
        go_on(event.number, now);
        break;
      case Event::Kind::kCopy:
        begin_pieces(event.number);
        break;
      case Event::Kind::kAction:
        run_action(event.number);
        break;
    }
  }
  while (!posted_.empty() && posted_.top().cycle <= now) {
    const std::uint32_t flight = posted_.top().flight;
    posted_.pop();
    take_up(flight);
  }
}

/// A transfer has reached the end of a part of its way.
void Fabric::go_on(std::uint32_t number, Cycle now) {
  Flight& flight = flights_[number];
  double began = 0;
  switch (flight.phase) {
    case Phase::kArrives: {
      flight.phase = Phase::kPosted;
      if (!flight.request.write || flight.die == flight.other) return post_to_memory(number, now);
      const double in =
          pass(flight.other, flight.die, false, flight, static_cast<double>(now), began);
      return post_to_memory(number, whole_cycles(in));
    }
    case Phase::kReturns: {  // the data of a read leave the other die
      flight.phase = Phase::kReturned;
      pass(flight.other, flight.die, true, flight, static_cast<double>(now), began);
      const Cycle there = whole_cycles(began) + cycles(flight.link->read_seconds / 2);
      if (flight.rank != kThisRank) {
        send_return(flight, there);
        return release(number);
      }
      if (flight.values != nullptr) {
        effects_.settle();
        flight.values->take(rows_of(flight));
      }
      return wake(number, there, flight.die);
    }
    case Phase::kReturned: {
      const double in =
          pass(flight.die, flight.other, false, flight, static_cast<double>(now), began);
      flight.phase = Phase::kOver;
      const Cycle end = std::max(whole_cycles(in), now + 1);
      flight.client->completed(flight.tag, end);
      return wake(number, end, flight.die);
    }
    case Phase::kOver:
      return leave(number, now);
    case Phase::kPosted:
      return;
  }
}

void Fabric::post_to_memory(std::uint32_t number, Cycle cycle) {
  const Flight& flight = flights_[number];
  memories_[flight.other]->post_at(std::max(cycle, current_cycle() + 1), flight.request, *this);
}

void Fabric::accepted(std::uint32_t tag, Cycle completes) {
  if (completes != kNever) memory_done(tag, completes);
}

void Fabric::completed(std::uint32_t tag, Cycle cycle) {
  memory_done(tag, cycle);
}

void Fabric::memory_done(std::uint32_t number, Cycle cycle) {
  if (number >= flights_.size() || flights_[number].free) return;  // the launch was aborted
  Flight& flight = flights_[number];
  if (flight.phase != Phase::kPosted) return;
  const Cycle end = std::max(cycle, current_cycle() + 1);
  if (flight.request.write && flight.values != nullptr) arrive(flight, end);
  if (flight.rank != kThisRank && flight.request.write) {
    send_over(flight, end);
    return release(number);
  }
  if (flight.request.write || flight.is_piece) {
    flight.phase = Phase::kOver;
    if (flight.client != nullptr) flight.client->completed(flight.tag, end);
    // A piece of a copy that is read goes on from where it was read.
    const bool was_read = flight.is_piece && !flight.request.write;
    return wake(number, end, was_read ? flight.other : flight.die);
  }
  flight.phase = Phase::kReturns;
  wake(number, end, flight.other);
}

/// A transfer is over: its engine may send what waits.
void Fabric::leave(std::uint32_t number, Cycle now) {
  if (flights_[number].is_piece) return piece_over(number);
  Engine& engine = engine_of(flights_[number]);
  engine.bytes -= flights_[number].bytes();
  release(number);
  while (engine.first != kNone) {
    const std::uint32_t next = engine.first;
    const Flight& waits = flights_[next];
    if (engine.bytes != 0 && engine.bytes + waits.bytes() > waits.link->outstanding) break;
    engine.first = waits.next;
    send(next, now);
  }
}

// --- launches ------------------------------------------------------------------------------------

void Fabric::drop() {
  posted_ = {};
  events_.clear();
  copies_.clear();
  free_copies_.clear();
  actions_.clear();
  free_actions_.clear();
  groups_.clear();
  engines_.assign(engines_.size(), {});
  free_.clear();
  flights_.clear();
}

void Fabric::reset_counters() {
  for (auto& ports : passed_) {
    for (auto& [key, port] : ports) {
      port.bytes = port.messages = 0;
      port.busy = port.waited = 0;
    }
  }
}

}  // namespace davsim::sim
