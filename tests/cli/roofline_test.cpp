#include "cli/roofline.hpp"

#include <gtest/gtest.h>

namespace davsim::cli {
namespace {

const sim::SocConfig kB3 = sim::SocConfig::named("Ascend910B3");  // 20 AIC, 40 AIV, 1.8 GHz

TEST(Roofline, Peaks) {
  const Peaks peaks(kB3);
  EXPECT_DOUBLE_EQ(peaks.cube_16bit, 20 * 8192 * 1.8e9);
  EXPECT_DOUBLE_EQ(peaks.cube_8bit, 20 * 16384 * 1.8e9);
  EXPECT_DOUBLE_EQ(peaks.cube_32bit, 20 * 2048 * 1.8e9);
  EXPECT_DOUBLE_EQ(peaks.vector, 40 * 128 * 1.8e9);
  EXPECT_DOUBLE_EQ(peaks.hbm, 1.6e12);
}

TEST(Roofline, CubeBound) {
  operators::Cost cost;
  cost.cube_flops_16bit = 20 * 8192 * 1.8e9 * 10e-6;  // 10 us at the peak
  cost.min_bytes = 1.6e6;                             // 1 us
  const Roofline roofline(cost, kB3, 20);
  EXPECT_EQ(roofline.bound, "cube");
  EXPECT_NEAR(roofline.ideal_us, 10, 1e-9);
  EXPECT_NEAR(roofline.share, 0.5, 1e-9);
  EXPECT_NEAR(roofline.peak_share, 0.5, 1e-9);
  EXPECT_NEAR(roofline.tflops, 294.912 / 2, 1e-9);
  EXPECT_NEAR(roofline.peak_tflops, 294.912, 1e-9);
  EXPECT_NEAR(roofline.gb_per_s, 80, 1e-9);
}

TEST(Roofline, ThePeakIsThatOfTheTypesThatAreMultiplied) {
  operators::Cost cost;
  cost.cube_flops_8bit = 20 * 16384 * 1.8e9 * 10e-6;  // 10 us at the peak of int8
  const Roofline bytes(cost, kB3, 20);
  EXPECT_NEAR(bytes.peak_tflops, 589.824, 1e-9);
  EXPECT_NEAR(bytes.tflops, bytes.peak_share * bytes.peak_tflops, 1e-9);
  cost.cube_flops_16bit = 20 * 8192 * 1.8e9 * 10e-6;
  const Roofline both(cost, kB3, 40);
  EXPECT_NEAR(both.peak_tflops, 589.824 * 0.5 + 294.912 * 0.5, 1e-9);
  EXPECT_NEAR(both.tflops, both.peak_share * both.peak_tflops, 1e-9);
}

TEST(Roofline, MixedWidthsAddUp) {
  operators::Cost cost;
  cost.cube_flops_16bit = cost.cube_flops_8bit = cost.cube_flops_32bit = 20 * 8192 * 1.8e9 * 1e-6;
  EXPECT_NEAR(Roofline(cost, kB3, 1).cube_us, 1 + 0.5 + 4, 1e-9);
}

TEST(Roofline, MemoryAndVectorBound) {
  operators::Cost cost;
  cost.vector_flops = 40 * 128 * 1.8e9 * 1e-6;  // 1 us
  cost.min_bytes = 3.2e6;                       // 2 us
  EXPECT_EQ(Roofline(cost, kB3, 4).bound, "memory");
  EXPECT_NEAR(Roofline(cost, kB3, 4).share, 0.5, 1e-9);
  EXPECT_NEAR(Roofline(cost, kB3, 4).peak_share, 0.25, 1e-9);
  cost.min_bytes = 0;
  EXPECT_EQ(Roofline(cost, kB3, 4).bound, "vector");
}

TEST(Roofline, WrittenBytesMayStayInL2) {
  operators::Cost cost;
  cost.min_bytes = 3.2e6;
  cost.min_written_bytes = 1.6e6;
  EXPECT_NEAR(Roofline(cost, kB3, 4).memory_us, 1, 1e-9);
  EXPECT_NEAR(Roofline(cost, kB3, 4).gb_per_s, 800, 1e-9);
}

TEST(Roofline, NoTimeNoRates) {
  const Roofline roofline(operators::Cost(), kB3, 0);
  EXPECT_EQ(roofline.share, 0);
  EXPECT_EQ(roofline.tflops, 0);
}

}  // namespace
}  // namespace davsim::cli
