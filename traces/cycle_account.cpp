#include "traces/cycle_account.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

namespace davsim::traces {
namespace {

/// Names of files are compared as pointers where lines are counted: the same line of a header in
/// two translation units may be counted twice, and is added up where reports are made.
auto place(const isa::SourceLocation& where) {
  return std::tuple(where.file_name(), where.line());
}

}  // namespace

bool CycleAccount::SameCause::operator()(const Cause& a, const Cause& b) const {
  return a.cycle_class == b.cycle_class && a.from == b.from && place(a.where) == place(b.where) &&
         place(a.set_at) == place(b.set_at);
}

std::size_t CycleAccount::HashCause::operator()(const Cause& cause) const {
  const std::hash<const void*> hash;
  const std::size_t numbers =
      (std::size_t{cause.where.line()} << 24) ^ (std::size_t{cause.set_at.line()} << 8) ^
      (static_cast<std::size_t>(cause.cycle_class) << 4) ^ static_cast<std::size_t>(cause.from);
  return numbers * 0x9E3779B97F4A7C15u ^ hash(cause.where.file_name());
}

void CycleAccount::begin(Cycle now, bool by_line) {
  until_ = now;
  by_line_ = by_line;
  cycles_ = {};
  lines_.clear();
}

void CycleAccount::add(const Cause& cause, Cycle cycles) {
  cycles_[static_cast<std::size_t>(cause.cycle_class)] += cycles;
  until_ += cycles;
  if (!by_line_) return;
  Sum& sum = lines_[cause];
  ++sum.times;
  sum.cycles += cycles;
}

void CycleAccount::fill(CycleClass cycle_class, Cycle end) {
  if (end <= until_) return;
  cycles_[static_cast<std::size_t>(cycle_class)] += end - until_;
  until_ = end;
}

std::vector<LineCycles> CycleAccount::lines() const {
  std::vector<LineCycles> lines;
  for (const auto& [cause, sum] : lines_) {
    lines.push_back(
        {cause.cycle_class, cause.from, cause.where, cause.set_at, sum.times, sum.cycles});
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
