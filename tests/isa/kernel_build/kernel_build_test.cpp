// Kernels as davsim_add_kernel builds them: both halves are found, and nothing of one half has been
// merged with another half or another kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "ascendc/language.h"
#include "isa/core/kernel_registry.hpp"
#include "tests/isa/api/sync_log.hpp"

namespace davsim::test {
namespace {

using isa::KernelType;

/// As in same_names.hpp.
struct Trace {
  std::int32_t id, virtual_id, calls, local_static, template_static;
  bool operator==(const Trace&) const = default;
};

Trace run(isa::KernelFunction half) {
  Trace trace{};
  reinterpret_cast<void (*)(Trace*)>(half)(&trace);
  return trace;
}

TEST(KernelBuild, HalvesAndKernelsKeepTheirOwnNames) {
  const isa::KernelEntry& add = isa::find_kernel("add_custom_trace");
  const isa::KernelEntry& mixed = isa::find_kernel("mixed_custom");
  constexpr std::int32_t kAic = AscendC::AIC, kAiv = AscendC::AIV;
  // Each half counts on its own: a merged variable would go on where another half stopped.
  for (std::int32_t call = 1; call <= 2; ++call) {
    EXPECT_EQ(run(add.aic), (Trace{10 + kAic, 10 + kAic, call, call, call}));
    EXPECT_EQ(run(add.aiv), (Trace{10 + kAiv, 10 + kAiv, call, call, call}));
    EXPECT_EQ(run(mixed.aic), (Trace{1020 + kAic, 20 + kAic, call, call, call}));
    EXPECT_EQ(run(mixed.aiv), (Trace{2020 + kAiv, 20 + kAiv, call, call, call}));
  }
}

TEST(KernelBuild, TypeComesFromTheSourceThenFromCMakeThenIsVectorOnly) {
  EXPECT_EQ(isa::find_kernel("mixed_custom").type, KernelType::kMix12)
      << "KERNEL_TASK_TYPE_DEFAULT";
  EXPECT_EQ(isa::find_kernel("faulty_custom").type, KernelType::kMix11) << "TYPE";
  EXPECT_EQ(isa::find_kernel("add_custom").type, KernelType::kAivOnly) << "neither";
}

TEST(KernelBuild, AQualifierSaysOnWhichCoresAKernelRuns) {
  EXPECT_EQ(isa::find_kernel("cube_custom").type, KernelType::kAicOnly);
  EXPECT_EQ(isa::find_kernel("vector_custom").type, KernelType::kAivOnly);
  EXPECT_EQ(isa::find_kernel("mix_custom").type, KernelType::kMix12);
  EXPECT_EQ(isa::find_kernel("contrary_custom").type, KernelType::kAivOnly) << "the body wins";
  EXPECT_EQ(isa::find_kernel("contrary_custom").type_for(3), KernelType::kMix11);
  EXPECT_EQ(isa::find_kernel("contrary_custom").type_for(4), KernelType::kAivOnly);
  EXPECT_EQ(isa::find_kernel("ratio_custom").type, KernelType::kMix12) << "core_ratio(1, 2)";
  EXPECT_EQ(isa::find_kernel("aic_custom").type, KernelType::kAicOnly) << "aic";
  const isa::KernelEntry& kernel = isa::find_kernel("mix_custom");
  for (const auto& [half, core] :
       {std::pair(kernel.aic, AscendC::AIC), {kernel.aiv, AscendC::AIV}}) {
    std::int32_t ran = 0;
    reinterpret_cast<void (*)(std::int32_t*)>(half)(&ran);
    EXPECT_EQ(ran, core);
  }
}

TEST(KernelBuild, AllKernelsAreRegistered) {
  EXPECT_EQ(isa::kernel_names(),
            (std::vector<std::string>{"add_custom", "add_custom_trace", "aic_custom",
                                      "contrary_custom", "cube_custom", "faulty_custom", "fmax",
                                      "mix_custom", "mixed_custom", "prelude_custom",
                                      "ratio_custom", "vector_custom"}));
  EXPECT_THROW(isa::find_kernel("add"), std::invalid_argument);
}

TEST(KernelBuild, LaunchesAreCheckedAgainstTheParametersOfTheSource) {
  const isa::KernelEntry& add = isa::find_kernel("add_custom");
  const auto refusal = [&add](std::vector<std::uint32_t> sizes) -> std::string {
    try {
      isa::check_arguments(add, sizes.data(), static_cast<std::uint32_t>(sizes.size()));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({8, 8, 8}), "");
  EXPECT_EQ(refusal({8, 8}),
            "kernel add_custom: 2 arguments were given, the kernel has 3 parameters");
  EXPECT_EQ(refusal({8, 4, 8}),
            "kernel add_custom: argument 2 has 4 bytes, the kernel's parameter has 8");
  EXPECT_EQ(isa::find_kernel("faulty_custom").parameters.count, 0u);
  EXPECT_NE(isa::find_kernel("faulty_custom").parameters.sizes, nullptr);
}

TEST(KernelBuild, DefinitionsTakeParametersAndAHeaderIsIncludedByForce) {
  const isa::KernelEntry& kernel = isa::find_kernel("prelude_custom");
  std::int32_t out = 0;
  reinterpret_cast<void (*)(std::int32_t*)>(kernel.aiv)(&out);
  EXPECT_EQ(out, 2 * 3 + 5 + 300);
}

TEST(KernelBuild, AKernelMayHaveTheNameOfAFunctionOfTheCLibrary) {
  const isa::KernelEntry& kernel = isa::find_kernel("fmax");
  for (const isa::KernelFunction half : {kernel.aic, kernel.aiv}) {
    std::int32_t out = 0;
    reinterpret_cast<void (*)(std::int32_t*, float, float)>(half)(&out, 2, 7);
    EXPECT_EQ(out, 7);
  }
}

TEST(KernelBuild, ATypeForOneKindOfCoreNeedsOneHalf) {
  EXPECT_EQ(isa::find_kernel("prelude_custom").aic, nullptr);
}

TEST(KernelBuild, ADeviceStyleKernelRuns) {
  constexpr std::size_t kLength = 512;
  TestCore core;
  core.id.block_num = 2;
  core.id.block_idx = 1;
  std::vector<isa::half> x(2 * kLength), y(2 * kLength), z(2 * kLength, isa::half(-1));
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = isa::half(static_cast<float>(i % 100));
    y[i] = isa::half(0.5f);
  }
  for (auto* tensor : {&x, &y, &z}) core.global.add(tensor->data(), 2 * kLength * 2);
  const auto gm = [](std::vector<isa::half>& tensor) {
    return reinterpret_cast<std::uint8_t*>(tensor.data());
  };
  const auto add =
      reinterpret_cast<void (*)(GM_ADDR, GM_ADDR, GM_ADDR)>(isa::find_kernel("add_custom").aiv);
  add(gm(x), gm(y), gm(z));
  for (std::size_t i = 0; i < kLength; ++i) {
    ASSERT_EQ(float(z[i]), -1.0f) << "the other block's element " << i;
    ASSERT_EQ(float(z[kLength + i]), static_cast<float>((kLength + i) % 100) + 0.5f) << i;
  }
  // Two buffers a queue: the third and fourth tile wait for the buffers of the first and second.
  const Lines log = take_log(core);
  EXPECT_EQ(std::count(log.begin(), log.end(), "SET V_MTE2 0") +
                std::count(log.begin(), log.end(), "SET V_MTE2 1") +
                std::count(log.begin(), log.end(), "SET V_MTE2 2") +
                std::count(log.begin(), log.end(), "SET V_MTE2 3"),
            8);
  EXPECT_EQ(log.back(), "BAR ALL");
}

TEST(KernelBuild, AFaultThrownInAKernelIsCaughtOutside) {
  TestCore core;
  const isa::Fault fault = fault_of([] { isa::find_kernel("faulty_custom").aiv(); });
  EXPECT_EQ(fault.cls, isa::FaultClass::kQueue);
  EXPECT_NE(std::string(fault.where.file_name()).find("mixed_custom.cpp"), std::string::npos);
}

}  // namespace
}  // namespace davsim::test
