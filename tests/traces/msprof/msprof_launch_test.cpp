// The vendor's folder layout, from launches that ran.
#include "traces/msprof/msprof_export.hpp"

#include <boost/json.hpp>
#include <map>
#include <set>
#include <sstream>

#include "tests/sim/device_fixture.hpp"
#include "tests/traces/output/csv_table.hpp"
#include "traces/observers.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
namespace json = boost::json;

constexpr std::uint32_t kMsprofCount = 2048;

class Msprof : public DeviceTest {
 protected:
  Msprof() {
    device("Ascend910B3", {.lines = true});
    observers_.add(&recorder);
    observers_.add(&export_);
    device().attach(&observers_);
  }
  ~Msprof() override { device().attach(nullptr); }

  /// A load, a computation, a store and a scalar load on each core.
  void run(std::uint32_t blocks) {
    float* in = global<float>(kMsprofCount, "in", [](auto i) { return float(i); });
    float* out = global<float>(kMsprofCount, "out", [](auto) { return 0.f; });
    report_ = on_vector(blocks, [=] {
      const auto x = ub<float>(0, kMsprofCount), y = ub<float>(65536, kMsprofCount);
      for (int i = 0; i < 2; ++i) DataCopy(x[i * 1024], gm(in, kMsprofCount)[i * 1024], 1024);
      SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
      WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
      Adds(y, x, 1.0f, kMsprofCount);
      Cast(ub<half>(131072, kMsprofCount), y, RoundMode::CAST_NONE, kMsprofCount);
      SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
      DataCopy(gm(out, kMsprofCount), y, kMsprofCount);
      PipeBarrier<PIPE_ALL>();
      y.GetValue(0);
    });
    export_.finish();
  }
  std::string text(const std::string& name) { return files_.at(name).str(); }
  Csv csv(const std::string& name) { return parse_csv(text(name)); }
  json::value document(const std::string& name) { return json::parse(text(name)); }
  static double number(const std::map<std::string, std::string>& row, const std::string& column) {
    return std::stod(row.at(column));
  }
  /// Microseconds of a number of cycles.
  double us(observe::Cycle cycles) const {
    return static_cast<double>(cycles) / report_.frequency_mhz;
  }
  const observe::PipeCounters& pipe(isa::Pipe id, std::size_t core = 0) const {
    return report_.cores[core].pipes[static_cast<std::size_t>(id)];
  }

  std::map<std::string, std::ostringstream> files_;
  traces::MsprofExport export_{
      [this](const std::string& name) -> std::ostream& { return files_[name]; }};
  traces::Observers observers_;
  observe::LaunchReport report_;
};

TEST_F(Msprof, HasAFolderForEachCoreThatRan) {
  run(3);
  std::set<std::string> names;
  for (const auto& [name, content] : files_) names.insert(name);
  std::set<std::string> expected = {"simulator/visualize_data.bin",
                                    "simulator/trace.json",
                                    "ArithmeticUtilization.csv",
                                    "L2Cache.csv",
                                    "Memory.csv",
                                    "MemoryL0.csv",
                                    "MemoryUB.csv",
                                    "PipeUtilization.csv",
                                    "ResourceConflictRatio.csv",
                                    "OpBasicInfo.csv"};
  for (const auto& core : report_.cores) {
    const std::string folder = "simulator/" + core.name + "/";
    expected.insert(folder + "trace.json");
    expected.insert(folder + core.name + "_instr_exe.csv");
    expected.insert(folder + core.name + "_code_exe.csv");
  }
  EXPECT_EQ(names, expected);
}

TEST_F(Msprof, TheFirstOfSeveralLaunchesIsKept) {
  const auto first = on_vector(1, [] { Duplicate(ub<float>(0, 64), 1.0f, 64); });
  EXPECT_EQ(export_.left_out(), 0u);
  run(3);
  EXPECT_EQ(export_.left_out(), 1u);
  EXPECT_EQ(files_.count("simulator/core0.veccore0/trace.json"), 1u);
  EXPECT_EQ(files_.count("simulator/core0.veccore1/trace.json"), 0u);
  const Csv rows = csv("simulator/core0.veccore0/core0.veccore0_instr_exe.csv");
  for (const auto& row : rows.rows) EXPECT_EQ(row.at("pipe").find("MTE2"), std::string::npos);
  EXPECT_EQ(csv("PipeUtilization.csv").rows.size(), 1u);
  const auto& core = first.cores.at(0);
  EXPECT_EQ(number(csv("PipeUtilization.csv").rows.at(0), "aiv_total_cycles"),
            static_cast<double>(core.end - core.start));
}

