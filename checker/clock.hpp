// What a pipe knows to have ended: a vector clock. Pipes of one core exchange flags all the time,
// cores seldom; so the own core's part is a small array and the others' is shared until it changes.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "checker/mark.hpp"

namespace davsim::checker {

class Clock {
 public:
  Clock() = default;
  explicit Clock(std::uint32_t core) : core_(core) {}

  Stamp own(std::uint32_t place) const { return own_[place]; }
  void set_own(std::uint32_t place, Stamp stamp) { own_[place] = stamp; }

  /// The last access of `agent` that is known to have ended.
  Stamp known(Agent agent) const {
    if (core_of(agent) == core_) return own_[place_of(agent)];
    return others_ == nullptr || agent >= others_->size() ? 0 : (*others_)[agent];
  }

  /// Takes over what a clock of the same core knows.
  void join(const Clock& other);
  /// Takes over what a clock of any core knows.
  void join_from(const Clock& other);

 private:
  using Others = std::vector<Stamp>;  ///< by agent; of the own core 0

  void merge(const std::shared_ptr<const Others>& other);

  std::uint32_t core_ = 0;
  std::array<Stamp, kAgentsPerCore> own_{};
  std::shared_ptr<const Others> others_;
};

}  // namespace davsim::checker
