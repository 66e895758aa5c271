// The page of a run: its timeline stays small, its data stays inside its script.
#include "traces/html/html_page.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <sstream>

namespace davsim::traces {
namespace {

namespace json = boost::json;

TimelineEvent event(Cycle start, Cycle end, EventKind kind = EventKind::kWork) {
  TimelineEvent e;
  e.start = start;
  e.end = end;
  e.kind = kind;
  e.name = 1;
  return e;
}

Timeline timeline_of(std::vector<TimelineEvent> events) {
  Timeline timeline;
  timeline.start = 100;
  timeline.end = 1'000'000;
  timeline.texts = {"", "VADD"};
  timeline.cores.resize(3);
  timeline.cores[2].name = "core0.veccore0";
  timeline.cores[2].pipes[static_cast<std::size_t>(isa::Pipe::V)] = std::move(events);
  return timeline;
}

std::vector<std::uint64_t> numbers(const json::object& page, const char* pipe = "V") {
  const json::value& core = page.at("cores").at(0);
  EXPECT_EQ(core.at("name").as_string(), "core0.veccore0");
  return json::value_to<std::vector<std::uint64_t>>(core.at("pipes").at(pipe));
}

TEST(HtmlTimeline, SixNumbersAnEventStartsAfterTheOneBefore) {
  const json::object page =
      html_timeline(timeline_of({event(110, 130), event(140, 150, EventKind::kWait),
                                 event(150, 150, EventKind::kSet)}),
                    100);
  EXPECT_FALSE(page.at("merged").as_bool());
  const std::vector<std::uint64_t> expected = {10, 20, 1, 0, 0, 1, 30, 10, 1, 0, 2, 1};
  EXPECT_EQ(numbers(page), expected);
}

TEST(HtmlTimeline, JoinsRunsOfShortEventsAndLeavesLongOnes) {
  std::vector<TimelineEvent> events;
  constexpr Cycle kShort = 4, kCount = 1000;
  for (Cycle i = 0; i < kCount; ++i) {
    events.push_back(event(100 + 5 * i, 100 + 5 * i + kShort));
  }
  events.push_back(event(20000, 90000));
  const json::object page = html_timeline(timeline_of(events), 100);
  EXPECT_TRUE(page.at("merged").as_bool());
  const std::vector<std::uint64_t> flat = numbers(page);
  EXPECT_LE(flat.size() / 6, 100u);
  std::uint64_t count = 0;
  for (std::size_t i = 5; i < flat.size(); i += 6) count += flat[i];
  EXPECT_EQ(count, kCount + 1);
  EXPECT_EQ(flat[flat.size() - 5], 70000u);  // the long one is as it was
  EXPECT_EQ(flat.back(), 1u);
}

TEST(HtmlPage, NothingInTheDataEndsTheScript) {
  std::ostringstream out;
  write_html_page(out, "a < b & c", {{"title", "</script><!-- @DATA@ \xff"}});
  const std::string page = out.str();
  EXPECT_NE(page.find("<title>a &lt; b &amp; c</title>"), std::string::npos);
  EXPECT_EQ(page.find("</script><!--"), std::string::npos);
  EXPECT_NE(page.find("\\u003c/script>\\u003c!-- @DATA@ ?"), std::string::npos);
  EXPECT_EQ(page.find("@STYLE@"), std::string::npos);
  EXPECT_EQ(page.find("@SCRIPT@"), std::string::npos);
}

}  // namespace
}  // namespace davsim::traces
