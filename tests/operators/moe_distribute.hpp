// Dispatch and combine of a mixture of experts on the dies of one test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/system_reference.hpp"
#include "sim/system/communicators.hpp"
#include "tests/operators/operator_test.hpp"

namespace davsim::test {

using operators::SystemCall;

/// The dies of one test, which runs in a process of its own.
class MoeDistributeTest : public ::testing::Test {
 protected:
  sim::Device& dies(const std::string& system, std::uint32_t ranks) {
    if (device_ == nullptr) {
      sim::SystemConfig config = system.ends_with(".ini") ? sim::SystemConfig::from_file(system)
                                                          : sim::SystemConfig::named(system);
      config.use_dies(ranks);
      device_ = std::make_unique<sim::Device>(sim::SocConfig::named(config.soc()), config,
                                              sim::DeviceOptions{.max_cycles = 20'000'000});
      for (std::uint32_t die = 0; die < ranks; ++die) memories_.push_back(&device_->memory(die));
    }
    return *device_;
  }
  /// An Atlas A3 server whose ranks begin together.
  static std::string without_spread() {
    std::string path = ::testing::TempDir() + "without_spread." + std::to_string(getpid()) + ".ini";
    std::ofstream(path)
        << "include = atlas_a3_server.ini\n\n[Launch]\nspread = 0 us | assumed: a test\n";
    return path;
  }
  static const operators::SystemOperator& op(const std::string& name) {
    return *operators::find_system_operator("npu_moe_distribute_" + name);
  }
  static operators::SystemCase case_of(const operators::SystemOperator& of, const std::string& id) {
    for (const operators::SystemCase& each : of.cases()) {
      if (each.example.id == id) return each;
    }
    throw std::invalid_argument(id);
  }
  /// Runs a case of the documentation `times` times, and compares each result.
  void run_case(const std::string& name, const std::string& id, int times = 1) {
    const operators::SystemOperator& of = op(name);
    const operators::SystemCase shown = case_of(of, id);
    sim::Device& on = dies(shown.system, shown.ranks);
    const SystemCall call = of.make_case(id, memories_);
    for (int i = 0; i < times; ++i) compare(of, call, operators::run(of, call, on), on);
  }
  static void compare(const operators::SystemOperator& of, const SystemCall& call,
                      const operators::SystemRunResult& result, const sim::Device& on) {
    const auto* judge = reference::find_system_reference(of.info().name);
    const SystemCall good = operators::validated(of, call, on.soc());
    const auto comparisons = judge->compare_results(good, result.outputs, on.soc().product());
    EXPECT_TRUE(reference::passed(comparisons));
    for (const auto& comparison : comparisons) {
      EXPECT_TRUE(comparison.passed) << reference::to_string(comparison);
    }
  }

  std::unique_ptr<sim::Device> device_;
  std::vector<memory::GlobalMemory*> memories_;
};

}  // namespace davsim::test
