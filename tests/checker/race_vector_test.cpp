// Races between the pipes of a vector core.
#include "tests/checker/checker_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class RaceVector : public CheckerTest {
 protected:
  LocalTensor<float> x = ub<float>(0, kCount);
  LocalTensor<float> y = ub<float>(kCount * 4, kCount);
  LocalTensor<float> z = ub<float>(kCount * 8, kCount);
};

TEST_F(RaceVector, LoadedAndUsedAtOnce) {
  expect_vector(Class::kRace, [&](bool mended) {
    DataCopy(x, in(), kCount);
    order<HardEvent::MTE2_V>(mended);
    Adds(z, x, 1.0f, kCount);  // BUG LoadedAndUsedAtOnce
  });
}

/// Three pairs of lines lack the order that one flag gives.
TEST_F(RaceVector, OneMissingFlagIsOneFinding) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    DataCopy(x, in(), kCount);
    DataCopy(y, in(), kCount);
    Add(z, x, y, kCount);
    PipeBarrier<PIPE_V>();
    Adds(z, x, 1.0f, kCount);
  });
  ASSERT_EQ(findings().size(), 1u) << checker::text_of(checker_.findings());
  EXPECT_EQ(findings()[0].pairs, 3u);
}

/// The same pipes twice, with a line in between where both orders cannot stand.
TEST_F(RaceVector, TwoMissingFlagsAreTwoFindings) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    DataCopy(x, in(), kCount);
    Adds(z, x, 1.0f, kCount);
    PipeBarrier<PIPE_ALL>();
    DataCopy(y, in(), kCount);
    Muls(z, y, 1.0f, kCount);
  });
  EXPECT_EQ(findings().size(), 2u) << checker::text_of(checker_.findings());
}

/// The order between the pipes comes first, although the one within V was missed earlier.
TEST_F(RaceVector, RacesWithinAPipeComeLast) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    Duplicate(z, 1.0f, kCount);
    Adds(z, z, 1.0f, kCount);
    PipeBarrier<PIPE_ALL>();
    DataCopy(x, in(), kCount);
    Adds(z, x, 1.0f, kCount);
  });
  ASSERT_EQ(findings().size(), 2u) << checker::text_of(checker_.findings());
  EXPECT_EQ(findings()[0].first.pipe, "MTE2");
}

TEST_F(RaceVector, StoredBeforeComputed) {
  expect_vector(Class::kRace, [&](bool mended) {
    Duplicate(z, 2.0f, kCount);
    order<HardEvent::V_MTE3>(mended);
    DataCopy(out(), z, kCount);  // BUG StoredBeforeComputed
  });
}

TEST_F(RaceVector, OverwrittenWhileItIsUsed) {
  expect_vector(Class::kRace, [&](bool mended) {
    DataCopy(x, in(), kCount);
    order<HardEvent::MTE2_V>();
    Adds(z, x, 1.0f, kCount);
    order<HardEvent::V_MTE2>(mended);
    DataCopy(x, in()[kCount], kCount);  // BUG OverwrittenWhileItIsUsed
  });
}

TEST_F(RaceVector, ComputedIntoWhatIsBeingStored) {
  expect_vector(Class::kRace, [&](bool mended) {
    Duplicate(z, 2.0f, kCount);
    order<HardEvent::V_MTE3>();
    DataCopy(out(), z, kCount);
    order<HardEvent::MTE3_V>(mended);
    Duplicate(z, 3.0f, kCount);  // BUG ComputedIntoWhatIsBeingStored
  });
}

TEST_F(RaceVector, LoadedIntoWhatIsBeingStored) {
  expect_vector(Class::kRace, [&](bool mended) {
    DataCopy(x, in(), kCount);
    order<HardEvent::MTE2_MTE3>();
    DataCopy(out(), x, kCount);
    order<HardEvent::MTE3_MTE2>(mended);
    DataCopy(x, in()[kCount], kCount);  // BUG LoadedIntoWhatIsBeingStored
  });
}

TEST_F(RaceVector, PassedThroughWithoutFlag) {
  expect_vector(Class::kRace, [&](bool mended) {
    DataCopy(x, in(), kCount);
    order<HardEvent::MTE2_MTE3>(mended);
    DataCopy(out(), x, kCount);  // BUG PassedThroughWithoutFlag
  });
}

TEST_F(RaceVector, VectorReadsResultOfTheOneBefore) {
  expect_vector(Class::kRace, [&](bool mended) {
    Duplicate(x, 2.0f, kCount);
    if (mended) PipeBarrier<PIPE_V>();
    Adds(z, x, 1.0f, kCount);  // BUG VectorReadsResultOfTheOneBefore
  });
}

TEST_F(RaceVector, VectorWritesTwice) {
  expect_vector(Class::kRace, [&](bool mended) {
    Duplicate(x, 2.0f, kCount);
    if (mended) PipeBarrier<PIPE_V>();
    Duplicate(x[kCount / 2], 3.0f, kCount / 2);  // BUG VectorWritesTwice
  });
}

