#include "bench/silicon/vendor_cut.hpp"

#include <gtest/gtest.h>

namespace davsim::silicon {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

VendorProduct halves(std::uint64_t m, std::uint64_t n, std::uint64_t k, bool transposed = false) {
  return {m, n, k, 2, transposed, 24, 192 * kMiB};
}

TEST(VendorCut, LargeProductsHaveLargeTilesAndPartsForAllCores) {
  const VendorCut cut = VendorCut::of(halves(4096, 4096, 4096));
  EXPECT_EQ(cut.base_m, 128u);
  EXPECT_EQ(cut.base_n, 256u);
  EXPECT_EQ(cut.base_k, 64u);
  // Half of L1 for two loads of A, half for two of B.
  EXPECT_EQ(cut.step_ka, 8u);
  EXPECT_EQ(cut.step_kb, 4u);
  EXPECT_EQ(cut.part_m, 4u);
  EXPECT_EQ(cut.part_n, 6u);
}

TEST(VendorCut, LoadsAreShorterWhereKIsNoPowerOfTwo) {
  EXPECT_EQ(VendorCut::of(halves(2048, 2048, 3072)).step_ka, 4u);
  EXPECT_EQ(VendorCut::of(halves(2048, 2048, 4096)).step_ka, 8u);
}

TEST(VendorCut, SmallProductsHaveTheTilesThatLoadLeast) {
  const VendorCut square = VendorCut::of(halves(64, 64, 64));
  EXPECT_EQ(square.base_m, 16u);
  EXPECT_EQ(square.base_n, 128u);
  const VendorCut row = VendorCut::of(halves(1, 4096, 4096));
  EXPECT_EQ(row.base_m, 16u);
  EXPECT_EQ(row.base_n, 256u);
  EXPECT_EQ(row.part_m, 1u);
}

// The published rule prefers 64 rows by 512 columns, and then takes 128 columns, because the
// rows are between 128 and 256. Its step of k stays as short as that of the wide block.
TEST(VendorCut, SomewhatMoreThan128RowsHaveShortStepsOfK) {
  for (const std::uint64_t m : {144u, 192u}) {
    const VendorCut cut = VendorCut::of(halves(m, 4096, 4096));
    EXPECT_EQ(cut.base_m, m / 3);
    EXPECT_EQ(cut.base_n, 128u);
    EXPECT_EQ(cut.base_k, 32u);
  }
  EXPECT_EQ(VendorCut::of(halves(208, 4096, 4096)).base_k, 64u);
  EXPECT_EQ(VendorCut::of(halves(128, 4096, 4096)).base_k, 64u);
}

TEST(VendorCut, TilesAreHighWhereBIsTransposedAndCIsHigh) {
  EXPECT_EQ(VendorCut::of(halves(8192, 2048, 1024, true)).base_m, 256u);
  EXPECT_EQ(VendorCut::of(halves(8192, 2048, 1024, false)).base_m, 128u);
}

TEST(VendorCut, PartsOfTheLargestProductsFitL2) {
  const VendorProduct p = halves(10240, 10240, 10240);
  const VendorCut cut = VendorCut::of(p);
  const std::uint64_t rows = cut.part_m * cut.base_m, cols = cut.part_n * cut.base_n;
  EXPECT_LE((rows * p.k + p.k * cols + rows * cols) * p.bytes, 100 * kMiB);
  EXPECT_GE(cut.part_m * cut.part_n, p.cores);
}

TEST(VendorCut, AnyNumberOfCoresGetsParts) {
  for (std::uint64_t cores = 1; cores <= 24; ++cores) {
    for (const std::uint64_t size : {1024u, 16384u}) {  // within L2 and beyond it
      VendorProduct product = halves(size, size, size);
      product.cores = cores;
      const VendorCut cut = VendorCut::of(product);
      EXPECT_GE(cut.part_m, 1u) << cores;
      EXPECT_GE(cut.part_n, 1u) << cores;
    }
  }
}

}  // namespace
}  // namespace davsim::silicon
