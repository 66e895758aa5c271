// Counts the steps of a core since it last waited for other cores, with a digest of the lines that
// it came by. The steps of two cores that came by the same lines can be compared.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/instr/source_location.hpp"

namespace davsim::checker {

class Course {
 public:
  /// A stretch reaches from one wait for other cores to the next.
  struct Step {
    std::uint32_t stretch;
    std::uint64_t steps;  ///< from the start of the stretch
  };

  void begin_block(std::uint64_t position);
  /// The kernel comes to position `position`, which is the one after the last, at a source line.
  void step(std::uint64_t position, const isa::SourceLocation& where);
  /// The kernel comes by a wait for other cores. How long it polled before counts for nothing.
  void begin_stretch(std::uint64_t position);

  /// The stretch of two accesses and their steps in it, if both cores came by the same lines up to
  /// the first of the two and remember it.
  struct Pair {
    std::uint32_t stretch;
    std::uint64_t own, other;
  };
  static std::optional<Pair> pair_of(const Course& own, std::uint64_t position, const Course& other,
                                     std::uint64_t position_of_other);

 private:
  /// Positions whose digests are kept. A choice: more of them find more pairs and take more of the
  /// host's cache.
  static constexpr std::size_t kKept = 1024;

  std::optional<Step> step_of(std::uint64_t position) const;
  /// A digest of the lines of a stretch up to a step; nothing if it was not reached or is too long
  /// ago.
  std::optional<std::uint64_t> lines_up_to(const Step& step) const;

  /// The positions at which the stretches of the block begin.
  std::vector<std::uint64_t> starts_{0};
  std::uint64_t position_ = 0, digest_ = 0;
  std::array<std::uint64_t, kKept> digests_{};  ///< of the last positions
};

}  // namespace davsim::checker