TEST_F(Msprof, TheTimelineOfAllCoresHasTheVendorsForm) {
  run(2);
  const json::value document = this->document("simulator/trace.json");
  EXPECT_EQ(document.at("schemaVersion").as_int64(), 2);
  EXPECT_EQ(document.at("profilingType").as_string(), "op");
  std::map<std::string, int> phases;
  std::map<std::string, std::vector<json::object>> flows;
  std::set<std::string> pids, lanes, tracks;
  for (const json::value& value : document.at("traceEvents").as_array()) {
    const json::object& event = value.as_object();
    const std::string phase(event.at("ph").as_string());
    ++phases[phase];
    pids.insert(std::string(event.at("pid").as_string()));
    if (phase == "s" || phase == "t") flows[event.at("id").as_string().c_str()].push_back(event);
    if (phase != "X") continue;
    const std::string track = event.at("tid").as_string().c_str();
    tracks.insert(track);
    lanes.insert(track.substr(0, track.find('_')));
    EXPECT_NE(event.at("args").at("code").as_string().find("msprof_launch_test.cpp:"),
              json::string::npos);
    EXPECT_TRUE(event.at("args").at("pc_addr").as_string().starts_with("0x"));
    EXPECT_EQ(event.at("args").as_object().contains("process_bytes"),
              event.at("name").as_string().starts_with("MOV_OUT") ||
                  event.at("name").as_string().starts_with("MOV_UB"));
  }
  EXPECT_EQ(pids, (std::set<std::string>{report_.cores[0].name, report_.cores[1].name}));
  EXPECT_EQ(lanes, (std::set<std::string>{"VECTOR", "MTE2", "MTE3", "SCALARLDST", "ALL"}));
  EXPECT_TRUE(tracks.contains("MTE2") && tracks.contains("MTE2_2"));  // two moves in flight
  EXPECT_EQ(phases["B"], 2 * 2 * 2);  // two sets and two waits a core
  EXPECT_EQ(phases["B"], phases["E"]);
  ASSERT_EQ(flows.size(), 4u);
  for (const auto& [id, ends] : flows) {
    ASSERT_EQ(ends.size(), 2u) << id;
    EXPECT_EQ(ends[0].at("cat"), ends[1].at("cat"));
    EXPECT_EQ(ends[0].at("ph").as_string(), "s");
    EXPECT_LE(ends[0].at("ts").as_double(), ends[1].at("ts").as_double());
  }
}

TEST_F(Msprof, TheTimelineOfACoreHasAProcessAPipeAndRowsForOverlaps) {
  run(1);
  const json::value document = this->document("simulator/" + report_.cores[0].name + "/trace.json");
  std::map<std::int64_t, std::string> processes;
  std::map<std::string, std::vector<std::pair<double, double>>> rows;
  int moves = 0;
  for (const json::value& value : document.as_array()) {
    const json::object& event = value.as_object();
    const std::string phase(event.at("ph").as_string());
    const auto pid = event.at("pid").as_int64();
    if (phase == "M" && event.at("name").as_string() == "process_name") {
      processes[pid] = event.at("args").at("name").as_string().c_str();
    }
    if (phase != "X") continue;
    moves += event.at("name").as_string() == "MOV_OUT_TO_UB";
    const double begin = event.at("ts").as_double();
    const std::string row = processes.at(pid) + "_" + std::to_string(event.at("tid").as_int64());
    for (const auto& [other_begin, other_end] : rows[row]) {
      EXPECT_TRUE(begin >= other_end - 1e-9 ||
                  begin + event.at("dur").as_double() <= other_begin + 1e-9)
          << row;
    }
    rows[row].emplace_back(begin, begin + event.at("dur").as_double());
  }
  EXPECT_EQ(processes.at(30), "VECTOR");
  EXPECT_EQ(processes.at(60), "MTE2");
  EXPECT_EQ(processes.at(20), "SCALARLDST");
  EXPECT_EQ(moves, 2);
  EXPECT_TRUE(rows.contains("MTE2_2"));  // two moves in flight
}