TEST_F(RaceVector, ReducesWhatIsNotThereYet) {
  expect_vector(Class::kRace, [&](bool mended) {
    Duplicate(x, 2.0f, kCount);
    if (mended) PipeBarrier<PIPE_V>();
    WholeReduceSum(z, x, 64, 4, 1, 1, 8);  // BUG ReducesWhatIsNotThereYet
  });
}

TEST_F(RaceVector, TwoLoadsToOnePlace) {
  expect_vector(Class::kRace, [&](bool mended) {
    DataCopy(x, in(), kCount);
    if (mended) PipeBarrier<PIPE_MTE2>();
    DataCopy(x[8], in()[kCount], 8);  // BUG TwoLoadsToOnePlace
  });
}

TEST_F(RaceVector, TwoStoresToOnePlace) {
  expect_vector(Class::kRace, [&](bool mended) {
    Duplicate(z, 2.0f, kCount);
    order<HardEvent::V_MTE3>();
    DataCopy(out(), z, kCount);
    if (mended) PipeBarrier<PIPE_MTE3>();
    DataCopy(out()[kCount - 8], z, 8);  // BUG TwoStoresToOnePlace
  });
}

TEST_F(RaceVector, ScalarReadsTooEarly) {
  expect_vector(Class::kRace, [&](bool mended) {
    Duplicate(x, 2.0f, kCount);
    order<HardEvent::V_S>(mended);
    (void)x.GetValue(3);  // BUG ScalarReadsTooEarly
  });
}

/// The read is why the kernel stops: both are reported, though the write comes later.
TEST_F(RaceVector, KernelStopsOverWhatIsNotThereYet) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    Duplicate(x, 3.0f, kCount);
    if (x.GetValue(0) != 3.0f) ascendc_assert(false);
  });
  ASSERT_EQ(findings().size(), 2u) << checker::text_of(checker_.findings());
  EXPECT_EQ(findings()[0].cls, Class::kRace);
  EXPECT_EQ(findings()[1].cls, Class::kFault);
}

/// What its pipes wait for never comes: the fault is still that of the kernel.
TEST_F(RaceVector, KernelStopsBeforeItsPipesCanEnd) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Duplicate(x, 3.0f, kCount);
    ascendc_assert(false);
  });
  ASSERT_EQ(findings().size(), 1u) << checker::text_of(checker_.findings());
  EXPECT_EQ(findings()[0].cls, Class::kFault);
}

TEST_F(RaceVector, ScalarReadsWhatIsBeingLoaded) {
  expect_vector(Class::kRace, [&](bool mended) {
    DataCopy(x, in(), kCount);
    order<HardEvent::MTE2_S>(mended);
    (void)x.GetValue(kCount - 1);  // BUG ScalarReadsWhatIsBeingLoaded
  });
}

TEST_F(RaceVector, ScalarStoreThenVector) {
  expect_vector(Class::kRace, [&](bool mended) {
    for (std::uint32_t i = 0; i < 8; ++i) x.SetValue(i, 1.0f);
    order<HardEvent::S_V>(mended);
    Adds(z, x, 1.0f, 8);  // BUG ScalarStoreThenVector
  });
}

TEST_F(RaceVector, ScalarStoreThenStored) {
  expect_vector(Class::kRace, [&](bool mended) {
    for (std::uint32_t i = 0; i < 8; ++i) x.SetValue(i, 1.0f);
    order<HardEvent::S_MTE3>(mended);
    DataCopy(out(), x, 8);  // BUG ScalarStoreThenStored
  });
}

TEST_F(RaceVector, ScalarStoreIntoWhatIsUsed) {
  expect_vector(Class::kRace, [&](bool mended) {
    Duplicate(x, 2.0f, kCount);
    PipeBarrier<PIPE_V>();
    Adds(z, x, 1.0f, kCount);
    order<HardEvent::V_S>(mended);
    x.SetValue(0, 5.0f);  // BUG ScalarStoreIntoWhatIsUsed
  });
}

TEST_F(RaceVector, AccumulatorReadTooEarly) {
  expect_vector(Class::kRace, [&](bool mended) {
    Duplicate(x, 2.0f, kCount);
    PipeBarrier<PIPE_V>();
    RepeatReduceSum<float, false>(z, x, 4, 64, 0, 1, 1, 8);
    order<HardEvent::V_S>(mended);
    (void)z.GetValue(0);  // BUG AccumulatorReadTooEarly
  });
}

TEST_F(RaceVector, WrongEventId) {
  expect_vector(Class::kRace, [&](bool mended) {
    DataCopy(x, in(), kCount);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    DataCopy(y, in()[kCount], kCount);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    if (mended) WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
    Adds(z, y, 1.0f, kCount);  // BUG WrongEventId
    if (!mended) WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
  });
}

TEST_F(RaceVector, FlagSetBeforeTheLoad) {
  expect_vector(Class::kRace, [&](bool mended) {
    if (!mended) SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    DataCopy(x, in(), kCount);
    if (mended) SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(z, x, 1.0f, kCount);  // BUG FlagSetBeforeTheLoad
  });
}

