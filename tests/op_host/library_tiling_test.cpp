// Temporary buffers and tilings of the high-level API on the host.
#include <gtest/gtest.h>

#include <cstring>

#include "tiling/tiling_api.h"

namespace {

/// Maxima and sums of one element a row begin on a DataBlock for each few rows.
TEST(SoftMaxTiling, OneElementARowNeedsRoomForADataBlockOfValues) {
  for (const std::uint32_t size : {2u, 4u}) {
    for (const std::int64_t rows : {5, 40}) {
      const ge::Shape shape({rows, 96});
      const std::uint32_t least =
          AscendC::GetSoftMaxFlashV2MinTmpSize(shape, size, size, true, false, true);
      optiling::SoftMaxTiling tiling;
      AscendC::SoftMaxFlashV2TilingFunc(shape, size, size, least, tiling, true, false, true);
      EXPECT_GE(tiling.get_splitM(), std::min<std::uint32_t>(rows, 32 / size));
    }
  }
}

TEST(SoftMaxTiling, SizesAndSplitAgree) {
  for (const std::int64_t width : {16, 64, 1000, 6144}) {
    const ge::Shape shape({4, 10, width});
    const std::uint32_t least = AscendC::GetSoftMaxMinTmpSize(shape, 4, false);
    const std::uint32_t most = AscendC::GetSoftMaxMaxTmpSize(shape, 4, false);
    EXPECT_LE(least, most);
    EXPECT_EQ(least % 256 + most % 256, 0u);
    optiling::SoftMaxTiling all, one, none;
    AscendC::SoftMaxTilingFunc(shape, 4, most, all);
    AscendC::SoftMaxTilingFunc(shape, 4, least, one);
    AscendC::SoftMaxTilingFunc(shape, 4, 64, none);
    EXPECT_EQ(all.get_splitM(), 40u);
    EXPECT_EQ(all.get_rangeM(), 1u);
    EXPECT_GE(one.get_splitM(), 1u);
    EXPECT_EQ(one.get_rangeM() * one.get_splitM() + one.get_tailM(), 40u);
    EXPECT_EQ(none.get_splitM(), 0u);
    EXPECT_EQ(all.get_srcK(), static_cast<std::uint32_t>(width));
    EXPECT_EQ(all.get_outMaxK(), 8u);
  }
}

TEST(SoftMaxTiling, TheClassHasTheLayoutOfTheStruct) {
  const ge::Shape shape({24, 128});
  optiling::SoftMaxTiling tiling;
  AscendC::tiling::SoftMaxTiling expected;
  AscendC::SoftMaxFlashV2TilingFunc(shape, 2, 4, 30000, tiling, true);
  AscendC::SoftMaxFlashV2TilingFunc(shape, 2, 4, 30000, expected, true);
  ASSERT_EQ(tiling.GetDataSize(), sizeof(expected));
  AscendC::tiling::SoftMaxTiling got;
  tiling.SaveToBuffer(&got, sizeof(got));
  EXPECT_EQ(std::memcmp(&got, &expected, sizeof(got)), 0);
  EXPECT_EQ(got.splitM % 8, 0u);
  EXPECT_TRUE(AscendC::IsBasicBlockInSoftMax(tiling));
  expected.srcM = 25;
  EXPECT_FALSE(AscendC::IsBasicBlockInSoftMax(expected));
}

TEST(ElementTiling, SizesAreOfWorkTensors) {
  const ge::Shape shape({1000});
  std::uint32_t most = 0, least = 0, nodes = 0, extra = 1;
  AscendC::GetSinMaxMinTmpSize(shape, 4, false, most, least);
  EXPECT_EQ(least, 4u * 256);  // sine works on four tensors of floats
  EXPECT_EQ(most, 4u * 1008 * 4);
  AscendC::GetSinMaxMinTmpSize(shape, 2, false, most, least);
  EXPECT_EQ(least, 6u * 256);  // and on two more for half
  AscendC::GetSinTmpBufferFactorSize(2, nodes, extra);
  EXPECT_EQ(nodes, 12u);
  EXPECT_EQ(extra, 0u);
  AscendC::GetCeilMaxMinTmpSize(ge::Shape({8}), 4, false, most, least);
  EXPECT_EQ(least, 256u);
  EXPECT_EQ(most, 256u);
  AscendC::GetPowerMaxMinTmpSize(shape, ge::Shape({1}), true, 4, false, most, least);
  EXPECT_EQ(least, 5u * 256);
}

/// A program asks how many elements fit a buffer, and gives as many to the function.
TEST(ElementTiling, AsManyElementsAsTheFactorsSayFit) {
  constexpr std::uint32_t kBuffer = 40000, kFits = 40192;  // the next multiple of 256
  std::uint32_t nodes = 0, extra = 0, most = 0, least = 0;
  const auto fitting = [&](std::uint32_t size) {
    return std::int64_t{(kBuffer - extra) / nodes / size};
  };
  AscendC::GetPowerTmpBufferFactorSize(true, false, false, 2, nodes, extra);
  AscendC::GetPowerMaxMinTmpSize(ge::Shape({fitting(2) / 16 * 16}), ge::Shape({1}), false, 2, false,
                                 most, least);
  EXPECT_LE(most, kFits);
  AscendC::GetSwiGLUTmpBufferFactorSize(4, nodes, extra);
  AscendC::GetSwiGLUMaxMinTmpSize(ge::Shape({fitting(4) / 16 * 16}), 4, most, least, false);
  EXPECT_LE(most, kFits);
  AscendC::GetAscendQuantTmpBufferFactorSize(nodes, extra);
  AscendC::GetAscendQuantMaxMinTmpSize(ge::Shape({fitting(2)}), 2, most, least);
  EXPECT_LE(most, kFits);
  AscendC::GetMeanTmpBufferFactorSize(4, nodes, extra);
  AscendC::GetMeanMaxMinTmpSize(static_cast<std::uint32_t>(fitting(4)), 4, 4, false, most, least);
  EXPECT_LE(most, kFits);
  const ge::Shape scales({1, 512});
  AscendC::GetAscendAntiQuantTmpBufferFactorSize(ge::Shape({16, 512}), scales, false, ge::DT_INT8,
                                                 ge::DT_FLOAT16, nodes, extra);
  EXPECT_GE(16u * 512 * nodes + extra,
            AscendC::GetAscendAntiQuantMaxTmpSize(ge::Shape({16, 512}), scales, false, ge::DT_INT8,
                                                  ge::DT_FLOAT16));
  // Each group of a transposed row is a row there.
  EXPECT_EQ(AscendC::GetAscendAntiQuantMinTmpSize(ge::Shape({64, 512}), ge::Shape({64, 2}), true,
                                                  ge::DT_INT8, ge::DT_FLOAT16),
            AscendC::GetAscendAntiQuantMinTmpSize(ge::Shape({128, 256}), ge::Shape({128, 1}), true,
                                                  ge::DT_INT8, ge::DT_FLOAT16));
  AscendC::GetLogMaxMinTmpSize(scales, 4, false, most, least);
  EXPECT_EQ(least % 256, 0u);
  EXPECT_LE(least, most);
}

TEST(RowsTiling, NormsAreSplitByWhatFits) {
  const ge::Shape shape({4, 10, 512});
  std::uint32_t most = 0, least = 0;
  AscendC::GetLayerNormMaxMinTmpSize(shape, 2, false, most, least);
  EXPECT_LT(least, most);
  optiling::LayerNormTiling all, few;
  AscendC::GetLayerNormNDTilingInfo(shape, most, 2, false, all);
  AscendC::GetLayerNormNDTilingInfo(shape, least, 2, false, few);
  EXPECT_EQ(all.get_bsCurLength(), 40u);
  EXPECT_EQ(few.get_bsCurLength(), 16u);
  AscendC::tiling::LayerNormTiling got, expected;
  AscendC::GetLayerNormNDTilingInfo(shape, least, 2, false, expected);
  ASSERT_EQ(few.GetDataSize(), sizeof(expected));
  few.SaveToBuffer(&got, sizeof(got));
  EXPECT_EQ(std::memcmp(&got, &expected, sizeof(got)), 0);
  EXPECT_EQ(got.hLength, 512u);

  optiling::RmsNormTiling rms;
  ASSERT_TRUE(AscendC::GetRmsNormMaxMinTmpSize(shape, 4, most, least));
  ASSERT_TRUE(AscendC::GetRmsNormTilingInfo(shape, ge::Shape({4, 10, 500}), least, 4, rms));
  EXPECT_EQ(rms.get_originalHLength(), 500u);
  EXPECT_EQ(rms.get_loopRound() * rms.get_mainBsLength() + rms.get_tailBsLength(), 40u);
  EXPECT_FALSE(AscendC::GetRmsNormTilingInfo(shape, shape, 64, 4, rms));
  AscendC::tiling::RmsNormTiling same;
  EXPECT_EQ(rms.GetDataSize(), sizeof(same));
}

TEST(RowsTiling, SizesAreNeverZero) {
  auto& platform = *platform_ascendc::PlatformAscendCManager::GetInstance();
  std::uint32_t most = 0, least = 0;
  AscendC::GetSumMaxMinTmpSize(64, 4, false, most, least);
  EXPECT_GE(least, 256u);
  AscendC::GetMeanMaxMinTmpSize(1000, 2, 4, false, most, least);
  EXPECT_EQ(least % 256, 0u);
  AscendC::GetBroadCastMaxMinTmpSize(platform, ge::Shape({8, 1}), ge::Shape({8, 64}), 1, false,
                                     most, least);
  EXPECT_GE(least, 8u * 64 * 2);
  AscendC::GetAscendQuantMaxMinTmpSize(ge::Shape({4, 128}), 2, most, least);
  EXPECT_LE(least, most);
  ASSERT_TRUE(AscendC::GetTopKMaxMinTmpSize(platform, 64, 2, false, false,
                                            AscendC::TopKMode::TOPK_NORMAL, true, 4, most, least));
  EXPECT_EQ(least, 64u * 24);
  ASSERT_TRUE(AscendC::GetTopKMaxMinTmpSize(platform, 32, 40, false, false,
                                            AscendC::TopKMode::TOPK_NSMALL, true, 4, most, least));
  EXPECT_GE(least, 16u * 32 * 16);
  EXPECT_GE(most, 40u * 32 * 16);
  EXPECT_FALSE(AscendC::GetTopKMaxMinTmpSize(platform, 0, 2, false, false,
                                             AscendC::TopKMode::TOPK_NORMAL, true, 4, most, least));
}

TEST(RowsTiling, TheLastOfFourDimensionsCounts) {
  const ge::Shape shape({4, 10, 64, 60});
  std::uint32_t most = 0, least = 0, most3 = 0, least3 = 0;
  AscendC::GetLayerNormMaxMinTmpSize(shape, 2, false, most, least);
  AscendC::GetLayerNormMaxMinTmpSize(ge::Shape({4, 10, 64}), 2, false, most3, least3);
  EXPECT_EQ(most, most3);
  AscendC::tiling::LayerNormTiling tiling;
  AscendC::GetLayerNormNDTilingInfo(shape, most, 2, false, tiling);
  EXPECT_EQ(tiling.bLength * tiling.sLength, 40u);
  EXPECT_EQ(tiling.hLength, 64u);
  EXPECT_EQ(tiling.originalHLength, 60u);
}

TEST(ShapeTiling, StructsAndClassesAgree) {
  const ge::Shape images({2, 8, 4, 5});
  optiling::GroupNormTiling group;
  AscendC::tiling::GroupNormTiling got, expected;
  AscendC::GetGroupNormNDTilingInfo(images, 8192, 2, false, 4, group);
  AscendC::GetGroupNormNDTilingInfo(images, 8192, 2, false, 4, expected);
  ASSERT_EQ(group.GetDataSize(), sizeof(got));
  group.SaveToBuffer(&got, sizeof(got));
  EXPECT_EQ(got.hwAlignSize, 32u);
  EXPECT_EQ(got.d, 2u);
  EXPECT_EQ(got.factor, expected.factor);
  optiling::TopkTiling top;
  optiling::LayerNormSeparateTiling separate;
  AscendC::tiling::TopkTiling top_got;
  AscendC::tiling::LayerNormSeparateTiling separate_got;
  EXPECT_EQ(top.GetDataSize(), sizeof(top_got));
  EXPECT_EQ(separate.GetDataSize(), sizeof(separate_got));
  auto& platform = *platform_ascendc::PlatformAscendCManager::GetInstance();
  EXPECT_TRUE(AscendC::TopKTilingFunc(platform, 64, 2, 5, 4, false, AscendC::TopKMode::TOPK_NORMAL,
                                      true, top));
  EXPECT_EQ(top.get_kAlignFourBytes(), 8);
  EXPECT_FALSE(AscendC::TopKTilingFunc(platform, 64, 2, 65, 4, false,
                                       AscendC::TopKMode::TOPK_NORMAL, true, top));
  optiling::ConfusionTransposeTiling transpose;
  AscendC::GetTransposeTilingInfo(ge::Shape({32, 48}), 0, 2, 7, transpose);
  EXPECT_EQ(transpose.get_param1(), 32u);
  EXPECT_EQ(transpose.get_param2(), 48u);
}

}  // namespace
