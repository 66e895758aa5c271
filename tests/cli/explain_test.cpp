// `davsim explain` and `davsim run --explain`.
#include "tests/cli/program.hpp"

namespace davsim::cli {
namespace {

class ExplainTest : public ProgramTest {
 protected:
  static std::vector<std::string> run_case(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run", "rope_quant_kvcache", "--case", "RQK-5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(ExplainTest, SaysTheSameDuringARunAndFromItsTrace) {
  const json::object run = result(run_case({"--explain", "--trace", "t.json"}));
  const json::object file = result({"explain", "t.json"});
  EXPECT_EQ(file.at("launches").as_array().size(), 1u);
  EXPECT_EQ(file.at("launches").at(0), run.at("explanation"));
  EXPECT_EQ(run.at("explanation").at("cycles"), run.at("cycles"));
  std::uint64_t sum = 0;
  for (const json::value& cause : run.at("explanation").at("critical_path").at("causes").as_array())
    sum += cause.at("cycles").to_number<std::uint64_t>();
  EXPECT_EQ(sum, run.at("cycles").to_number<std::uint64_t>());
}

TEST_F(ExplainTest, TextNamesCausesAndLines) {
  const Outcome run = davsim(run_case({"--explain", "--trace", "t.json"}));
  EXPECT_EQ(run.status, 0) << run.err;
  const Outcome file = davsim({"explain", "t.json", "--top", "3"});
  EXPECT_EQ(file.status, 0) << file.err;
  for (const Outcome* outcome : {&run, &file}) {
    EXPECT_TRUE(holds(outcome->out, "along its critical path"));
    EXPECT_TRUE(holds(outcome->out, "MTE2 waits for L2 or HBM"));
    EXPECT_TRUE(holds(outcome->out, "set at"));
    EXPECT_TRUE(holds(outcome->out, " more"));
  }
  EXPECT_LT(file.out.size(), run.out.size());
}

TEST_F(ExplainTest, AFileThatIsNoTraceIsRefused) {
  write_file(file("empty.json"), "");
  write_file(file("other.json"), "{\"traceEvents\": []}");
  EXPECT_EQ(error_class({"explain", "none.json"}, 2), "file");
  EXPECT_EQ(error_class({"explain", "empty.json"}, 2), "file");
  EXPECT_EQ(error_class({"explain", "other.json"}, 2), "file");
  EXPECT_EQ(error_class({"explain", "."}, 2), "file");
  EXPECT_EQ(error_class({"explain"}, 2), "usage");
  EXPECT_EQ(error_class({"explain", "other.json", "--top", "many"}, 2), "usage");
}

TEST_F(ExplainTest, AFunctionalRunHasNothingToExplain) {
  EXPECT_EQ(error_class(run_case({"--functional", "--explain"}), 2), "usage");
}

}  // namespace
}  // namespace davsim::cli
