// Processes that simulate one system together, each a part of its dies: the ranks of an MPI job.
// The simulation asks for one operation; mpi/ has it over MPI, tests have it over threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace davsim::sim {

class RankGroup {
 public:
  virtual ~RankGroup() = default;
  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t ranks() const = 0;

  struct Round {
    std::vector<std::string> from;  ///< what each rank has given for this one
    std::uint64_t least = 0;        ///< of the numbers that the ranks have given
  };
  /// Gives each rank its bytes of `to`. Every rank calls it as often as every other one, and it
  /// returns when all have. It ends the process if another rank has ended.
  virtual Round exchange(const std::vector<std::string>& to, std::uint64_t number) = 0;
  /// The rank's part is over, with this exit status. With another one than 0 it ends the processes
  /// of all ranks with it, this one too, and tells on standard error whose status it is.
  virtual void finish(int status) = 0;
};

/// Which dies a process simulates: neighbours, so that the dies of a package stay together.
class DieDeal {
 public:
  /// nullptr: all of them.
  DieDeal(std::uint32_t dies, const RankGroup* group)
      : dies_(dies),
        rank_(group == nullptr ? 0 : group->rank()),
        ranks_(group == nullptr ? 1 : group->ranks()) {}
  std::uint32_t ranks() const { return ranks_; }
  std::uint32_t rank_of(std::uint32_t die) const {
    return static_cast<std::uint32_t>(std::uint64_t{die} * ranks_ / dies_);
  }
  bool has(std::uint32_t die) const { return rank_of(die) == rank_; }

 private:
  std::uint32_t dies_, rank_, ranks_;
};

}  // namespace davsim::sim
