// `davsim compare`: one process a column, side by side.
#include "tests/cli/program.hpp"

namespace davsim::cli {
namespace {

class CompareTest : public ProgramTest {
 protected:
  static std::vector<std::string> compare(const std::vector<std::string>& socs,
                                          const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"compare", "rope_quant_kvcache", "--case", "RQK-1"};
    for (const std::string& soc : socs) arguments.insert(arguments.end(), {"--soc", soc});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(CompareTest, AgreesWithSingleRuns) {
  const json::object both = result(compare({"Ascend910B3", "Ascend910B4"}));
  ASSERT_EQ(both.at("results").as_array().size(), 2u);
  for (const json::value& entry : both.at("results").as_array()) {
    const std::string soc = entry.at("soc").as_string().c_str();
    const json::object single =
        result({"run", "rope_quant_kvcache", "--case", "RQK-1", "--soc", soc});
    EXPECT_EQ(entry.at("status").to_number<int>(), 0);
    EXPECT_EQ(entry.at("result"), json::value(single)) << soc;
  }
}

TEST_F(CompareTest, Table) {
  const Outcome outcome = davsim(compare({"Ascend910B3", "Ascend910B1"}, {"--jobs", "1"}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"Ascend910B3", "Ascend910B1", "cycles", "core time us", "task time us",
                           "TFLOPS", "GB/s", "AIV V busy %", "passed"}) {
    EXPECT_TRUE(holds(outcome.out, part));
  }
}

TEST_F(CompareTest, KeepsWhatWorksAndSaysWhatDoesNot) {
  const Outcome outcome = davsim(compare({"Ascend910B3", "Ascend910_9391"}));
  EXPECT_EQ(outcome.status, 3);
  EXPECT_TRUE(holds(outcome.out, "passed"));
  EXPECT_TRUE(holds(outcome.err, "Ascend910_9391: E_UNSUPPORTED"));
  const json::object both = result(compare({"Ascend910B3", "Ascend910_9391"}), 3);
  EXPECT_EQ(both.at("results").at(1).at("error").at("class").as_string(), "E_UNSUPPORTED");
  EXPECT_FALSE(both.at("results").at(1).as_object().contains("result"));
}

TEST_F(CompareTest, HandsOptionsOn) {
  const json::object both = result(compare(
      {"Ascend910B3", "Ascend910B1"}, {"--no-check", "--l2", "warm", "--attr", "kv_output=true"}));
  for (const json::value& entry : both.at("results").as_array()) {
    const json::value& run = entry.at("result");
    EXPECT_EQ(run.at("check").as_string(), "not checked");
    EXPECT_EQ(run.at("l2_start").as_string(), "warm");
  }
  const json::object limited =
      result(compare({"Ascend910B3", "Ascend910B1"}, {"--max-cycles", "10"}), 4);
  EXPECT_EQ(limited.at("results").at(0).at("error").at("class").as_string(), "limit");
}

/// The SoC as it is, then with the parameters replaced; the figures are those of single runs.
TEST_F(CompareTest, ReplacedParametersAreColumns) {
  const json::object all = result(compare(
      {"Ascend910B3"}, {"--set", "hbm.bandwidth=0.4TB/s,0.8TB/s", "--set", "clock=900MHz"}));
  const json::array& columns = all.at("results").as_array();
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_TRUE(columns[0].at("set").as_array().empty());
  EXPECT_EQ(columns[1].at("set"), json::value({"hbm.bandwidth=0.4TB/s", "clock=900MHz"}));
  EXPECT_EQ(columns[2].at("set"), json::value({"hbm.bandwidth=0.8TB/s", "clock=900MHz"}));
  const json::object single =
      result({"run", "rope_quant_kvcache", "--case", "RQK-1", "--soc", "Ascend910B3", "--set",
              "clock=0.9GHz", "--set", "hbm.bandwidth=0.8TB/s"});
  EXPECT_EQ(columns[2].at("result").at("cycles"), single.at("cycles"));
  EXPECT_EQ(single.at("frequency_mhz").to_number<double>(), 900);
  EXPECT_EQ(single.at("set").as_array().size(), 2u);
  const auto cycles = [&](std::size_t i) {
    return columns[i].at("result").at("cycles").to_number<std::uint64_t>();
  };
  EXPECT_GT(cycles(1), cycles(2));
}

TEST_F(CompareTest, TableShowsTheValueOfEachColumn) {
  const Outcome outcome = davsim(compare({}, {"--set", "l2.size=50%"}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "l2.size"));
  EXPECT_TRUE(holds(outcome.out, "192 MiB"));
  EXPECT_TRUE(holds(outcome.out, "96 MiB"));
}

TEST_F(CompareTest, ReadsFiles) {
  davsim(
      {"run", "rope_quant_kvcache", "--case", "RQK-2", "--save-inputs", "in", "--save-attrs", "a"});
  const json::object both = result({"compare", "rope_quant_kvcache", "--inputs", "in", "--attrs",
                                    "a", "--soc", "Ascend910B3", "--soc", "Ascend910B1"});
  EXPECT_TRUE(both.at("case").is_null());
  EXPECT_EQ(both.at("results").at(1).at("status").to_number<int>(), 0);
}

TEST_F(CompareTest, WrongUsage) {
  for (const auto& arguments :
       {compare({}), compare({"Ascend910B3"}), compare({"Ascend910B3", "Ascend910B3"}),
        compare({"Ascend910B3", "Ascend910"}),
        compare({"Ascend910B3", "Ascend910B1"}, {"--jobs", "0"}),
        compare({"Ascend910B3"}, {"--set", "l2.size=,96MiB"}),
        compare({"Ascend910B3"}, {"--set", "l2.size"}),
        compare({"Ascend910B3"}, {"--set", "l2.size=1MB"}),
        compare({"Ascend910B3"}, {"--set", "launch.base=1,2,3,4,5,6,7,8,9,10", "--set",
                                  "cube.latency=1,2,3,4,5,6,7,8,9,10"}),
        compare({"Ascend910B3", "Ascend910B1"}, {"--outputs", "x"})}) {
    EXPECT_EQ(error_class(arguments, 2), "usage");
  }
}

}  // namespace
}  // namespace davsim::cli
