#include "isa/core/static_data.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace davsim::isa {
namespace {

const int g_table[4] = {1, 2, 3, 4};
int g_variable = 5;

std::uint64_t address(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

TEST(StaticData, IsWhatBinariesHold) {
  EXPECT_TRUE(is_static_data(address(g_table), sizeof g_table));
  EXPECT_TRUE(is_static_data(address(&g_variable), sizeof g_variable));
  const int local = 6;
  const auto allocated = std::make_unique<int>(7);
  EXPECT_FALSE(is_static_data(address(&local), sizeof local));
  EXPECT_FALSE(is_static_data(address(allocated.get()), sizeof(int)));
  EXPECT_FALSE(is_static_data(0, 0));
  EXPECT_FALSE(is_static_data(address(g_table), std::uint64_t{1} << 40)) << "ends behind the data";
  EXPECT_FALSE(is_static_data(address(reinterpret_cast<const void*>(&address)), 4)) << "code";
}

TEST(StaticData, LiesOnTheDeviceAsInTheBinary) {
  const std::uint64_t first = device_address_of_static_data(address(&g_table[0]));
  EXPECT_EQ(device_address_of_static_data(address(&g_table[3])) - first, 3 * sizeof(int));
  EXPECT_EQ(first / (std::uint64_t{1} << 30), 24u) << "in GiB";
}

}  // namespace
}  // namespace davsim::isa
