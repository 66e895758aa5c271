// Kernels on the dies of a small system.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel_operator.h"
#include "sim/system/communicators.hpp"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {

class SystemTest : public ::testing::Test {
 protected:
  sim::Device& device(const std::string& name, std::uint32_t dies,
                      sim::Mode mode = sim::Mode::kTimed) {
    if (device_ == nullptr) {
      sim::SystemConfig system = sim::SystemConfig::named(name);
      system.use_dies(dies);
      sim::DeviceOptions options;
      options.mode = mode;
      options.max_cycles = 50'000'000;
      device_ = std::make_unique<sim::Device>(without_code(system.soc()), system, options);
    }
    return *device_;
  }
  template <class T>
  T* shared(std::uint32_t die, std::size_t count) {
    std::byte* start = device_->memory(die).allocate(count * sizeof(T), "shared");
    device_->memory(die).share(start);
    return reinterpret_cast<T*>(start);
  }
  /// Runs `kernel(die)` on one vector core of each die.
  std::vector<observe::LaunchReport> on_dies(const std::function<void(std::uint32_t)>& kernel,
                                             std::uint32_t blocks = 1) {
    std::vector<sim::DieLaunch> launches;
    for (std::uint32_t die = 0; die < device_->dies(); ++die) {
      launches.push_back({die, &entry_, blocks, 0, {}, [kernel, die] { kernel(die); }});
    }
    return device_->launch(std::move(launches));
  }
  const sim::Communicator& communicator(std::uint32_t ranks, const char* name = "group",
                                        std::uint64_t window = 1 << 20) {
    std::vector<std::uint32_t> dies;
    for (std::uint32_t i = 0; i < ranks; ++i) dies.push_back(i);
    return device_->communicators()->create(name, dies, window);
  }

  std::unique_ptr<sim::Device> device_;
  isa::KernelEntry entry_{"test_kernel", isa::KernelType::kAivOnly, nullptr, nullptr};
};

}  // namespace davsim::test
