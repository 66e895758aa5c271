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
  gm_base_ = launch.gm_base;
  for (const CoreDescription& core : launch.cores) {
    if (core.id >= timeline_.cores.size()) timeline_.cores.resize(core.id + 1);
    TimelineCore& track = timeline_.cores[core.id];
    track.name = core.name;
    track.type = core.type;
    track.ai_core = core.ai_core;
    track.sub_block = core.sub_block;
  }
}

void set_global(TimelineEvent& event, std::uint64_t from, bool write, std::uint64_t bursts,
                std::int64_t pitch, std::uint64_t bytes) {
  event.global = from;
  event.global_write = write;
  event.global_bytes = bytes;
  if (bursts > 1 && pitch > 0)
    event.global_bytes += (bursts - 1) * static_cast<std::uint64_t>(pitch);
}

namespace {

void set_global(TimelineEvent& event, const isa::Instr& instr, std::uint64_t gm_base) {
  const bool write = instr.dst.space == isa::Space::kGm;
  if (!write && instr.src0.space != isa::Space::kGm) return;
  const std::uint64_t from = (write ? instr.dst.addr : instr.src0.addr) - gm_base;
  if (const auto* move = std::get_if<isa::MoveParams>(&instr.params)) {
    return set_global(event, from, write, move->bursts, write ? move->dst_pitch : move->src_pitch,
                      move->burst_bytes);
  }
  set_global(event, from, write, 1, 0, kGlobalWord);
}

}  // namespace

void TimelineRecorder::instruction(const InstrEvent& event) {
  const isa::Instr& instr = *event.instr;
  const isa::Pipe pipe = instr.pipe == isa::Pipe::ALL ? isa::Pipe::S : instr.pipe;
  std::uint32_t& name = mnemonics_[static_cast<std::size_t>(instr.op)];
  if (name == 0) name = texts_.index(instr.opcode_info().mnemonic);
  auto& events = timeline_.cores.at(event.core).pipes[static_cast<std::size_t>(pipe)];
  events.push_back({event.dispatched, event.start, event.end, event.flow, event.stalled, event.held,
                    event.stall_class, kind_of(instr.op), name, line_index(instr.where)});
  set_global(events.back(), instr, gm_base_);
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
