// Times of a trace: rows of what overlaps, flows between instructions, and counters.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/traces/chrome/recorder.hpp"

namespace davsim::traces {
namespace {

TEST(ChromeTimes, CyclesCanBeRecoveredFromTimes) {
  for (const double mhz : {1500.0, 1800.0, 1850.0}) {
    Recorder recorder(mhz);
    const isa::DecodedInstr instr = make(Opcode::kAdd, Pipe::V);
    std::vector<std::pair<Cycle, Cycle>> expected;
    Cycle start = 0;
    for (int i = 0; i < 400; ++i) {
      const Cycle end = start + 1 + static_cast<Cycle>(i) % 7;
      expected.emplace_back(start, end);
      recorder.add(instr, start, end);
      start = end + static_cast<Cycle>(i) * static_cast<Cycle>(i) * 30011;
    }
    ASSERT_GT(start, Cycle{500} * 1000 * 1000);
    const auto slices = recorder.events("X");
    ASSERT_EQ(slices.size(), expected.size());
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const double ts = slices[i].at("ts").to_number<double>();
      const double dur = slices[i].at("dur").to_number<double>();
      EXPECT_EQ(static_cast<Cycle>(std::llround(ts * mhz)), expected[i].first);
      const Cycle cycles = expected[i].second - expected[i].first;
      if (static_cast<double>(cycles) * 1000 < mhz) {
        EXPECT_EQ(dur, 0.001);  // viewers show nothing below a nanosecond
      } else {
        EXPECT_EQ(static_cast<Cycle>(std::llround(dur * mhz)), cycles);
      }
    }
  }
}

TEST(ChromeTimes, NeighboursDoNotOverlapInWholeNanoseconds) {
  // Perfetto cuts microseconds down to whole nanoseconds; a slice that reaches into the next one
  // then is not shown.
  Recorder recorder;
  const isa::DecodedInstr instr = make(Opcode::kAdd, Pipe::V);
  for (Cycle at = 0; at < 4000; ++at) recorder.add(instr, at, at + 1);
  std::map<std::int64_t, std::int64_t> ends;  // by row
  for (const json::object& slice : recorder.events("X")) {
    const auto ts = static_cast<std::int64_t>(slice.at("ts").to_number<double>() * 1000);
    const auto length = static_cast<std::int64_t>(slice.at("dur").to_number<double>() * 1000);
    EXPECT_GE(length, 1) << "a slice that nobody sees";
    std::int64_t& end = ends[slice.at("tid").as_int64()];
    EXPECT_LE(end, ts);
    end = ts + length;
  }
  EXPECT_LE(ends.size(), 3u);
}

TEST(ChromeTimes, OverlappingInstructionsShareTwoRows) {
  Recorder recorder;
  const isa::DecodedInstr move = make(Opcode::kMoveGmToUb, Pipe::MTE2);
  recorder.add(move, 0, 100);
  recorder.add(move, 20, 120);
  recorder.add(move, 40, 60);
  recorder.add(move, 100, 200);
  recorder.add(move, 110, 130, 0, 25);  // another core has rows of its own
  std::vector<std::string> rows;
  std::vector<double> begins;
  for (const json::object& slice : recorder.events("X")) {
    rows.push_back(thread_of(recorder, slice));
    begins.push_back(slice.at("ts").to_number<double>() * 1000);
  }
  EXPECT_EQ(rows, (std::vector<std::string>{"MTE2", "MTE2.1", "MTE2", "MTE2", "MTE2"}));
  // From where the row is free; the third had ended by then and takes a nanosecond.
  const double ns = 1e3 / 1850;
  const std::vector<double> expected = {0, 20 * ns, 100 * ns, 100 * ns + 1, 110 * ns};
  for (std::size_t i = 0; i < begins.size(); ++i) EXPECT_NEAR(begins[i], expected[i], 1e-2) << i;
  std::set<std::int64_t> tids;
  for (const auto& [ids, name] : thread_names(recorder)) tids.insert(ids.second);
  EXPECT_EQ(tids.size(), thread_names(recorder).size());
}

TEST(ChromeTimes, RowsOfAPipeStayFew) {
  Recorder recorder;
  const isa::DecodedInstr move = make(Opcode::kMoveGmToUb, Pipe::MTE2);
  for (Cycle i = 0; i < 40; ++i) recorder.add(move, 10 * i, 10 * i + 200);
  std::map<std::int64_t, double> ends;
  Cycle i = 0;
  for (const json::object& slice : recorder.events("X")) {
    const double ts = slice.at("ts").to_number<double>(), dur = slice.at("dur").to_number<double>();
    double& end = ends[slice.at("tid").as_int64()];
    EXPECT_GE(ts, end - 1e-6);
    end = ts + dur;
    EXPECT_EQ(slice.at("args").at("cycle_start").to_number<Cycle>(), 10 * i);
    EXPECT_EQ(slice.at("args").at("cycle_end").to_number<Cycle>(), 10 * i + 200);
    ++i;
  }
  EXPECT_EQ(i, 40u);
  EXPECT_EQ(ends.size(), 2u);
}

/// Flags end where they end, which arrows need, and share a row behind that of the work.
TEST(ChromeTimes, FlagsBesideWorkShareARow) {
  Recorder recorder;
  const isa::DecodedInstr move = make(Opcode::kMoveGmToUb, Pipe::MTE2);
  const isa::DecodedInstr wait =
      make(Opcode::kWaitFlag, Pipe::MTE2, isa::FlagParams{Pipe::V, Pipe::MTE2, 0});
  recorder.add(move, 0, 2000);
  for (Cycle i = 1; i <= 40; ++i) recorder.add(wait, 10 * i, 10 * i + 200);
  std::map<std::string, int> rows;
  std::map<std::string, std::int64_t> busy_until;
  for (const json::object& slice : recorder.events("X")) {
    const std::string row = thread_of(recorder, slice);
    const auto begin = static_cast<std::int64_t>(slice.at("ts").to_number<double>() * 1000);
    const auto dur = static_cast<std::int64_t>(slice.at("dur").to_number<double>() * 1000);
    const auto end = slice.at("args").at("cycle_end").to_number<double>() * 1e3 / 1850;
    EXPECT_GE(begin, busy_until[row]);
    EXPECT_GE(dur, 1);
    EXPECT_EQ(begin + dur, static_cast<std::int64_t>(end));
    busy_until[row] = begin + dur;
    ++rows[row];
  }
  EXPECT_EQ(rows, (std::map<std::string, int>{{"MTE2", 1}, {"MTE2.1", 40}}));
}

TEST(ChromeTimes, FlowsLeadFromSetsToTheirWaits) {
  Recorder recorder;
  const isa::DecodedInstr set =
      make(Opcode::kSetFlag, Pipe::MTE2, isa::FlagParams{Pipe::MTE2, Pipe::V, 0});
  const isa::DecodedInstr wait =
      make(Opcode::kWaitFlag, Pipe::V, isa::FlagParams{Pipe::MTE2, Pipe::V, 0});
  recorder.add(set, 100, 100, 41);
  recorder.add(wait, 10, 105, 41);
  const auto starts = recorder.events("s"), ends = recorder.events("f"),
             slices = recorder.events("X");
  ASSERT_EQ(starts.size(), 1u);
  ASSERT_EQ(ends.size(), 1u);
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(starts[0].at("id"), ends[0].at("id"));
  EXPECT_EQ(starts[0].at("id").as_int64(), 41);
  EXPECT_EQ(text(ends[0].at("bp")), "e");
  EXPECT_EQ(starts[0].at("tid"), slices[0].at("tid"));
  EXPECT_EQ(ends[0].at("tid"), slices[1].at("tid"));
  EXPECT_EQ(starts[0].at("name"), ends[0].at("name"));
  EXPECT_EQ(starts[0].at("cat"), ends[0].at("cat"));
  EXPECT_EQ(std::llround(starts[0].at("ts").to_number<double>() * 1850), 100);
  EXPECT_EQ(std::llround(ends[0].at("ts").to_number<double>() * 1850), 105);
}

TEST(ChromeTimes, OneCrossCoreSetReleasesSeveralWaits) {
  Recorder recorder;
  const isa::DecodedInstr set =
      make(Opcode::kCrossCoreSetFlag, Pipe::FIX, isa::CrossCoreFlagParams{2, 1});
  const isa::DecodedInstr wait =
      make(Opcode::kCrossCoreWaitFlag, Pipe::MTE2, isa::CrossCoreFlagParams{2, 1});
  recorder.add(set, 0, 1, 7, 0);
  recorder.add(wait, 0, 301, 7, 24);
  recorder.add(wait, 0, 301, 7, 25);
  EXPECT_EQ(recorder.events("s").size(), 1u);
  const auto ends = recorder.events("f");
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_NE(ends[0].at("pid"), ends[1].at("pid"));
  EXPECT_EQ(ends[0].at("id"), ends[1].at("id"));
}

TEST(ChromeTimes, BandwidthCountersFallToZeroInGaps) {
  Recorder recorder(1000);
  // 1000 cycles at 1 GHz are 1 us: 1e6 bytes are 1000 GB/s.
  recorder.trace().memory_sample({0, 1000, 1000000, 500000, 0});
  recorder.trace().memory_sample({1000, 1000, 2000000, 0, 250000});
  recorder.trace().memory_sample({4000, 1000, 3000000, 0, 0});
  recorder.trace().memory_sample({9000, 0, 1, 1, 1});  // no span, no rate
  std::map<Cycle, double> l2, read, write;
  for (const json::object& event : recorder.events("C")) {
    const auto at = static_cast<Cycle>(std::llround(event.at("ts").to_number<double>() * 1000));
    const json::object& args = event.at("args").as_object();
    if (text(event.at("name")).starts_with("L2")) {
      l2[at] = args.at("total").to_number<double>();
    } else {
      read[at] = args.at("read").to_number<double>();
      write[at] = args.at("write").to_number<double>();
    }
  }
  EXPECT_EQ(l2,
            (std::map<Cycle, double>{{0, 1000}, {1000, 2000}, {2000, 0}, {4000, 3000}, {5000, 0}}));
  EXPECT_EQ(read.at(0), 500);
  EXPECT_EQ(write.at(1000), 250);
  EXPECT_EQ(read.at(2000), 0);
}

}  // namespace
}  // namespace davsim::traces
