// When the kernels of a launch on several dies begin.
#include "sim/system/start_spread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "tests/scratch_folder.hpp"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

sim::SystemConfig with_spread(const std::string& text) {
  const ScratchFolder folder;
  const auto path = folder.path() / "own.ini";
  std::ofstream(path) << "include = atlas_a3_server.ini\n\n[Launch]\nspread = " << text
                      << " | assumed: a test\n";
  return sim::SystemConfig::from_file(path.string());
}

/// Two halves of a normal distribution have their middles at -0.6745 and 0.6745 deviations.
TEST(SystemStarts, AreQuantilesOfANormalDistribution) {
  sim::StartSpread spread(with_spread("10 us"));
  spread.spread_next_launch();
  const auto two = spread.take_delays(2, 1000);
  EXPECT_EQ(two[0], 0u);
  EXPECT_NEAR(static_cast<double>(two[1]), 2 * 0.6745 * 10'000, 2);
  spread.spread_next_launch();
  const auto eight = spread.take_delays(8, 1000);
  EXPECT_EQ(eight[0], 0u);
  EXPECT_NEAR(static_cast<double>(*std::max_element(eight.begin(), eight.end())),
              2 * 1.5341 * 10'000, 2);
  EXPECT_EQ(std::set(eight.begin(), eight.end()).size(), 8u);
}

/// Dies beside each other are not those that begin one after the other.
TEST(SystemStarts, GoFromDieToDistantDie) {
  for (const std::size_t dies : {8, 16, 48}) {
    sim::StartSpread spread(with_spread("10 us"));
    spread.spread_next_launch();
    const auto delays = spread.take_delays(dies, 1000);
    std::size_t later = 0;
    for (std::size_t die = 1; die < dies; ++die) later += delays[die] > delays[die - 1];
    EXPECT_LT(later, dies - 2) << dies;
  }
}

TEST(SystemStarts, AreApartInOneLaunchOnly) {
  sim::StartSpread spread(with_spread("500 ns"));
  EXPECT_EQ(spread.take_delays(3, 1000), std::vector<observe::Cycle>(3, 0));
  spread.spread_next_launch();
  EXPECT_NE(spread.take_delays(3, 1000), std::vector<observe::Cycle>(3, 0));
  EXPECT_EQ(spread.take_delays(3, 1000), std::vector<observe::Cycle>(3, 0));
}

TEST(SystemStarts, ASpreadHasAUnitOfTime) {
  EXPECT_THROW(with_spread("3 GB/s"), std::invalid_argument);
  EXPECT_THROW(with_spread("-3 us"), std::invalid_argument);
}

}  // namespace
}  // namespace davsim::test
