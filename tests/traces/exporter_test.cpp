// The registry of exporters: all are linked in, and each can be made from what it asks for.
#include "traces/exporter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "traces/timeline/timeline.hpp"

namespace davsim::traces {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const Exporter* exporter : exporters()) names.push_back(exporter->name);
  return names;
}

TEST(Exporters, AreLinkedInWithoutBeingNamed) {
  const std::vector<std::string> all = names();
  for (const char* name : {"trace", "msprof", "vcd", "instructions", "html", "explain"}) {
    EXPECT_EQ(std::count(all.begin(), all.end(), name), 1) << name;
  }
}

TEST(Exporters, HaveNamesAndPlacesOfTheirOwn) {
  std::set<std::string> names;
  std::set<std::uint32_t> places;
  std::uint32_t last = 0;
  for (const Exporter* exporter : exporters()) {
    EXPECT_TRUE(names.insert(exporter->name).second) << exporter->name;
    EXPECT_TRUE(places.insert(exporter->place).second) << exporter->name;
    EXPECT_GE(exporter->place, last) << exporter->name;
    last = exporter->place;
    EXPECT_FALSE(exporter->help.empty()) << exporter->name;
    EXPECT_EQ(exporter->value_name.empty(), exporter->target == ExportTarget::kNone)
        << exporter->name;
  }
}

TEST(Exporters, AreMadeFromTheirTarget) {
  std::ostringstream file;
  Timeline timeline;
  for (const Exporter* exporter : exporters()) {
    ExportContext context;
    if (exporter->target == ExportTarget::kFolder) {
      context.open_file = [&](const std::string&) -> std::ostream& { return file; };
    } else if (exporter->target != ExportTarget::kNone) {
      context.stream = &file;
    }
    if (exporter->needs_timeline) context.timeline = &timeline;
    const std::unique_ptr<Export> made = exporter->make(context);
    ASSERT_NE(made, nullptr) << exporter->name;
    // What neither observes nor has the timeline learns nothing of the run but its report.
    EXPECT_TRUE(made->observer() != nullptr || exporter->needs_timeline) << exporter->name;
  }
}

}  // namespace
}  // namespace davsim::traces
