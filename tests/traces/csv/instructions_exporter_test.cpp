// The table of all instructions, from launches that ran.
#include <algorithm>
#include <set>
#include <sstream>

#include "tests/sim/device_fixture.hpp"
#include "tests/traces/output/csv_table.hpp"
#include "traces/exporter.hpp"
#include "traces/observers.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

constexpr std::uint32_t kCsvCount = 2048;

std::unique_ptr<traces::Export> make_export(std::ostream& stream) {
  traces::ExportContext context;
  context.stream = &stream;
  const auto all = traces::exporters();
  const auto found = std::find_if(all.begin(), all.end(), [](const traces::Exporter* exporter) {
    return exporter->name == "instructions";
  });
  return (*found)->make(context);
}

class InstructionTable : public DeviceTest {
 protected:
  InstructionTable() {
    observers_.add(export_->observer());
    observers_.add(&recorder);
    device().attach(&observers_);
  }
  ~InstructionTable() override { device().attach(nullptr); }

  /// A load for which a computation waits, on each of the cores.
  void run(std::uint32_t blocks) {
    float* in = global<float>(kCsvCount, "in", [](auto i) { return float(i); });
    on_vector(blocks, [=] {
      const auto x = ub<float>(0, kCsvCount), y = ub<float>(65536, kCsvCount);
      DataCopy(x, gm(in, kCsvCount), kCsvCount);
      SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
      WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
      Adds(y, x, 1.0f, kCsvCount);
      PipeBarrier<PIPE_ALL>();
    });
    export_->finish({});
    table_ = parse_csv(stream_.str());
  }

  using Row = std::map<std::string, std::string>;
  static observe::Cycle number(const Row& row, const char* column) {
    return std::stoull(row.at(column));
  }
  std::vector<Row> rows_of(isa::Opcode op) const {
    const auto mnemonic = isa::kOpcodeInfo[static_cast<std::size_t>(op)].mnemonic;
    std::vector<Row> found;
    for (const Row& row : table_.rows) {
      if (row.at("instruction") == mnemonic) found.push_back(row);
    }
    return found;
  }

  std::ostringstream stream_;
  const std::unique_ptr<traces::Export> export_ = make_export(stream_);
  traces::Observers observers_;
  Csv table_;
};

TEST_F(InstructionTable, HasARowForEachInstructionInItsCycles) {
  run(3);
  EXPECT_EQ(table_.heading,
            (std::vector<std::string>{"core", "pipe", "instruction", "dispatched", "start", "end",
                                      "stall_cycles", "stall", "unit_flag_cycles", "line"}));
  ASSERT_EQ(table_.rows.size(), recorder.events.size());
  ASSERT_GE(table_.rows.size(), 15u);
  for (std::size_t i = 0; i < table_.rows.size(); ++i) {
    const Row& row = table_.rows[i];
    const Recorder::Event& event = recorder.events[i];
    EXPECT_EQ(row.at("pipe"), isa::pipe_name(event.instr.pipe));
    EXPECT_EQ(row.at("instruction"), event.instr.opcode_info().mnemonic);
    EXPECT_EQ(number(row, "dispatched"), recorder.start + event.dispatched);
    EXPECT_EQ(number(row, "start"), recorder.start + event.start);
    EXPECT_EQ(number(row, "end"), recorder.start + event.end);
    EXPECT_EQ(row.at("unit_flag_cycles"), "0");
  }
  std::set<std::string> cores;
  for (const Row& row : rows_of(isa::Opcode::kAdds)) cores.insert(row.at("core"));
  EXPECT_EQ(cores, (std::set<std::string>{"core0.veccore0", "core0.veccore1", "core1.veccore0"}));
}

TEST_F(InstructionTable, SaysWhatStalledAnInstructionAndForHowLong) {
  run(1);
  const Row load = rows_of(isa::Opcode::kMoveGmToUb).at(0);
  EXPECT_EQ(load.at("stall"), "memory");
  EXPECT_GT(number(load, "stall_cycles"), 0u);
  EXPECT_LT(number(load, "stall_cycles"), number(load, "end") - number(load, "start"));
  const Row wait = rows_of(isa::Opcode::kWaitFlag).at(0);
  EXPECT_EQ(wait.at("stall"), "wait_flag");
  EXPECT_EQ(number(wait, "stall_cycles"), number(wait, "end") - number(wait, "start"));
  const Row barrier = rows_of(isa::Opcode::kPipeBarrier).at(0);
  EXPECT_EQ(barrier.at("stall"), "barrier");
  const Row set = rows_of(isa::Opcode::kSetFlag).at(0);
  EXPECT_EQ(set.at("stall"), "");
  EXPECT_EQ(set.at("stall_cycles"), "0");
}

TEST_F(InstructionTable, NamesTheSourceLine) {
  run(1);
  const std::string line = rows_of(isa::Opcode::kAdds).at(0).at("line");
  EXPECT_NE(line.find("instructions_exporter_test.cpp:"), std::string::npos) << line;
}

TEST(InstructionTableOfAFullDisk, IsRefused) {
  std::ostringstream stream;
  const std::unique_ptr<traces::Export> output = make_export(stream);
  stream.setstate(std::ios::badbit);
  EXPECT_THROW(output->finish({}), std::runtime_error);
}

}  // namespace
}  // namespace davsim::test
