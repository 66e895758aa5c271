#include "checker/clock.hpp"

#include <algorithm>

namespace davsim::checker {
namespace {

template <class Stamps>
void raise(Stamps& stamps, const Stamps& other) {
  for (std::size_t i = 0; i < stamps.size(); ++i) stamps[i] = std::max(stamps[i], other[i]);
}

/// Whether one of the stamps is later than its counterpart.
template <class Stamps>
bool is_later(const Stamps& stamps, const Stamps& other) {
  bool later = false;
  for (std::size_t i = 0; i < stamps.size(); ++i) later |= stamps[i] > other[i];
  return later;
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

const Clock::Parts& Clock::parts() const {
  static const Parts kNone;
  return others_ == nullptr ? kNone : *others_;
}

Clock::News Clock::compare(const Parts& other) const {
  News news;
  auto next = parts().begin();
  const auto end = parts().end();
  for (const Part& part : other) {
    if (part.core == core_) continue;
    for (; next != end && next->core < part.core; ++next) news.mine = true;
    if (next != end && next->core == part.core) {
      news.mine = news.mine || is_later(next->stamps, part.stamps);
      news.other = news.other || is_later(part.stamps, next->stamps);
      ++next;
    } else {
      news.other = true;
    }
    if (news.mine && news.other) return news;
  }
  news.mine = news.mine || next != end;
  return news;
}

/// Lists are shared where they can be: most clocks know what another one knows, or less.
void Clock::merge(const std::shared_ptr<const Parts>& other) {
  if (other == nullptr || other == others_) return;
  const auto own = std::find_if(other->begin(), other->end(),
                                [this](const Part& part) { return part.core == core_; });
  if (own != other->end()) raise(own_, own->stamps);
  const News news = compare(*other);
  if (!news.other) return;
  if (!news.mine && own == other->end()) {
    others_ = other;
  } else {
    merge(*other);
  }
}

/// Makes a new list.
void Clock::merge(const Parts& other) {
  const Parts& mine = parts();
  Parts all;
  all.reserve(mine.size() + other.size());
  auto next = mine.begin();
  for (const Part& part : other) {
    if (part.core == core_) continue;
    while (next != mine.end() && next->core < part.core) all.push_back(*next++);
    all.push_back(part);
    if (next != mine.end() && next->core == part.core) raise(all.back().stamps, next++->stamps);
  }
  all.insert(all.end(), next, mine.end());
  others_ = std::make_shared<const Parts>(std::move(all));
}

void Clock::join_from(const Clock& other) {
  if (other.core_ == core_) return join(other);
  merge(other.others_);
  if (other.core_ == kNoCore) return;
  const Parts own{{other.core_, other.own_}};
  if (compare(own).other) merge(own);
}

}  // namespace davsim::checker
