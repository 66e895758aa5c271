// Races between the pipes of a cube core.
#include "tests/checker/checker_fixture.hpp"
#include "tests/sim/unit/cube_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class RaceCube : public CheckerTest {
 protected:
  static constexpr TileProduct kTile{64, 64, 64};

  void operands() const {
    kTile.to_l1(a_, b_);
    order<HardEvent::MTE2_MTE1>();
    kTile.to_l0();
    order<HardEvent::MTE1_M>();
  }

  half* a_ = global<half>(4096, "a", [](std::size_t i) { return static_cast<float>(i % 3); });
  half* b_ = global<half>(4096, "b", [](std::size_t i) { return static_cast<float>(i % 5); });
};

TEST_F(RaceCube, LoadedFromL1TooEarly) {
  expect_cube(Class::kRace, [&](bool mended) {
    DataCopy(kTile.a_l1(), gm(a_, 4096), Nd2NzParams(1, 64, 64, 0, 64, 64, 1, 0));
    order<HardEvent::MTE2_MTE1>(mended);
    LoadData2DParams load;
    load.repeatTimes = 4, load.srcStride = 1;
    LoadData(kTile.a_l0(), kTile.a_l1(), load);  // BUG LoadedFromL1TooEarly
  });
}

TEST_F(RaceCube, L1OverwrittenWhileItIsLoaded) {
  expect_cube(Class::kRace, [&](bool mended) {
    kTile.to_l1(a_, b_);
    order<HardEvent::MTE2_MTE1>();
    kTile.to_l0();
    order<HardEvent::MTE1_MTE2>(mended);
    DataCopy(kTile.a_l1(), gm(a_, 4096), 64);  // BUG L1OverwrittenWhileItIsLoaded
  });
}

TEST_F(RaceCube, ProductTooEarly) {
  expect_cube(Class::kRace, [&](bool mended) {
    kTile.to_l1(a_, b_);
    order<HardEvent::MTE2_MTE1>();
    kTile.to_l0();
    order<HardEvent::MTE1_M>(mended);
    MmadParams params;
    params.m = 64, params.n = 64, params.k = 64;
    Mmad(kTile.c_l0(0), kTile.a_l0(), kTile.b_l0(), params);  // BUG ProductTooEarly
  });
}

TEST_F(RaceCube, OperandOverwrittenByTheNextLoad) {
  expect_cube(Class::kRace, [&](bool mended) {
    operands();
    kTile.product();
    order<HardEvent::M_MTE1>(mended);
    LoadData2DParams load;
    load.repeatTimes = 1, load.srcStride = 1;
    LoadData(kTile.a_l0(), kTile.a_l1(), load);  // BUG OperandOverwrittenByTheNextLoad
  });
}

TEST_F(RaceCube, SecondOperandOverwritten) {
  expect_cube(Class::kRace, [&](bool mended) {
    operands();
    kTile.product();
    order<HardEvent::M_MTE1>(mended);
    LoadData2DParams load;
    load.repeatTimes = 1, load.srcStride = 1;
    LoadData(kTile.b_l0()[512], kTile.b_l1(), load);  // BUG SecondOperandOverwritten
  });
}

TEST_F(RaceCube, ResultLeavesTooEarly) {
  expect_cube(Class::kRace, [&](bool mended) {
    operands();
    kTile.product();
    order<HardEvent::M_FIX>(mended);
    FixpipeParamsV220 params(64, 64, 64, 64, false);
    Fixpipe(out(), kTile.c_l0(0), params);  // BUG ResultLeavesTooEarly
  });
}

TEST_F(RaceCube, ResultOverwrittenWhileItLeaves) {
  expect_cube(Class::kRace, [&](bool mended) {
    operands();
    kTile.product();
    order<HardEvent::M_FIX>();
    kTile.out(out_);
    order<HardEvent::FIX_M>(mended);
    MmadParams params;
    params.m = 64, params.n = 64, params.k = 64;
    Mmad(kTile.c_l0(0), kTile.a_l0(), kTile.b_l0(), params);  // BUG ResultOverwrittenWhileItLeaves
  });
}

TEST_F(RaceCube, UnitFlagOnOneSideOnly) {
  expect_cube(Class::kRace, [&](bool mended) {
    operands();
    kTile.product(mended ? 3 : 0);
    FixpipeParamsV220 params(64, 64, 64, 64, false);
    params.unitFlag = mended ? 3 : 0;
    Fixpipe(out(), kTile.c_l0(0), params);  // BUG UnitFlagOnOneSideOnly
  });
}

