// --instructions: a table of all instructions, for scripts and spreadsheets.
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "traces/observer_export.hpp"
#include "traces/output/csv.hpp"
#include "traces/source_line.hpp"
#include "traces/timeline/timeline.hpp"

namespace davsim::traces {
namespace {

/// What kept an instruction from going on, and for how many of its cycles.
struct Stall {
  Cycle cycles = 0;
  CycleClass cycle_class = CycleClass::kBusy;
};

Stall stall_of(const InstrEvent& event) {
  switch (kind_of(event.instr->op)) {
    case EventKind::kWait:
      return {event.end - event.start, event.instr->op == isa::Opcode::kWaitFlag
                                           ? CycleClass::kWaitFlag
                                           : CycleClass::kWaitCrossCore};
    case EventKind::kBarrier:
      return {event.end - event.start, CycleClass::kBarrier};
    case EventKind::kSet:
    case EventKind::kWork:
      break;
  }
  return {event.stalled, event.stall_class};
}

/// Writes a row when an instruction ends.
class InstructionTable : public Observer {
 public:
  explicit InstructionTable(std::ostream& stream) : stream_(stream) {
    stream_ << "core,pipe,instruction,dispatched,start,end,stall_cycles,stall,unit_flag_cycles,"
               "line\n";
  }

  void launch_begins(const LaunchDescription& launch) override {
    for (const CoreDescription& core : launch.cores) {
      if (core.id >= cores_.size()) cores_.resize(core.id + 1);
      cores_[core.id] = core.name;
    }
  }
  void instruction(const InstrEvent& event) override {
    const Stall stall = stall_of(event);
    row_.clear();
    add(cores_.at(event.core));
    add(isa::pipe_name(event.instr->pipe));
    add(event.instr->opcode_info().mnemonic);
    add(event.dispatched);
    add(event.start);
    add(event.end);
    add(stall.cycles);
    add(stall.cycles > 0 ? cycle_class_name(stall.cycle_class) : "");
    add(event.held);
    row_ += csv_field(source_line(event.instr->where));
    stream_ << row_ << '\n';
  }
  void finish() {
    stream_.flush();
    if (!stream_) throw std::runtime_error("the table could not be written as a whole");
  }

 private:
  void add(std::string_view text) { row_.append(text).append(","); }
  void add(Cycle number) { add(std::to_string(number)); }

  std::ostream& stream_;
  std::vector<std::string> cores_;  ///< names, by id
  std::string row_;
};

const ExporterRegistrar g_instructions({
    .name = "instructions",
    .value_name = "FILE",
    .help = "write a table of all instructions (CSV): core, pipe, when each was dispatched, "
            "started and ended, how long and by what it was stalled, source line; packed by gzip "
            "if the name ends in .gz",
    .target = ExportTarget::kPackedFile,
    .place = 40,
    .make = [](const ExportContext& context) -> std::unique_ptr<Export> {
      return std::make_unique<BackgroundExport<InstructionTable>>(*context.stream);
    },
});

}  // namespace
}  // namespace davsim::traces
