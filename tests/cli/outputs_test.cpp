// Folders and files that show what happened in a run, besides traces.
#include <algorithm>

#include "tests/cli/program.hpp"
#include "tests/traces/output/csv_table.hpp"

namespace davsim::cli {
namespace {

class OutputsTest : public ProgramTest {
 protected:
  static std::vector<std::string> run_case(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run", "matmul", "--case", "MM-1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(OutputsTest, TheTableOfInstructions) {
  const json::object run =
      result(run_case({"--instructions", "table.csv", "--report", "report.json"}));
  EXPECT_EQ(run.at("files").at("instructions").as_string(), "table.csv");
  const json::object report = object(read_file(file("report.json")));
  const test::Csv table = test::parse_csv(read_file(file("table.csv")));
  // Flags and barriers are rows of the table but no instructions of the report.
  std::uint64_t mmads = 0;
  for (const auto& row : table.rows)
    mmads += row.at("pipe") == "M" && row.at("instruction") == "MMAD";
  EXPECT_EQ(mmads, report.at("totals")
                       .at("AIC")
                       .at("pipes")
                       .at("M")
                       .at("instructions")
                       .to_number<std::uint64_t>());
  EXPECT_GT(mmads, 0u);
  // The name of the option is longer than the column of names.
  const Outcome text = davsim(run_case({"--instructions", "packed.csv.gz"}));
  EXPECT_EQ(text.status, 0);
  EXPECT_TRUE(holds(text.out, "instructions packed.csv.gz\n"));
  EXPECT_EQ(read_file(file("packed.csv.gz")).substr(0, 2), "\x1f\x8b");
}

TEST_F(OutputsTest, TheVendorsLayout) {
  const json::object run = result(run_case({"--msprof", "prof"}));
  EXPECT_EQ(run.at("files").at("msprof").as_string(), "prof");
  for (const char* name :
       {"ArithmeticUtilization.csv", "L2Cache.csv", "Memory.csv", "MemoryL0.csv", "MemoryUB.csv",
        "OpBasicInfo.csv", "PipeUtilization.csv", "ResourceConflictRatio.csv",
        "simulator/trace.json", "simulator/core0.cubecore0/trace.json",
        "simulator/core0.cubecore0/core0.cubecore0_instr_exe.csv",
        "simulator/core0.cubecore0/core0.cubecore0_code_exe.csv"}) {
    EXPECT_TRUE(fs::is_regular_file(file("prof") / name)) << name;
  }
  object(read_file(file("prof/simulator/trace.json")));
  const test::Csv table = test::parse_csv(read_file(file("prof/ArithmeticUtilization.csv")));
  ASSERT_FALSE(table.rows.empty());
  EXPECT_EQ(table.rows[0].at("sub_block_id"), "cube0");
  EXPECT_GT(std::stod(table.rows[0].at("aic_cube_fops")), 0);
  EXPECT_GT(std::stod(table.rows[0].at("aic_cube_fp16_ratio")), 0);
  const test::Csv level0 = test::parse_csv(read_file(file("prof/MemoryL0.csv")));
  for (const char* column : {"aic_l0a_read_bw(GB/s)", "aic_l0a_write_bw(GB/s)",
                             "aic_l0b_read_bw(GB/s)", "aic_l0c_write_bw_cube(GB/s)"}) {
    EXPECT_GT(std::stod(level0.rows[0].at(column)), 0) << column;
  }
  // Watching changes nothing.
  EXPECT_EQ(run.at("cycles"), result(run_case({})).at("cycles"));
}

TEST_F(OutputsTest, AnEmptyFolderIsFilledAndOthersAreLeftAlone) {
  fs::create_directory(file("empty"));
  EXPECT_EQ(davsim(run_case({"--msprof", "empty/", "--quiet"})).status, 0);
  EXPECT_TRUE(fs::exists(file("empty/simulator/trace.json")));
  EXPECT_EQ(error_class(run_case({"--msprof", "empty"}), 2), "file");  // not empty any more
  fs::create_directory(file("full"));
  write_file(file("full/mine.txt"), "mine");
  const json::object refused = error(run_case({"--msprof", "full"}), 2);
  EXPECT_TRUE(holds(refused.at("message").as_string().c_str(), "not empty"));
  write_file(file("plain"), "mine");
  EXPECT_EQ(error_class(run_case({"--msprof", "plain"}), 2), "file");
  EXPECT_EQ(error_class(run_case({"--msprof", "none/prof"}), 2), "file");
  EXPECT_EQ(error_class(run_case({"--msprof", "same", "--trace", "same"}), 2), "usage");
  EXPECT_EQ(error_class(run_case({"--msprof", "x", "--functional"}), 2), "usage");
  std::vector<std::string> left = files();
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::string>{"empty", "full", "plain"}));
  EXPECT_EQ(read_file(file("full/mine.txt")), "mine");
}

TEST_F(OutputsTest, ARunThatFailsLeavesNothing) {
  EXPECT_EQ(error_class(run_case({"--msprof", "prof", "--max-cycles", "100"}), 4), "limit");
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace davsim::cli
