// What bounds a launch, in words.
#include "traces/analysis/headline.hpp"

#include <gtest/gtest.h>

#include <array>
#include <boost/json.hpp>
#include <string>
#include <vector>

namespace davsim::traces {
namespace {

namespace json = boost::json;

json::object path_of(std::vector<std::array<std::string, 3>> places, std::vector<double> shares) {
  json::array causes;
  for (std::size_t i = 0; i < places.size(); ++i) {
    causes.push_back({{"type", places[i][0]},
                      {"pipe", places[i][1]},
                      {"class", places[i][2]},
                      {"share", shares[i]}});
  }
  return {{"causes", std::move(causes)}};
}

json::object report_with(double gm_to_l1) {
  return {{"scalar_bound", nullptr},
          {"time_us", 1.0},
          {"bytes", {{"GM->L1", gm_to_l1}}},
          {"totals", {{"AIC", {{"cores", 2}}}, {"AIV", {{"cores", 0}}}}}};
}

const json::object kPeaks = {{"ports", {{"GM->L1", 4e12}}}, {"cores", {{"AIC", 4}, {"AIV", 8}}}};

TEST(Headline, AddsUpThePartsOfAPipe) {
  const json::object path =
      path_of({{"AIC", "M", "busy"}, {"AIC", "MTE2", "busy"}, {"AIC", "MTE2", "memory"}},
              {0.4, 0.35, 0.25});
  const json::object headline = headline_json(report_with(1.9e6), path, kPeaks);
  EXPECT_EQ(headline.at("text").as_string(),
            "60 % of the launch is MTE2 of the cube cores on the critical path: 35 % loading from "
            "global memory, 25 % waiting for L2 or HBM; then M of the cube cores with 40 %, mostly "
            "multiplying.");
  EXPECT_EQ(headline.at("pipe").as_string(), "MTE2");
  EXPECT_DOUBLE_EQ(headline.at("share").as_double(), 0.6);
  // Two of four cores ran: 1.9 MB in a microsecond are 95 % of what their ports move.
  EXPECT_NE(headline.at("change").as_string().find("The port of each core is the limit"),
            json::string::npos);
  EXPECT_NE(headline.at("change").as_string().find("For the M part: The cubes compute"),
            json::string::npos);
}

TEST(Headline, DoesNotBlameAPortThatMovesLittle) {
  const json::object path = path_of({{"AIC", "MTE2", "busy"}}, {1.0});
  const json::object headline = headline_json(report_with(0.8e6), path, kPeaks);
  const std::string change(headline.at("change").as_string());
  EXPECT_NE(change.find("only 40 % of what the ports"), std::string::npos) << change;
  EXPECT_EQ(change.find("is the limit"), std::string::npos);
}

TEST(Headline, SaysFirstThatALaunchIsScalarBound) {
  json::object report = report_with(0);
  report["scalar_bound"] = {{"type", "AIV"},
                            {"share", 0.78},
                            {"lines", json::array{{{"code", "/k/add.cpp:41"}, {"share", 0.75}}}}};
  const json::object headline = headline_json(report, path_of({{"AIV", "S", "busy"}}, {0.9}), {});
  const std::string text(headline.at("text").as_string());
  EXPECT_TRUE(text.starts_with("Scalar bound: the scalar units of AIV cores work for 78 %"))
      << text;
  EXPECT_NE(text.find("add.cpp:41"), std::string::npos);
  EXPECT_NE(headline.at("change").as_string().find("scalar code"), json::string::npos);
}

TEST(Headline, OfALaunchThatTookNoTime) {
  const json::object headline = headline_json(report_with(0), {{"causes", json::array()}}, {});
  EXPECT_EQ(headline.at("text").as_string(), "The launch took no time.");
}

}  // namespace
}  // namespace davsim::traces
