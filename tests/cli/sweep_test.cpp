// `davsim sweep`: a grid of runs into one table, interruptions included.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include "cli/csv.hpp"
#include "tests/cli/program.hpp"

namespace davsim::cli {
namespace {

class SweepTest : public ProgramTest {
 protected:
  static constexpr const char* kSmall = R"({
    "operators": [
      {"operator": "rope_quant_kvcache", "cases": ["RQK-1"]},
      {"operator": "matmul", "tensors": {"a": "float16[m,64]", "b": "float16[64,32]"},
       "sizes": {"m": [16]}, "attrs": {"output_dtype": "float32"}}
    ],
    "socs": ["Ascend910B3", "Ascend910B4"],
    "parameters": {"l2.size": ["100%", "50%"]}
  })";

  Outcome sweep(const std::string& spec, const std::vector<std::string>& more = {}) const {
    write_file(file("s.json"), spec);
    std::vector<std::string> arguments = {"sweep", "s.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return davsim(arguments);
  }
  std::vector<CsvRow> table() const { return read_csv(read_file(file("s.csv"))).rows; }

  void expect_error(const std::string& spec, const std::string& part) const {
    const Outcome outcome = sweep(spec);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, part));
    EXPECT_FALSE(fs::exists(file("s.csv")));
  }
};

TEST_F(SweepTest, ATidyRowForEachRunOfTheGrid) {
  const Outcome outcome = sweep(kSmall);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "8 runs: s.csv"));
  const auto rows = table();
  ASSERT_EQ(rows.size(), 9u);
  const CsvRow start = {"operator", "case", "sizes", "attrs", "soc", "l2", "l2.size", "status"};
  EXPECT_TRUE(std::equal(start.begin(), start.end(), rows[0].begin()));
  // In the order of the description, the parameters turning fastest.
  EXPECT_EQ(rows[1][1], "RQK-1");
  EXPECT_EQ(rows[1][6], "100%");
  EXPECT_EQ(rows[2][6], "50%");
  EXPECT_EQ(rows[3][4], "Ascend910B4");
  EXPECT_EQ(rows[5][2], "m=16");
  EXPECT_EQ(rows[5][3], R"({"output_dtype":"float32"})");
  const auto column = [&](const std::string& name) {
    const auto at = std::find(rows[0].begin(), rows[0].end(), name);
    EXPECT_NE(at, rows[0].end()) << name;
    return static_cast<std::size_t>(at - rows[0].begin());
  };
  const json::object single = result({"run", "rope_quant_kvcache", "--case", "RQK-1", "--soc",
                                      "Ascend910B4", "--set", "l2.size=50%"});
  const CsvRow& same = rows[4];
  EXPECT_EQ(same[column("cycles")], json::serialize(single.at("cycles")));
  EXPECT_EQ(std::stod(same[column("time_us")]), single.at("time_us").to_number<double>());
  EXPECT_EQ(same[column("check")], "not checked");
}

