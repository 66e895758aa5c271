#include "isa/core/named_registry.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace davsim::isa {
namespace {

TEST(NamedRegistry, FindsWhatWasAdded) {
  NamedRegistry<int> registry("unit model");
  registry.add("vector", 1);
  registry.add("cube", 2);
  EXPECT_EQ(registry.at("cube"), 2);
  EXPECT_EQ(*registry.find("vector"), 1);
  EXPECT_EQ(registry.find("dma"), nullptr);
  registry.remove("vector");
  registry.remove("vector");
  EXPECT_EQ(registry.find("vector"), nullptr);
}

TEST(NamedRegistry, AnUnknownNameIsRefusedWithTheKnownOnes) {
  NamedRegistry<int> registry("unit model");
  const auto error_of = [&] {
    try {
      registry.at("warp");
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(error_of(), "there is no unit model named 'warp'; known are none");
  registry.add("vector", 1);
  registry.add("cube", 2);
  EXPECT_EQ(error_of(), "there is no unit model named 'warp'; known are cube, vector");
  EXPECT_EQ(registry.names([](int entry) { return entry == 1; }), "vector");
}

TEST(NamedRegistry, ANameIsTakenOnce) {
  NamedRegistry<std::unique_ptr<int>> registry("operator");
  registry.add("add", std::make_unique<int>(1));
  EXPECT_THROW(registry.add("add", std::make_unique<int>(2)), std::logic_error);
  EXPECT_EQ(**registry.find("add"), 1);
}

}  // namespace
}  // namespace davsim::isa
