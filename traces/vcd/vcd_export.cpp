#include "traces/vcd/vcd_export.hpp"

#include <algorithm>
#include <cmath>

#include "traces/output/trace_time.hpp"
#include "traces/timeline/timeline.hpp"

namespace davsim::traces {
namespace {

constexpr std::uint32_t kStateBits = 4, kCountBits = 7;

std::uint32_t width_of(std::uint32_t signal_kind) {
  return signal_kind == 0 ? kStateBits : kCountBits;
}

/// Identifiers of signals are texts of the printable characters.
std::string identifier(std::uint32_t signal) {
  constexpr std::uint32_t kFirst = '!', kCharacters = '~' - '!' + 1;
  std::string text;
  do {
    text += static_cast<char>(kFirst + signal % kCharacters);
    signal /= kCharacters;
  } while (signal > 0);
  return text;
}

std::string binary(std::uint32_t value, std::uint32_t width) {
  std::string text = "b";
  for (std::uint32_t bit = width; bit-- > 0;) text += (value >> bit & 1u) != 0 ? '1' : '0';
  return text;
}

}  // namespace

void VcdExport::launch_begins(const LaunchDescription& launch) {
  const bool first = mhz_ == 0;
  soc_ = launch.soc;
  kernel_ = launch.kernel;
  mhz_ = launch.frequency_mhz;
  if (first) begin_ = launch.start;
  for (const CoreDescription& core : launch.cores) {
    if (core.id >= cores_.size()) cores_.resize(core.id + 1);
    cores_[core.id].description = core;
  }
  states_.launch_begins(launch);
}

void VcdExport::state(std::uint32_t core, isa::Pipe pipe, CycleClass cycle_class, Cycle begin) {
  if (pipe == isa::Pipe::S) return;  // has no signals
  const auto index = static_cast<std::size_t>(pipe);
  const auto value = static_cast<std::uint32_t>(cycle_class);
  PipeTrack& track = cores_[core].pipes[index];
  if (value == track.last) return;
  changes_.push_back({begin, signal(core, index, kState), static_cast<std::int32_t>(value)});
  track.last = value;
}

void VcdExport::instruction(const InstrEvent& event) {
  const isa::Instr& instr = *event.instr;
  states_.instruction(event);
  // The scalar unit's own instructions are only a small part of its work.
  if (instr.pipe == isa::Pipe::S || instr.pipe == isa::Pipe::ALL) return;
  const auto pipe = static_cast<std::size_t>(instr.pipe);
  cores_[event.core].used = cores_[event.core].pipes[pipe].used = true;
  const EventKind kind = kind_of(instr.op);
  const bool waits = kind == EventKind::kWait || kind == EventKind::kBarrier;
  const Cycle issued = waits ? event.end : event.start;
  if (issued > event.dispatched) {
    changes_.push_back({event.dispatched, signal(event.core, pipe, kQueue), 1});
    changes_.push_back({issued, signal(event.core, pipe, kQueue), -1});
  }
  if (kind == EventKind::kWork) {
    changes_.push_back({event.start, signal(event.core, pipe, kInFlight), 1});
    changes_.push_back({event.end, signal(event.core, pipe, kInFlight), -1});
  }
}

void VcdExport::block_begins(const BlockBegin& event) {
  states_.block_begins(event);
}

void VcdExport::block(const BlockEvent& event) {
  states_.block(event);
}

void VcdExport::launch_ends(const LaunchReport& report) {
  end_ = report.start + report.cycles;
  states_.launch_ends(report);
}

void VcdExport::declare(std::uint32_t signal, std::uint32_t width, const char* name) {
  out_ << "$var wire " << width << ' ' << identifier(signal) << ' ' << name << " [" << width - 1
       << ":0] $end\n";
}

/// A point separates scopes.
std::string VcdExport::scope_of(std::uint32_t core) const {
  std::string name = cores_[core].description.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

void VcdExport::write_states(std::ostream& out) {
  // GTKWave compares with what it would show, hexadecimal digits, and takes a colour's name.
  constexpr std::array<const char*, kCycleClassCount> kColors = {
      "blue",   "orange", "red",   "yellow", "violet", "green",
      "gray40", "cyan",   "brown", "maroon", "gray60", "black"};
  for (std::size_t i = 0; i < kCycleClassCount; ++i) {
    out << "0123456789abcdef"[i] << " ?" << kColors[i] << '?'
        << cycle_class_name(static_cast<CycleClass>(i)) << '\n';
  }
}

void VcdExport::write_view(std::ostream& out, const std::string& states) const {
  using isa::Pipe;
  // Flags of a trace: hexadecimal, to the right, translated by a file.
  constexpr const char* kTranslated = "@2022\n";
  for (std::uint32_t core = 0; core < cores_.size(); ++core) {
    if (!cores_[core].used) continue;
    out << "@200\n-" << cores_[core].description.name << '\n';
    for (const Pipe pipe : {Pipe::MTE1, Pipe::M, Pipe::FIX, Pipe::MTE2, Pipe::V, Pipe::MTE3}) {
      if (!cores_[core].pipes[static_cast<std::size_t>(pipe)].used) continue;
      out << kTranslated << "^1 " << states << '\n'
          << scope_of(core) << '.' << isa::pipe_name(pipe) << ".state[" << kStateBits - 1
          << ":0]\n";
    }
  }
}

void VcdExport::header() {
  out_ << "$comment " << kernel_ << " on " << soc_ << ", " << mhz_ << " MHz; states:";
  for (std::size_t i = 0; i < kCycleClassCount; ++i) {
    out_ << ' ' << i << '=' << cycle_class_name(static_cast<CycleClass>(i));
  }
  out_ << " $end\n$version davsim $end\n$timescale 1ps $end\n";
  for (std::uint32_t core = 0; core < cores_.size(); ++core) {
    if (!cores_[core].used) continue;
    out_ << "$scope module " << scope_of(core) << " $end\n";
    for (std::size_t pipe = 0; pipe < isa::kPipeCount; ++pipe) {
      if (!cores_[core].pipes[pipe].used) continue;
      out_ << "$scope module " << isa::pipe_name(static_cast<isa::Pipe>(pipe)) << " $end\n";
      declare(signal(core, pipe, kState), kStateBits, "state");
      declare(signal(core, pipe, kQueue), kCountBits, "queue");
      declare(signal(core, pipe, kInFlight), kCountBits, "in_flight");
      out_ << "$upscope $end\n";
    }
    out_ << "$upscope $end\n";
  }
  out_ << "$enddefinitions $end\n";
}

void VcdExport::changes() {
  // The last value of an instant counts, so the changes of a signal stay in their order.
  std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
    return a.at != b.at ? a.at < b.at : a.signal < b.signal;
  });
  std::vector<std::int32_t> values(cores_.size() * isa::kPipeCount * kSignals, 0);
  std::vector<std::int32_t> written(values.size(), -1);
  Cycle last = begin_;
  for (std::size_t i = 0; i < changes_.size();) {
    const Cycle at = changes_[i].at;
    bool stamped = false;
    while (i < changes_.size() && changes_[i].at == at) {
      const std::uint32_t s = changes_[i].signal;
      const std::uint32_t track = s / kSignals;
      const bool shown = cores_[track / isa::kPipeCount].pipes[track % isa::kPipeCount].used;
      for (; i < changes_.size() && changes_[i].at == at && changes_[i].signal == s; ++i) {
        values[s] = s % kSignals == kState ? changes_[i].value : values[s] + changes_[i].value;
      }
      if (!shown || values[s] == written[s]) continue;
      if (!stamped) out_ << '#' << picoseconds(at - begin_, mhz_) << '\n';
      stamped = true;
      last = at;
      written[s] = values[s];
      out_ << binary(static_cast<std::uint32_t>(values[s]), width_of(s % kSignals)) << ' '
           << identifier(s) << '\n';
    }
  }
  if (end_ > last) out_ << '#' << picoseconds(end_ - begin_, mhz_) << '\n';
}

void VcdExport::finish() {
  // Every signal has a value from the start on.
  for (std::uint32_t core = 0; core < cores_.size(); ++core) {
    for (std::size_t pipe = 0; pipe < isa::kPipeCount; ++pipe) {
      if (!cores_[core].pipes[pipe].used) continue;
      changes_.push_back({begin_, signal(core, pipe, kQueue), 0});
      changes_.push_back({begin_, signal(core, pipe, kInFlight), 0});
    }
  }
  header();
  changes();
  out_.flush();
}

}  // namespace davsim::traces
