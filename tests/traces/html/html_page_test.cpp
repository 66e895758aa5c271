// The page of a run: its data are packed and stay small, and inside their script.
#include "traces/html/html_page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <sstream>

#include "traces/html/html_data.hpp"
#include "traces/html/packed_numbers.hpp"

namespace davsim::traces {
namespace {

namespace json = boost::json;

constexpr std::size_t kV = static_cast<std::size_t>(isa::Pipe::V);

TimelineEvent page_event(Cycle start, Cycle end, EventKind kind = EventKind::kWork) {
  TimelineEvent e;
  e.start = start;
  e.end = end;
  e.kind = kind;
  e.name = 1;
  return e;
}

Timeline page_timeline(std::vector<TimelineEvent> events) {
  Timeline timeline;
  timeline.start = 100;
  timeline.end = 1'000'000;
  timeline.texts = {"", "VADD"};
  timeline.cores.resize(3);
  timeline.cores[2].name = "core0.veccore0";
  timeline.cores[2].pipes[kV] = std::move(events);
  return timeline;
}

/// Numbers of a text of base64, seven bits a byte.
std::vector<std::uint64_t> unpack(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint64_t> numbers;
  std::uint64_t value = 0;
  unsigned shift = 0, bits = 0, held = 0;
  for (const char digit : text) {
    if (digit == '=') break;
    held = held << 6 | static_cast<unsigned>(kDigits.find(digit));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    const unsigned byte = held >> bits & 0xff;
    value |= std::uint64_t{byte & 0x7f} << shift;
    shift += 7;
    if (byte >= 0x80) continue;
    numbers.push_back(value);
    value = shift = 0;
  }
  return numbers;
}

std::vector<std::uint64_t> list_of(const json::object& page, const char* list) {
  const json::value& core = page.at("cores").at(0);
  EXPECT_EQ(core.at("name").as_string(), "core0.veccore0");
  return unpack(std::string_view(core.at("pipes").at("V").at(list).as_string()));
}

json::object page_data(const Timeline& timeline, HtmlRecorder& recorder, HtmlLimits limits = {}) {
  return html_timeline(timeline, recorder, {}, {}, limits);
}

TEST(PackedNumbers, SevenBitsAByteAsBase64) {
  const std::vector<std::uint64_t> values = {0, 127, 128, 300, 1ull << 40, ~0ull};
  for (std::size_t count = 0; count <= values.size(); ++count) {
    PackedNumbers packed;
    for (std::size_t i = 0; i < count; ++i) packed.add(values[i]);
    EXPECT_EQ(packed.base64().size() % 4, 0u);
    EXPECT_EQ(unpack(packed.base64()),
              std::vector<std::uint64_t>(values.begin(), values.begin() + count));
  }
}

TEST(HtmlTimeline, FiveNumbersAnEventStartsAfterTheOneBefore) {
  HtmlRecorder recorder;
  TimelineEvent wait = page_event(140, 150, EventKind::kWait);
  wait.flow = 9;
  const json::object page = page_data(
      page_timeline({wait, page_event(110, 130), page_event(150, 150, EventKind::kSet)}), recorder);
  EXPECT_EQ(page.at("shortest").to_number<int>(), 0);
  const std::vector<std::uint64_t> expected = {10, 20, 4, 0, 0, 30, 10, 6, 0, 9, 10, 0, 5, 0, 0};
  EXPECT_EQ(list_of(page, "events"), expected);
}

TEST(HtmlTimeline, LeavesOutTheShortestOfTooManyEvents) {
  std::vector<TimelineEvent> events;
  for (Cycle i = 0; i < 1000; ++i) events.push_back(page_event(100 + 5 * i, 104 + 5 * i));
  events.push_back(page_event(20000, 90000));
  events.push_back(page_event(95000, 95001, EventKind::kWait));
  HtmlRecorder recorder;
  const json::object page = page_data(page_timeline(events), recorder, {.events = 100});
  EXPECT_GT(page.at("shortest").to_number<Cycle>(), 4u);
  const std::vector<std::uint64_t> left = list_of(page, "events");
  ASSERT_EQ(left.size(), 10u);  // the long one, and the wait
  EXPECT_EQ(left[1], 70000u);
}

TEST(StateTrack, CoarseStatesKeepTheShareOfEveryWindow) {
  StateTrack track;
  std::vector<CycleClass> cycles;
  std::uint32_t random = 1;
  for (int i = 0; i < 3000; ++i) {
    random = random * 1664525 + 1013904223;
    const auto cycle_class = static_cast<CycleClass>((random >> 16) % 5);
    const Cycle length = (random >> 8) % (i % 100 == 0 ? 900 : 7);
    track.add(cycle_class, length);
    cycles.insert(cycles.end(), length, cycle_class);
  }
  const std::size_t before = track.states().size();
  constexpr Cycle kGrain = 64;
  track.coarsen(kGrain);
  EXPECT_LT(track.states().size(), before / 3);
  std::vector<CycleClass> coarse;
  for (const auto& state : track.states()) {
    coarse.insert(coarse.end(), state.cycles, state.cycle_class);
  }
  ASSERT_EQ(coarse.size(), cycles.size());
  for (std::size_t at = 0; at < cycles.size(); at += kGrain) {
    const std::size_t end = std::min<std::size_t>(at + kGrain, cycles.size());
    std::vector<CycleClass> a(cycles.begin() + at, cycles.begin() + end);
    std::vector<CycleClass> b(coarse.begin() + at, coarse.begin() + end);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    ASSERT_EQ(a, b) << "from cycle " << at;
  }
}

TEST(HtmlPage, NothingInTheDataEndsTheScript) {
  std::ostringstream out;
  write_html_page(out, "a < b & c", {{"title", "</script><!-- @DATA@ \xff"}});
  const std::string page = out.str();
  EXPECT_NE(page.find("<title>a &lt; b &amp; c</title>"), std::string::npos);
  EXPECT_EQ(page.find("</script><!--"), std::string::npos);
  EXPECT_NE(page.find("\\u003c/script>\\u003c!-- @DATA@ ?"), std::string::npos);
  EXPECT_EQ(page.find("@STYLE@"), std::string::npos);
  EXPECT_EQ(page.find("@LIBRARY@"), std::string::npos);
  EXPECT_EQ(page.find("@SCRIPT@"), std::string::npos);
  EXPECT_NE(page.find("Permission is hereby granted"), std::string::npos);  // uPlot's licence
}

}  // namespace
}  // namespace davsim::traces
