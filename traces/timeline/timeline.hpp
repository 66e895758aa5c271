// A launch in memory: what every pipe of every core did and when. It is recorded while the launch
// runs, or read from a trace file.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "traces/observed.hpp"

namespace davsim::traces {

enum class EventKind : std::uint8_t { kWork, kSet, kWait, kBarrier };

/// An instruction as it ran. Cycles are those of the device's clock.
struct TimelineEvent {
  Cycle dispatched = 0, start = 0, end = 0;
  std::uint64_t flow = 0;  ///< as in InstrEvent
  Cycle stalled = 0, held = 0;
  CycleClass stall_class = CycleClass::kMemory;
  EventKind kind = EventKind::kWork;
  std::uint32_t name = 0, line = 0;  ///< indices into Timeline::texts
  /// Of a move or a scalar access: from the first byte in global memory on, counted as in traces,
  /// up to the last. 0 bytes: none.
  std::uint64_t global = 0, global_bytes = 0;
  bool global_write = false;

  /// The cycle in which it left its queue. A wait and a barrier leave it when they are released.
  Cycle issued() const {
    return kind == EventKind::kWait || kind == EventKind::kBarrier ? end : start;
  }
};

struct TimelineBlock {
  std::uint32_t block = 0;
  Cycle start = 0;   ///< the kernel begins
  Cycle issued = 0;  ///< the scalar unit reaches the end of the kernel
  Cycle end = 0;     ///< all pipes have ended their instructions
};

struct TimelineCore {
  std::string name;  ///< "core3.veccore1"; empty for a core that ran nothing
  isa::CoreType type = isa::CoreType::AIV;
  std::uint32_t ai_core = 0;    ///< the AI core it is part of
  std::uint32_t sub_block = 0;  ///< which AIV of its AI core; 0 on an AIC
  /// Of each pipe, in the order in which they left its queue; barriers on all pipes are with S.
  std::array<std::vector<TimelineEvent>, isa::kPipeCount> pipes;
  std::vector<TimelineBlock> blocks;

  const std::vector<TimelineEvent>& of(isa::Pipe pipe) const {
    return pipes[static_cast<std::size_t>(pipe)];
  }
};

struct Timeline {
  Cycle start = 0, end = 0;  ///< of the launch
  std::uint32_t queue_depth = 0;
  std::vector<TimelineCore> cores;  ///< by id
  std::vector<std::string> texts{""};

  bool empty() const;  ///< no instruction in it
};

/// Texts of a timeline, each once.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string>& texts) : texts_(texts) {}
  std::uint32_t index(std::string_view text);

 private:
  std::vector<std::string>& texts_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

/// Keeps the timeline of the launch that ran last; some 90 bytes an instruction.
class TimelineRecorder : public Observer {
 public:
  void launch_begins(const LaunchDescription& launch) override;
  void instruction(const InstrEvent& event) override;
  void block(const BlockEvent& event) override;
  void launch_ends(const LaunchReport& report) override;

  const Timeline& timeline() const { return timeline_; }

 private:
  std::uint32_t line_index(const isa::SourceLocation& where);

  Timeline timeline_;
  std::uint64_t gm_base_ = 0;
  TextTable texts_{timeline_.texts};
  std::array<std::uint32_t, isa::kOpcodeCount> mnemonics_{};  ///< indices of texts; 0: none yet
  /// A line by the pointer to its file's name, which is faster to compare than the text.
  struct Line {
    const char* file;
    std::uint32_t line;
    bool operator==(const Line&) const = default;
  };
  struct HashLine {
    std::size_t operator()(const Line& line) const {
      return std::hash<const void*>()(line.file) ^ line.line * 0x9E3779B97F4A7C15u;
    }
  };
  std::unordered_map<Line, std::uint32_t, HashLine> lines_;
};

EventKind kind_of(isa::Opcode op);

/// Bytes of global memory that an access counts as where its parameters say nothing.
inline constexpr std::uint64_t kGlobalWord = 8;
/// Notes the bytes of global memory of an event: `bursts` of `bytes`, `pitch` from start to start.
void set_global(TimelineEvent& event, std::uint64_t from, bool write, std::uint64_t bursts,
                std::int64_t pitch, std::uint64_t bytes);

}  // namespace davsim::traces
