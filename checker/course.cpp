#include "checker/course.hpp"

#include <algorithm>

namespace davsim::checker {

void Course::begin_block(std::uint64_t position) {
  starts_ = {position};
  position_ = position;
  digest_ = 0;
}

void Course::step(std::uint64_t position, const isa::SourceLocation& where) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  position_ = position;
  digest_ = (digest_ ^ reinterpret_cast<std::uintptr_t>(where.file_name()) ^ where.line()) * kOdd;
  digest_ ^= digest_ >> 29;
  digests_[position % kKept] = digest_;
}

void Course::begin_stretch(std::uint64_t position) {
  starts_.push_back(position);
  digest_ = 0;
}

std::optional<Course::Step> Course::step_of(std::uint64_t position) const {
  if (position <= starts_.front()) return std::nullopt;
  const auto next = std::lower_bound(starts_.begin(), starts_.end(), position);
  return Step{static_cast<std::uint32_t>(next - starts_.begin()), position - *std::prev(next)};
}

std::optional<std::uint64_t> Course::lines_up_to(const Step& step) const {
  if (step.stretch > starts_.size()) return std::nullopt;
  const std::uint64_t position = starts_[step.stretch - 1] + step.steps;
  const std::uint64_t end = step.stretch < starts_.size() ? starts_[step.stretch] : position_;
  if (position > end || position_ - position >= kKept) return std::nullopt;
  return digests_[position % kKept];
}

std::optional<Course::Pair> Course::pair_of(const Course& own, std::uint64_t position,
                                            const Course& other, std::uint64_t position_of_other) {
  const auto a = own.step_of(position), b = other.step_of(position_of_other);
  if (!a || !b || a->stretch != b->stretch) return std::nullopt;
  const Step& first = a->steps < b->steps ? *a : *b;
  const auto own_lines = own.lines_up_to(first), other_lines = other.lines_up_to(first);
  if (!own_lines || own_lines != other_lines) return std::nullopt;
  return Pair{a->stretch, a->steps, b->steps};
}

}  // namespace davsim::checker
