#include "traces/timeline/timeline.hpp"

#include <algorithm>

#include "isa/instr/opcode_facts.hpp"
#include "traces/source_line.hpp"

namespace davsim::traces {

bool Timeline::empty() const {
  return std::all_of(cores.begin(), cores.end(), [](const TimelineCore& core) {
    return std::all_of(core.pipes.begin(), core.pipes.end(),
                       [](const auto& events) { return events.empty(); });
  });
}

std::uint32_t TextTable::index(std::string_view text) {
  const auto [entry, added] =
      index_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (added) texts_.emplace_back(text);
  return entry->second;
}

EventKind kind_of(isa::Opcode op) {
  switch (isa::facts(op).sync) {
    case isa::SyncRole::kSets:
      return EventKind::kSet;
    case isa::SyncRole::kWaits:
      return EventKind::kWait;
    case isa::SyncRole::kWaitsForAll:
      return EventKind::kBarrier;
    case isa::SyncRole::kNoSync:
      break;
  }
  return EventKind::kWork;
}

void TimelineRecorder::launch_begins(const LaunchDescription& launch) {
  timeline_.cores.clear();
  timeline_.start = timeline_.end = launch.start;
  timeline_.queue_depth = launch.queue_depth;
  for (const CoreDescription& core : launch.cores) {
    if (core.id >= timeline_.cores.size()) timeline_.cores.resize(core.id + 1);
    TimelineCore& track = timeline_.cores[core.id];
    track.name = core.name;
    track.type = core.type;
    track.ai_core = core.ai_core;
    track.sub_block = core.sub_block;
  }
}

void TimelineRecorder::instruction(const InstrEvent& event) {
  const isa::Instr& instr = *event.instr;
  const isa::Pipe pipe = instr.pipe == isa::Pipe::ALL ? isa::Pipe::S : instr.pipe;
  std::uint32_t& name = mnemonics_[static_cast<std::size_t>(instr.op)];
  if (name == 0) name = texts_.index(instr.opcode_info().mnemonic);
  timeline_.cores.at(event.core)
      .pipes[static_cast<std::size_t>(pipe)]
      .push_back({event.dispatched, event.start, event.end, event.flow, event.stalled, event.held,
                  event.stall_class, kind_of(instr.op), name, line_index(instr.where)});
}

void TimelineRecorder::block(const BlockEvent& event) {
  timeline_.cores.at(event.core)
      .blocks.push_back({event.block, event.start, event.issued, event.end});
}

void TimelineRecorder::launch_ends(const LaunchReport& report) {
  timeline_.end = report.start + report.cycles;
}

std::uint32_t TimelineRecorder::line_index(const isa::SourceLocation& where) {
  if (where.line() == 0) return 0;
  const auto [entry, added] = lines_.try_emplace({where.file_name(), where.line()}, 0);
  if (added) {
    entry->second = texts_.index(source_line(where));
  }
  return entry->second;
}

}  // namespace davsim::traces
