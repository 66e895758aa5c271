#include "traces/report/report.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <set>

namespace davsim::traces {
namespace {

namespace json = boost::json;

std::size_t index(isa::Pipe pipe) {
  return static_cast<std::size_t>(pipe);
}
std::size_t index(CycleClass cycle_class) {
  return static_cast<std::size_t>(cycle_class);
}
std::size_t index(Path path) {
  return static_cast<std::size_t>(path);
}

/// Two vector cores and a cube core; 1000 cycles at 1 GHz.
LaunchReport example() {
  LaunchReport report;
  report.soc = "Ascend910B3";
  report.kernel = "example";
  report.frequency_mhz = 1000;
  report.block_dim = 2;
  report.start = 5000;
  report.cycles = 1000;
  report.launch_overhead_us = 2.5;
  for (int i = 0; i < 2; ++i) {
    CoreCounters core;
    core.name = "core0.veccore" + std::to_string(i);
    core.end = 1000;
    PipeCounters& vector = core.pipes[index(isa::Pipe::V)];
    vector.instructions = 10;
    vector.in_flight = i == 0 ? 600 : 200;
    vector.cycles[index(CycleClass::kBankConflict)] = 50;
    vector.cycles[index(CycleClass::kBusy)] = vector.in_flight - 50;
    vector.cycles[index(CycleClass::kWaitFlag)] = 1000 - vector.in_flight;
    core.path_bytes[index(Path::kGmToUb)] = 1000000;
    core.vector_elements = 7;
    report.cores.push_back(core);
  }
  CoreCounters cube;
  cube.name = "core0.cubecore0";
  cube.type = isa::CoreType::AIC;
  cube.pipes[index(isa::Pipe::M)] = {3, 500, {}, {}};
  cube.cube_macs = 4096;
  report.cores.push_back(cube);
  report.memory = {6, 2, 1, 1, 2000000, 1024, 512};
  return report;
}

TEST(Report, HoldsTheLaunch) {
  const json::value report = json::parse(json::serialize(report_json(example())));
  EXPECT_EQ(report.at("soc").as_string(), "Ascend910B3");
  EXPECT_EQ(report.at("kernel").as_string(), "example");
  EXPECT_EQ(report.at("cycles").as_int64(), 1000);
  EXPECT_EQ(report.at("start_cycle").as_int64(), 5000);
  EXPECT_DOUBLE_EQ(report.at("time_us").as_double(), 1);
  EXPECT_DOUBLE_EQ(report.at("task_time_us").as_double(), 3.5);
  EXPECT_DOUBLE_EQ(report.at("launch_overhead_us").as_double(), 2.5);
  EXPECT_EQ(report.at("block_dim").as_int64(), 2);
  EXPECT_DOUBLE_EQ(report.at("frequency_mhz").as_double(), 1000);
  EXPECT_TRUE(report.at("timed").as_bool());
}

TEST(Report, HoldsCoresAndPipes) {
  const json::value report = json::parse(json::serialize(report_json(example())));
  const json::array& cores = report.at("cores").as_array();
  ASSERT_EQ(cores.size(), 3u);
  EXPECT_EQ(cores[0].at("name").as_string(), "core0.veccore0");
  EXPECT_EQ(cores[0].at("type").as_string(), "AIV");
  EXPECT_EQ(cores[2].at("type").as_string(), "AIC");
  const json::object& pipes = cores[0].at("pipes").as_object();
  ASSERT_EQ(pipes.size(), 1u);  // pipes that were not there are not shown
  const json::value& vector = pipes.at("V");
  EXPECT_EQ(vector.at("instructions").as_int64(), 10);
  EXPECT_EQ(vector.at("in_flight_cycles").as_int64(), 600);
  EXPECT_EQ(vector.at("busy_cycles").as_int64(), 550);
  EXPECT_DOUBLE_EQ(vector.at("utilization").as_double(), 0.6);
  const json::object& stalls = vector.at("stall_cycles").as_object();
  EXPECT_EQ(stalls.size(), kCycleClassCount - 1);  // all but busy
  EXPECT_EQ(stalls.at("wait_flag").as_int64(), 400);
  EXPECT_EQ(stalls.at("bank_conflict").as_int64(), 50);
  EXPECT_EQ(stalls.at("unit_flag").as_int64(), 0);
  EXPECT_EQ(cores[0].at("bytes").at("GM->UB").as_int64(), 1000000);
  EXPECT_EQ(cores[2].at("cube_macs").as_int64(), 4096);
}

TEST(Report, AddsUp) {
  const json::value report = json::parse(json::serialize(report_json(example())));
  const json::value& vector = report.at("totals").at("AIV").at("pipes").at("V");
  EXPECT_EQ(report.at("totals").at("AIV").at("cores").as_int64(), 2);
  EXPECT_EQ(vector.at("instructions").as_int64(), 20);
  EXPECT_EQ(vector.at("in_flight_cycles").as_int64(), 800);
  EXPECT_DOUBLE_EQ(vector.at("utilization").as_double(), 0.4);
  EXPECT_EQ(vector.at("stall_cycles").at("wait_flag").as_int64(), 1200);
  EXPECT_DOUBLE_EQ(report.at("totals").at("AIC").at("pipes").at("M").at("utilization").as_double(),
                   0.5);
  EXPECT_EQ(report.at("bytes").at("GM->UB").as_int64(), 2000000);
  EXPECT_EQ(report.at("totals").at("vector_elements").as_int64(), 14);
}

TEST(Report, HoldsTheMemories) {
  const json::value report = json::parse(json::serialize(report_json(example())));
  const json::value& l2 = report.at("l2");
  EXPECT_EQ(l2.at("read_hits").as_int64(), 6);
  EXPECT_EQ(l2.at("hits").as_int64(), 7);
  EXPECT_EQ(l2.at("misses").as_int64(), 3);
  EXPECT_DOUBLE_EQ(l2.at("hit_rate").as_double(), 0.7);
  EXPECT_DOUBLE_EQ(l2.at("gb_per_s").as_double(), 2000);
  EXPECT_EQ(report.at("hbm").at("read_bytes").as_int64(), 1024);
  EXPECT_EQ(report.at("hbm").at("write_bytes").as_int64(), 512);
  EXPECT_EQ(report.at("hbm").at("bytes").as_int64(), 1536);
}

TEST(Report, FunctionalRunsDivideByNothing) {
  LaunchReport report;
  report.timed = false;
  report.cores.resize(1);
  report.cores[0].pipes[0].instructions = 4;
  const json::value document = json::parse(json::serialize(report_json(report)));
  EXPECT_FALSE(document.at("timed").as_bool());
  EXPECT_EQ(document.at("l2").at("hit_rate").as_double(), 0);
  EXPECT_EQ(document.at("cores").at(0).at("pipes").at("S").at("utilization").as_double(), 0);
  EXPECT_NE(report_text(report).find("functional"), std::string::npos);
}

TEST(Report, TextHasARowAPipe) {
  const std::string text = report_text(example());
  EXPECT_NE(text.find("example on Ascend910B3, 2 blocks on 3 cores"), std::string::npos) << text;
  EXPECT_NE(text.find("1000 cycles at 1000 MHz = 1.000 us; task 3.500 us"), std::string::npos)
      << text;
  EXPECT_NE(text.find("AIV V         2           20     40.0%"), std::string::npos) << text;
  EXPECT_NE(text.find("AIC M         1            3     50.0%"), std::string::npos) << text;
  EXPECT_NE(text.find("GM->UB        2.000 MB"), std::string::npos) << text;
  EXPECT_NE(text.find("70.0% of 10 lines hit"), std::string::npos) << text;
}

TEST(Names, AreDistinct) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kCycleClassCount; ++i) {
    names.insert(cycle_class_name(static_cast<CycleClass>(i)));
  }
  for (std::size_t i = 0; i < kPathCount; ++i) names.insert(path_name(static_cast<Path>(i)));
  EXPECT_EQ(names.size(), kCycleClassCount + kPathCount);
  EXPECT_FALSE(names.contains("?"));
}

