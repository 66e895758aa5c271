// Which findings are one, in kernels whose functions are called from several places: what counts is
// the order of the calls, not that of the lines.
#include <algorithm>

#include "tests/checker/checker_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

using Texts = std::vector<std::string>;

class CheckedCauses : public CheckerTest {
 protected:
  static constexpr std::uint32_t kTile = 256;

  void run_vector(const std::function<void()>& kernel) {
    run(isa::KernelType::kAivOnly, 1, kernel);
  }

  /// The messages of all findings without their lines, sorted.
  Texts messages() const {
    Texts texts;
    for (const checker::Finding& finding : findings()) {
      const std::size_t end = std::min(finding.message.find(" between"),  //
                                       finding.message.find(" in line"));
      texts.push_back(finding.message.substr(0, end));
    }
    std::sort(texts.begin(), texts.end());
    return texts;
  }

  LocalTensor<float> x = ub<float>(0, kTile), y = ub<float>(4096, kTile),
                     z = ub<float>(8192, kTile), w = ub<float>(12288, kTile);
};

TEST_F(CheckedCauses, RacesOfDifferentPipesOnOneLineAreTwo) {
  const auto copy = [](const auto& to, const auto& from) { DataCopy(to, from, kTile); };
  run_vector([&] {
    copy(x, in());
    copy(out(), x);
    copy(x, in()[kTile]);
  });
  EXPECT_EQ(messages(), (Texts{"no flag from MTE2 to MTE3", "no flag from MTE3 to MTE2"}));
}

TEST_F(CheckedCauses, RacesWithinACoreAndBetweenCoresOnOneLineAreTwo) {
  auto* parts = global<float>(2 * kTile, "parts", [](std::size_t) { return 0.0f; });
  run(isa::KernelType::kAivOnly, 2, [&] {
    Duplicate(x, 1.0f, kTile);
    order<HardEvent::V_MTE3>();
    DataCopy(gm(parts, 2 * kTile)[GetBlockIdx() * kTile], x, kTile);
    Duplicate(ub<float>(32768, 16384), 1.0f, 16384);
    order<HardEvent::V_MTE2>();  // the loads come behind both stores
    DataCopy(ub<float>(4096, 2 * kTile), gm(parts, 2 * kTile), 2 * kTile);
  });
  ASSERT_EQ(findings().size(), 2u) << checker::text_of(checker_.findings());
  const auto within = [](const checker::Finding& finding) {
    return finding.first.core == finding.second.core;
  };
  EXPECT_NE(within(findings()[0]), within(findings()[1]));
}

TEST_F(CheckedCauses, AnUninitialisedReadBesideARaceOfAnotherPipeIsTold) {
  const auto copy = [](const auto& to, const auto& from) { DataCopy(to, from, kTile); };
  run_vector([&] {
    copy(x, in());
    Adds(z, x, 1.0f, kTile);
    copy(out(), y);
  });
  ASSERT_EQ(findings().size(), 2u) << checker::text_of(checker_.findings());
  EXPECT_EQ(findings()[1].cls, Class::kUninitialised);
}

TEST_F(CheckedCauses, AStoreBehindBothWritesMendsNothingBetweenThem) {
  const auto fill = [&](float value) { Duplicate(x, value, kTile); };
  run_vector([&] {
    fill(1.0f);
    fill(2.0f);
    DataCopy(out(), x, kTile);
  });
  EXPECT_EQ(messages(), (Texts{"no PipeBarrier<PIPE_V>", "no flag from V to MTE3"}));
}

TEST_F(CheckedCauses, AStoreBetweenTwoWritesIsTheCauseWhereverItStands) {
  const auto first = [&] { DataCopy(x, in(), kTile); };
  const auto second = [&] { DataCopy(x, in()[kTile], kTile); };
  const auto store = [&] { DataCopy(out(), x, kTile); };
  run_vector([&] {
    first();
    order<HardEvent::MTE2_MTE3>();
    store();
    second();
  });
  EXPECT_EQ(messages(), (Texts{"no flag from MTE3 to MTE2"}));
}

