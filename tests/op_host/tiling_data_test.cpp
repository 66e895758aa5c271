// Tiling data by macros: what setters and getters do, and that its bytes are those of the struct
// that a kernel declares.
#include "register/tilingdata_base.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "runtime/op_host/registry.hpp"

namespace optiling {

BEGIN_TILING_DATA_DEF(Inner)
TILING_DATA_FIELD_DEF(uint8_t, flags);
TILING_DATA_FIELD_DEF(int16_t, step);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(InnerOp, Inner)

BEGIN_TILING_DATA_DEF(Mixed)
TILING_DATA_FIELD_DEF(uint8_t, first);
TILING_DATA_FIELD_DEF(uint64_t, total);
TILING_DATA_FIELD_DEF(bool, last);
TILING_DATA_FIELD_DEF(float, scale);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 3, tiles);
TILING_DATA_FIELD_DEF_STRUCT(Inner, inner);
TILING_DATA_FIELD_DEF(int32_t, tail);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(MixedOp, Mixed)
REGISTER_TILING_DATA_CLASS(MixedOp_7, Inner)

}  // namespace optiling

namespace davsim::op_host {
namespace {

struct KernelInner {
  std::uint8_t flags;
  std::int16_t step;
  std::uint8_t hole[4];
};
struct KernelMixed {
  std::uint8_t first;
  std::uint64_t total;
  bool last;
  float scale;
  std::uint16_t tiles[3];
  alignas(8) KernelInner inner;
  std::int32_t tail;
};

optiling::Mixed filled() {
  optiling::Mixed tiling;
  tiling.set_first(250);
  tiling.set_total(1234567890123);
  tiling.set_last(true);
  tiling.set_scale(-0.5f);
  const std::uint16_t tiles[3] = {1, 2, 65535};
  tiling.set_tiles(tiles);
  tiling.inner.set_flags(9);
  tiling.inner.set_step(-300);
  tiling.set_tail(-7);
  return tiling;
}

TEST(TilingData, GettersGiveWhatSettersWereGiven) {
  optiling::Mixed tiling = filled();
  EXPECT_EQ(tiling.get_first(), 250);
  EXPECT_EQ(tiling.get_total(), 1234567890123u);
  EXPECT_EQ(tiling.get_tiles()[2], 65535);
  EXPECT_EQ(tiling.inner.get_step(), -300);
  EXPECT_EQ(optiling::Mixed().get_total(), 0u) << "fields start at 0";
}

TEST(TilingData, BytesAreThoseOfTheKernelsStruct) {
  const optiling::Mixed tiling = filled();
  ASSERT_EQ(tiling.GetDataSize(), sizeof(KernelMixed));
  KernelMixed kernel;
  tiling.SaveToBuffer(&kernel, sizeof kernel);
  EXPECT_EQ(kernel.first, 250);
  EXPECT_EQ(kernel.total, 1234567890123u);
  EXPECT_TRUE(kernel.last);
  EXPECT_EQ(kernel.scale, -0.5f);
  EXPECT_EQ(kernel.tiles[0], 1);
  EXPECT_EQ(kernel.tiles[2], 65535);
  EXPECT_EQ(kernel.inner.flags, 9);
  EXPECT_EQ(kernel.inner.step, -300);
  EXPECT_EQ(kernel.tail, -7);
}

TEST(TilingData, SettersWriteToTheBufferOfSetDataPtr) {
  optiling::Mixed tiling = filled();
  KernelMixed kernel;
  tiling.SetDataPtr(&kernel);
  EXPECT_EQ(kernel.total, 1234567890123u);
  tiling.set_total(5);
  const uint16_t tiles[] = {7, 8, 9};
  tiling.set_tiles(tiles);
  tiling.inner.set_step(11);
  EXPECT_EQ(kernel.total, 5u);
  EXPECT_EQ(kernel.tiles[2], 9);
  EXPECT_EQ(kernel.inner.step, 11);
  EXPECT_EQ(kernel.tail, -7);
}

TEST(TilingData, ACopyHasItsOwnValues) {
  optiling::Mixed original = filled();
  optiling::Mixed copy = original;
  copy.set_total(1);
  copy.inner.set_step(2);
  KernelMixed kernel;
  original.SaveToBuffer(&kernel, sizeof kernel);
  EXPECT_EQ(kernel.total, 1234567890123u);
  EXPECT_EQ(kernel.inner.step, -300);
  copy.SaveToBuffer(&kernel, sizeof kernel);
  EXPECT_EQ(kernel.total, 1u);
  EXPECT_EQ(kernel.inner.step, 2);
}

TEST(TilingData, ABufferThatIsTooSmallStaysAsItIs) {
  const optiling::Mixed tiling = filled();
  std::uint64_t buffer[8];
  std::memset(buffer, 0xab, sizeof buffer);
  testing::internal::CaptureStderr();
  tiling.SaveToBuffer(buffer, tiling.GetDataSize() - 1);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("Mixed needs a buffer of 48 bytes, SaveToBuffer was given 47"),
            std::string::npos)
      << said;
  EXPECT_EQ(buffer[0], 0xababababababababu);
}

TEST(TilingData, IsFoundByOperatorAndKey) {
  const auto mixed = registered_tiling_data("MixedOp");
  ASSERT_NE(mixed, nullptr);
  EXPECT_STREQ(mixed->GetTilingClassName(), "Mixed");
  ASSERT_EQ(mixed->Fields().size(), 7u);
  EXPECT_STREQ(mixed->Fields()[1].type, "uint64_t");
  EXPECT_EQ(mixed->Fields()[4].count, 3u);
  EXPECT_STREQ(mixed->Fields()[5].type, "Inner");
  EXPECT_EQ(tiling_data_keys("MixedOp"), std::vector<std::string>{"7"});
  EXPECT_EQ(registered_tiling_data("Another"), nullptr);
}

TEST(TilingData, RegisteredTwiceUnderOneNameIsReported) {
  optiling::RegisterTilingClass("MixedOp", []() -> std::unique_ptr<optiling::TilingDef> {
    return std::make_unique<optiling::Mixed>();
  });
  EXPECT_EQ(take_registration_errors(), std::vector<std::string>{}) << "the same from a header";
  optiling::RegisterTilingClass("MixedOp", []() -> std::unique_ptr<optiling::TilingDef> {
    return std::make_unique<optiling::Inner>();
  });
  EXPECT_EQ(take_registration_errors(),
            std::vector<std::string>{
                "tiling data of 'MixedOp' is registered twice, as Mixed and as Inner"});
}

}  // namespace
}  // namespace davsim::op_host
