// Launches of kernels by host code: arguments arrive as they were given, and wrong ones are
// refused.
#include "runtime/launch.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "isa/core/kernel_registry.hpp"
#include "tests/runtime/runtime_test.hpp"

extern "C" void davsim_aiv_scale_custom();

namespace davsim::test {
namespace {

/// The same kernel under a name that says what its parameters are.
const isa::KernelRegistrar g_checked("checked_scale", isa::KernelType::kAivOnly, nullptr,
                                     &davsim_aiv_scale_custom, isa::ParametersOf<Scale>::value());

constexpr std::uint32_t kBlocks = 4;
constexpr std::uint32_t kShare = 64;
constexpr std::uint32_t kLength = kBlocks * kShare;

class LaunchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    ASSERT_EQ(aclrtMalloc(&x_, sizeof values_, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    ASSERT_EQ(aclrtMalloc(&y_, sizeof values_, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    for (std::uint32_t i = 0; i < kLength; ++i) values_[i] = static_cast<float>(i);
    ASSERT_EQ(
        aclrtMemcpy(x_, sizeof values_, values_.data(), sizeof values_, ACL_MEMCPY_HOST_TO_DEVICE),
        ACL_SUCCESS);
  }

  /// y after the work of the default stream.
  std::array<float, kLength> result() {
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
    std::array<float, kLength> y{};
    EXPECT_EQ(aclrtMemcpy(y.data(), sizeof y, y_, sizeof y, ACL_MEMCPY_DEVICE_TO_HOST),
              ACL_SUCCESS);
    return y;
  }

  void expect_scaled(float factor, float offset) {
    const std::array<float, kLength> y = result();
    for (std::uint32_t i = 0; i < kLength; ++i) {
      ASSERT_EQ(y[i], static_cast<float>(i) * factor + offset) << "element " << i;
    }
  }

  void expect_refused(std::uint32_t code, const std::string& text) {
    EXPECT_EQ(code, ACL_ERROR_RT_PARAM_INVALID);
    const char* message = aclGetRecentErrMsg();
    ASSERT_NE(message, nullptr);
    EXPECT_NE(std::string(message).find(text), std::string::npos) << message;
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_ERROR_RT_PARAM_INVALID) << "for who waits";
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS) << "told once";
  }

  void* x_ = nullptr;
  void* y_ = nullptr;
  std::array<float, kLength> values_{};
};

TEST_F(LaunchTest, ArgumentsArriveAsTheKernelsParameters) {
  EXPECT_EQ(runtime::launch<Scale>("scale_custom", kBlocks, nullptr, x_, static_cast<float*>(y_), 3,
                                   ScaleTiling{kShare, 7}),
            0u);
  expect_scaled(3, 7);
}

TEST_F(LaunchTest, ArgumentsAreCopiedAtTheCall) {
  float factor = 2;
  ScaleTiling tiling{kShare, 5};
  EXPECT_EQ(runtime::launch<Scale>("scale_custom", kBlocks, nullptr, x_, y_, factor, tiling), 0u);
  factor = 100;
  tiling = {0, 0};
  expect_scaled(2, 5);
}

TEST_F(LaunchTest, AKernelWithKnownParametersTakesSlots) {
  std::array<std::uint64_t, 4> slots{reinterpret_cast<std::uint64_t>(x_),
                                     reinterpret_cast<std::uint64_t>(y_), 0, 0};
  const float factor = 0.5f;
  const ScaleTiling tiling{kShare, 1};
  std::memcpy(&slots[2], &factor, sizeof factor);
  std::memcpy(&slots[3], &tiling, sizeof tiling);
  const DavsimArguments arguments{slots.data(), nullptr, 4, nullptr, 0};
  EXPECT_EQ(davsim_launch("checked_scale", kBlocks, nullptr, &arguments), 0u);
  expect_scaled(0.5f, 1);
}

TEST_F(LaunchTest, RefusesTooFewArguments) {
  using Short = void(std::uint8_t*, std::uint8_t*, float);
  expect_refused(runtime::launch<Short>("checked_scale", kBlocks, nullptr, x_, y_, 1.f),
                 "3 arguments were given, the kernel has 4 parameters");
}

TEST_F(LaunchTest, RefusesArgumentsOfAnotherSize) {
  using Swapped = void(std::uint8_t*, std::uint8_t*, ScaleTiling, float);
  expect_refused(runtime::launch<Swapped>("checked_scale", kBlocks, nullptr, x_, y_,
                                          ScaleTiling{kShare, 1}, 1.f),
                 "argument 3 has 8 bytes, the kernel's parameter has 4");
}

TEST_F(LaunchTest, RefusesNoBlocksAndTooMany) {
  const ScaleTiling tiling{kShare, 1};
  expect_refused(runtime::launch<Scale>("scale_custom", 0, nullptr, x_, y_, 1, tiling),
                 "the number of blocks is 0, allowed are 1 to 65535");
  expect_refused(runtime::launch<Scale>("scale_custom", 65536, nullptr, x_, y_, 1, tiling),
                 "the number of blocks is 65536");
}

TEST_F(LaunchTest, AnUnknownKernelIsNamed) {
  EXPECT_EQ(runtime::launch<void()>("no_such_kernel", 1, nullptr), 507027u);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("no kernel named 'no_such_kernel'"),
            std::string::npos);
}

TEST_F(LaunchTest, OfTwoKernelsOfOneNameNeitherIsLaunched) {
  const auto make = [] {
    return std::make_unique<isa::KernelRegistrar>("twice", isa::KernelType::kAivOnly, nullptr,
                                                  &davsim_aiv_scale_custom,
                                                  isa::ParametersOf<Scale>::value());
  };
  auto first = make();
  const auto launch = [&] {
    return runtime::launch<Scale>("twice", kBlocks, nullptr, x_, y_, 3, ScaleTiling{kShare, 7});
  };
  EXPECT_EQ(launch(), 0u);
  auto second = make();
  EXPECT_EQ(launch(), 507027u);
  const std::string message = aclGetRecentErrMsg();
  EXPECT_NE(message.find("there are two kernels named 'twice', in "), std::string::npos) << message;
  EXPECT_NE(message.find("davsim_runtime_tests"), std::string::npos) << message;
  second.reset();
  EXPECT_EQ(launch(), 0u) << "one is left";
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), 507027) << "what was refused is told to who waits";
}

TEST(Launch, NeedsAContext) {
  EXPECT_EQ(runtime::launch<void()>("scale_custom", 1, nullptr), 107002u);
}

TEST(ParametersOf, CountsBytesInSlots) {
  using Kernel = isa::ParametersOf<Scale>;
  EXPECT_EQ(Kernel::kBytes, 32u);
  EXPECT_EQ(isa::ParametersOf<void()>::kBytes, 0u);
  struct Large {
    char bytes[17];
  };
  EXPECT_EQ((isa::ParametersOf<void(Large, char)>::kBytes), 32u);
  const isa::KernelParameters parameters = Kernel::value();
  EXPECT_EQ(std::vector<std::uint32_t>(parameters.sizes, parameters.sizes + parameters.count),
            (std::vector<std::uint32_t>{8, 8, 4, 8}));
}

}  // namespace
}  // namespace davsim::test