TEST_F(CheckedCauses, WhatTwoMissingFlagsMendIsNoFindingOfItsOwn) {
  run_vector([&] {
    for (std::uint32_t i = 0; i < 4; ++i) {
      DataCopy(x, in()[i * kTile], kTile);
      DataCopy(out()[i * kTile], x, kTile);
    }
  });
  EXPECT_EQ(messages(), (Texts{"no flag from MTE2 to MTE3", "no flag from MTE3 to MTE2"}));
}

TEST_F(CheckedCauses, OneLineAllowsTheFlagThatWouldMendAnother) {
  run_vector([&] {
    DataCopy(x, in(), kTile);
    DataCopy(out(), x, kTile);  // davsim: allow race the first store may see anything
    DataCopy(x, in()[kTile], kTile);
  });
  EXPECT_EQ(checker_.findings().open(), 1u) << checker::text_of(checker_.findings());
}

TEST_F(CheckedCauses, TwoCallsOfOneFunctionLackTwoFlags) {
  const auto fill = [](const LocalTensor<float>& to) { Duplicate(to, 1.0f, kTile); };
  run_vector([&] {
    fill(x);
    DataCopy(out(), x, kTile);
    fill(y);
    DataCopy(out()[kTile], y, kTile);
  });
  EXPECT_EQ(messages(), (Texts{"no flag from V to MTE3", "no flag from V to MTE3"}));
}

TEST_F(CheckedCauses, OneFlagIsLackedByLoadsAboveAndBelow) {
  const auto above = [&] { DataCopy(x, in(), kTile); };
  const auto add = [&] {
    Adds(z, x, 1.0f, kTile);
    Adds(w, y, 1.0f, kTile);
  };
  const auto below = [&] { DataCopy(y, in()[kTile], kTile); };
  run_vector([&] {
    above();
    below();
    add();
  });
  EXPECT_EQ(messages(), (Texts{"no flag from MTE2 to V"}));
  EXPECT_EQ(findings().front().pairs, 2u);
}

/// Two vector cores that exchange parts. Functions are called in another order than they stand in.
class CheckedCausesOfCores : public CheckedCauses {
 protected:
  void run_pair(const std::function<void()>& kernel) { run(isa::KernelType::kAivOnly, 2, kernel); }
  GlobalTensor<float> part(std::uint32_t array, std::int64_t block) const {
    return out()[array * 2 * kTile + static_cast<std::uint64_t>(block) * kTile];
  }
  void fill() const {
    Duplicate(x, 1.0f, kTile);
    order<HardEvent::V_MTE3>();
  }
  /// So that a load comes behind the stores of both cores in the run too.
  void await_stores() const {
    Duplicate(ub<float>(32768, 16384), 1.0f, 16384);
    order<HardEvent::V_MTE2>();
  }
  void expect(std::size_t count) {
    EXPECT_EQ(findings().size(), count) << checker::text_of(checker_.findings());
    for (const checker::Finding& finding : findings()) EXPECT_EQ(finding.cls, Class::kRace);
  }
};

TEST_F(CheckedCausesOfCores, OneMissingSyncAllIsOneThoughItsLinesStandTheOtherWayAround) {
  const auto load = [&] { DataCopy(y, part(0, 1 - GetBlockIdx()), kTile); };
  const auto store = [&] { DataCopy(part(1, GetBlockIdx()), x, kTile); };
  for (const bool mended : {false, true}) {
    run_pair([&] {
      fill();
      DataCopy(part(0, GetBlockIdx()), x, kTile);
      store();
      if (mended) SyncAll();
      load();
      DataCopy(z, part(1, 1 - GetBlockIdx()), kTile);
    });
    expect(mended ? 0 : 1);
    if (!mended) {
      EXPECT_EQ(findings().front().pairs, 2u);
    }
    checker_.forget_findings();
  }
}

