// Copies by engines of the system: trains of pieces between the memories of dies.
#include <algorithm>
#include <cmath>

#include "sim/system/fabric.hpp"

namespace davsim::sim {
namespace {

using memory::current_cycle;

/// Pieces of a copy that are on their way at most: enough to hide the way.
constexpr std::uint32_t kPiecesInFlight = 8;
/// Orders of copies are behind those of requests, and the ends of groups behind other calls.
constexpr std::uint64_t kCopies = std::uint64_t{1} << 63, kGroups = std::uint64_t{1} << 62;

std::uint64_t piece_order(std::uint32_t copy, std::uint32_t piece) {
  return kCopies | std::uint64_t{copy} << 24 | piece;
}

}  // namespace

void Fabric::copy(const std::vector<FabricCopy>& copies, Cycle delay, std::function<void()> done) {
  const std::uint32_t group = next_group_++;
  groups_[group] = {0, deal_.ranks(), 0, delay, std::move(done)};
  for (const FabricCopy& what : copies) {
    const std::uint32_t number = next_copy_++;
    if (!deal_.has(what.from)) continue;
    ++groups_[group].copies_left;
    if (free_copies_.empty()) {
      free_copies_.push_back(static_cast<std::uint32_t>(copies_.size()));
      copies_.emplace_back();
    }
    const std::uint32_t place = free_copies_.back();
    free_copies_.pop_back();
    copies_[place] = {what, number, group, 0, 0, 0};
    add_event({current_cycle() + 1, piece_order(number, 0), what.from, place, Event::Kind::kCopy});
  }
  if (groups_[group].copies_left == 0) copy_over(group);
}

/// A copy of this rank is over, or there is none.
void Fabric::copy_over(std::uint32_t number) {
  Group& group = groups_.at(number);
  if (group.copies_left > 0 && --group.copies_left > 0) return;
  tell_part_over(number);
  part_over(number, current_cycle() + group.delay);
}

/// The copies of a rank are over; the whole ends at `end` at the earliest.
void Fabric::part_over(std::uint32_t number, Cycle end) {
  Group& group = groups_.at(number);
  group.end = std::max(group.end, end);
  if (--group.parts_left > 0) return;
  end = group.end;
  std::function<void()> done = std::move(group.done);
  const bool at_once = group.delay == 0;
  groups_.erase(number);
  if (at_once) return done();
  add_action(end, kNoDie, kGroups | number, std::move(done));
}

/// A piece is read from the memory of its source, passes the links, and is written.
void Fabric::begin_pieces(std::uint32_t place) {
  Copy& copy = copies_[place];
  if (copy.over == copy.what.bytes) {
    free_copies_.push_back(place);
    return copy_over(copy.group);
  }
  while (copy.begun < copy.what.bytes && copy.in_flight < kPiecesInFlight) {
    const std::uint32_t piece = new_flight();
    Flight& flight = flights_[piece];
    const auto bytes = static_cast<std::uint32_t>(
        std::min(system_.collectives().piece, copy.what.bytes - copy.begun));
    flight.is_piece = true;
    flight.copy = place;
    flight.die = copy.what.to;
    flight.other = copy.what.from;
    if (copy.what.from != copy.what.to) flight.link = &system_.link(copy.what.from, copy.what.to);
    flight.request.addr = copy.what.source + copy.begun;
    flight.request.rows = 1;
    flight.request.row_bytes = bytes;
    flight.request.row_pitch = bytes;
    flight.request.line_bursts = flight.request.addr % 512 == 0;
    flight.request.requester = first_requester_ + flight.die;
    flight.request.tag = piece;
    flight.tag = static_cast<std::uint32_t>(copy.begun / system_.collectives().piece);
    flight.order = piece_order(copy.number, flight.tag);
    flight.phase = Phase::kPosted;
    copy.begun += bytes;
    ++copy.in_flight;
    post_to_memory(piece, current_cycle() + 1);
  }
}

/// A piece has been read, or has been written.
void Fabric::piece_over(std::uint32_t number) {
  Flight& flight = flights_[number];
  Copy& copy = copies_[flight.copy];
  if (!flight.request.write) {
    flight.request.addr = copy.what.destination + flight.tag * system_.collectives().piece;
    flight.request.write = true;
    flight.request.line_bursts = flight.request.addr % 512 == 0;
    std::swap(flight.die, flight.other);  // now the source, and whose memory is written
    flight.request.requester = first_requester_ + flight.die;
    flight.phase = Phase::kArrives;
    if (flight.link == nullptr) return wake(number, current_cycle() + 1, flight.other);
    double began = 0;
    pass(flight.die, flight.other, true, flight, static_cast<double>(current_cycle()), began);
    const Cycle left = static_cast<Cycle>(std::ceil(began));
    return wake(number, left + cycles(flight.link->write_seconds), flight.other);
  }
  copy.over += flight.bytes();
  --copy.in_flight;
  const std::uint32_t of = flight.copy;
  release(number);
  begin_pieces(of);
}

}  // namespace davsim::sim
