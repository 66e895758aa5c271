#include "traces/chrome/chrome_trace.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "tests/traces/chrome/recorder.hpp"

namespace davsim::traces {
namespace {

TEST(ChromeTrace, EmptyTraceIsADocument) {
  std::ostringstream stream;
  { const ChromeTrace trace(stream); }
  EXPECT_TRUE(json::parse(stream.str()).at("traceEvents").as_array().empty());
}

TEST(ChromeTrace, CoresAreProcessesInTheOrderOfAiCores) {
  Recorder recorder;
  const isa::DecodedInstr instr = make(Opcode::kScalarOp, Pipe::S);
  for (const std::uint32_t core : {25u, 0u}) recorder.add(instr, 0, 1, 0, core);
  recorder.trace().launch_begins(description());  // a second launch describes nothing twice
  recorder.add(instr, 1, 2, 0, 25);
  std::map<std::string, std::int64_t> pid;
  std::map<std::int64_t, std::int64_t> order;
  int names = 0;
  for (const json::object& event : recorder.events("M")) {
    const std::int64_t id = event.at("pid").as_int64();
    if (text(event.at("name")) == "process_name") {
      pid[text(event.at("args").at("name"))] = id;
      ++names;
    } else if (text(event.at("name")) == "process_sort_index") {
      order[id] = event.at("args").at("sort_index").as_int64();
    }
  }
  EXPECT_EQ(names, 3);  // core0.veccore0 ran nothing
  EXPECT_EQ(order.at(pid.at("Ascend910B1")), 0);
  EXPECT_EQ(order.at(pid.at("core0.cubecore0")), 1);
  EXPECT_EQ(order.at(pid.at("core0.veccore1")), 3);
}

TEST(ChromeTrace, CoresHaveTheirPlacesAsData) {
  Recorder recorder;
  const isa::DecodedInstr instr = make(Opcode::kAdd, Pipe::V);
  recorder.add(instr, 1, 2, 0, 0);
  recorder.add(instr, 1, 2, 0, 25);
  std::vector<std::string> places;
  for (const json::object& event : recorder.events("M")) {
    if (text(event.at("name")) != "process_name") continue;
    places.push_back(json::serialize(event.at("args")));
  }
  EXPECT_EQ(places, (std::vector<std::string>{
                        R"({"name":"Ascend910B1"})",
                        R"({"name":"core0.cubecore0","type":"AIC","ai_core":0,"sub_block":0})",
                        R"({"name":"core0.veccore1","type":"AIV","ai_core":0,"sub_block":1})"}));
}

TEST(VendorOrder, KeepsTheCoresOfAnAiCoreTogether) {
  using isa::CoreType;
  const std::vector<CoreDescription> pairs = {{0, CoreType::AIC, "a", 0, 0},
                                              {1, CoreType::AIC, "b", 1, 0},
                                              {2, CoreType::AIV, "c", 0, 0},
                                              {3, CoreType::AIV, "d", 0, 1},
                                              {4, CoreType::AIV, "e", 1, 0}};
  const VendorOrder of_pairs(pairs);
  std::vector<std::uint64_t> places;
  for (const CoreDescription& core : pairs) places.push_back(of_pairs.of(core));
  EXPECT_EQ(places, (std::vector<std::uint64_t>{1, 4, 2, 3, 5}));
  const std::vector<CoreDescription> four = {
      {0, CoreType::AIC, "a", 0, 0}, {1, CoreType::AIC, "b", 1, 0}, {5, CoreType::AIV, "c", 0, 3}};
  const VendorOrder of_four(four);
  EXPECT_LT(of_four.of(four[2]), of_four.of(four[1]));
}

TEST(ChromeTrace, SliceShowsOperandsAndParameters) {
  Recorder recorder;
  isa::VectorParams params;
  params.repeats = 7;
  params.mask = {0xff, 0};
  params.src0 = {1, 0};
  isa::DecodedInstr add = make(Opcode::kAdd, Pipe::V, params);
  add.dst = {Space::kUb, isa::DType::kF16, 0x100};
  add.src0 = {Space::kUb, isa::DType::kF16, 0x2000};
  add.src1 = {Space::kUb, isa::DType::kF16, 0x4000};
  add.where = isa::SourceLocation::current();
  recorder.add(add, 185, 370);

  const auto slices = recorder.events("X");
  ASSERT_EQ(slices.size(), 1u);
  const json::object& slice = slices.front();
  EXPECT_EQ(text(slice.at("name")), "VADD");
  EXPECT_EQ(thread_of(recorder, slice), "V");
  EXPECT_NEAR(slice.at("ts").to_number<double>(), 0.1, 1e-6);
  EXPECT_NEAR(slice.at("dur").to_number<double>(), 0.1, 1e-6);
  const json::object& args = slice.at("args").as_object();
  EXPECT_EQ(args.at("cycle_start").as_int64(), 185);
  EXPECT_EQ(args.at("cycle_end").as_int64(), 370);
  EXPECT_EQ(text(args.at("dst")), "UB+0x100");
  EXPECT_EQ(text(args.at("src0")), "UB+0x2000");
  EXPECT_EQ(text(args.at("src1")), "UB+0x4000");
  EXPECT_EQ(text(args.at("type")), "float16");
  EXPECT_EQ(args.at("repeat").as_int64(), 7);
  EXPECT_EQ(args.at("mask"), json::value({"0xff", "0x0"}));
  EXPECT_EQ(args.at("src0_stride"), json::value({1, 0}));
  EXPECT_TRUE(text(args.at("code")).ends_with(":" + std::to_string(add.where.line())));
  EXPECT_NE(text(args.at("code")).find("chrome_trace_test.cpp"), std::string::npos);
}

TEST(ChromeTrace, GlobalAddressesAreRelative) {
  Recorder recorder;
  isa::MoveParams params;
  params.bursts = 3;
  params.burst_bytes = 128;
  params.src_pitch = -256;
  isa::DecodedInstr move = make(Opcode::kMoveGmToUb, Pipe::MTE2, params);
  move.dst = {Space::kUb, isa::DType::kF32, 0};
  move.src0 = {Space::kGm, isa::DType::kF32, kGmBase + 0x1200};
  recorder.add(move, 0, 10);
  const json::object args = recorder.events("X").at(0).at("args").as_object();
  EXPECT_EQ(text(args.at("src0")), "GM+0x1200");
  EXPECT_EQ(args.at("bytes").as_int64(), 384);
  EXPECT_EQ(args.at("src_pitch").as_int64(), -256);
  EXPECT_FALSE(args.contains("code"));  // nobody said where
}

/// Args of one instruction with these parameters.
json::object args_of(Opcode op, Pipe pipe, const isa::Params& params, isa::DType type) {
  Recorder recorder;
  isa::DecodedInstr instr = make(op, pipe, params);
  instr.dst = instr.src0 = {Space::kL1, type, 0};
  recorder.add(instr, 0, 1);
  return recorder.events("X").at(0).at("args").as_object();
}

TEST(ChromeTrace, TranspositionsAndMerges) {
  isa::TransposeParams transpose;
  transpose.repeats = 3, transpose.src_step = 7, transpose.dst_upper = true;
  transpose.dst[15] = 6143;
  json::object args = args_of(Opcode::kTransDataTo5hd, Pipe::V, transpose, isa::DType::kI8);
  EXPECT_EQ(args.at("dst_blocks").as_array().at(15), 6143);
  EXPECT_EQ(args.at("src_step"), 7);
  EXPECT_EQ(text(args.at("dst_half")), "upper");
  EXPECT_FALSE(args.contains("src_half"));
  isa::SortParams merge;
  merge.queues = 3, merge.lengths = {1, 2, 3, 4}, merge.queue_addr = {8, 16, 64, 0};
  args = args_of(Opcode::kMergeSort, Pipe::V, merge, isa::DType::kF32);
  EXPECT_EQ(args.at("lengths").as_array(), (json::array{1, 2, 3}));
  EXPECT_EQ(args.at("queues").as_array(), (json::array{8, 16, 64}));
}

TEST(ChromeTrace, BytesOfMoves) {
  isa::Nd2NzMoveParams nd2nz;
  nd2nz.matrices = 2, nd2nz.rows = 64, nd2nz.cols = 60;
  EXPECT_EQ(args_of(Opcode::kMoveGmToL1Nd2Nz, Pipe::MTE2, nd2nz, isa::DType::kF16).at("bytes"),
            2 * 64 * 60 * 2);
  isa::Load2dParams load2d;
  load2d.repeats = 5;
  EXPECT_EQ(args_of(Opcode::kLoadData2d, Pipe::MTE1, load2d, isa::DType::kI8).at("bytes"), 2560);
  load2d.transpose = true;
  EXPECT_EQ(args_of(Opcode::kLoadDataTranspose, Pipe::MTE1, load2d, isa::DType::kI8).at("bytes"),
            5 * 32 * 32);
  EXPECT_EQ(args_of(Opcode::kLoadDataTranspose, Pipe::MTE1, load2d, isa::DType::kF16).at("bytes"),
            5 * 16 * 16 * 2);
  isa::Load3dParams load3d;
  load3d.m_extension = 128, load3d.k_extension = 64;
  EXPECT_EQ(args_of(Opcode::kLoadData3d, Pipe::MTE1, load3d, isa::DType::kI4).at("bytes"),
            128 * 64 / 2);
  isa::FixpipeInstrParams fixpipe;
  fixpipe.m = 16, fixpipe.n = 32;
  EXPECT_EQ(args_of(Opcode::kFixpipeToGm, Pipe::FIX, fixpipe, isa::DType::kBF16).at("bytes"), 1024);
}

TEST(ChromeTrace, ParametersOfMmadAndFlags) {
  isa::MmadInstrParams mmad;
  mmad.m = 128, mmad.n = 256, mmad.k = 64, mmad.unit_flag = isa::UnitFlag::kToggle;
  const json::object cube = args_of(Opcode::kMmad, Pipe::M, mmad, isa::DType::kF32);
  EXPECT_EQ(cube.at("m").as_int64(), 128);
  EXPECT_EQ(cube.at("n").as_int64(), 256);
  EXPECT_EQ(cube.at("k").as_int64(), 64);
  EXPECT_EQ(cube.at("unit_flag").as_int64(), 3);
  const json::object flag = args_of(Opcode::kSetFlag, Pipe::MTE2,
                                    isa::FlagParams{Pipe::MTE2, Pipe::V, 5}, isa::DType::kNone);
  EXPECT_EQ(text(flag.at("set_pipe")), "MTE2");
  EXPECT_EQ(text(flag.at("wait_pipe")), "V");
  EXPECT_EQ(flag.at("event_id").as_int64(), 5);
  const json::object cross = args_of(Opcode::kCrossCoreSetFlag, Pipe::FIX,
                                     isa::CrossCoreFlagParams{2, 7}, isa::DType::kNone);
  EXPECT_EQ(cross.at("mode").as_int64(), 2);
  EXPECT_EQ(cross.at("flag_id").as_int64(), 7);
}

TEST(ChromeTrace, LaunchesAreSlicesOfTheDevice) {
  Recorder recorder;
  LaunchReport report;
  report.kernel = "a \"quoted\" \\ kernel\n\x01 \xff\xc3\xa9";
  report.start = 1850;
  report.cycles = 185;
  report.block_dim = 2;
  recorder.trace().launch_ends(report);
  const auto slices = recorder.events("X");
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(text(slices[0].at("name")), "a \"quoted\" \\ kernel\n\x01 ?\xc3\xa9");
  EXPECT_EQ(std::llround(slices[0].at("ts").to_number<double>() * 1850), 1850);
  EXPECT_EQ(slices[0].at("args").at("block_dim").as_int64(), 2);
}

TEST(ChromeTrace, ErrorsAreReported) {
  std::ostringstream stream;
  ChromeTrace trace(stream);
  EXPECT_THROW(trace.launch_begins(description(0)), std::invalid_argument);
  stream.setstate(std::ios::badbit);
  EXPECT_THROW(trace.finish(), std::runtime_error);
}

TEST(ChromeTrace, WritesAsItGoes) {
  std::ostringstream stream;
  ChromeTrace trace(stream);
  trace.launch_begins(description());
  const isa::DecodedInstr instr = make(Opcode::kAdd, Pipe::V, isa::VectorParams{});
  std::size_t most_held_back = 0, written = 0;
  for (Cycle i = 0; i < 20000; ++i) {
    trace.instruction({24, &instr, i, i, i + 1, 0});
    const auto size = static_cast<std::size_t>(stream.tellp());
    if (size != written) most_held_back = std::max(most_held_back, size - written);
    written = size;
  }
  EXPECT_GT(written, std::size_t{2} << 20);
  EXPECT_LT(most_held_back, std::size_t{1} << 20);
}

}  // namespace
}  // namespace davsim::traces