/// The option and the member of the description are one: the rows of one are those of the other.
TEST_F(SweepTest, TimesOnlyAsAnOption) {
  ASSERT_EQ(sweep(kSmall).status, 0);
  const auto with_values = table();
  std::string spec = kSmall;
  const Outcome changed = sweep(spec, {"--times-only"});
  EXPECT_EQ(changed.status, 0) << changed.err;
  EXPECT_TRUE(holds(changed.out, "8 runs, 8 again")) << changed.out;
  const auto times_only = table();
  ASSERT_EQ(times_only.size(), with_values.size());
  for (std::size_t row = 0; row < times_only.size(); ++row) {
    // All but the last column, which says what made the row.
    EXPECT_TRUE(
        std::equal(times_only[row].begin(), times_only[row].end() - 1, with_values[row].begin()))
        << row;
  }
  spec.insert(1, "\"times_only\": true,");
  EXPECT_TRUE(holds(sweep(spec).out, "8 runs, 8 of them from before"));
  spec.insert(1, "\"check\": true,");
  spec.erase(spec.find("\"times_only\": true,"), 19);
  const Outcome refused = sweep(spec, {"--times-only"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(holds(refused.err, "\"check\""));
}

TEST_F(SweepTest, GoesOnWhereItStood) {
  ASSERT_EQ(sweep(kSmall).status, 0);
  const std::string whole = read_file(file("s.csv"));
  // As a kill leaves it: some rows, the last of them torn.
  std::size_t cut = 0;
  for (int lines = 0; lines < 4; ++lines) cut = whole.find('\n', cut) + 1;
  write_file(file("s.csv"), whole.substr(0, cut + 20));
  const Outcome again = sweep(kSmall);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(holds(again.out, "8 runs, 3 of them from before"));
  EXPECT_EQ(read_file(file("s.csv")), whole);
  EXPECT_TRUE(holds(sweep(kSmall).out, "8 of them from before"));
  EXPECT_TRUE(holds(sweep(kSmall, {"--fresh"}).out, "8 runs: s.csv"));
  EXPECT_EQ(read_file(file("s.csv")), whole);
}

TEST_F(SweepTest, RowsThatSomethingElseMadeAreMadeAgain) {
  const auto spec = [](const std::string& cases, const std::string& more) {
    return R"({"operators": [{"operator": "rope_quant_kvcache", "cases": [)" + cases +
           R"(]}], "socs": ["my.ini"])" + more + "}";
  };
  write_file(file("my.ini"), "include = Ascend910B3.ini\n");
  const std::string both = spec(R"("RQK-1", "RQK-2")", "");
  ASSERT_EQ(sweep(both).status, 0);
  EXPECT_TRUE(holds(sweep(both).out, "2 of them from before"));
  const std::string cycles = table().at(1).at(9);
  write_file(file("my.ini"), "include = Ascend910B3.ini\n[AICoreSpec]\ncube_freq = 900\n");
  EXPECT_TRUE(holds(sweep(both).out, "2 again because"));
  EXPECT_NE(table().at(1).at(9), cycles);
  const Outcome checked = sweep(spec(R"("RQK-1", "RQK-2")", R"(, "check": true)"));
  EXPECT_TRUE(holds(checked.out, "2 again because"));
  EXPECT_EQ(table().at(1).at(8), "passed");
  const Outcome fewer = sweep(spec(R"("RQK-1")", R"(, "check": true)"));
  EXPECT_TRUE(holds(fewer.out, "1 rows of runs that the description does not have were dropped"));
}

TEST_F(SweepTest, AFullDiskCostsNoRows) {
  ASSERT_EQ(sweep(kSmall).status, 0);
  const std::string whole = read_file(file("s.csv"));
  write_file(file("s.json"), kSmall);
  // No file may grow beyond a few bytes, as on a full disk.
  const auto full = [] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{16, 16};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  EXPECT_EQ(davsim({"sweep", "s.json", "--fresh"}, full).status, 2);
  EXPECT_EQ(read_file(file("s.csv")), whole);
  EXPECT_EQ(davsim({"sweep", "s.json", "--out", "new.csv"}, full).status, 2);
  EXPECT_FALSE(fs::exists(file("new.csv")));
}

TEST_F(SweepTest, KilledAtAnyTimeLeavesWholeRows) {
  write_file(file("s.json"), kSmall);
  for (const int milliseconds : {150, 400}) {
    const pid_t pid = fork();
    if (pid == 0) {
      if (chdir(work_.c_str()) != 0) _exit(127);
      execl(DAVSIM_PROGRAM, "davsim", "sweep", "s.json", "--json", nullptr);
      _exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    const std::string text = read_file(file("s.csv"));
    EXPECT_TRUE(text.empty() || text.back() == '\n');
    for (const CsvRow& row : table()) EXPECT_EQ(row.size(), table()[0].size());
  }
  EXPECT_EQ(sweep(kSmall).status, 0);
  const auto rows = table();
  EXPECT_EQ(rows.size(), 9u);
  EXPECT_EQ(std::set<CsvRow>(rows.begin(), rows.end()).size(), 9u);
}

TEST_F(SweepTest, RefusalsAreRowsAndHostTroubleIsTriedAgain) {
  const std::string spec =
      R"({"operators": [{"operator": "rope_quant_kvcache", "cases": ["RQK-1"]}],
                               "socs": ["Ascend910_9391", "Ascend910B3"]})";
  const Outcome outcome = sweep(spec);
  EXPECT_EQ(outcome.status, 3);
  EXPECT_TRUE(holds(outcome.err, "E_UNSUPPORTED"));
  auto rows = table();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1][6], "3");
  EXPECT_TRUE(holds(rows[1][7], "E_UNSUPPORTED: "));
  EXPECT_EQ(rows[2][6], "0");
  const std::string whole = read_file(file("s.csv"));
  rows[2][6] = "137";
  rows[2][9] = "1";
  write_file(file("s.csv"), csv_line(rows[0]) + csv_line(rows[1]) + csv_line(rows[2]));
  EXPECT_TRUE(holds(sweep(spec).out, "1 of them from before"));
  EXPECT_EQ(read_file(file("s.csv")), whole);
}

