// The fabric between dies of several ranks. A rank simulates the cycles from the first one in which
// any rank has something to do up to, and without, lookahead() cycles later. Then all ranks
// exchange their messages. No message has an effect earlier than that (Chandy and Misra's
// conservative synchronisation, in windows).
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "sim/system/fabric.hpp"

namespace davsim::sim {

using memory::current_cycle;
using memory::kNever;

/// What a rank tells another one. Ranks are processes of one program, so bytes are enough.
struct Fabric::Message {
  enum Kind : std::uint32_t {
    kArrival,   ///< a transfer arrives at a die of the other rank
    kReturn,    ///< the data of a read have left this rank
    kOver,      ///< a transfer of the other rank is over
    kTold,      ///< see tell()
    kPartOver,  ///< the copies of a group that this rank has are over
  };
  Kind kind = kArrival;
  std::uint32_t number = 0;  ///< of the flight on the rank that it comes from, or of the group
  Cycle cycle = 0;
  std::uint32_t die = 0, other = 0;
  std::uint64_t order = 0, addr = 0;
  std::uint32_t rows = 0, row_bytes = 0;
  std::int64_t row_pitch = 0;
  std::uint32_t requester = 0;
  bool write = false, line_bursts = false, no_allocate = false, is_piece = false;
  bool by_scalar_unit = false;
  bool wants_values = false;
  std::uint64_t payload = 0;  ///< bytes that follow: values of a write or of a read, or told ones
};

void Fabric::send_to(std::uint32_t rank, Message message, std::string_view payload) {
  static_assert(std::is_trivially_copyable_v<Message>);
  if (message.cycle < current_cycle() + lookahead_) {
    throw std::logic_error("a message to another rank would come too late");
  }
  first_message_ = std::min(first_message_, message.cycle);
  message.payload = payload.size();
  char bytes[sizeof message];
  std::memcpy(bytes, &message, sizeof message);
  outbox_[rank].append(bytes, sizeof bytes).append(payload);
}

void Fabric::send_arrival(std::uint32_t number, Cycle cycle, std::uint32_t die) {
  const Flight& flight = flights_[number];
  Message message;
  message.number = number;
  message.cycle = cycle;
  message.die = flight.die;
  message.other = flight.other;
  message.order = flight.order;
  message.addr = flight.request.addr;
  message.rows = flight.request.rows;
  message.row_bytes = flight.request.row_bytes;
  message.row_pitch = flight.request.row_pitch;
  message.requester = flight.request.requester;
  message.write = flight.request.write;
  message.line_bursts = flight.request.line_bursts;
  message.no_allocate = flight.request.no_allocate;
  message.by_scalar_unit = flight.request.by_scalar_unit;
  message.is_piece = flight.is_piece;
  message.wants_values = flight.values != nullptr;
  const bool carries = message.write && flight.values != nullptr;
  send_to(deal_.rank_of(die), message, carries ? flight.values->packed() : std::string());
}

void Fabric::send_return(const Flight& flight, Cycle cycle) {
  Message message;
  message.kind = Message::kReturn;
  message.number = flight.flight;
  message.cycle = cycle;
  effects_.settle();
  send_to(flight.rank, message,
          flight.wants_values ? memory::RemoteValues::packed(rows_of(flight)) : std::string());
}

void Fabric::send_over(const Flight& flight, Cycle cycle) {
  Message message;
  message.kind = Message::kOver;
  message.number = flight.flight;
  message.cycle = cycle;
  send_to(flight.rank, message);
}

void Fabric::tell_part_over(std::uint32_t group) {
  Message message;
  message.kind = Message::kPartOver;
  message.number = group;
  message.cycle = current_cycle() + groups_.at(group).delay;
  for (std::uint32_t rank = 0; rank < deal_.ranks(); ++rank) {
    if (group_ != nullptr && rank != group_->rank()) send_to(rank, message);
  }
}

void Fabric::tell(std::uint64_t order, const std::string& bytes, bool here) {
  Message message;
  message.kind = Message::kTold;
  message.cycle = current_cycle() + lookahead_;
  message.order = order;
  for (std::uint32_t rank = 0; rank < deal_.ranks(); ++rank) {
    if (rank != group_->rank()) send_to(rank, message, bytes);
  }
  if (here) call_at(message.cycle, order, [this, bytes] { told_(bytes); });
}

void Fabric::take(std::uint32_t rank, const Message& message, std::string_view payload) {
  switch (message.kind) {
    case Message::kPartOver:
      return part_over(message.number, message.cycle);
    case Message::kTold:
      return call_at(message.cycle, message.order,
                     [this, bytes = std::string(payload)] { told_(bytes); });
    case Message::kArrival:
      return take_arrival(rank, message, payload);
    case Message::kReturn:
    case Message::kOver:
      break;
  }
  Flight& flight = flights_[message.number];
  const bool over = message.kind == Message::kOver;
  flight.phase = over ? Phase::kOver : Phase::kReturned;
  if (flight.values != nullptr && !payload.empty()) {
    flight.values->unpack(rows_of(flight), payload);
  }
  add_event({message.cycle, flight.order, flight.die, message.number});
  if (over && flight.client != nullptr) flight.client->completed(flight.tag, message.cycle);
}

void Fabric::take_arrival(std::uint32_t rank, const Message& message, std::string_view payload) {
  const std::uint32_t number = new_flight();
  Flight& flight = flights_[number];
  flight.rank = rank;
  flight.flight = message.number;
  flight.die = message.die;
  flight.other = message.other;
  flight.order = message.order;
  flight.is_piece = message.is_piece;
  flight.wants_values = message.wants_values;
  flight.link = &system_.link(flight.die, flight.other);
  memory::MemoryRequest& request = flight.request;
  request.addr = message.addr;
  request.rows = message.rows;
  request.row_bytes = message.row_bytes;
  request.row_pitch = message.row_pitch;
  request.requester = message.requester;
  request.write = message.write;
  request.line_bursts = message.line_bursts;
  request.no_allocate = message.no_allocate;
  request.by_scalar_unit = message.by_scalar_unit;
  request.tag = number;
  if (!payload.empty()) flight.values = std::make_shared<memory::RemoteValues>(payload);
  add_event({message.cycle, flight.order, flight.other, number});
}

void Fabric::set_lookahead(double write_cycles) {
  double least =
      std::min(write_cycles, static_cast<double>(cycles(system_.collectives().step_seconds)));
  for (const LinkClass& link : system_.links()) {
    least = std::min(least, static_cast<double>(cycles(link.write_seconds)));
    least = std::min(least, static_cast<double>(cycles(link.read_seconds / 2)));
  }
  // A commit is known everywhere before its round begins.
  const Cycle message = cycles(system_.collectives().message_seconds);
  least = std::min(least, static_cast<double>(message) - 1);
  if (least < 1) {
    throw std::invalid_argument(
        "dies of several ranks need a latency of at least a cycle: of writes and half of that of "
        "reads over every link, of writes to a die's memory (l2.write_latency), and of messages "
        "and steps of collective operations; the least is " +
        std::to_string(least) + " cycles");
  }
  lookahead_ = static_cast<Cycle>(least);
}

Cycle Fabric::exchange(Cycle next) {
  const RankGroup::Round round = group_->exchange(outbox_, std::min(next, first_message_));
  for (std::string& sent : outbox_) sent.clear();
  first_message_ = kNever;
  for (std::uint32_t rank = 0; rank < round.from.size(); ++rank) {
    const std::string& bytes = round.from[rank];
    for (std::size_t at = 0; at < bytes.size();) {
      Message message;
      std::memcpy(&message, bytes.data() + at, sizeof message);
      at += sizeof message;
      take(rank, message, std::string_view(bytes).substr(at, message.payload));
      at += message.payload;
    }
  }
  return round.least;
}

// --- what passed the ports
// ------------------------------------------------------------------------

namespace {

/// Counters of a port as they travel between ranks.
struct PortRecord {
  std::uint64_t key = 0, bytes = 0, messages = 0;
  double busy = 0, waited = 0;
};

}  // namespace

template <class Record>
std::vector<Record> Fabric::of_all_ranks(std::vector<Record> own) const {
  static_assert(std::is_trivially_copyable_v<Record>);
  if (group_ == nullptr) return own;
  const std::string bytes(reinterpret_cast<const char*>(own.data()), own.size() * sizeof(Record));
  std::vector<Record> all;
  for (const std::string& part :
       group_->exchange(std::vector<std::string>(deal_.ranks(), bytes), 0).from) {
    const std::size_t known = all.size();
    all.resize(known + part.size() / sizeof(Record));
    std::memcpy(all.data() + known, part.data(), part.size());
  }
  return all;
}

std::vector<LinkCounters> Fabric::counters() const {
  std::vector<PortRecord> own;
  for (std::uint64_t die = 0; die < passed_.size(); ++die) {
    for (const auto& [key, port] : passed_[die]) {
      if (port.messages == 0) continue;
      own.push_back({die << 40 | key, port.bytes, port.messages, port.busy, port.waited});
    }
  }
  std::vector<PortRecord> records = of_all_ranks(std::move(own));
  std::sort(records.begin(), records.end(),
            [](const PortRecord& a, const PortRecord& b) { return a.key < b.key; });
  std::vector<LinkCounters> all;
  for (const PortRecord& record : records) {
    LinkCounters& of = all.emplace_back(place_of(record.key));
    of.bytes = record.bytes;
    of.messages = record.messages;
    of.busy = record.busy;
    of.waited = record.waited;
  }
  return all;
}

std::vector<LinkUse> Fabric::uses() const {
  std::vector<Use> records = of_all_ranks(uses_);
  std::stable_sort(records.begin(), records.end(), [](const Use& a, const Use& b) {
    return a.key != b.key ? a.key < b.key : a.began < b.began;
  });
  std::vector<LinkUse> all;
  for (const Use& record : records) {
    all.push_back({place_of(record.key), record.other, record.bytes, record.came, record.began,
                   record.ended});
  }
  return all;
}

}  // namespace davsim::sim
