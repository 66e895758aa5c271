#include "observe/cycle_account.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "isa/instr/lasting_location.hpp"

namespace davsim::observe {
namespace {

bool same_place(const isa::SourceLocation& a, const isa::SourceLocation& b) {
  return a.line() == b.line() && a.file_name() == b.file_name();
}

bool same_cause(const Cause& a, const Cause& b) {
  return a.cycle_class == b.cycle_class && a.from == b.from && same_place(a.where, b.where) &&
         same_place(a.set_at, b.set_at);
}

/// The upper bits are the good ones.
std::uint64_t hash(const Cause& cause) {
  const std::uint64_t numbers =
      (std::uint64_t{cause.where.line()} << 24) ^ (std::uint64_t{cause.set_at.line()} << 8) ^
      (static_cast<std::uint64_t>(cause.cycle_class) << 4) ^ static_cast<std::uint64_t>(cause.from);
  return (numbers ^ std::bit_cast<std::uintptr_t>(cause.where.file_name())) * 0x9E3779B97F4A7C15u;
}

}  // namespace

void CauseTable::add(const Cause& cause, std::uint64_t times, Cycle cycles) {
  Row* row = &place_of(cause);
  if (row->times == 0) {
    if (2 * ++used_ > places_.size()) {
      grow();
      row = &place_of(cause);
    }
    row->cause = cause;
  }
  row->times += times;
  row->cycles += cycles;
}

std::size_t CauseTable::home(const Cause& cause) const {
  return hash(cause) >> (64 - std::bit_width(places_.size() - 1));
}

CauseTable::Row& CauseTable::place_of(const Cause& cause) {
  const std::size_t last = places_.size() - 1;
  std::size_t at = home(cause);
  while (places_[at].times != 0 && !same_cause(places_[at].cause, cause)) at = (at + 1) & last;
  return places_[at];
}

void CauseTable::grow() {
  std::vector<Row> few(2 * places_.size());
  few.swap(places_);
  for (const Row& row : few) {
    if (row.times != 0) place_of(row.cause) = row;
  }
}

void CauseTable::clear() {
  if (used_ == 0) return;
  places_.assign(kFirstPlaces, {});
  used_ = 0;
}

std::vector<LineCycles> CauseTable::lines() const {
  std::vector<LineCycles> lines;
  for (const Row& row : places_) {
    if (row.times == 0) continue;
    const Cause& cause = row.cause;
    lines.push_back({cause.cycle_class, cause.from, isa::lasting(cause.where),
                     isa::lasting(cause.set_at), row.times, row.cycles});
  }
  return lines;
}

void CycleAccount::begin(Cycle now, bool by_line) {
  until_ = now;
  by_line_ = by_line;
  cycles_ = {};
  lines_.clear();
  step_count_ = 0;
}

void CycleAccount::add(const Cause& cause, Cycle cycles) {
  cycles_[static_cast<std::size_t>(cause.cycle_class)] += cycles;
  until_ += cycles;
  if (!by_line_) return;
  steps_[step_count_++] = {cause, cycles};
  if (step_count_ == kMostSteps) count_steps();
}

void CycleAccount::count_steps() {
  for (std::size_t i = 0; i < step_count_; ++i) lines_.prefetch(steps_[i].cause);
  for (std::size_t i = 0; i < step_count_; ++i) lines_.add(steps_[i].cause, 1, steps_[i].cycles);
  step_count_ = 0;
}

void CycleAccount::fill(CycleClass cycle_class, Cycle end) {
  if (end <= until_) return;
  cycles_[static_cast<std::size_t>(cycle_class)] += end - until_;
  until_ = end;
}

std::vector<LineCycles> CycleAccount::lines() {
  count_steps();
  std::vector<LineCycles> lines = lines_.lines();
  const auto key = [](const LineCycles& line) {
    return std::tuple(~line.cycles, std::string_view(line.where.file_name()), line.where.line(),
                      line.cycle_class, line.from, std::string_view(line.set_at.file_name()),
                      line.set_at.line(), line.times);
  };
  std::sort(lines.begin(), lines.end(),
            [&](const LineCycles& a, const LineCycles& b) { return key(a) < key(b); });
  return lines;
}

}  // namespace davsim::observe
