// The picture of a launch: what a trace is condensed to.
#include "bench/timeline/timeline.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <string>

namespace davsim::timeline {
namespace {

std::string named(int pid, const char* kind, int tid, const std::string& name) {
  return "{\"ph\":\"M\",\"name\":\"" + std::string(kind) + "\",\"pid\":" + std::to_string(pid) +
         ",\"tid\":" + std::to_string(tid) + ",\"args\":{\"name\":\"" + name + "\"}},\n";
}
std::string core(int pid, const std::string& name, const char* type, int ai_core, int sub_block) {
  return R"({"ph":"M","name":"process_name","pid":)" + std::to_string(pid) +
         ",\"args\":{\"name\":\"" + name + "\",\"type\":\"" + type +
         "\",\"ai_core\":" + std::to_string(ai_core) +
         ",\"sub_block\":" + std::to_string(sub_block) + "}},\n";
}
std::string slice(int pid, int tid, const char* what, double begin, double dur,
                  const std::string& args) {
  return "{\"ph\":\"X\",\"name\":\"" + std::string(what) + "\",\"pid\":" + std::to_string(pid) +
         ",\"tid\":" + std::to_string(tid) + ",\"ts\":" + std::to_string(begin) +
         ",\"dur\":" + std::to_string(dur) + ",\"args\":{" + args + "}},\n";
}
std::string code(const std::string& file) {
  return "\"code\":\"../kernels/x/" + file + ":7\"";
}

/// A cube core with two kinds of products and a vector core with two stages.
std::string trace() {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  text += named(1, "process_name", 1, "Ascend910B3");
  text += core(9, "core10.veccore1", "AIV", 10, 1) + named(9, "thread_name", 90, "S") +
          named(9, "thread_name", 91, "V.1");
  text += core(2, "core0.cubecore0", "AIC", 0, 0) + named(2, "thread_name", 20, "M");
  text += slice(2, 20, "MMAD", 0, 10, "\"src_type\":\"bfloat16\"");
  text += slice(2, 20, "WAIT_FLAG", 10, 30, "");
  text += slice(2, 20, "MMAD", 10.1, 9.9, "\"src_type\":\"bfloat16\"");
  text += slice(2, 20, "MMAD", 60, 40, "\"src_type\":\"int8\"");
  text += slice(9, 91, "VCONV", 20, 5, code("shared.h"));
  text += slice(9, 91, "VMUL", 25, 5, code("norm.h"));
  text += slice(9, 90, "BAR", 30, 1, code("stages.h"));
  text += slice(9, 91, "VCONV", 31, 5, code("shared.h"));
  text += slice(9, 91, "VADD", 36, 4, code("split.h"));
  return text + "]}\n";
}

Timeline read(const std::string& text) {
  std::istringstream in(text);
  return read_timeline(in, {{"norm.h", "norm"}, {"split.h", "split"}});
}

TEST(Timeline, CubeCoresComeFirst) {
  const Timeline timeline = read(trace());
  EXPECT_EQ(timeline.soc, "Ascend910B3");
  EXPECT_EQ(timeline.end, 100);
  ASSERT_EQ(timeline.lanes.size(), 2u);
  EXPECT_EQ(timeline.lanes[0].core, "core0.cubecore0");
  EXPECT_EQ(timeline.lanes[1].core, "core10.veccore1");
}

TEST(Timeline, CoresOfAKindAreInTheOrderOfTheirPlaces) {
  const std::string text = core(5, "x", "AIV", 10, 0) + core(4, "b", "AIV", 2, 1) +
                           core(3, "c", "AIV", 2, 0) + core(9, "a", "AIC", 3, 0);
  std::string names;
  for (const Lane& lane : read(text).lanes) names += lane.core;
  EXPECT_EQ(names, "acbx");
}

TEST(Timeline, ProductsOfOneTypeAreAStretch) {
  const std::vector<Stretch> stretches = read(trace()).lanes.at(0).stretches;
  ASSERT_EQ(stretches.size(), 2u);
  EXPECT_EQ(stretches[0].work, "bfloat16 products");
  EXPECT_EQ(stretches[0].begin, 0);
  EXPECT_EQ(stretches[0].end, 20);
  EXPECT_NEAR(stretches[0].busy, 19.9, 1e-9);
  EXPECT_EQ(stretches[1].work, "int8 products");
  EXPECT_EQ(stretches[1].begin, 60);
}

TEST(Timeline, ABarrierOfAllPipesEndsAStage) {
  const std::vector<Stretch> stretches = read(trace()).lanes.at(1).stretches;
  ASSERT_EQ(stretches.size(), 2u);
  EXPECT_EQ(stretches[0].work, "norm");
  EXPECT_EQ(stretches[0].end, 30);
  EXPECT_EQ(stretches[1].work, "split");
  EXPECT_EQ(stretches[1].begin, 31);
}

TEST(Timeline, ABrokenLineIsNamed) {
  try {
    read("{\"traceEvents\":[\n{\"ph\":\"X\",\"name\":}\n");
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
  }
}

TEST(Timeline, EveryStretchIsDrawnAndEveryWorkNamed) {
  std::ostringstream out;
  write_svg(out, read(trace()));
  const std::string svg = out.str();
  std::size_t rects = 0;
  for (std::size_t at = 0; (at = svg.find("fill-opacity", at)) != svg.npos; ++at) ++rects;
  EXPECT_EQ(rects, 4u);
  for (const char* text : {"bfloat16 products", "int8 products", "norm", "split", "Ascend910B3"}) {
    EXPECT_NE(svg.find(std::string(">") + text), std::string::npos) << text;
  }
}

/// Cores of several dies stand die by die, and the picture says which is which.
TEST(Timeline, DiesAreKeptApart) {
  std::string text = "{\"traceEvents\":[\n";
  text += named(1, "process_name", 1, "Ascend910_9392");
  text += core(5, "die1.core0.cubecore0", "AIC", 0, 0) + named(5, "thread_name", 50, "M");
  text += core(3, "die0.core0.veccore0", "AIV", 0, 0) + named(3, "thread_name", 30, "V");
  text += core(2, "die0.core0.cubecore0", "AIC", 0, 0) + named(2, "thread_name", 20, "M");
  for (const int pid : {2, 5}) text += slice(pid, 10 * pid, "MMAD", 0, 10, "\"src_type\":\"int8\"");
  text += slice(3, 30, "VADD", 2, 4, code("x.h"));
  const Timeline timeline = read(text + "]}\n");
  EXPECT_EQ(timeline.dies, 2);
  ASSERT_EQ(timeline.lanes.size(), 3u);
  EXPECT_EQ(timeline.lanes[0].core, "die0.core0.cubecore0");
  EXPECT_EQ(timeline.lanes[1].core, "die0.core0.veccore0");
  EXPECT_EQ(timeline.lanes[2].core, "die1.core0.cubecore0");
  std::ostringstream out;
  write_svg(out, timeline, "a <b>");
  for (const char* part : {"die 0</text>", "die 1</text>", "1 AIC", "1 AIV", "a &lt;b>"}) {
    EXPECT_NE(out.str().find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace davsim::timeline
