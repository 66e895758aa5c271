// The tables that `davsim explain` prints.
#include "traces/analysis/explanation.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "observe/cycle_classes.hpp"

namespace davsim::traces {
namespace {

namespace json = boost::json;

TEST(Explanation, EveryClassFitsItsColumn) {
  json::array lines;
  for (std::size_t i = 0; i < observe::kCycleClassCount; ++i) {
    const auto name = observe::cycle_class_name(static_cast<observe::CycleClass>(i));
    lines.push_back(json::object{{"share", 0.5},
                                 {"cycles", 10},
                                 {"type", "AIV"},
                                 {"pipe", "MTE2"},
                                 {"class", std::string(name)},
                                 {"instr", "MARK"},
                                 {"code", "add.cpp:1"}});
  }
  const json::object explanation = {{"kernel", "add"},
                                    {"soc", "Ascend910B3"},
                                    {"cycles", 10},
                                    {"time_us", 0.01},
                                    {"critical_path",
                                     {{"causes", json::array()},
                                      {"lines", lines},
                                      {"hand_overs", json::array()},
                                      {"path", json::array()}}},
                                    {"stalls", json::array()}};
  std::istringstream text(explanation_text(explanation, lines.size()));
  std::set<std::size_t> columns;
  for (std::string row; std::getline(text, row);) {
    const std::size_t at = row.find("MARK");
    if (at == std::string::npos) continue;
    EXPECT_EQ(row[at - 1], ' ') << row;
    columns.insert(at);
  }
  EXPECT_EQ(columns.size(), 1u);
}

}  // namespace
}  // namespace davsim::traces
