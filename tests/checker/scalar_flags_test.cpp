// Cores that wait for a word which the scalar unit of another core stores: in its data cache first,
// and in global memory when the line is written back.
#include <vector>

#include "tests/checker/dies_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

/// What the writer leaves out: the write-back of its data, or that of its data before the flag, or
/// that of the flag.
enum class Leaves { kNothing, kWriteBack, kOrder, kFlag };

class FlagsOfTheScalarUnit : public DiesUnderTheChecker, public ::testing::WithParamInterface<On> {
 protected:
  static void drop(std::int32_t* line) {
    DataCacheCleanAndInvalid<std::int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(
        gm(line, 8));
  }
  static void work(std::int32_t times) {
    for (std::int32_t i = 0; i < times; ++i) {
      Duplicate(ub<std::int32_t>(0, 8), 0, 8);
      PipeBarrier<PIPE_V>();
    }
    PipeBarrier<PIPE_ALL>();
  }
  /// The reader looks in vain first. `held`: cycles of work between the store of the flag and its
  /// write-back.
  std::vector<Class> found(Leaves left, std::int32_t held = 0) {
    make(GetParam());
    const auto writer = [=, this] {
      work(200);
      gm(data_, 8).SetValue(0, 7);
      if (left == Leaves::kNothing || left == Leaves::kFlag) drop(data_);
      gm(flag_, 8).SetValue(0, 1);
      if (held > 0) work(held);
      if (left != Leaves::kFlag) drop(flag_);
      if (left == Leaves::kOrder) drop(data_);
      work(200);
    };
    const auto reader = [this] {
      do {
        drop(flag_);
      } while (gm(flag_, 8).GetValue(0) != 1);
      DataCopy(ub<std::int32_t>(0, kCount), gm(data_, kCount), kCount);
      PipeBarrier<PIPE_ALL>();
      seen_ = ub<std::int32_t>(0, kCount).GetValue(0);
    };
    return run(reader, writer, GetParam());
  }
  std::int32_t seen_ = 0;
};
INSTANTIATE_TEST_SUITE_P(, FlagsOfTheScalarUnit,
                         ::testing::Values(On::kTwoDies, On::kOneOfTwoDies, On::kOneDie));

TEST_P(FlagsOfTheScalarUnit, OrderTheStoresThatWereWrittenBackBefore) {
  EXPECT_EQ(found(Leaves::kNothing), std::vector<Class>{}) << text();
  EXPECT_EQ(seen_, 7);
}

TEST_P(FlagsOfTheScalarUnit, MayBeReadWhileTheyAreStillInTheCache) {
  EXPECT_EQ(found(Leaves::kNothing, 100), std::vector<Class>{}) << text();
  EXPECT_EQ(seen_, 7);
}

TEST_P(FlagsOfTheScalarUnit, OrderNoStoreThatStaysInTheCache) {
  EXPECT_EQ(found(Leaves::kWriteBack), std::vector<Class>{Class::kRace}) << text();
}

TEST_P(FlagsOfTheScalarUnit, OrderNoStoreThatIsWrittenBackBehindThem) {
  EXPECT_EQ(found(Leaves::kOrder), std::vector<Class>{Class::kRace}) << text();
}

TEST_P(FlagsOfTheScalarUnit, AreAMistakeIfOnlyTheEndOfTheBlockWritesThemBack) {
  EXPECT_EQ(found(Leaves::kFlag), std::vector<Class>{Class::kStale}) << text();
}

}  // namespace
}  // namespace davsim::test
