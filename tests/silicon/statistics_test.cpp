#include "bench/silicon/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "bench/silicon/measurement.hpp"
#include "bench/silicon/params.hpp"
#include "bench/silicon/quantity.hpp"
#include "bench/silicon/report.hpp"
#include "tests/scratch_folder.hpp"

namespace davsim::silicon {
namespace {

Compared row(double measured, double simulated, const std::string& quantity = "latency_us") {
  Compared row;
  row.measurement.kind = Kind::kRebuild;
  row.measurement.quantity = quantity;
  row.measurement.value = measured;
  row.simulated = simulated;
  return row;
}

TEST(SiliconStatistics, QuantileLiesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({0, 10}, 0.9), 9);
  EXPECT_DOUBLE_EQ(quantile({}, 0.9), 0);
}

TEST(SiliconStatistics, SpearmanSeesOnlyOrder) {
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3}, {10, 1000, 1e6}), 1);
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3}, {3, 2, 1}), -1);
  // Ranks 0 1 2 3 against 1 0 3 2: 1 - 6 * 4 / (4 * 15).
  EXPECT_NEAR(spearman({1, 2, 3, 4}, {2, 1, 4, 3}), 0.6, 1e-12);
  // Equal values share their mean rank: 0.5 0.5 2 against 0 1 2.
  EXPECT_NEAR(spearman({5, 5, 9}, {1, 2, 3}), 0.8660254, 1e-6);
}

TEST(SiliconStatistics, ShortTimesMayMissByTwoMicroseconds) {
  EXPECT_DOUBLE_EQ(row(9, 7).relative_error(), 0);
  EXPECT_DOUBLE_EQ(row(9, 6.9).relative_error(), 1 - 6.9 / 9);
  EXPECT_DOUBLE_EQ(row(10, 8).relative_error(), 0.2);
  EXPECT_DOUBLE_EQ(row(5, 4, "busy_us:V").relative_error(), 0.2);  // no time of a kernel
}

TEST(SiliconStatistics, SummaryOfRows) {
  Compared failed = row(100, 0);
  failed.error = "did not run";
  const Summary s = summarise({row(100, 110), row(200, 180), row(300, 300), failed});
  EXPECT_EQ(s.rows, 3u);
  EXPECT_NEAR(s.median_error, 0.1, 1e-12);
  EXPECT_NEAR(s.geometric_mean_error, std::cbrt(1.1 / 0.9) - 1, 1e-12);
  EXPECT_DOUBLE_EQ(s.rank_correlation, 1);
}

TEST(SiliconParams, AreReadStrictly) {
  const Params params = Params::parse("rows=12 order=same");
  EXPECT_EQ(params.number("rows"), 12u);
  EXPECT_EQ(params.number("cols", 7), 7u);
  EXPECT_EQ(params.text("order", ""), "same");
  EXPECT_THROW(params.number("cols"), std::invalid_argument);
  EXPECT_THROW(params.number("order"), std::invalid_argument);
  EXPECT_THROW(Params::parse("rows"), std::invalid_argument);
}

