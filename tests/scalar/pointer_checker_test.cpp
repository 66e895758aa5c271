// The checker hears of accesses through pointers of C++ into global memory.
#include <vector>

#include "tests/checker/dies_fixture.hpp"
#include "tests/scalar/kernels/pointer_kernels.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class PointersUnderTheChecker : public DiesUnderTheChecker {
 protected:
  static std::uint32_t* word_at(std::int32_t* word) {
    return reinterpret_cast<std::uint32_t*>(word);
  }
  static void work(std::int32_t times) {
    for (std::int32_t i = 0; i < times; ++i) {
      Duplicate(ub<std::int32_t>(0, 8), 0, 8);
      PipeBarrier<PIPE_V>();
    }
    PipeBarrier<PIPE_ALL>();
  }
  /// Two cores of one die run `first` and `second`.
  template <class First, class Second>
  std::vector<Class> found(First first, Second second) {
    make(On::kOneDie);
    return run([=] { first(); }, [=] { second(); }, On::kOneDie);
  }
};

TEST_F(PointersUnderTheChecker, TwoCoresThatStoreToOneWordRace) {
  make(On::kOneDie);
  const auto store = [this] { store_word(word_at(data_), 1, true); };
  const std::vector<Class> classes = found(store, store);
  ASSERT_FALSE(classes.empty());
  EXPECT_EQ(classes.front(), Class::kRace) << text();
  EXPECT_NE(std::string(finding().first.where.file_name()).find("pointer_kernels.cpp"),
            std::string::npos)
      << text();
}

TEST_F(PointersUnderTheChecker, ALoadOfWhatAnotherCoreStoresRaces) {
  make(On::kOneDie);
  const std::vector<Class> classes = found(
      [this] {
        work(400);
        load_word(word_at(data_));
      },
      [this] { store_word(word_at(data_), 1, true); });
  EXPECT_EQ(classes, std::vector<Class>{Class::kRace}) << text();
}

TEST_F(PointersUnderTheChecker, ALoadWithoutDroppingTheLineIsStale) {
  make(On::kOneDie);
  const auto kernel = [this](bool drops) {
    const auto block = ub<std::int32_t>(0, kCount);
    load_word(word_at(data_));
    Duplicate(block, 7, kCount);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
    DataCopy(gm(data_, kCount), block, kCount);
    SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
    if (drops) drop_line(word_at(data_));
    load_word(word_at(data_) + 1);
  };
  EXPECT_EQ(found([=] { kernel(true); }, [] {}), std::vector<Class>{}) << text();
  EXPECT_EQ(found([=] { kernel(false); }, [] {}), std::vector<Class>{Class::kStale}) << text();
}

TEST_F(PointersUnderTheChecker, AStoreThatIsNotWrittenBackIsStale) {
  make(On::kOneDie);
  const auto kernel = [this](bool cleans) {
    store_word(word_at(data_), 1, cleans);
    SetFlag<HardEvent::S_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::S_MTE2>(EVENT_ID0);
    DataCopy(ub<std::int32_t>(0, 16), gm(data_, 16), 16);
    PipeBarrier<PIPE_ALL>();
  };
  EXPECT_EQ(found([=] { kernel(true); }, [] {}), std::vector<Class>{}) << text();
  EXPECT_EQ(found([=] { kernel(false); }, [] {}), std::vector<Class>{Class::kStale}) << text();
}

/// Both wait and store through pointers.
class FlagsByPointer : public PointersUnderTheChecker, public ::testing::WithParamInterface<On> {
 protected:
  /// `waits`: the writer writes its data back before the flag.
  std::vector<Class> found(bool waits) {
    make(GetParam());
    const auto writer = [=, this] {
      work(200);
      store_word(word_at(data_), 7, waits);
      store_word(word_at(flag_), 1, true);
      if (!waits) drop_line(word_at(data_));
      work(200);
    };
    const auto reader = [this] {
      wait_for_word(word_at(flag_));
      DataCopy(ub<std::int32_t>(0, kCount), gm(data_, kCount), kCount);
      PipeBarrier<PIPE_ALL>();
    };
    return run(reader, writer, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(, FlagsByPointer,
                         ::testing::Values(On::kTwoDies, On::kOneOfTwoDies, On::kOneDie));

TEST_P(FlagsByPointer, OrderTheStoresThatWereWrittenBackBefore) {
  EXPECT_EQ(found(true), std::vector<Class>{}) << text();
}
TEST_P(FlagsByPointer, OrderNoStoresThatWereNot) {
  EXPECT_EQ(found(false), std::vector<Class>{Class::kRace}) << text();
}

/// Data that were copied, and a flag that is polled through a pointer.
class PointersOfKernelsThatPoll : public PointersUnderTheChecker,
                                  public ::testing::WithParamInterface<On> {
 protected:
  std::vector<Class> found(LeftOut left) {
    make(GetParam());
    const auto reader = [this] {
      wait_for_word(word_at(flag_));
      DataCopy(ub<std::int32_t>(0, kCount), gm(data_, kCount), kCount);
      PipeBarrier<PIPE_ALL>();
    };
    const auto writer = [=, this] {
      work(400);  // the reader looks in vain first
      write(data_, flag_, left);
    };
    return run(reader, writer, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(, PointersOfKernelsThatPoll,
                         ::testing::Values(On::kTwoDies, On::kOneOfTwoDies, On::kOneDie));

TEST_P(PointersOfKernelsThatPoll, AreInOrderByAFlagBehindTheData) {
  EXPECT_EQ(found(LeftOut::kNothing), std::vector<Class>{}) << text();
}
TEST_P(PointersOfKernelsThatPoll, RaceForDataThatNoBarrierHoldsBefore) {
  ASSERT_EQ(found(LeftOut::kBarrier), std::vector<Class>{Class::kRace}) << text();
  EXPECT_EQ(finding().bytes, kCount * 4);
}

/// Without a clock, too.
TEST(PointersWithoutAClock, AreHeardOfAndLetOthersGoOn) {
  sim::DeviceOptions options;
  options.mode = sim::Mode::kFunctional;
  sim::Device device(without_code("Ascend910B3"), options);
  auto* flag = reinterpret_cast<std::uint32_t*>(device.memory().allocate(64, "flag"));
  auto* data = reinterpret_cast<std::uint32_t*>(device.memory().allocate(64, "data"));
  checker::Options how;
  how.functional = true;
  checker::Checker checker(how);
  device.check(&checker);
  isa::KernelEntry entry{"test_kernel", isa::KernelType::kAivOnly, nullptr, nullptr};
  device.launch(entry, 2, {}, [=] {
    if (GetBlockIdx() == 0) {
      wait_for_word(flag);
    } else {
      store_word(data, 1, true);
      store_word(flag, 1, true);
    }
  });
  EXPECT_EQ(*flag, 1u);
  device.launch(entry, 2, {}, [=] { store_word(data, 1, true); });
  EXPECT_FALSE(checker.findings().all().empty());
  device.check(nullptr);
}

}  // namespace
}  // namespace davsim::test
