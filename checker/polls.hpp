// Words in global memory through which kernels wait for each other by loops of their own, between
// dies or within one: a core writes a flag behind its data, and another core reads the flag until
// it is set.
//
// A read of bytes that another core wrote, which nothing else orders, passes on what the writer's
// pipe knew when it began the write. A barrier between data and flag makes the data a part of that.
// Without it the data stay unordered, and reads of them are races.
//
// The read of the flag itself is a poll, and no race, in these cases:
//
// * Its line reads the bytes more than once around the write, on the same core, which writes
//   nothing to global memory between the two reads.
// * The scalar unit looks at the bytes between two such reads.
// * A line of the data cache is dropped again and again at one place, with no write in between: the
//   kernel reads it, maybe through a pointer of C++ that is not seen.
// * In a launch on several dies: the read moves few bytes to UB, and the scalar unit loads them
//   there.
//
// Further reads by a line that polls are no race either, if they read no more bytes than it polls,
// nor are writes of what they read. On one die only a line that has been seen to poll orders
// anything, because cores there have other ways to wait.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checker/cell.hpp"
#include "checker/clock.hpp"
#include "checker/finding.hpp"
#include "checker/site.hpp"

namespace davsim::checker {

class Polls {
 public:
  /// A launch begins, on several dies or on one.
  void begin_launch(bool several_dies);
  /// Whether a write of so many bytes may be a flag.
  bool follows(std::uint64_t bytes) const { return several_dies_ || bytes <= kPiece; }
  /// Pieces of at most so many bytes arrive as a whole, so that words of kernels are no larger.
  static constexpr std::uint64_t kPiece = 512;

  /// A core writes to global memory.
  void core_writes(std::uint32_t core, Stamp stamp);
  /// `mark` writes the bytes of `cell`, by a pipe with this clock.
  void wrote(const Mark& mark, const Clock& clock, const Cell& cell);
  /// Of `mark`, which writes what another core has read at `old`; nothing orders the two.
  void overwrote(const Mark& mark, const Mark& old);
  /// `mark` reads so many bytes that `write` of another core wrote, and sees none of it: the write
  /// is still in a data cache.
  void looked_too_early(const Mark& mark, std::uint64_t bytes, const Mark& write);
  /// `mark`, which reads so many bytes, reads what `write` of another core wrote; nothing orders
  /// the two. The clock that the reader takes over; nullptr if there is none.
  const Clock* found(const Mark& mark, std::uint64_t bytes, const Mark& write);
  /// `mark` reads what `write` of another core wrote, and the two are ordered. A line that has
  /// found this write before looks again: what it saw had not arrived.
  void read_again(const Mark& mark, std::uint64_t bytes, const Mark& write);
  /// Both marks read the same few bytes, and the scalar unit has looked at them in between.
  void looked_in_vain(const Mark& first, const Mark& second, std::uint64_t bytes);
  /// The scalar unit looks at what a line read of another core's write, and decides by it.
  void looked_at(std::uint32_t site, std::uint64_t bytes) {
    if (several_dies_) polls(site, bytes);
  }
  bool is_poll(std::uint32_t site) const { return sites_.contains(site); }
  /// Whether `write` is over for a reader with this clock, because a poll that is known to it, or
  /// one of its own core, has found it.
  bool is_over(const Mark& write, std::uint32_t core, const Clock& clock) const;
  /// Whether a finding is only that a line polls.
  bool explains(const Finding& finding, const Sites& sites) const;

 private:
  /// A core's poll that found a write.
  struct Found {
    Agent agent;
    Stamp stamp;
    std::uint32_t site;
  };
  /// A read of what was written then.
  using Reader = Found;
  struct Written {
    Clock clock;
    std::vector<Reader> readers;  ///< before it, the last one of each line of each core
  };

  void polls(std::uint32_t site, std::uint64_t bytes);
  /// Whether the line of `mark` has looked at these bytes before, on the same core, which has
  /// written nothing to global memory since.
  bool looks_again(const Mark& mark, const Written& written) const;
  /// Whether a core wrote to global memory between two of its reads.
  bool wrote_between(std::uint32_t core, Stamp first, Stamp second) const;

  bool several_dies_ = false;
  std::unordered_map<Stamp, Written> writes_;  ///< of this launch
  /// By the write that was found: the first poll of each core. Few writes are; each read and write
  /// of global memory asks.
  std::unordered_map<Stamp, std::vector<Found>> found_;
  std::vector<std::vector<Stamp>> core_writes_;   ///< of this launch
  std::map<std::uint32_t, std::uint64_t> sites_;  ///< that poll: of how many bytes at most
};

}  // namespace davsim::checker