/// The example, with scalar units that work for 700 of 900 cycles, at two lines.
LaunchReport scalar_example() {
  LaunchReport report = example();
  const auto line = [](std::uint32_t number, Cycle cycles) {
    LineCycles line;
    line.where = isa::SourceLocation::current("/src/add.cpp", number);
    line.times = 3;
    line.cycles = cycles;
    return line;
  };
  for (CoreCounters& core : report.cores) {
    if (core.type != isa::CoreType::AIV) continue;
    PipeCounters& scalar = core.pipes[index(isa::Pipe::S)];
    scalar.cycles[index(CycleClass::kBusy)] = 700;
    scalar.cycles[index(CycleClass::kQueueFull)] = 200;
    scalar.cycles[index(CycleClass::kDone)] = 100;
    scalar.lines = {line(7, 175), line(41, 525)};
  }
  return report;
}

TEST(Report, SaysWhatIsScalarBoundAndByWhichLines) {
  EXPECT_TRUE(report_json(example()).at("scalar_bound").is_null());
  EXPECT_EQ(report_text(example()).find("scalar bound"), std::string::npos);
  const json::value bound = report_json(scalar_example()).at("scalar_bound");
  EXPECT_EQ(bound.at("type").as_string(), "AIV");
  EXPECT_NEAR(bound.at("share").as_double(), 700.0 / 900, 1e-9);
  ASSERT_EQ(bound.at("lines").as_array().size(), 2u);
  EXPECT_EQ(bound.at("lines").at(0).at("code").as_string(), "/src/add.cpp:41");
  EXPECT_DOUBLE_EQ(bound.at("lines").at(0).at("share").as_double(), 0.75);
  EXPECT_NE(report_text(scalar_example())
                .find("scalar bound: the scalar units of AIV cores work for 78 % of their time, "
                      "longer than any pipe; most at add.cpp:41 (75 %), add.cpp:7 (25 %)\n"),
            std::string::npos)
      << report_text(scalar_example());
}

TEST(Report, APipeThatWorksLongerIsTheBound) {
  LaunchReport report = scalar_example();
  for (CoreCounters& core : report.cores) core.pipes[index(isa::Pipe::V)].in_flight = 800;
  EXPECT_TRUE(report_json(report).at("scalar_bound").is_null());
}

}  // namespace
}  // namespace davsim::traces