TEST_F(Msprof, HotInstructionsAndLines) {
  run(1);
  const std::string stem = "simulator/" + report_.cores[0].name + "/" + report_.cores[0].name;
  const Csv instructions = csv(stem + "_instr_exe.csv");
  EXPECT_EQ(text(stem + "_instr_exe.csv").substr(0, text(stem + "_instr_exe.csv").find('\n')),
            "instr,addr,pipe,call_count,cycles,running_time(us),detail");
  const auto loads = recorder.of(isa::Opcode::kMoveGmToUb);
  ASSERT_EQ(loads.size(), 2u);
  std::set<std::string> addresses;
  double last = 1e30;
  bool found = false;
  for (const auto& row : instructions.rows) {
    addresses.insert(row.at("addr"));
    EXPECT_LE(number(row, "cycles"), last);
    last = number(row, "cycles");
    if (row.at("instr") != "MOV_OUT_TO_UB") continue;
    found = true;
    EXPECT_EQ(row.at("pipe"), "MTE2");
    EXPECT_EQ(row.at("call_count"), "2");
    // Both calls overlap: their cycles add up, the running time does not.
    EXPECT_EQ(number(row, "cycles"),
              static_cast<double>(loads[0].end - loads[0].start + loads[1].end - loads[1].start));
    EXPECT_NEAR(number(row, "running_time(us)"), us(loads[1].end - loads[0].start), 2e-6);
    EXPECT_LT(number(row, "running_time(us)"),
              us(static_cast<observe::Cycle>(number(row, "cycles"))));
    EXPECT_NE(row.at("detail").find("dst:UB+0x"), std::string::npos);
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(addresses.size(), instructions.rows.size());

  const Csv lines = csv(stem + "_code_exe.csv");
  EXPECT_EQ(lines.heading,
            (std::vector<std::string>{"code", "call_count", "cycles", "running_time(us)"}));
  bool load_line = false;
  for (const auto& row : lines.rows) {
    load_line |= row.at("code").ends_with("msprof_launch_test.cpp:" +
                                          std::to_string(loads[0].instr.where.line())) &&
                 row.at("call_count") == "2";
  }
  EXPECT_TRUE(load_line);
}

/// A block of visualize_data.bin.
struct BinBlock {
  int type = 0, version = 0;
  std::string path, content;
};

std::vector<BinBlock> blocks_of(const std::string& file) {
  std::vector<BinBlock> blocks;
  std::size_t at = 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(file.at(i)); };
  while (at < file.size()) {
    std::uint64_t size = 0;
    for (int i = 7; i >= 0; --i) size = size << 8 | byte(at + static_cast<std::size_t>(i));
    BinBlock block;
    block.type = byte(at + 8);
    const std::size_t padding = byte(at + 9);
    block.version = byte(at + 10);
    EXPECT_EQ(byte(at + 11), 0x5a);
    EXPECT_EQ(size % 4, 0u);
    EXPECT_LT(padding, 4u);
    at += 12;
    if (block.type == 1) {
      block.path = file.substr(at, 4096).c_str();
      at += 4096;
    }
    block.content = file.substr(at, size - padding);
    EXPECT_EQ(file.substr(at + size - padding, padding), std::string(padding, '\0'));
    at += size;
    blocks.push_back(block);
  }
  EXPECT_EQ(at, file.size());
  return blocks;
}

TEST_F(Msprof, InsightsFileHoldsTheTimelineAndTheSource) {
  run(2);
  std::map<int, std::vector<BinBlock>> blocks;
  for (const BinBlock& block : blocks_of(text("simulator/visualize_data.bin"))) {
    blocks[block.type].push_back(block);
  }
  ASSERT_EQ(blocks[2].size(), 1u);
  EXPECT_EQ(blocks[2][0].content, text("simulator/trace.json"));
  ASSERT_EQ(blocks[3].size(), 1u);
  ASSERT_EQ(blocks[4].size(), 1u);
  EXPECT_EQ(blocks[4][0].version, 0);
  for (const BinBlock& code : blocks[1]) EXPECT_NE(code.content.find('\n'), std::string::npos);

  const json::value twice = {2, 2}, bytes = {8192, 8192};
  const json::value lines = json::parse(blocks[3][0].content);
  EXPECT_EQ(lines.at("Cores").as_array().size(), 2u);
  const auto load = recorder.of(isa::Opcode::kMoveGmToUb).at(0);
  bool found = false;
  for (const json::value& file : lines.at("Files").as_array()) {
    if (file.at("Source").as_string() != load.instr.where.file_name()) continue;
    for (const json::value& line : file.at("Lines").as_array()) {
      if (line.at("Line").to_number<std::uint32_t>() != load.instr.where.line()) continue;
      found = true;
      EXPECT_EQ(line.at("Instructions Executed"), twice);
      EXPECT_EQ(line.at("Process Bytes"), bytes);
      EXPECT_EQ(line.at("Address Range").as_array().size(), 1u);
    }
  }
  EXPECT_TRUE(found);

  const json::value instructions = json::parse(blocks[4][0].content);
  const json::object& types = instructions.at("Instructions Dtype").at("Instructions").as_object();
  found = false;
  for (const json::value& instr : instructions.at("Instructions").as_array()) {
    found |= instr.at("Pipe").as_string() == "MTE2" &&
             instr.at("Source").as_string().starts_with("MOV_OUT_TO_UB dst:UB") &&
             instr.at("Instructions Executed") == twice;
    for (const auto& column : instr.as_object()) EXPECT_TRUE(types.contains(column.key()));
  }
  EXPECT_TRUE(found);
}

