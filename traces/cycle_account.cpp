#include "traces/cycle_account.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace davsim::traces {
namespace {

constexpr std::size_t kFirstPlaces = 32;  // a power of two, as all later numbers of places

/// Names of files are compared as pointers where lines are counted: the same line of a header in
/// two translation units may be counted twice, and is added up where reports are made.
bool same_place(const isa::SourceLocation& a, const isa::SourceLocation& b) {
  return a.line() == b.line() && a.file_name() == b.file_name();
}

bool same_cause(const CycleAccount::Cause& a, const CycleAccount::Cause& b) {
  return a.cycle_class == b.cycle_class && a.from == b.from && same_place(a.where, b.where) &&
         same_place(a.set_at, b.set_at);
}

/// The upper bits are the good ones.
std::uint64_t hash(const CycleAccount::Cause& cause) {
  const std::uint64_t numbers =
      (std::uint64_t{cause.where.line()} << 24) ^ (std::uint64_t{cause.set_at.line()} << 8) ^
      (static_cast<std::uint64_t>(cause.cycle_class) << 4) ^ static_cast<std::uint64_t>(cause.from);
  return (numbers ^ std::bit_cast<std::uintptr_t>(cause.where.file_name())) * 0x9E3779B97F4A7C15u;
}

}  // namespace

void CycleAccount::begin(Cycle now, bool by_line) {
  until_ = now;
  by_line_ = by_line;
  cycles_ = {};
  lines_.assign(by_line ? kFirstPlaces : 0, {});
  used_ = step_count_ = 0;
}

void CycleAccount::add(const Cause& cause, Cycle cycles) {
  cycles_[static_cast<std::size_t>(cause.cycle_class)] += cycles;
  until_ += cycles;
  if (!by_line_) return;
  steps_[step_count_++] = {cause, cycles};
  if (step_count_ == kMostSteps) count_steps();
}

void CycleAccount::count_steps() {
  for (std::size_t i = 0; i < step_count_; ++i) {
    __builtin_prefetch(&lines_[home(steps_[i].cause)], 1);
  }
  for (std::size_t i = 0; i < step_count_; ++i) {
    Line* line = &place_of(steps_[i].cause);
    if (line->times == 0) {
      if (2 * ++used_ > lines_.size()) {
        grow();
        line = &place_of(steps_[i].cause);
      }
      line->cause = steps_[i].cause;
    }
    ++line->times;
    line->cycles += steps_[i].cycles;
  }
  step_count_ = 0;
}

std::size_t CycleAccount::home(const Cause& cause) const {
  return hash(cause) >> (64 - std::bit_width(lines_.size() - 1));
}

CycleAccount::Line& CycleAccount::place_of(const Cause& cause) {
  const std::size_t last = lines_.size() - 1;
  std::size_t at = home(cause);
  while (lines_[at].times != 0 && !same_cause(lines_[at].cause, cause)) at = (at + 1) & last;
  return lines_[at];
}

void CycleAccount::grow() {
  std::vector<Line> few(2 * lines_.size());
  few.swap(lines_);
  for (const Line& line : few) {
    if (line.times != 0) place_of(line.cause) = line;
  }
}

void CycleAccount::fill(CycleClass cycle_class, Cycle end) {
  if (end <= until_) return;
  cycles_[static_cast<std::size_t>(cycle_class)] += end - until_;
  until_ = end;
}

std::vector<LineCycles> CycleAccount::lines() {
  count_steps();
  std::vector<LineCycles> lines;
  for (const Line& line : lines_) {
    if (line.times == 0) continue;
    const Cause& cause = line.cause;
    lines.push_back(
        {cause.cycle_class, cause.from, cause.where, cause.set_at, line.times, line.cycles});
  }
  const auto key = [](const LineCycles& line) {
    return std::tuple(~line.cycles, std::string_view(line.where.file_name()), line.where.line(),
                      line.cycle_class, line.from, std::string_view(line.set_at.file_name()),
                      line.set_at.line(), line.times);
  };
  std::sort(lines.begin(), lines.end(),
            [&](const LineCycles& a, const LineCycles& b) { return key(a) < key(b); });
  return lines;
}

}  // namespace davsim::traces
