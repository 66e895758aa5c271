#include "traces/msprof/msprof_export.hpp"

#include "isa/exec/accesses.hpp"
#include "traces/source_line.hpp"

namespace davsim::traces {
namespace {

const std::string kFolder = "simulator/";

}  // namespace

void MsprofExport::launch_begins(const LaunchDescription& launch) {
  if (++launches_ > 1) return;
  launch_ = launch;
  bin_ = std::make_unique<MsprofBin>(open_(kFolder + "visualize_data.bin"));
  timeline_ =
      std::make_unique<MsprofTimeline>(bin_->begin_timeline(open_(kFolder + "trace.json")), launch);
  for (const CoreDescription& core : launch.cores) cores_[core.id].numbers.description = core;
}

MsprofExport::Core& MsprofExport::running_core(std::uint32_t id) {
  Core& core = cores_.at(id);
  if (core.timeline == nullptr) {
    const std::string& name = core.numbers.description.name;
    timeline_->add_core(core.numbers.description);
    core.timeline = std::make_unique<MsprofCoreTimeline>(open_(kFolder + name + "/trace.json"),
                                                         launch_.frequency_mhz, launch_.start);
  }
  return core;
}

void MsprofExport::instruction(const InstrEvent& event) {
  if (launches_ > 1) return;
  Core& core = running_core(event.core);
  const MsprofEvent shown = event_of(event, core);
  timeline_->instruction(shown);
  core.timeline->instruction(shown);
  core.hot_spots.instruction(event, addresses_.address(*event.instr), shown.detail, shown.gm_bytes);
  core.numbers.add(event);
}

MsprofEvent MsprofExport::event_of(const InstrEvent& event, const Core& core) {
  const isa::Instr& instr = *event.instr;
  MsprofEvent shown;
  shown.event = &event;
  shown.core = core.numbers.description.name;
  shown.address = hex_text(addresses_.address(instr));
  shown.line = source_line(instr.where);
  shown.detail = instr_detail(instr, launch_.gm_base);
  const isa::Unit unit = instr.opcode_info().unit;
  if (unit == isa::Unit::Dma || unit == isa::Unit::Fixpipe) {
    shown.gm_bytes = isa::gm_footprint(instr).bytes();
  }
  return shown;
}

void MsprofExport::block(const BlockEvent& event) {
  if (launches_ > 1) return;
  MsprofCore& numbers = running_core(event.core).numbers;
  if (!numbers.ran_block) numbers.block = event.block;
  numbers.ran_block = true;
}

void MsprofExport::launch_ends(const LaunchReport& report) {
  if (launches_ == 1) report_ = report;
}

void MsprofExport::finish() {
  if (!timeline_) return;
  timeline_->finish();
  bin_->end_timeline();
  std::vector<MsprofCore> numbers;
  std::vector<std::pair<std::string, const MsprofHotSpots*>> hot_spots;
  for (auto& [id, core] : cores_) {
    if (core.timeline == nullptr) continue;
    core.timeline->finish();
    const std::string& name = core.numbers.description.name;
    const std::string stem = kFolder + name + "/" + name;
    core.hot_spots.write_instructions(open_(stem + "_instr_exe.csv"), launch_.frequency_mhz);
    core.hot_spots.write_lines(open_(stem + "_code_exe.csv"), launch_.frequency_mhz);
    numbers.push_back(core.numbers);
    hot_spots.emplace_back(name, &core.hot_spots);
  }
  bin_->write_hot_spots(hot_spots);
  write_msprof_tables(launch_, report_, numbers, open_);
}

}  // namespace davsim::traces
