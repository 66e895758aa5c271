// A vector clock: the accesses that a pipe knows to have ended. Pipes of one core exchange flags
// often, cores seldom. The part of the own core is therefore a small array. The parts of the other
// cores are shared until they change.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "checker/mark.hpp"

namespace davsim::checker {

class Clock {
 public:
  /// A clock of no core, for the common knowledge of several cores.
  Clock() = default;
  explicit Clock(std::uint32_t core) : core_(core) {}

  Stamp own(std::uint32_t place) const { return own_[place]; }
  void set_own(std::uint32_t place, Stamp stamp) { own_[place] = stamp; }

  /// The last access of `agent` that is known to have ended.
  Stamp known(Agent agent) const {
    return core_of(agent) == core_ ? own_[place_of(agent)] : known_of_others(agent);
  }

  /// Merges a clock of the same core into this one.
  void join(const Clock& other);
  /// Merges a clock of any core into this one.
  void join_from(const Clock& other);

 private:
  static constexpr std::uint32_t kNoCore = ~std::uint32_t{0};
  using Stamps = std::array<Stamp, kAgentsPerCore>;
  struct Part {
    std::uint32_t core;
    Stamps stamps;
    bool operator==(const Part&) const = default;
  };
  using Parts = std::vector<Part>;  ///< by core; only of those that anything is known of

  Stamp known_of_others(Agent agent) const;
  /// Which of two lists of parts has what the other one has not, the part of the own core aside.
  struct News {
    bool mine = false, other = false;
  };
  News compare(const Parts& other) const;
  void merge(const std::shared_ptr<const Parts>& other);
  void merge(const Parts& other);
  const Parts& parts() const;

  std::uint32_t core_ = kNoCore;
  Stamps own_{};
  std::shared_ptr<const Parts> others_;  ///< none of them is the own core
};

}  // namespace davsim::checker