TEST_F(Msprof, TablesSayWhatTheReportSays) {
  run(3);
  const Csv pipes = csv("PipeUtilization.csv"), memory = csv("Memory.csv"),
            arithmetic = csv("ArithmeticUtilization.csv"), l2 = csv("L2Cache.csv"),
            conflicts = csv("ResourceConflictRatio.csv"), unified = csv("MemoryUB.csv");
  ASSERT_EQ(pipes.rows.size(), 3u);
  double hits = 0, misses = 0;
  for (std::size_t core = 0; core < 3; ++core) {
    const auto& row = pipes.rows[core];
    const auto& counters = report_.cores[core];
    const double cycles = static_cast<double>(counters.end - counters.start);
    EXPECT_EQ(row.at("block_id"), std::to_string(core));
    EXPECT_EQ(row.at("sub_block_id"), "vector0");
    EXPECT_EQ(number(row, "aiv_total_cycles"), cycles);
    EXPECT_NEAR(number(row, "aiv_vec_time(us)"), us(pipe(isa::Pipe::V, core).in_flight), 1e-6);
    EXPECT_NEAR(number(row, "aiv_mte2_ratio"),
                static_cast<double>(pipe(isa::Pipe::MTE2, core).in_flight) / cycles, 1e-6);
    EXPECT_EQ(row.at("aic_cube_ratio"), "NA");

    EXPECT_EQ(number(memory.rows[core], "GM_to_UB_datas(KB)"), 8);
    EXPECT_EQ(number(memory.rows[core], "UB_to_GM_datas(KB)"), 8);
    EXPECT_EQ(number(memory.rows[core], "aiv_mte2_instructions"), 2);
    EXPECT_NEAR(number(memory.rows[core], "aiv_gm_to_ub_bw(GB/s)"),
                8192 / us(counters.end - counters.start) * 1e-3, 1e-4);
    const double usage = number(memory.rows[core], "GM_to_UB_bw_usage_rate(%)");
    EXPECT_GT(usage, 0);
    EXPECT_LT(usage, 100);

    // 2048 additions in fp32; the conversion is not arithmetic.
    EXPECT_EQ(number(arithmetic.rows[core], "aiv_vec_fops"), 2048);
    EXPECT_GT(number(arithmetic.rows[core], "aiv_vec_fp32_ratio"), 0);
    EXPECT_GT(number(arithmetic.rows[core], "aiv_vec_misc_ratio"), 0);
    EXPECT_EQ(number(arithmetic.rows[core], "aiv_vec_fp16_ratio"), 0);

    const double core_us = us(counters.end - counters.start);
    EXPECT_NEAR(number(unified.rows[core], "aiv_ub_read_bw_vector(GB/s)"),
                2 * 2048 * 4 / core_us * 1e-3, 1e-4);
    EXPECT_NEAR(number(unified.rows[core], "aiv_ub_write_bw_vector(GB/s)"),
                (2048 * 4 + 2048 * 2) / core_us * 1e-3, 1e-4);
    EXPECT_NEAR(number(unified.rows[core], "aiv_ub_read_bw_scalar(GB/s)"), 4 / core_us * 1e-3,
                1e-4);

    hits += number(l2.rows[core], "aiv_r0_read_cache_hit");
    misses += number(l2.rows[core], "aiv_r0_read_cache_miss_allocate");
    EXPECT_GT(number(conflicts.rows[core], "aiv_vec_wait_ratio"), 0);
  }
  EXPECT_EQ(hits, static_cast<double>(report_.memory.l2_read_hits));
  EXPECT_EQ(misses, static_cast<double>(report_.memory.l2_read_misses));
  EXPECT_GT(misses, 0);

  const Csv info = csv("OpBasicInfo.csv");
  ASSERT_EQ(info.rows.size(), 1u);
  EXPECT_EQ(info.rows[0].at("Op Type"), "vector");
  EXPECT_EQ(info.rows[0].at("Block Dim"), "3");
  EXPECT_NEAR(number(info.rows[0], "Task Duration(us)"), report_.task_time_us(), 1e-6);
}

TEST_F(Msprof, MixedCoresOfABlockAreItsSubBlocks) {
  report_ = launch(
      isa::KernelType::kMix12, 2, [] {}, [] { Adds(ub<float>(0, 64), ub<float>(0, 64), 1.f, 64); });
  export_.finish();
  std::vector<std::string> places;
  for (const auto& row : csv("PipeUtilization.csv").rows) {
    places.push_back(row.at("block_id") + row.at("sub_block_id"));
  }
  EXPECT_EQ(places, (std::vector<std::string>{"0cube0", "0vector0", "0vector1", "1cube0",
                                              "1vector0", "1vector1"}));
  EXPECT_EQ(csv("OpBasicInfo.csv").rows.at(0).at("Op Type"), "mix");
}

}  // namespace
}  // namespace davsim::test
