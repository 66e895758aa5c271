#include "traces/html/html_recorder.hpp"

#include <algorithm>

#include "isa/exec/accesses.hpp"
#include "isa/instr/opcode_facts.hpp"

namespace davsim::traces {

void StateTrack::add(CycleClass cycle_class, Cycle cycles) {
  if (cycles == 0) return;
  if (!states_.empty() && states_.back().cycle_class == cycle_class) {
    states_.back().cycles += cycles;
  } else {
    states_.push_back({cycle_class, cycles});
  }
}

void StateTrack::coarsen(Cycle grain) {
  StateTrack coarse;
  CycleCounts window{};
  Cycle at = 0, window_end = grain;
  const auto close = [&] {
    // A class that the last window ended with comes first, so that it becomes one state.
    const auto last = coarse.states_.empty()
                          ? kCycleClassCount
                          : static_cast<std::size_t>(coarse.states_.back().cycle_class);
    if (last < kCycleClassCount) coarse.add(static_cast<CycleClass>(last), window[last]);
    for (std::size_t i = 0; i < kCycleClassCount; ++i) {
      if (i != last) coarse.add(static_cast<CycleClass>(i), window[i]);
    }
    window.fill(0);
  };
  for (const State& state : states_) {
    for (Cycle left = state.cycles; left > 0;) {
      const Cycle part = std::min(left, window_end - at);
      window[static_cast<std::size_t>(state.cycle_class)] += part;
      at += part;
      left -= part;
      if (at < window_end) continue;
      close();
      window_end += grain;
      if (left <= grain) continue;
      const Cycle whole = left / grain * grain;  // windows of one class
      coarse.add(state.cycle_class, whole);
      at += whole;
      window_end += whole;
      left -= whole;
    }
  }
  close();
  states_ = std::move(coarse.states_);
}

void HtmlRecorder::launch_begins(const LaunchDescription& launch) {
  cores_.clear();
  moved_.clear();
  samples_.clear();
  gm_base_ = launch.gm_base;
  for (const CoreDescription& core : launch.cores) {
    if (core.id >= cores_.size()) cores_.resize(core.id + 1);
  }
  states_.launch_begins(launch);
}

void HtmlRecorder::instruction(const InstrEvent& event) {
  const isa::Instr& instr = *event.instr;
  states_.instruction(event);
  const isa::Pipe pipe = instr.pipe == isa::Pipe::ALL ? isa::Pipe::S : instr.pipe;
  cores_.at(event.core).places[static_cast<std::size_t>(pipe)].push_back(place_of(instr));
}

/// Allocations begin at multiples of 512 bytes and do not share such lines, so that the line of the
/// first byte says which tensor a move is about.
std::uint64_t HtmlRecorder::place_of(const isa::Instr& instr) {
  const isa::Unit unit = instr.opcode_info().unit;
  if (unit != isa::Unit::Dma && unit != isa::Unit::Fixpipe) return kNoPlace;
  const isa::GmFootprint footprint = isa::gm_footprint(instr);
  if (footprint.rows == 0 || footprint.addr < gm_base_) return kNoPlace;
  constexpr std::uint64_t kLine = 512;
  const std::uint64_t place = (footprint.addr - gm_base_) / kLine * kLine;
  Moved& moved = moved_[place];
  (footprint.write ? moved.written : moved.read) += footprint.bytes();
  ++moved.moves;
  return place;
}

}  // namespace davsim::traces
