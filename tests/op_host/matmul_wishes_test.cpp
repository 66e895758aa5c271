// Tilings of random products under random constraints: each keeps all that was set and fits the
// buffers. tests/matmul/cube_only_test.cpp runs some of them.
#include "tests/op_host/matmul_wishes.hpp"

namespace davsim::test {
namespace {

TEST(MatmulTilings, KeepWhatIsSetOnOneCore) {
  Dice dice(1);
  int made = 0;
  for (int i = 0; i < 3000; ++i) {
    SCOPED_TRACE(::testing::Message() << "draw " << i);
    const Wishes w = draw(dice, 8192);
    matmul_tiling::MatmulApiTiling api;
    set(api, w);
    Tiling t;
    const bool found = gives_tiling(api, t);
    ASSERT_EQ(found, has_a_base(w)) << w.m << ' ' << w.n << ' ' << w.k;
    if (!found) continue;
    ++made;
    expect_kept(t, w);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(made, 2000);
}

TEST(MatmulTilings, KeepWhatIsSetOnSeveralCores) {
  Dice dice(2);
  int made = 0;
  for (int i = 0; i < 1000; ++i) {
    SCOPED_TRACE(::testing::Message() << "draw " << i);
    const Wishes w = draw(dice, 4096);
    matmul_tiling::MultiCoreMatmulTiling api;
    set(api, w);
    set_cores(api, w);
    Tiling t;
    const bool found = gives_tiling(api, t);
    if (!found) continue;
    ++made;
    expect_kept(t, w);
    expect_cores_kept(t, w);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(made, 400);
}

TEST(MatmulTilings, KeepWhatIsSetOfBatches) {
  Dice dice(3);
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE(::testing::Message() << "draw " << i);
    const Wishes w = draw(dice, 512);
    const int batch = dice.up_to(7);
    matmul_tiling::BatchMatmulTiling api;
    set(api, w);
    api.SetBatchInfoForNormal(batch, batch, w.m, w.n, w.k);
    api.SetBatchNum(batch);
    Tiling t;
    const bool found = gives_tiling(api, t);
    ASSERT_EQ(found, has_a_base(w)) << w.m << ' ' << w.n << ' ' << w.k;
    if (!found) continue;
    expect_kept(t, w);
    EXPECT_EQ(t.BatchNum, batch);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace davsim::test
