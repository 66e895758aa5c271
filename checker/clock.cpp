#include "checker/clock.hpp"

#include <algorithm>

namespace davsim::checker {

void Clock::join(const Clock& other) {
  for (std::uint32_t i = 0; i < kAgentsPerCore; ++i) own_[i] = std::max(own_[i], other.own_[i]);
  merge(other.others_);
}

void Clock::merge(const std::shared_ptr<const Others>& other) {
  if (other == nullptr || other == others_) return;
  if (others_ == nullptr) {
    others_ = other;
    return;
  }
  const Others& a = *others_;
  const Others& b = *other;
  Others merged(std::max(a.size(), b.size()));
  bool is_a = a.size() == merged.size(), is_b = b.size() == merged.size();
  for (std::size_t i = 0; i < merged.size(); ++i) {
    const Stamp x = i < a.size() ? a[i] : 0, y = i < b.size() ? b[i] : 0;
    merged[i] = std::max(x, y);
    is_a = is_a && merged[i] == x;
    is_b = is_b && merged[i] == y;
  }
  if (is_a) return;
  others_ = is_b ? other : std::make_shared<const Others>(std::move(merged));
}

void Clock::join_from(const Clock& other) {
  if (other.core_ == core_) return join(other);
  Others all = other.others_ == nullptr ? Others() : *other.others_;
  const std::size_t theirs = std::size_t{other.core_} * kAgentsPerCore;
  const std::size_t mine = std::size_t{core_} * kAgentsPerCore;
  if (all.size() < theirs + kAgentsPerCore) all.resize(theirs + kAgentsPerCore);
  std::copy(other.own_.begin(), other.own_.end(),
            all.begin() + static_cast<std::ptrdiff_t>(theirs));
  if (all.size() >= mine + kAgentsPerCore) {
    for (std::uint32_t i = 0; i < kAgentsPerCore; ++i) {
      own_[i] = std::max(own_[i], all[mine + i]);
      all[mine + i] = 0;
    }
  }
  merge(std::make_shared<const Others>(std::move(all)));
}

}  // namespace davsim::checker
