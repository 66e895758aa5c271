#include "sim/system/fabric.hpp"

#include <algorithm>
#include <cmath>

namespace davsim::sim {
namespace {

using memory::current_cycle;
using memory::kNever;

/// Pieces of a copy that are on their way at most: enough to hide the way.
constexpr std::uint32_t kPiecesInFlight = 8;

Cycle whole(double cycles) {
  return static_cast<Cycle>(std::ceil(cycles));
}

std::uint64_t engine_key(std::uint32_t die, memory::RequesterId requester) {
  return std::uint64_t{die} << 32 | requester;
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

 private:
  Fabric& fabric_;
  std::uint32_t die_;
  memory::MemorySystem& own_;
};

Fabric::Fabric(const SystemConfig& system, std::uint64_t stride, double mhz,
               memory::CycleClock& clock)
    : system_(system), stride_(stride), mhz_(mhz), clock_(clock) {
  for (const LinkClass& link : system_.links()) {
    port_numbers_.try_emplace(link.port, static_cast<std::uint32_t>(port_numbers_.size()));
  }
}

Fabric::~Fabric() = default;

void Fabric::connect(memory::MemorySystem& memory, memory::RequesterId first_requester) {
  const auto die = static_cast<std::uint32_t>(memories_.size());
  memories_.push_back(&memory);
  first_requester_.push_back(first_requester);
  ports_.push_back(std::make_unique<DiePort>(*this, die, memory));
}

memory::MemoryPortIf& Fabric::port(std::uint32_t die) {
  return *ports_.at(die);
}

Cycle Fabric::cycles(double seconds) const {
  return whole(seconds * mhz_ * 1e6);
}

std::uint32_t Fabric::new_flight() {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(flights_.size()));
    flights_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  flights_[number] = {};
  flights_[number].free = false;
  return number;
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
  flight.request.requester = first_requester_.at(flight.other) + die;
  flight.request.tag = number;
  flight.client = &client;
  flight.tag = request.tag;
  flight.engine = request.requester;
  flight.link = &system_.link(die, flight.other);
  posted_.push({cycle, engine_key(die, request.requester), ++numbers_, number});
  clock_.arbitrate_at(*this, cycle);
}

/// An engine's requests leave one after the other, as far as what it has on its way leaves room.
void Fabric::take_up(std::uint32_t number) {
  Flight& flight = flights_[number];
  Engine& engine = engines_[engine_key(flight.die, flight.engine)];
  const bool fits = engine.bytes == 0 || engine.bytes + flight.bytes() <= flight.link->outstanding;
  if (!fits || !engine.waiting.empty()) {
    engine.waiting.push_back(number);
    return;
  }
  send(number, current_cycle());
}

void Fabric::send(std::uint32_t number, Cycle now) {
  Flight& flight = flights_[number];
  engines_[engine_key(flight.die, flight.engine)].bytes += flight.bytes();
  flight.client->accepted(flight.tag, kNever);
  flight.phase = Phase::kArrives;
  if (!flight.request.write) return wake(number, now + cycles(flight.link->read_seconds / 2));
  double began = 0;
  pass(flight.die, flight.other, true, flight, static_cast<double>(now), began);
  wake(number, whole(began) + cycles(flight.link->write_seconds));
}

double Fabric::pass(std::uint32_t die, std::uint32_t peer, bool out, const Flight& flight,
                    double now, double& began) {
  const LinkClass& link = *flight.link;
  const std::uint64_t peer_key = link.port_for_each_peer ? peer + 1 : 0;
  const std::uint64_t key = std::uint64_t{die} << 40 |
                            std::uint64_t{port_numbers_.at(link.port)} << 24 | peer_key << 1 |
                            static_cast<std::uint64_t>(out);
  Port& port = passed_[key];
  if (port.counters.messages == 0) {
    port.counters.link = link.port;
    port.counters.die = die;
    port.counters.peer = link.port_for_each_peer ? static_cast<std::int64_t>(peer) : -1;
    port.counters.out = out;
  }
  const double share = flight.is_piece ? system_.collectives().link_share : 1;
  const double rate = link.bytes_per_second * share;
  const double takes =
      (static_cast<double>(flight.bytes()) / rate + link.message_seconds) * mhz_ * 1e6;
  began = std::max(now, port.free_at);
  port.free_at = began + takes;
  port.counters.bytes += flight.bytes();
  ++port.counters.messages;
  port.counters.busy += takes;
  port.counters.waited += began - now;
  return port.free_at;
}

void Fabric::wake(std::uint32_t flight, Cycle cycle) {
  flights_[flight].at = std::max(cycle, current_cycle() + 1);
  events_.push({flights_[flight].at, ++numbers_, flight, {}});
  clock_.arbitrate_at(*this, flights_[flight].at);
}

void Fabric::call_at(Cycle cycle, std::function<void()> action) {
  cycle = std::max(cycle, current_cycle() + 1);
  events_.push({cycle, ++numbers_, 0, std::move(action)});
  clock_.arbitrate_at(*this, cycle);
}

void Fabric::arbitrate() {
  const Cycle now = current_cycle();
  while (!events_.empty() && events_.top().cycle <= now) {
    const Event event = events_.top();
    events_.pop();
    if (event.action) {
      event.action();
    } else {
      go_on(event.flight, now);
    }
  }
  while (!posted_.empty() && posted_.top().cycle <= now) {
    const std::uint32_t flight = posted_.top().flight;
    posted_.pop();
    take_up(flight);
  }
  Cycle next = kNever;
  if (!events_.empty()) next = events_.top().cycle;
  if (!posted_.empty()) next = std::min(next, posted_.top().cycle);
  if (next != kNever) clock_.arbitrate_at(*this, next);
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
      return post_to_memory(number, whole(in));
    }
    case Phase::kReturns:  // the data of a read leave the other die
      flight.phase = Phase::kReturned;
      pass(flight.other, flight.die, true, flight, static_cast<double>(now), began);
      return wake(number, whole(began) + cycles(flight.link->read_seconds / 2));
    case Phase::kReturned: {
      const double in =
          pass(flight.die, flight.other, false, flight, static_cast<double>(now), began);
      flight.phase = Phase::kOver;
      const Cycle end = std::max(whole(in), now + 1);
      flight.client->completed(flight.tag, end);
      return wake(number, end);
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
  if (flight.request.write || flight.is_piece) {
    flight.phase = Phase::kOver;
    if (flight.client != nullptr) flight.client->completed(flight.tag, end);
  } else {
    flight.phase = Phase::kReturns;
  }
  wake(number, end);
}

/// A transfer is over: its engine may send what waits.
void Fabric::leave(std::uint32_t number, Cycle now) {
  if (flights_[number].is_piece) return piece_over(number);
  const Flight flight = flights_[number];
  Engine& engine = engines_[engine_key(flight.die, flight.engine)];
  engine.bytes -= flight.bytes();
  flights_[number].free = true;
  free_.push_back(number);
  while (!engine.waiting.empty()) {
    const std::uint32_t next = engine.waiting.front();
    const Flight& waits = flights_[next];
    if (engine.bytes != 0 && engine.bytes + waits.bytes() > waits.link->outstanding) break;
    engine.waiting.pop_front();
    send(next, now);
  }
}

// --- copies --------------------------------------------------------------------------------------

void Fabric::copy(const FabricCopy& what, std::function<void()> done) {
  const std::uint32_t number = next_copy_++;
  copies_[number] = {what, std::move(done), 0, 0, 0};
  call_at(current_cycle() + 1, [this, number] { begin_pieces(number); });
}

/// A piece is read from the memory of its source, passes the links, and is written.
void Fabric::begin_pieces(std::uint32_t number) {
  Copy& copy = copies_.at(number);
  if (copy.over == copy.what.bytes) {
    const std::function<void()> done = std::move(copy.done);
    copies_.erase(number);
    done();
    return;
  }
  while (copy.begun < copy.what.bytes && copy.in_flight < kPiecesInFlight) {
    const std::uint32_t piece = new_flight();
    Flight& flight = flights_[piece];
    const auto bytes = static_cast<std::uint32_t>(
        std::min(system_.collectives().piece, copy.what.bytes - copy.begun));
    flight.is_piece = true;
    flight.copy = number;
    flight.die = copy.what.to;
    flight.other = copy.what.from;
    if (copy.what.from != copy.what.to) flight.link = &system_.link(copy.what.from, copy.what.to);
    flight.request.addr = copy.what.source + copy.begun;
    flight.request.rows = 1;
    flight.request.row_bytes = bytes;
    flight.request.row_pitch = bytes;
    flight.request.line_bursts = flight.request.addr % 512 == 0;
    flight.request.requester = first_requester_[flight.other] + flight.die;
    flight.request.tag = piece;
    flight.tag = static_cast<std::uint32_t>(copy.begun / system_.collectives().piece);
    flight.phase = Phase::kPosted;
    copy.begun += bytes;
    ++copy.in_flight;
    post_to_memory(piece, current_cycle() + 1);
  }
}

/// A piece has been read, or has been written.
void Fabric::piece_over(std::uint32_t number) {
  Flight& flight = flights_[number];
  Copy& copy = copies_.at(flight.copy);
  if (!flight.request.write) {
    flight.request.addr = copy.what.destination + flight.tag * system_.collectives().piece;
    flight.request.write = true;
    flight.request.line_bursts = flight.request.addr % 512 == 0;
    std::swap(flight.die, flight.other);  // now the source, and whose memory is written
    flight.request.requester = first_requester_[flight.other] + flight.die;
    flight.phase = Phase::kArrives;
    if (flight.link == nullptr) return wake(number, current_cycle() + 1);
    double began = 0;
    pass(flight.die, flight.other, true, flight, static_cast<double>(current_cycle()), began);
    return wake(number, whole(began) + cycles(flight.link->write_seconds));
  }
  copy.over += flight.bytes();
  --copy.in_flight;
  const std::uint32_t of = flight.copy;
  flight.free = true;
  free_.push_back(number);
  begin_pieces(of);
}

// --- launches ------------------------------------------------------------------------------------

void Fabric::drop() {
  posted_ = {};
  events_ = {};
  copies_.clear();
  engines_.clear();
  free_.clear();
  flights_.clear();
}

void Fabric::reset_counters() {
  for (auto& [key, port] : passed_) {
    port.counters.bytes = port.counters.messages = 0;
    port.counters.busy = port.counters.waited = 0;
  }
}

std::vector<LinkCounters> Fabric::counters() const {
  std::vector<LinkCounters> all;
  for (const auto& [key, port] : passed_) {
    if (port.counters.messages > 0) all.push_back(port.counters);
  }
  return all;
}

}  // namespace davsim::sim
