// visualize_data.bin: what MindStudio Insight opens to show the timeline beside the source. Blocks,
// each a header of 12 bytes and its content: JSON, or the text of a source file.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "traces/msprof/msprof_hot_spots.hpp"
#include "traces/output/tee_stream.hpp"

namespace davsim::traces {

class MsprofBin {
 public:
  /// `out` can be sought in and outlives this.
  explicit MsprofBin(std::ostream& out) : out_(out) {}

  /// Begins the block of the timeline. The result writes to the block and to `copy`, until
  /// end_timeline().
  std::ostream& begin_timeline(std::ostream& copy);
  void end_timeline();
  /// Instructions and source lines of each core, and the source files that can be read.
  void write_hot_spots(const std::vector<std::pair<std::string, const MsprofHotSpots*>>& cores);

 private:
  std::ostream& out_;
  std::unique_ptr<TeeStream> tee_;
};

}  // namespace davsim::traces