TEST_F(RaceVector, BarrierOfTheWrongPipe) {
  expect_vector(Class::kRace, [&](bool mended) {
    DataCopy(x, in(), kCount);
    if (mended) {
      PipeBarrier<PIPE_ALL>();
    } else {
      PipeBarrier<PIPE_V>();
    }
    Adds(z, x, 1.0f, kCount);  // BUG BarrierOfTheWrongPipe
  });
}

TEST_F(RaceVector, StridesThatMeet) {
  // The rows of the store lie between those of the vector instruction, but for the last block.
  expect_vector(Class::kRace, [&](bool mended) {
    Duplicate(z, 0.0f, kCount);
    PipeBarrier<PIPE_V>();
    order<HardEvent::V_MTE3>();
    Duplicate(z, 1.0f, 64, 2, 1, 16);
    const std::uint16_t rows = mended ? 1 : 2;
    DataCopy(out(), z[64], DataCopyParams{rows, 8, 1, 0});  // BUG StridesThatMeet
  });
}

TEST_F(RaceVector, MaskedLanesDoNotMeet) {
  expect_vector(Class::kRace, [&](bool mended) {
    std::uint64_t even[2] = {0x5555555555555555u, 0};
    std::uint64_t odd[2] = {0xaaaaaaaaaaaaaaaau, 0};
    Duplicate(z, 1.0f, even, 1, 1, 8);
    Duplicate(z, 2.0f, mended ? odd : even, 1, 1, 8);  // BUG MaskedLanesDoNotMeet
  });
}

TEST_F(RaceVector, OneLaneOfAMaskWithHolesMeets) {
  const auto kernel = [&](bool mended) {
    std::uint64_t even[2] = {0x5555555555555555u, 0};
    std::uint64_t others[2] = {0xaaaaaaaaaaaaaaaau | (mended ? 0u : 0x1000u), 0};
    Duplicate(y, 1.0f, kCount);
    Duplicate(z, 1.0f, kCount);
    PipeBarrier<PIPE_V>();
    Adds(x, z, 1.0f, even, 4, {1, 1, 8, 8});
    Adds(z, y, 2.0f, others, 4, {1, 1, 8, 8});  // BUG OneLaneOfAMaskWithHolesMeets
  };
  expect_vector(Class::kRace, kernel);
  run(isa::KernelType::kAivOnly, 1, [&] { kernel(false); });
  EXPECT_EQ(findings().front().addr, kCount * 8u + 12 * sizeof(float));
  EXPECT_EQ(findings().front().bytes, sizeof(float));
}

TEST_F(RaceVector, GatherTakesWhatIsBeingLoaded) {
  expect_vector(Class::kRace, [&](bool mended) {
    auto offsets = ub<std::uint32_t>(kCount * 12, 64);
    for (std::uint32_t i = 0; i < 64; ++i) offsets.SetValue(i, i * 8);
    order<HardEvent::S_V>();
    DataCopy(x, in(), kCount);
    order<HardEvent::MTE2_V>(mended);
    Gather(z, x, offsets, 0, 64);  // BUG GatherTakesWhatIsBeingLoaded
  });
}

TEST_F(RaceVector, QueueLeftOut) {
  expect_vector(Class::kRace, [&](bool mended) {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(queue, 1, kCount * 4);
    pipe.InitBuffer(buffer, kCount * 4);
    LocalTensor<float> loaded = queue.AllocTensor<float>();
    DataCopy(loaded, in(), kCount);
    if (mended) {
      queue.EnQue(loaded);
      loaded = queue.DeQue<float>();
    }
    Adds(buffer.Get<float>(), loaded, 1.0f, kCount);  // BUG QueueLeftOut
    queue.FreeTensor(loaded);
  });
}

TEST_F(RaceVector, SecondBufferNotAwaited) {
  expect_vector(Class::kRace, [&](bool mended) {
    for (std::int32_t i = 0; i < 4; ++i) {
      const auto half = static_cast<std::uint32_t>(i % 2) * (kCount / 2);
      if (i >= (mended ? 2 : 3)) WaitFlag<HardEvent::V_MTE2>(i % 2);
      DataCopy(x[half], in()[kCount], kCount / 2);  // BUG SecondBufferNotAwaited
      SetFlag<HardEvent::MTE2_V>(i);
      WaitFlag<HardEvent::MTE2_V>(i);
      Adds(z[half], x[half], 1.0f, kCount / 2);
      PipeBarrier<PIPE_V>();
      if (i < 2 && (mended || i == 1)) SetFlag<HardEvent::V_MTE2>(i % 2);
    }
  });
}

TEST_F(RaceVector, ScalarLoadRunsAheadOfTheResult) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    Duplicate(x, 1.0f, kCount);
    (void)x.GetValue(0);
  });
  ASSERT_EQ(findings().size(), 1u);
  EXPECT_EQ(findings().front().message.find("no flag from V to S"), 0u)
      << findings().front().message;
}

}  // namespace
}  // namespace davsim::test
