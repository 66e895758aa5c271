// Which wait of a deadlock is told, from waits that are made by hand.
#include "sim/sync/wait_graph.hpp"

#include <gtest/gtest.h>

namespace davsim::sim {
namespace {

using For = WaitPoint::For;
using isa::Pipe;

/// What the graph asks of the flags.
const SetQueued kQueued = [](std::uint32_t, const isa::FlagParams&) { return true; };
const SetQueued kNotQueued = [](std::uint32_t, const isa::FlagParams&) { return false; };
const SettersFor kNobody = [](std::uint32_t, std::uint8_t) { return std::vector<std::uint32_t>(); };

/// A wait of a line of a kernel.
WaitPoint wait(std::uint32_t core, Pipe pipe, For what, const std::string& name) {
  WaitPoint point;
  point.core = core;
  point.pipe = pipe;
  point.what = what;
  point.text = "core" + std::to_string(core) + " " + name;
  point.where = isa::SourceLocation::current();
  return point;
}
WaitPoint flag_wait(std::uint32_t core, Pipe by, Pipe on, const std::string& name) {
  WaitPoint point = wait(core, on, For::kFlag, name);
  point.flag.set_pipe = by;
  point.flag.wait_pipe = on;
  return point;
}

TEST(WaitGraph, ABarrierOfAllPipesWaitsForAPipeOfItsCoreAndNotForItself) {
  const std::vector<WaitPoint> points = {wait(1, Pipe::V, For::kMemory, "another core"),
                                         wait(0, Pipe::S, For::kAllPipes, "barrier"),
                                         wait(0, Pipe::V, For::kMemory, "V")};
  EXPECT_EQ(last_of_waits({points[1], points[2], points[0]}, kQueued, kNobody), 1u);
  EXPECT_EQ(last_of_waits({points[1], points[2]}, kQueued, kNobody), 1u);
  EXPECT_EQ(last_of_waits({points[1]}, kQueued, kNobody), 0u) << "no pipe of its core waits";
  EXPECT_EQ(explain_waits({points[1], points[2]}, kQueued, kNobody),
            "\nnothing is left that could end this wait:\n  core0 V");
}

TEST(WaitGraph, AFlagWaitsForItsPipeOrForTheKernelThatHasNotComeToTheSet) {
  const std::vector<WaitPoint> points = {
      flag_wait(0, Pipe::MTE2, Pipe::V, "V"), wait(1, Pipe::MTE2, For::kMemory, "other MTE2"),
      wait(0, Pipe::MTE2, For::kMemory, "MTE2"), wait(0, Pipe::S, For::kMemory, "S")};
  EXPECT_EQ(explain_waits({points[0], points[1]}, kQueued, kNobody),
            "\nnothing is left that could end this wait:\n  core0 V");
  const std::vector<WaitPoint> round = {points[0], flag_wait(0, Pipe::V, Pipe::MTE2, "MTE2"),
                                        points[3]};
  EXPECT_EQ(last_of_waits(round, kQueued, kNobody), round.size());
  EXPECT_EQ(explain_waits(round, kQueued, kNobody),
            "\nthe waits go round:\n  core0 V\n  which waits for core0 MTE2\n"
            "  which waits for core0 V");
  EXPECT_EQ(last_of_waits(round, kNotQueued, kNobody), 2u) << "the scalar unit has to go on";
}

TEST(WaitGraph, AScalarUnitAtItsKernelsEndSetsNothing) {
  std::vector<WaitPoint> points = {flag_wait(0, Pipe::MTE2, Pipe::V, "V"),
                                   wait(0, Pipe::S, For::kAllPipes, "the end")};
  EXPECT_EQ(last_of_waits(points, kNotQueued, kNobody), points.size()) << "S waits for V";
  points[1].where = {};
  EXPECT_EQ(last_of_waits(points, kNotQueued, kNobody), 0u);
}

TEST(WaitGraph, AFullQueueWaitsForItsPipe) {
  std::vector<WaitPoint> points = {wait(0, Pipe::S, For::kRoom, "S"),
                                   wait(0, Pipe::V, For::kMemory, "V"),
                                   wait(0, Pipe::MTE3, For::kMemory, "MTE3")};
  points[0].full = Pipe::MTE3;
  EXPECT_EQ(explain_waits({points[0], points[2]}, kQueued, kNobody),
            "\nnothing is left that could end this wait:\n  core0 MTE3");
  EXPECT_EQ(last_of_waits({points[0], points[1]}, kQueued, kNobody), 0u);
}

TEST(WaitGraph, ACrossCoreFlagWaitsForTheFirstOfItsSettersThatWaits) {
  std::vector<WaitPoint> points = {wait(0, Pipe::V, For::kCrossCoreFlag, "V"),
                                   wait(2, Pipe::V, For::kMemory, "V"),
                                   wait(2, Pipe::S, For::kMemory, "S")};
  points[0].cross_id = 5;
  const SettersFor setters = [](std::uint32_t core, std::uint8_t id) {
    EXPECT_EQ(core, 0u);
    EXPECT_EQ(id, 5u);
    return std::vector<std::uint32_t>{1, 2};
  };
  EXPECT_EQ(explain_waits({points[0], points[1], points[2]}, kQueued, setters),
            "\nnothing is left that could end this wait:\n  core2 V")
      << "a wait without others comes before a longer chain";
  const std::vector<WaitPoint> both = {points[0], points[2], flag_wait(2, Pipe::S, Pipe::V, "V")};
  const SettersFor back = [](std::uint32_t core, std::uint8_t) {
    return core == 0 ? std::vector<std::uint32_t>{2} : std::vector<std::uint32_t>{};
  };
  EXPECT_EQ(last_of_waits(both, kQueued, back), 1u) << "its scalar unit before its pipes";
}

TEST(WaitGraph, WithoutWaitsThereIsNothingToTell) {
  EXPECT_EQ(last_of_waits({}, kQueued, kNobody), 0u);
  EXPECT_EQ(explain_waits({}, kQueued, kNobody), "");
  EXPECT_EQ(list_waits({}), "");
}

TEST(WaitGraph, MoreThanEightLikeWaitsAreOneLine) {
  for (const std::uint32_t cores : {1u, 8u, 9u, 20u}) {
    std::vector<WaitPoint> points;
    std::string each;
    for (std::uint32_t core = 0; core < cores; ++core) {
      points.push_back(wait(core, Pipe::V, For::kMemory, "V: waits"));
      each += "\n  core" + std::to_string(core) + " V: waits";
    }
    const std::string one =
        "\n  core0 V: waits, and " + std::to_string(cores - 1) + " other cores likewise";
    EXPECT_EQ(list_waits(points), cores <= 8 ? each : one);
  }
}

TEST(WaitGraph, HalfSetFlagsNameEightOfTheCoresThatAreMissing) {
  const auto name = [](std::uint32_t core) { return "c" + std::to_string(core); };
  for (const std::uint32_t missing : {0u, 1u, 8u, 9u, 11u}) {
    CrossCoreFlags::HalfSet set{1, 4, 20, {0, 1}, {}};
    std::string names;
    for (std::uint32_t i = 0; i < missing; ++i) {
      set.missing.push_back(10 + i);
      if (i < 8) names += (i == 0 ? ", not by c" : ", c") + std::to_string(10 + i);
    }
    if (missing > 8) names += " and " + std::to_string(missing - 8) + " more";
    EXPECT_EQ(explain_half_set({set}, name),
              "\ncross-core flag 4 of mode 1 was set by 2 of 20 cores" + names);
  }
}

}  // namespace
}  // namespace davsim::sim
