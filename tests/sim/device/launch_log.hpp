// All that a launch shows, as text: what an observer hears, counted from the launch's start, and
// every counter of the report.
#pragma once

#include <sstream>
#include <string>

#include "observe/observer.hpp"

namespace davsim::test {

class LaunchLog : public observe::Observer {
 public:
  void launch_begins(const observe::LaunchDescription& launch) override {
    start_ = launch.start;
    sampled_ = {};
    line("launch", launch.kernel, launch.block_dim, launch.cores.size());
  }
  void instruction(const observe::InstrEvent& e) override {
    line("instruction", e.core, e.instr->opcode_info().mnemonic, e.instr->where.line(),
         since(e.dispatched), since(e.start), since(e.end), e.stalled, e.stalled_counted,
         int(e.stall_class), e.held);
  }
  void block_begins(const observe::BlockBegin& e) override {
    line("begin", e.core, e.block, since(e.given), since(e.start));
  }
  void block(const observe::BlockEvent& e) override {
    line("block", e.core, e.block, since(e.start), since(e.issued), since(e.end));
  }
  /// Samples begin at round cycles of the device's clock, so that only their sums can be compared.
  void memory_sample(const observe::MemorySample& e) override {
    sampled_.l2_bytes += e.l2_bytes;
    sampled_.hbm_read_bytes += e.hbm_read_bytes;
    sampled_.hbm_write_bytes += e.hbm_write_bytes;
  }

  /// What was heard since the last call, with the counters of `report` behind it.
  std::string take(const observe::LaunchReport& report) {
    line("report", report.kernel, report.block_dim, report.cycles);
    const auto& m = report.memory;
    line("memory", m.l2_read_hits, m.l2_read_misses, m.l2_write_hits, m.l2_write_misses, m.l2_bytes,
         m.hbm_read_bytes, m.hbm_write_bytes);
    line("sampled", sampled_.l2_bytes, sampled_.hbm_read_bytes, sampled_.hbm_write_bytes);
    for (const observe::CoreCounters& core : report.cores) write(core);
    return take();
  }
  std::string take() {
    std::string text = text_.str();
    text_ = {};
    return text;
  }

 private:
  std::int64_t since(observe::Cycle cycle) const {
    return static_cast<std::int64_t>(cycle) - static_cast<std::int64_t>(start_);
  }
  template <class... Words>
  void line(const Words&... words) {
    ((text_ << words << ' '), ...) << '\n';
  }
  void write(const observe::CoreCounters& core) {
    line(core.name, core.start, core.end, core.cube_macs, core.vector_elements, core.l2.read_hits,
         core.l2.read_misses, core.l2.write_hits, core.l2.write_misses, core.code.reads,
         core.code.misses);
    for (const std::uint64_t bytes : core.path_bytes) text_ << bytes << ' ';
    for (const observe::PipeCounters& pipe : core.pipes) {
      line("pipe", pipe.instructions, pipe.in_flight);
      for (const observe::Cycle cycles : pipe.cycles) text_ << cycles << ' ';
      for (const observe::LineCycles& at : pipe.lines) {
        line(int(at.cycle_class), int(at.from), at.where.line(), at.set_at.line(), at.times,
             at.cycles);
      }
    }
  }

  observe::Cycle start_ = 0;
  observe::MemorySample sampled_;
  std::ostringstream text_;
};

/// The first line in which two logs differ, of both.
inline std::string first_difference(const std::string& is, const std::string& should_be) {
  std::istringstream a(is), b(should_be);
  std::string of_a, of_b;
  while (of_a == of_b && a && b) {
    if (!std::getline(a, of_a)) of_a = "nothing";
    if (!std::getline(b, of_b)) of_b = "nothing";
  }
  return "is        " + of_a + "\nshould be " + of_b;
}

}  // namespace davsim::test
