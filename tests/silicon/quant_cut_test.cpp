#include "bench/silicon/quant_cut.hpp"

#include <gtest/gtest.h>

namespace davsim::silicon {
namespace {

constexpr std::uint32_t kVectorCores = 48;

TEST(QuantCut, RowsOf128ElementsOrMoreThatAreWholeDataBlocksShareInstructions) {
  EXPECT_EQ(RowsTogether::of(1000, 120, kVectorCores).rows, 0u);
  EXPECT_EQ(RowsTogether::of(1000, 128, kVectorCores).rows, 127u);
  EXPECT_EQ(RowsTogether::of(1000, 132, kVectorCores).rows, 0u);
  EXPECT_EQ(RowsTogether::of(1000, 16320, kVectorCores).rows, 1u);
  EXPECT_EQ(RowsTogether::of(1000, 16328, kVectorCores).rows, 0u);
}

TEST(QuantCut, AsManyCoresHaveWorkAsThereAreFullTiles) {
  // 31 rows of 512 fill UB: four full tiles, and a row more for each of the four cores.
  const RowsTogether few = RowsTogether::of(128, 512, kVectorCores);
  EXPECT_EQ(few.rows, 31u);
  EXPECT_EQ(few.cores, 4u);
  EXPECT_EQ(few.least, 32u);
  EXPECT_EQ(few.more, 0u);
  const RowsTogether one = RowsTogether::of(20, 512, kVectorCores);
  EXPECT_EQ(one.rows, 20u);
  EXPECT_EQ(one.cores, 1u);
  EXPECT_EQ(one.least, 20u);
}

TEST(QuantCut, RowsBehindFullTilesAreSpreadOverTheFirstCores) {
  // 292 tiles of seven rows, six for each core, and 32 rows that are left over.
  const RowsTogether cut = RowsTogether::of(2048, 2048, kVectorCores);
  EXPECT_EQ(cut.rows, 7u);
  EXPECT_EQ(cut.cores, kVectorCores);
  EXPECT_EQ(cut.rows_of(31), 43u);
  EXPECT_EQ(cut.rows_of(32), 42u);
  EXPECT_EQ(cut.first_of(32), 32u * 43);
  EXPECT_EQ(cut.first_of(47) + cut.rows_of(47), 2048u);
}

TEST(QuantCut, OtherRowsGoThroughOneByOneWithTwoInputsWhereTheyFit) {
  const RowsByOne narrow = RowsByOne::of(162877, 67, kVectorCores);
  EXPECT_EQ(narrow.pitch, 80u);
  EXPECT_EQ(narrow.rows, 221u);
  EXPECT_EQ(narrow.buffers, 2u);
  EXPECT_EQ(RowsByOne::of(4097, 511, kVectorCores).rows, 34u);
  EXPECT_EQ(RowsByOne::of(273, 4001, kVectorCores).rows, 4u);
  EXPECT_EQ(RowsByOne::of(100, 15001, kVectorCores).buffers, 2u);
  EXPECT_EQ(RowsByOne::of(100, 15025, kVectorCores).buffers, 1u);
  EXPECT_EQ(RowsByOne::of(100, 17744, kVectorCores).rows, 1u);
  EXPECT_EQ(RowsByOne::of(100, 17761, kVectorCores).rows, 0u);
}

TEST(QuantCut, ATileHasNoMoreRowsThanACore) {
  EXPECT_EQ(RowsByOne::of(49, 1021, kVectorCores).rows, 2u);
  EXPECT_EQ(RowsByOne::of(5, 1021, kVectorCores).rows, 1u);
  EXPECT_EQ(RowsByOne::of(1000000, 8, kVectorCores).rows, 255u);
}

}  // namespace
}  // namespace davsim::silicon
