// A device to run small kernels on, written as host lambdas against the kernel API.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernel_operator.h"
#include "sim/device/device.hpp"

namespace davsim::test {

/// Keeps every instruction that a launch reports.
class Recorder : public observe::Observer {
 public:
  struct Event {
    std::uint32_t core;
    isa::Instr instr;
    observe::Cycle dispatched, start, end;
    std::uint64_t flow;
  };
  void launch_begins(const observe::LaunchDescription& d) override {
    events.clear();
    start = d.start;
  }
  void instruction(const observe::InstrEvent& e) override {
    events.push_back(
        {e.core, *e.instr, e.dispatched - start, e.start - start, e.end - start, e.flow});
  }
  void memory_sample(const observe::MemorySample& s) override { samples.push_back(s); }

  std::vector<Event> of(isa::Opcode op) const {
    std::vector<Event> found;
    for (const Event& event : events) {
      if (event.instr.op == op) found.push_back(event);
    }
    return found;
  }

  observe::Cycle start = 0;
  std::vector<Event> events;
  std::vector<observe::MemorySample> samples;
};

/// A SoC whose kernels have no code to fetch: for tests of everything else.
inline sim::SocConfig without_code(const std::string& soc) {
  sim::SocConfig config = sim::SocConfig::named(soc);
  config.set("Timing.Scalar", "call_bytes", "0");
  return config;
}

class DeviceTest : public ::testing::Test {
 protected:
  sim::Device& device(const std::string& soc = "Ascend910B3", sim::DeviceOptions options = {}) {
    return device(without_code(soc), options);
  }
  sim::Device& device(const sim::SocConfig& soc, sim::DeviceOptions options = {}) {
    if (device_ == nullptr) {
      device_ = std::make_unique<sim::Device>(soc, options);
      device_->attach(&recorder);
    }
    return *device_;
  }

  observe::LaunchReport launch(isa::KernelType type, std::uint32_t blocks,
                               std::function<void()> aic, std::function<void()> aiv) {
    isa::KernelEntry entry{"test_kernel", type, nullptr, nullptr};
    entry.traits.auto_sync = auto_sync;
    return device().launch(entry, blocks, std::move(aic), std::move(aiv));
  }
  observe::LaunchReport on_vector(std::uint32_t blocks, std::function<void()> kernel) {
    return launch(isa::KernelType::kAivOnly, blocks, {}, std::move(kernel));
  }
  observe::LaunchReport on_cube(std::uint32_t blocks, std::function<void()> kernel) {
    return launch(isa::KernelType::kAicOnly, blocks, std::move(kernel), {});
  }

  /// Cycles from start to end of the one instruction `op` of a kernel on one vector core.
  observe::Cycle cycles_of(isa::Opcode op, std::function<void()> kernel) {
    on_vector(1, std::move(kernel));
    const auto found = recorder.of(op);
    EXPECT_EQ(found.size(), 1u);
    return found.at(0).end - found.at(0).start;
  }

  /// Memory of the device, filled by `value(i)`.
  template <class T, class Value>
  T* global(std::size_t count, const std::string& name, Value value) {
    T* data = reinterpret_cast<T*>(device().memory().allocate(count * sizeof(T), name));
    for (std::size_t i = 0; i < count; ++i) data[i] = T(value(i));
    return data;
  }

  /// The fault of a launch that must go wrong.
  isa::Fault fault_of(const std::function<void()>& launch) {
    try {
      launch();
    } catch (const isa::Fault& fault) {
      return fault;
    }
    ADD_FAILURE() << "the launch went through";
    return isa::Fault(isa::FaultClass::kLimit, "none");
  }

  Recorder recorder;
  bool auto_sync = false;  ///< of the kernels to come

 private:
  std::unique_ptr<sim::Device> device_;
};

/// The running core's clock. GetSystemCycle counts at 50 MHz, too coarse for exact tests.
inline std::int64_t core_cycle() {
  return static_cast<std::int64_t>(isa::current_core().cycle());
}

/// A tensor at a fixed place of UB.
template <class T>
AscendC::LocalTensor<T> ub(std::uint32_t byte, std::uint32_t elements) {
  return AscendC::LocalTensor<T>(AscendC::TPosition::VECCALC, byte, elements);
}

template <class T>
AscendC::GlobalTensor<T> gm(T* data, std::uint64_t elements) {
  AscendC::GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(data, elements);
  return tensor;
}

}  // namespace davsim::test