TEST_F(SweepTest, ListShowsTheGridAndRunsNothing) {
  const Outcome outcome = sweep(kSmall, {"--list"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 8);
  EXPECT_FALSE(fs::exists(file("s.csv")));
}

/// Ten cases, cold and warm, with two sizes of L2.
TEST_F(SweepTest, TheExampleOfTheDocumentationIsADescription) {
  const Outcome outcome =
      davsim({"sweep", DAVSIM_SOURCE "/examples/half_l2/half_l2.json", "--list"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 10 * 2 * 2);
}

TEST_F(SweepTest, ErrorsNameFileMemberAndValue) {
  const auto one = [](const std::string& entry, const std::string& more = "") {
    return "{\"operators\": [" + entry + "]" + more + "}";
  };
  const std::string good = R"({"operator": "rope_quant_kvcache", "cases": ["RQK-1"]})";
  expect_error("", "it is empty");
  expect_error("{", "s.json");
  expect_error("[]", "s.json: this must be an object");
  expect_error("{}", "s.json: 'operators' is missing");
  expect_error(one(""), "operators: the list is empty");
  expect_error(one(R"({"operator": "matmull", "cases": "all"})"),
               "operators[0].operator: there is no operator 'matmull'; did you mean 'matmul'?");
  expect_error(one(good + R"(, {"operator": "matmul", "cases": ["MM-1", "MM-999"]})"),
               "operators[1].cases[1]: matmul has no case 'MM-999'");
  expect_error(one(R"({"operator": "matmul"})"), "either \"cases\" or \"tensors\"");
  expect_error(one(R"({"operator": "matmul", "case": ["MM-1"]})"), "did you mean 'cases'?");
  expect_error(one(R"({"operator": "matmul", "cases": ["MM-1", "MM-1"]})"), "in the list twice");
  expect_error(one(R"({"operator": "matmul", "cases": ["MM-1"], "attrs": {"depth": 1}})"),
               "operators[0].attrs: matmul has no attribute 'depth'");
  const auto product = [&](const std::string& a, const std::string& more) {
    return one(R"({"operator": "matmul", "tensors": {"a": ")" + a + R"(", "b": "float16[16,16]")" +
               more + "}");
  };
  expect_error(product("float16[m]", "}"),
               "operators[0].tensors.a: 'm' is neither a number nor one of \"sizes\"");
  expect_error(product("half[1]", "}"), "unknown type 'half'");
  expect_error(product("float16[16,16]", R"(, "c": "float16[16,16]"})"),
               "operators[0].tensors: matmul has no input 'c'");
  expect_error(one(R"({"operator": "matmul", "tensors": {"a": "float16[16,16]"}})"),
               "operators[0].tensors: matmul needs the input 'b'");
  expect_error(product("float16[m,16]", R"(}, "sizes": {"m": [16], "n": [1, 2]})"),
               "operators[0].sizes.n: no tensor has this size");
  expect_error(one(good, R"(, "socs": ["Ascend910B1", "Ascend910B9"])"),
               "socs[1]: unknown SoC 'Ascend910B9'");
  expect_error(one(good, R"(, "l2": ["hot"])"), "l2[0]: L2 is \"cold\" or \"warm\"");
  expect_error(one(good, R"(, "parameters": {"l2.sise": ["1MiB"]})"), "the nearest are l2.size");
  expect_error(one(good, R"(, "parameters": {"l2.size": ["96MiB", "1Mib"]})"),
               "parameters.l2.size[1]: --set l2.size=1Mib: unknown unit 'Mib'");
  expect_error(one(good, R"(, "parameters": {"l2.size": [true]})"), "parameters.l2.size[0]");
  expect_error(one(good, R"(, "parameter": {})"), "unknown member 'parameter'");
  expect_error(one(good + ", " + good), "twice");
}

TEST_F(SweepTest, LeavesForeignFilesAlone) {
  write_file(file("s.csv"), "a,b\n1,2\n");
  const Outcome outcome = sweep(kSmall);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(holds(outcome.err, "it holds other columns than this sweep"));
  EXPECT_EQ(read_file(file("s.csv")), "a,b\n1,2\n");
}

TEST_F(SweepTest, TheTableIsNoFileThatTheSweepReads) {
  write_file(file("spec.json"),
             R"({"operators": [{"operator": "rope_quant_kvcache", "cases": ["RQK-2"]}]})");
  const std::string before = read_file(file("spec.json"));
  const Outcome run = davsim({"sweep", "spec.json", "--out", "./spec.json", "--fresh"});
  EXPECT_EQ(run.status, 2);
  EXPECT_TRUE(holds(run.err, "--out would overwrite 'spec.json', the description of the sweep"))
      << run.err;
  EXPECT_EQ(read_file(file("spec.json")), before);
}

TEST_F(SweepTest, TensorsOfOtherTypesWithTheSameSizesAreOtherRuns) {
  write_file(file("spec.json"), R"({"operators": [
      {"operator": "matmul", "sizes": {"m": [16]},
       "tensors": {"a": "float16[m,64]", "b": "float16[64,m]"}},
      {"operator": "matmul", "sizes": {"m": [16]},
       "tensors": {"a": "bfloat16[m,64]", "b": "bfloat16[64,m]"}}]})");
  const Outcome list = davsim({"sweep", "spec.json", "--list"});
  EXPECT_EQ(list.status, 0) << list.err;
  EXPECT_TRUE(holds(list.out, "m=16 a=bfloat16[16,64] b=bfloat16[64,16]")) << list.out;
}

