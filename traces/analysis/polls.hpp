// Loops in which a core reads words of global memory until another core, of its die or of another
// one, has written them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "traces/timeline/timeline.hpp"

namespace davsim::traces {

/// An event of a timeline.
struct Place {
  std::uint32_t core = 0;
  isa::Pipe pipe = isa::Pipe::S;
  std::size_t index = 0;
};

class Polls {
 public:
  explicit Polls(const Timeline& timeline);

  /// The write of another core that a read found: its bytes came after the line had read them
  /// before, and before this read was over. Nothing if the read was no such one, or if the core has
  /// awaited a flag of another core between the two: that flag is then why it read again.
  std::optional<Place> ended_by(const Place& read) const;

 private:
  /// Bytes that a line reads again and again.
  struct Words {
    std::uint64_t begin = 0, end = 0;
    std::vector<Place> writes;  ///< of any core, by their ends
  };
  struct HashPlace {
    std::size_t operator()(const Place& place) const {
      return (place.index << 8 | static_cast<std::size_t>(place.pipe)) * 0x9E3779B97F4A7C15u ^
             place.core;
    }
  };
  struct SamePlace {
    bool operator()(const Place& a, const Place& b) const {
      return a.core == b.core && a.pipe == b.pipe && a.index == b.index;
    }
  };

  const TimelineEvent& event(const Place& place) const {
    return timeline_.cores[place.core].of(place.pipe)[place.index];
  }
  void find_waits();
  void find_reads();
  void join_words();
  void find_writes();
  const Words* words_at(std::uint64_t from, std::uint64_t to) const;

  const Timeline& timeline_;
  /// The read before of the same bytes, by the same line of the same core.
  std::unordered_map<Place, std::size_t, HashPlace, SamePlace> before_;
  std::vector<std::vector<Cycle>> waits_;  ///< of each core: ends of waits for flags of others
  std::vector<Words> words_;               ///< apart from each other, by address
};

}  // namespace davsim::traces
