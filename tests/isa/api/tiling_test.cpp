// Tiling data out of global memory, in the ways kernels ask for it.
#include "ascendc/tiling.h"

#include <gtest/gtest.h>

#include "tests/isa/api/sync_log.hpp"

namespace davsim::test {
namespace {

struct Inner {
  std::uint32_t rows, columns;
};
struct Tiling {
  std::uint64_t total;
  std::uint16_t tiles[3];
  Inner inner;
  float scale;
};

class TilingTest : public testing::Test {
 protected:
  TilingTest() { core.global.add(&data, sizeof data); }

  Tiling data{123456789012, {4, 5, 6}, {7, 8}, 0.5f};
  GM_ADDR address = reinterpret_cast<GM_ADDR>(&data);
  TestCore core;
};

TEST_F(TilingTest, Whole) {
  REGISTER_TILING_DEFAULT(Tiling);
  GET_TILING_DATA(by_default, address);
  EXPECT_EQ(by_default.total, 123456789012u);
  EXPECT_EQ(by_default.scale, 0.5f);
  GET_TILING_DATA_WITH_STRUCT(Tiling, named, address);
  EXPECT_EQ(named.tiles[2], 6);
  named.inner.rows = 9;
  EXPECT_EQ(data.inner.rows, 7u) << "it is a copy";
}

TEST_F(TilingTest, Members) {
  GET_TILING_DATA_MEMBER(Tiling, inner, inner, address);
  EXPECT_EQ(inner.columns, 8u);
  GET_TILING_DATA_PTR_WITH_STRUCT(Tiling, pointer, address);
  EXPECT_EQ(pointer->scale, 0.5f);
  COPY_TILING_WITH_STRUCT(Inner, pointer->inner, copy);
  EXPECT_EQ(copy->rows, 7u);
  COPY_TILING_WITH_ARRAY(std::uint16_t, 3, pointer->tiles, tiles);
  EXPECT_EQ((*tiles)[1], 5);
}

TEST_F(TilingTest, CopiesTakePointersAsWell) {
  COPY_TILING_WITH_STRUCT(Tiling, address, whole);
  EXPECT_EQ(whole->scale, 0.5f);
  GET_TILING_DATA_PTR_WITH_STRUCT(Tiling, pointer, address);
  COPY_TILING_WITH_STRUCT(Inner, &pointer->inner, inner);
  EXPECT_EQ(inner->columns, 8u);
  COPY_TILING_WITH_STRUCT(Tiling, pointer, again);
  EXPECT_EQ(again->total, 123456789012u);
  COPY_TILING_WITH_ARRAY(std::uint16_t, 3, &pointer->tiles, tiles);
  EXPECT_EQ((*tiles)[2], 6);
  COPY_TILING_WITH_ARRAY(std::uint16_t, 2, &pointer->tiles[1], last);
  EXPECT_EQ((*last)[0], 5);
  const auto bytes = address + offsetof(Tiling, tiles);
  COPY_TILING_WITH_ARRAY(std::uint16_t, 3, bytes, by_address);
  EXPECT_EQ((*by_address)[0], 4);
}

TEST_F(TilingTest, Keys) {
  REGISTER_NONE_TILING;
  REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 7", Tiling);
  EXPECT_TRUE(TILING_KEY_IS(0)) << "nobody set one";
  core.id.tiling_key = 10000000000000000007ull;
  EXPECT_TRUE(TILING_KEY_IS(10000000000000000007ull));
  EXPECT_FALSE(TILING_KEY_IS(7));
  EXPECT_TRUE(TILING_KEY_LIST(1, 10000000000000000007ull));
  EXPECT_FALSE(TILING_KEY_LIST(1, 7));
}

TEST_F(TilingTest, AnAddressOutsideOfGlobalMemoryIsAFault) {
  Tiling elsewhere{};
  EXPECT_EQ(fault_of([&] {
              GET_TILING_DATA_WITH_STRUCT(Tiling, tiling, reinterpret_cast<GM_ADDR>(&elsewhere));
            }).cls,
            isa::FaultClass::kAddress);
}

}  // namespace
}  // namespace davsim::test