TEST_F(CheckedCausesOfCores, TwoMissingSyncAllsAreTwoThoughTheLinesOfOneLieWithinThoseOfTheOther) {
  for (int mended = 0; mended < 4; ++mended) {
    const auto store_first = [&] { DataCopy(part(0, GetBlockIdx()), x, kTile); };
    const auto store_second = [&] { DataCopy(part(1, GetBlockIdx()), x, kTile); };
    const auto load_second = [&] { DataCopy(z, part(1, 1 - GetBlockIdx()), kTile); };
    const auto load_first = [&] { DataCopy(y, part(0, 1 - GetBlockIdx()), kTile); };
    run_pair([&] {
      fill();
      store_first();
      if ((mended & 1) != 0) SyncAll();
      await_stores();
      load_first();
      order<HardEvent::MTE2_MTE3>();
      SyncAll();
      store_second();
      if ((mended & 2) != 0) SyncAll();
      await_stores();
      load_second();
    });
    expect(2u - (mended & 1) - (mended >> 1));
    checker_.forget_findings();
  }
}

/// The store waits for no load of the turn before, and the load for no store of this turn.
TEST_F(CheckedCausesOfCores, ALoopThatLacksAnOrderEachWayLacksTwo) {
  for (int mended = 0; mended < 4; ++mended) {
    const auto load = [&] { DataCopy(y, part(0, 1 - GetBlockIdx()), kTile); };
    const auto store = [&] { DataCopy(part(0, GetBlockIdx()), x, kTile); };
    run_pair([&] {
      fill();
      for (int turn = 0; turn < 4; ++turn) {
        store();
        PipeBarrier<PIPE_ALL>();
        if ((mended & 1) != 0) SyncAll();
        load();
        PipeBarrier<PIPE_ALL>();
        if ((mended & 2) != 0) SyncAll();
      }
    });
    expect(2u - (mended & 1) - (mended >> 1));
    checker_.forget_findings();
  }
}

/// Cores that run different lines: one flag behind both stores and before both loads is missing.
TEST_F(CheckedCausesOfCores, WhatOneCoreStoresAndAnotherLoadsInLinesOfTheirOwnIsOne) {
  run_pair([&] {
    fill();
    if (GetBlockIdx() == 0) {
      DataCopy(part(0, 0), x, kTile);
      DataCopy(part(1, 0), x, kTile);
      return;
    }
    DataCopy(y, part(0, 0), kTile);
    DataCopy(z, part(1, 0), kTile);
  });
  expect(1);
}

/// The pair around the two others is mended by either of their flags, but they need two.
TEST_F(CheckedCauses, APairAroundTwoOthersJoinsNone) {
  const LocalTensor<float> busy = ub<float>(32768, 16384);
  const auto sum = ub<float>(16384, 3 * kTile);
  const auto wide = [&] { Adds(sum, x, 1.0f, kTile); };
  const auto load = [&](const LocalTensor<float>& to) { DataCopy(to, in(), kTile); };
  for (const bool late : {false, true}) {  // whether the vector unit comes first or last
    run_vector([&] {
      Duplicate(x, 1.0f, kTile);
      Duplicate(y, 1.0f, kTile);
      Duplicate(w, 1.0f, kTile);
      PipeBarrier<PIPE_ALL>();
      if (late) Duplicate(busy, 1.0f, 16384);
      wide();
      Adds(sum[kTile], y, 1.0f, kTile);
      load(y);
      Adds(sum[2 * kTile], w, 1.0f, kTile);
      DataCopy(w, in(), kTile);
      DataCopy(x, in(), kTile);
    });
    EXPECT_EQ(messages(), (Texts{"no flag from V to MTE2", "no flag from V to MTE2"}))
        << late << checker::text_of(checker_.findings());
    checker_.forget_findings();
  }
}

}  // namespace
}  // namespace davsim::test
