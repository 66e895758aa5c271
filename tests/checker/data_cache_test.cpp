// Stale copies in the scalar unit's data cache, and stores that stay in it.
#include "tests/checker/checker_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CheckedCache : public CheckerTest {
 protected:
  LocalTensor<float> x = ub<float>(0, kCount);
  LocalTensor<float> z = ub<float>(8192, kCount);
};

TEST_F(CheckedCache, StaleCopyOfGlobalMemory) {
  expect_vector(Class::kStale, [&](bool mended) {
    (void)out().GetValue(0);
    Duplicate(z, 1.0f, 64);
    order<HardEvent::V_MTE3>();
    order<HardEvent::S_MTE3>();
    DataCopy(out(), z, 64);
    order<HardEvent::MTE3_S>();
    if (mended) DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(out());
    (void)out().GetValue(1);  // BUG StaleCopyOfGlobalMemory
  });
}

TEST_F(CheckedCache, StoreStillInTheCache) {
  expect_vector(Class::kStale, [&](bool mended) {
    out().SetValue(0, 3.0f);
    if (mended) DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(out());
    order<HardEvent::S_MTE2>();
    DataCopy(x, out(), 64);  // BUG StoreStillInTheCache
  });
}

TEST_F(CheckedCache, StoreNotSeenByAnotherCore) {
  expect_on(isa::KernelType::kAivOnly, 2, Class::kStale, [&](bool mended) {
    if (GetBlockIdx() == 0) {
      out().SetValue(0, 3.0f);
      if (mended) {
        DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(out());
      }
    }
    SyncAll();
    if (GetBlockIdx() == 1) DataCopy(x, out(), 64);  // BUG StoreNotSeenByAnotherCore
    SyncAll();
  });
}

/// The block that stores ends before the other one looks. Nothing orders its end before the look.
TEST_F(CheckedCache, StoreWrittenBackByTheEndOfItsBlock) {
  expect_on(isa::KernelType::kAivOnly, 2, Class::kStale, [&](bool mended) {
    if (GetBlockIdx() == 0) {
      out().SetValue(0, 3.0f);
      if (mended) {
        DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(out());
      }
      SyncAll();
      return;
    }
    SyncAll();
    for (int i = 0; i < 64; ++i) {
      Duplicate(z, 1.0f, kCount);
      PipeBarrier<PIPE_ALL>();
    }
    DataCopy(x, out(), 64);  // BUG StoreWrittenBackByTheEndOfItsBlock
  });
}

TEST_F(CheckedCache, CoresStoreIntoOneLine) {
  auto* counts = global<std::int32_t>(32, "counts", [](std::size_t) { return 0; });
  expect_on(isa::KernelType::kAivOnly, 2, Class::kStale, [&](bool mended) {
    GlobalTensor<std::int32_t> mine = gm(counts, 32)[(mended ? 16u : 1u) * GetBlockIdx()];
    mine.SetValue(0, 1);  // BUG CoresStoreIntoOneLine
    DataCacheCleanAndInvalid<std::int32_t, CacheLine::SINGLE_CACHE_LINE>(mine);
  });
}

TEST_F(CheckedCache, OneLineInTurnsWithAnOldCopy) {
  auto* counts = global<std::int32_t>(16, "counts", [](std::size_t) { return 0; });
  expect_on(isa::KernelType::kAivOnly, 2, Class::kStale, [&](bool mended) {
    GlobalTensor<std::int32_t> mine = gm(counts, 16)[GetBlockIdx()];
    const auto clean = [&] {
      DataCacheCleanAndInvalid<std::int32_t, CacheLine::SINGLE_CACHE_LINE>(mine);
    };
    if (GetBlockIdx() == 1) {
      (void)mine.GetValue(0);
    } else {
      mine.SetValue(0, 1);
      clean();
    }
    SyncAll();
    if (GetBlockIdx() == 0) return;
    if (mended) clean();
    mine.SetValue(0, 1);  // BUG OneLineInTurnsWithAnOldCopy
  });
}

TEST_F(CheckedCache, StorePastTheCacheIntoALineYetToBeWrittenBack) {
  auto* counts = global<std::int32_t>(16, "counts", [](std::size_t) { return 0; });
  expect_on(isa::KernelType::kAivOnly, 2, Class::kStale, [&](bool mended) {
    GlobalTensor<std::int32_t> first = gm(counts, 1);
    if (GetBlockIdx() == 0) {
      first.SetValue(0, 1);
      if (mended) DataCacheCleanAndInvalid<std::int32_t, CacheLine::SINGLE_CACHE_LINE>(first);
    }
    SyncAll();
    if (GetBlockIdx() == 1) {
      WriteGmByPassDCache(counts + 1, 1);  // BUG StorePastTheCacheIntoALineYetToBeWrittenBack
    }
    SyncAll();
  });
}

/// The documented way for several cores to write words of one line.
TEST_F(CheckedCache, CoresStoreIntoOneLinePastTheCache) {
  auto* counts = global<std::int32_t>(16, "counts", [](std::size_t) { return 0; });
  run(isa::KernelType::kAivOnly, 8, [&] {
    WriteGmByPassDCache(counts + GetBlockIdx(), static_cast<std::int32_t>(GetBlockIdx()) + 1);
  });
  EXPECT_EQ(checker::text_of(checker_.findings()), "0 findings\n");
  for (int i = 0; i < 8; ++i) EXPECT_EQ(counts[i], i + 1);
}

}  // namespace
}  // namespace davsim::test
