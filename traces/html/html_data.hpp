// The data of a page as JSON. What there are many of is packed (traces/html/packed_numbers.hpp), so
// that a browser opens a launch of a million instructions at once. traces/html/page/model.js reads
// it.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <vector>

#include "traces/analysis/critical_path.hpp"
#include "traces/exporter.hpp"
#include "traces/html/html_recorder.hpp"
#include "traces/timeline/timeline.hpp"

namespace davsim::traces {

/// How much a page holds.
struct HtmlLimits {
  std::size_t events = 1'500'000;  ///< some 8 bytes each; then the shortest are left out
  std::size_t states = 3'000'000;  ///< some 2 bytes each; then neighbours are sorted and joined
};

/// Members:
///   start, end    cycles of the device's clock
///   texts[]       names of instructions, and lines
///   shortest      instructions of fewer cycles are left out; 0 if all are there
///   grain         states are sorted and joined within so many cycles; 0 if they are as they were
///   cores[]       name, type, pipes: {"MTE2": {"states", "state_count", "events", "event_count"}}
///                 states: cycles * 16 + class, from the start of the launch on
///                 events: start after that of the event before, cycles, name * 4 + kind, line, and
///                 of a move one more than the index of its tensor, of a set or a wait its flow
///   tensors[]     name, bytes, read, written, moves: most bytes moved first
///   bandwidth     span (cycles of a bin), l2[], hbm_read[], hbm_written[]: bytes of each bin
///   path          steps: cycles, core (of `cores`), pipe * 16 + class, name, line; step_count
boost::json::object html_timeline(const Timeline& timeline, HtmlRecorder& recorder,
                                  const std::vector<NamedMemory>& memories,
                                  const std::vector<PathStep>& path, const HtmlLimits& limits);

}  // namespace davsim::traces
