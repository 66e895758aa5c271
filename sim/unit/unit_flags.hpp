// The unit flag: one bit for each 512-byte block of L0C. With it Mmad hands its results to Fixpipe
// block by block. Mmad waits for a free block, Fixpipe for a full one. An instruction that toggles
// the flag hands over its blocks one after the other while it works, so that the two overlap.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/unit/pipe.hpp"

namespace davsim::sim {

class UnitFlags {
 public:
  explicit UnitFlags(std::uint64_t l0c_bytes);

  /// The two pipes, to be woken when blocks change hands.
  void connect(Pipe* cube, Pipe* fixpipe) { cube_ = cube, fixpipe_ = fixpipe; }

  /// True if the blocks of [addr, addr + bytes) are all full (or all free) and the ready time of
  /// the first is not after `now`. If it is, `retry` is set to the ready time.
  bool available(std::uint64_t addr, std::uint64_t bytes, bool full, Cycle now, Cycle& retry) const;
  /// When the last of these blocks was or will be handed over.
  Cycle last_at(std::uint64_t addr, std::uint64_t bytes) const;
  /// Hands blocks over evenly between `start` and `end`.
  void hand_over(std::uint64_t addr, std::uint64_t bytes, bool full, Cycle start, Cycle end);
  void reset();

 private:
  static constexpr std::uint64_t kBlock = 512;
  struct Block {
    bool full = false;
    Cycle at = 0;
  };
  std::uint64_t first_block(std::uint64_t addr) const { return addr / kBlock; }
  std::uint64_t end_block(std::uint64_t addr, std::uint64_t bytes) const;

  std::vector<Block> blocks_;
  Pipe* cube_ = nullptr;
  Pipe* fixpipe_ = nullptr;
};

}  // namespace davsim::sim
