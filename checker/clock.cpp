#include "checker/clock.hpp"

#include <algorithm>

namespace davsim::checker {
namespace {

template <class Stamps>
void raise(Stamps& stamps, const Stamps& other) {
  for (std::size_t i = 0; i < stamps.size(); ++i) stamps[i] = std::max(stamps[i], other[i]);
}

}  // namespace

Stamp Clock::known_of_others(Agent agent) const {
  if (others_ == nullptr) return 0;
  const std::uint32_t core = core_of(agent);
  const auto part = std::partition_point(others_->begin(), others_->end(),
                                         [core](const Part& part) { return part.core < core; });
  return part == others_->end() || part->core != core ? 0 : part->stamps[place_of(agent)];
}

void Clock::join(const Clock& other) {
  raise(own_, other.own_);
  merge(other.others_);
}

void Clock::merge(const std::shared_ptr<const Parts>& other) {
  if (other == nullptr || other == others_) return;
  const bool has_own = std::any_of(other->begin(), other->end(),
                                   [this](const Part& part) { return part.core == core_; });
  if (others_ == nullptr && !has_own) {
    others_ = other;
  } else {
    merge(*other);
  }
}

void Clock::merge(const Parts& other) {
  static const Parts kNone;
  const Parts& mine = others_ == nullptr ? kNone : *others_;
  Parts all;
  all.reserve(mine.size() + other.size());
  auto next = mine.begin();
  for (const Part& part : other) {
    if (part.core == core_) {
      raise(own_, part.stamps);
      continue;
    }
    while (next != mine.end() && next->core < part.core) all.push_back(*next++);
    all.push_back(part);
    if (next != mine.end() && next->core == part.core) raise(all.back().stamps, next++->stamps);
  }
  all.insert(all.end(), next, mine.end());
  if (all != mine) others_ = std::make_shared<const Parts>(std::move(all));
}

void Clock::join_from(const Clock& other) {
  if (other.core_ == core_) return join(other);
  merge(other.others_);
  if (other.core_ != kNoCore) merge(Parts{{other.core_, other.own_}});
}

}  // namespace davsim::checker