class SiliconMeasurements : public ::testing::Test {
 protected:
  std::string file(const std::string& lines) {
    const std::string path = (folder_ / "measurements.csv").string();
    std::ofstream(path) << "id,family,kind,soc,kernel,parameters,l2,quantity,value,note\n" << lines;
    return path;
  }
  std::string error(const std::string& lines) {
    try {
      read_measurements(file(lines));
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "";
  }

 private:
  const ScratchFolder folder_;
};

TEST_F(SiliconMeasurements, AreReadWithQuotes) {
  const auto rows = read_measurements(
      file("a,memory,rebuild,Ascend910B1,add,tile=1,warm,latency_us,2.5,\"x, \"\"y\"\"\"\n"
           "b,conv,omitted,,,,,,,no kernel\n"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].warm);
  EXPECT_DOUBLE_EQ(rows[0].value, 2.5);
  EXPECT_EQ(rows[0].note, "x, \"y\"");
  EXPECT_EQ(rows[1].kind, Kind::kOmitted);
}

TEST_F(SiliconMeasurements, AMistakeIsNamedWithItsLine) {
  EXPECT_NE(error("a,b,rebuild,s,k,,warm,q,-1,\n").find(":2: value is '-1'"), std::string::npos);
  EXPECT_NE(error("a,b,guess,s,k,,warm,q,1,\n").find("kind is 'guess'"), std::string::npos);
  EXPECT_NE(error("a,b,ours,s,k,,hot,q,1,\n").find("l2 is 'hot'"), std::string::npos);
  EXPECT_NE(error("a,b\n").find("2 columns"), std::string::npos);
}

TEST(SiliconQuantity, IsReadFromTheLaunch) {
  observe::LaunchReport report;
  report.frequency_mhz = 1000;
  report.cycles = 4000;
  report.launch_overhead_us = 1.5;
  report.cores.resize(2);
  report.cores[0].end = 2000, report.cores[1].end = 4000;
  for (observe::CoreCounters& core : report.cores) core.present.add(isa::Pipe::V);
  report.cores[0].pipes[static_cast<std::size_t>(isa::Pipe::V)].in_flight = 1000;
  EXPECT_DOUBLE_EQ(quantity_of(report, "latency_us"), 5.5);
  EXPECT_DOUBLE_EQ(quantity_of(report, "core_us"), 3);
  EXPECT_DOUBLE_EQ(quantity_of(report, "core_us:AIV"), 3);
  EXPECT_DOUBLE_EQ(quantity_of(report, "core_max_us"), 4);
  EXPECT_DOUBLE_EQ(quantity_of(report, "core_cycles_sum"), 6000);
  EXPECT_DOUBLE_EQ(quantity_of(report, "busy_us:V"), 0.5);
  EXPECT_DOUBLE_EQ(quantity_of(report, "busy_share:V"), 0.5 / 3);
  EXPECT_THROW(quantity_of(report, "speed"), std::invalid_argument);
  EXPECT_THROW(quantity_of(report, "busy_us:X"), std::invalid_argument);
}

TEST(SiliconReport, GroupsAndBars) {
  std::vector<Compared> rows = {row(100, 104), row(100, 150), row(100, 101)};
  rows[1].measurement.kind = Kind::kOurs;
  rows[2].measurement.kind = Kind::kOmitted;
  EXPECT_EQ(groups_of(rows).size(), 2u);
  const auto bars = bars_of(rows);
  // No pipe and no core was measured, so that nothing is said of them.
  ASSERT_EQ(bars.size(), 4u);
  EXPECT_NEAR(bars[0].value, 0.04, 1e-12);
  EXPECT_TRUE(bars[0].holds());
  EXPECT_TRUE(bars[1].holds());
  EXPECT_FALSE(bars[2].holds());  // ours, 50 % off
  EXPECT_FALSE(bars[3].holds());
}

TEST(SiliconReport, CoreTimesOfRebuiltKernelsHaveABar) {
  std::vector<Compared> rows = {row(100, 107)};
  rows[0].measurement.quantity = "core_us";
  const auto bars = bars_of(rows);
  ASSERT_EQ(bars.size(), 1u);
  EXPECT_FALSE(bars[0].holds());  // 7 % off, 6 % allowed
}

/// Rows of one family, measured at 10.0, 10.1 and so on, of which the last four are in the wrong
/// order.
std::vector<Compared> rows_from_ten(int count) {
  std::vector<Compared> rows;
  for (int i = 0; i < count; ++i) {
    const double measured = 10 + 0.1 * i;
    rows.push_back(row(measured, i < count - 4 ? measured : 10 - 0.01 * i));
    rows.back().measurement.kind = Kind::kOurs;
  }
  return rows;
}

TEST(SiliconReport, TheOrderOfAFamilyAndOfShortKernelsHaveBars) {
  const auto bars = bars_of(rows_from_ten(21));
  ASSERT_EQ(bars.size(), 4u);
  EXPECT_TRUE(bars[2].at_least && bars[3].at_least);
  EXPECT_DOUBLE_EQ(bars[2].limit, 0.97);
  EXPECT_DOUBLE_EQ(bars[3].limit, 0.85);
  EXPECT_FALSE(bars[2].holds());
  // 20 rows are too few to speak of their order.
  EXPECT_EQ(bars_of(rows_from_ten(20)).size(), 2u);
  // Of those above 20 us the order counts in their family alone.
  std::vector<Compared> longer = rows_from_ten(21);
  for (Compared& each : longer) each.measurement.value += 10.05;
  EXPECT_EQ(bars_of(longer).size(), 3u);
}

TEST(SiliconReport, SeveralDiesHaveBarsOfTheirOwn) {
  std::vector<Compared> rows = {row(100, 114)};
  rows[0].measurement.kind = Kind::kOurs;
  EXPECT_EQ(bars_of(rows).size(), 2u);
  rows[0].measurement.family = "comm";
  ASSERT_EQ(bars_of(rows).size(), 1u);
  EXPECT_TRUE(bars_of(rows)[0].holds());
  rows[0].simulated = 120;
  EXPECT_FALSE(bars_of(rows)[0].holds());
}

Sensitivity changed(std::vector<Compared> rows) {
  return {"Timing.L2.ways", 0.8, groups_of(rows)};
}

std::string table_of(const std::vector<Compared>& base, const std::vector<Sensitivity>& moved) {
  std::ostringstream out;
  write_sensitivities(out, groups_of(base), moved);
  return out.str();
}

TEST(SiliconSensitivity, AValueThatEveryRunRefusesIsNoPerfectFit) {
  Compared failed = row(100, 0);
  failed.error = "19 ways are refused";
  const Sensitivity refused = changed({failed, failed});
  EXPECT_TRUE(refused.refused());
  const std::string table = table_of({row(100, 110), row(100, 110)}, {refused});
  EXPECT_NE(table.find("| Timing.L2.ways | 0.80 | refused |"), std::string::npos) << table;
  EXPECT_NE(table.find("* `Timing.L2.ways` x 0.80: 19 ways are refused\n"), std::string::npos);
  EXPECT_EQ(table.find(" 0.0 %"), std::string::npos);
}

TEST(SiliconSensitivity, RunsThatFailAreCounted) {
  Compared failed = row(100, 0);
  failed.error = "too small";
  const Sensitivity partly = changed({row(100, 110), failed});
  EXPECT_FALSE(partly.refused());
  const std::string table = table_of({row(100, 110), row(100, 110)}, {partly});
  EXPECT_NE(table.find(" 10.0 % (1 of 2 failed) |"), std::string::npos) << table;
  EXPECT_NE(table.find("x 0.80: too small"), std::string::npos);
}

TEST(SiliconSensitivity, NothingIsSaidOfFailuresWhereNoneAre) {
  const std::string table = table_of({row(100, 110)}, {changed({row(100, 120)})});
  EXPECT_NE(table.find("| 0.80 | 20.0 % |\n"), std::string::npos) << table;
  EXPECT_EQ(table.find("failed"), std::string::npos);
}

TEST(SiliconReport, NamesTheMeasurementsByTheHighLevelApi) {
  std::vector<Compared> rows = {row(10, 11), row(10, 12), row(10, 13)};
  const char* const ids[] = {"a", "b", "c"};
  for (std::size_t i = 0; i < 3; ++i) rows[i].measurement.id = ids[i];
  rows[0].high_level = rows[2].high_level = "Matmul";
  std::ostringstream page;
  write_page(page, rows);
  EXPECT_NE(page.str().find("| Matmul | a, c |"), std::string::npos);
  rows[0].high_level = rows[2].high_level = "";
  std::ostringstream plain;
  write_page(plain, rows);
  EXPECT_EQ(plain.str().find("high-level"), std::string::npos);
}

}  // namespace
}  // namespace davsim::silicon
