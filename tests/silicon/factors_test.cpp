#include "bench/silicon/factors.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace davsim::silicon {
namespace {

sim::SocConfig soc() {
  return sim::SocConfig::named("Ascend910B1");
}

double value(const sim::SocConfig& soc, const std::string& constant) {
  return soc.constants().at(constant).value;
}

TEST(SiliconFactors, AreReadStrictly) {
  const Factors factors = read_factors({"Timing.Scalar.load=0.5", "Timing.L2.ways=2"});
  EXPECT_EQ(factors, (Factors{{"Timing.Scalar.load", 0.5}, {"Timing.L2.ways", 2}}));
  for (const char* word : {"Timing.Scalar.load", "Timing.Scalar.load=", "Timing.Scalar.load=x",
                           "Timing.Scalar.load=0.8x", "Timing.Scalar.load=nan"}) {
    EXPECT_THROW(read_factors({word}), std::invalid_argument) << word;
  }
}

TEST(SiliconFactors, EveryConstantThatIsNotZeroTakesAFactor) {
  const sim::SocConfig unchanged = soc();
  for (const auto& [name, constant] : unchanged.constants()) {
    if (constant.value == 0) continue;
    sim::SocConfig changed = unchanged;
    // Lines must fill L2; half of them do.
    EXPECT_LT(scale(changed, name, 0.5), 1) << name;
    EXPECT_LT(value(changed, name), constant.value) << name;
  }
}

TEST(SiliconFactors, KeysMayHoldDots) {
  for (const char* name : {"Timing.ScalarCalls.buffer.stack", "Timing.Vector.VADD.fixed"}) {
    sim::SocConfig changed = soc();
    EXPECT_DOUBLE_EQ(scale(changed, name, 2), 2);
    EXPECT_DOUBLE_EQ(value(changed, name), 2 * value(soc(), name));
  }
}

TEST(SiliconFactors, WholeThingsStayWholeAndChange) {
  sim::SocConfig changed = soc();
  const double depth = value(changed, "Timing.Scalar.queue_depth");
  EXPECT_DOUBLE_EQ(scale(changed, "Timing.Scalar.queue_depth", 0.8), 26 / depth);  // 25.6
  EXPECT_DOUBLE_EQ(value(changed, "Timing.Scalar.queue_depth"), 26);
  EXPECT_DOUBLE_EQ(scale(changed, "Timing.Scalar.queue_depth", 1.001), 27.0 / 26);
  EXPECT_DOUBLE_EQ(scale(changed, "Timing.Scalar.queue_depth", 0.999), 26.0 / 27);
  EXPECT_DOUBLE_EQ(scale(changed, "Timing.Scalar.queue_depth", 1), 1);
}

TEST(SiliconFactors, FractionsStayExact) {
  sim::SocConfig changed = soc();
  const double load = value(changed, "Timing.Scalar.load");
  EXPECT_DOUBLE_EQ(scale(changed, "Timing.Scalar.load", 0.83), 0.83);
  EXPECT_DOUBLE_EQ(value(changed, "Timing.Scalar.load"), 0.83 * load);
}

TEST(SiliconFactors, WhatCannotBeScaledIsRefused) {
  sim::SocConfig changed = soc();
  EXPECT_THROW(scale(changed, "Timing.Scalar.lod", 0.5), std::invalid_argument);
  EXPECT_THROW(scale(changed, "SoCInfo.l2_size", 0.5), std::invalid_argument);
  EXPECT_THROW(scale(changed, "Timing.L2.ways", 0.8), std::invalid_argument);  // 19 of 24
  changed.set("Timing.Scalar", "load", "0");
  EXPECT_THROW(scale(changed, "Timing.Scalar.load", 2), std::invalid_argument);
}

}  // namespace
}  // namespace davsim::silicon