TEST_F(SweepTest, TensorsByShapeAlone) {
  const std::vector<std::string> run = {
      "run", "matmul", "--tensor", "a=float16[32,64]", "--tensor", "b=float16[64,16]"};
  EXPECT_EQ(result(run).at("cost").at("cube_flops_16bit").to_number<double>(), 2.0 * 32 * 64 * 16);
  const auto expect = [&](const std::string& tensor, const std::string& part) {
    const Outcome outcome = davsim({"run", "matmul", "--tensor", tensor});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(holds(outcome.err, part));
  };
  expect("a", "NAME=TYPE[SIZE,...]");
  expect("a=float16", "NAME=TYPE[SIZE,...]");
  expect("a=float16[1,]", "last comma");
  expect("a=float16[-1]", "whole number");
  expect("a=float16[99999999,99999999]", "too many");
  expect("a=int8[4]:200", "from -128 to 127");
  expect("a=int64[4]:x", "no number");
}

TEST(Csv, ReadsWhatItWrote) {
  const CsvRow row = {"plain", "", "a,b", "say \"x\"", "two\nlines"};
  const CsvText text = read_csv(csv_line(row) + "torn,li");
  ASSERT_EQ(text.rows.size(), 1u);
  const CsvRow expected = {"plain", "", "a,b", "say \"x\"", "two lines"};
  EXPECT_EQ(text.rows[0], expected);
  EXPECT_EQ(text.whole, csv_line(row).size());
}

}  // namespace
}  // namespace davsim::cli