TEST_F(RaceCube, SmallProductsWithoutBarrier) {
  expect_cube(Class::kRace, [&](bool mended) {
    operands();
    MmadParams params;
    params.m = 16, params.n = 64, params.k = 16;
    Mmad(kTile.c_l0(0), kTile.a_l0(), kTile.b_l0(), params);
    if (mended) PipeBarrier<PIPE_M>();
    params.cmatrixInitVal = false;
    Mmad(kTile.c_l0(0), kTile.a_l0(), kTile.b_l0(), params);  // BUG SmallProductsWithoutBarrier
  });
}

TEST_F(RaceCube, LargeProductsNeedNoBarrier) {
  run(isa::KernelType::kAicOnly, 1, [&] {
    operands();
    kTile.product();
    MmadParams params;
    params.m = 64, params.n = 64, params.k = 64, params.cmatrixInitVal = false;
    Mmad(kTile.c_l0(0), kTile.a_l0(), kTile.b_l0(), params);
  });
  EXPECT_EQ(checker::text_of(checker_.findings()), "0 findings\n");
}

TEST_F(RaceCube, BiasTakenTooEarly) {
  expect_cube(Class::kRace, [&](bool mended) {
    auto bias_l1 = kTile.at<float>(TPosition::C1, 400000 / 512 * 512, 64);
    auto bias = kTile.at<float>(TPosition::C2, 0, 64);
    DataCopy(bias_l1, in(), 64);
    operands();
    DataCopy(bias, bias_l1, 64);
    order<HardEvent::MTE1_M>(mended);
    MmadParams params;
    params.m = 64, params.n = 64, params.k = 64, params.cmatrixInitVal = false;
    Mmad(kTile.c_l0(0), kTile.a_l0(), kTile.b_l0(), bias, params);  // BUG BiasTakenTooEarly
  });
}

TEST_F(RaceCube, ScalesTakenTooEarly) {
  expect_cube(Class::kRace, [&](bool mended) {
    auto words = kTile.at<std::uint64_t>(TPosition::C1, 400000 / 512 * 512, 64);
    auto scales = kTile.at<std::uint64_t>(TPosition::C2PIPE2GM, 0, 64);
    DataCopy(words, gm(reinterpret_cast<std::uint64_t*>(in_), 2048), 64);
    operands();
    kTile.product();
    order<HardEvent::M_FIX>();
    DataCopy(scales, words, 64);
    if (mended) PipeBarrier<PIPE_FIX>();
    SetFixPipeConfig(scales);
    SetFixpipeNz2ndFlag(1, 0, 0);
    DataCopyCO12DstParams copy(64, 64, 64, 64, VQF322B8_PRE, 0, false, true);
    auto bytes = gm(reinterpret_cast<std::int8_t*>(out_), 16384);
    DataCopy(bytes, kTile.c_l0(0), copy);  // BUG ScalesTakenTooEarly
  });
}

TEST_F(RaceCube, ResultOverwrittenInGlobalMemory) {
  expect_cube(Class::kRace, [&](bool mended) {
    operands();
    kTile.product();
    order<HardEvent::M_FIX>();
    FixpipeParamsV220 params(64, 64, 64, 64, false);
    Fixpipe(out(), kTile.c_l0(0), params);
    if (mended) PipeBarrier<PIPE_FIX>();
    Fixpipe(out(), kTile.c_l0(0), params);  // BUG ResultOverwrittenInGlobalMemory
  });
}

TEST_F(RaceCube, HalvesOfL1DoNotMeet) {
  expect_cube(Class::kRace, [&](bool mended) {
    auto panel = kTile.at<half>(TPosition::A1, 0, 8192);
    DataCopy(panel, gm(a_, 4096), 4096);
    order<HardEvent::MTE2_MTE1>();
    DataCopy(panel[mended ? 4096 : 3840], gm(a_, 4096), 256);
    LoadData2DParams load;
    load.repeatTimes = 16, load.srcStride = 1;
    LoadData(kTile.a_l0(), panel, load);  // BUG HalvesOfL1DoNotMeet
  });
}

TEST_F(RaceCube, ReportFollowsTheKernelNotThePipes) {
  // Fixpipe finds nothing to wait for and starts long before the product.
  run(isa::KernelType::kAicOnly, 1, [&] {
    operands();
    kTile.product();
    kTile.out(out_);
  });
  ASSERT_EQ(findings().size(), 1u);
  const checker::Finding& finding = findings().front();
  EXPECT_EQ(finding.message.find("no flag from M to FIX"), 0u) << finding.message;
  EXPECT_EQ(finding.first.instruction + " " + finding.first.access, "MMAD writes");
  EXPECT_EQ(finding.second.instruction + " " + finding.second.access, "FIX_L0C_TO_OUT reads");
}

}  // namespace
}  // namespace davsim::test
