#include "bench/silicon/latent_cut.hpp"

#include <gtest/gtest.h>

namespace davsim::silicon {
namespace {

LatentAttention decode(std::int64_t batches, std::int64_t kv_rows) {
  return {batches, 1, 128, 1, kv_rows, 24};
}

TEST(LatentCut, BatchesThatKeepMostCoresBusyStayWhole) {
  EXPECT_EQ(decode(13, 2048).parts(), 1);
  EXPECT_EQ(decode(24, 4096).parts(), 1);
  EXPECT_EQ(decode(32, 2048).parts(), 1);
}

TEST(LatentCut, FewBatchesOfManyKeysAreCutForAllCores) {
  EXPECT_EQ(decode(12, 2048).parts(), 2);
  EXPECT_EQ(decode(5, 2048).parts(), 4);
  EXPECT_EQ(decode(1, 16384).parts(), 24);
}

TEST(LatentCut, APartHas512Keys) {
  EXPECT_EQ(decode(1, 2048).parts(), 4);
  EXPECT_EQ(decode(1, 2047).parts(), 1);
}

TEST(LatentCut, SeveralRowsOfQueryOrMoreHeadsThan128AreNotCut) {
  LatentAttention rows = decode(1, 8192);
  rows.query_rows = 2;
  EXPECT_EQ(rows.parts(), 1);
  LatentAttention heads = decode(1, 8192);
  heads.group = 144;
  EXPECT_EQ(heads.parts(), 1);
}

TEST(LatentCut, OneHeadIsCutWhateverItsKeys) {
  LatentAttention one = decode(1, 1024);
  one.group = 1;
  EXPECT_EQ(one.parts(), 2);
  one.kv_rows = 100;
  EXPECT_EQ(one.parts(), 1);
}

}  // namespace
}  // namespace davsim::silicon
