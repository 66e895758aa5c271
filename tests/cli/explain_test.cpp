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

TEST_F(ExplainTest, ReadsATraceThatAnotherProgramHasWrittenAgain) {
  ASSERT_EQ(davsim(run_case({"--trace", "t.json"})).status, 0);
  const std::string trace = read_file(file("t.json"));
  const json::value value = json::parse(trace);
  write_file(file("line.json"), json::serialize(value));
  // Sorted members put the reports before the events.
  const json::object& whole = value.as_object();
  write_file(file("sorted.json"),
             "{\n  \"davsim_reports\": " + json::serialize(whole.at("davsim_reports")) +
                 ",\n  \"displayTimeUnit\": \"ns\",\n  \"traceEvents\": " +
                 json::serialize(whole.at("traceEvents")) + "\n}\n");
  const std::string expected = davsim({"explain", "t.json"}).out;
  EXPECT_EQ(davsim({"explain", "line.json"}).out, expected);
  EXPECT_EQ(davsim({"explain", "sorted.json"}).out, expected);
  const Outcome standard =
      davsim({"explain", "-"}, [] { dup2(open("t.json", O_RDONLY), STDIN_FILENO); });
  EXPECT_EQ(standard.out, expected) << standard.err;
  write_file(file("torn.json"), json::serialize(value).substr(0, 4000));
  EXPECT_EQ(error_class({"explain", "torn.json"}, 2), "file");
  write_file(file("more.json"), json::serialize(value) + "x");
  EXPECT_EQ(error_class({"explain", "more.json"}, 2), "file");
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
