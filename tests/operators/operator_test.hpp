// What tests of operators share: the process's one device, and the question "with which class is
// this call refused?".
#pragma once

#include <optional>
#include <utility>

#include "kernels/registry/operator.hpp"
#include "sim/device/device.hpp"

namespace davsim::test {

/// The SoC that operator tests run on: 20 AICs, 40 AIVs.
inline constexpr const char* kTestSoc = "Ascend910B3";

/// A process has one device; tests that share a process share it.
inline sim::Device& device() {
  static sim::Device the_device(sim::SocConfig::named(kTestSoc));
  return the_device;
}

/// Memory for calls that are only checked, which takes no device.
inline memory::GlobalMemory& host_memory() {
  static memory::GlobalMemory memory(std::uint64_t{2} << 30);
  return memory;
}

/// Class of the refusal of a call; none if it is accepted.
inline std::optional<operators::ErrorClass> refusal_of(const operators::Operator& op,
                                                       const operators::Call& call,
                                                       const char* soc = kTestSoc) {
  try {
    operators::validated(op, call, sim::SocConfig::named(soc));
  } catch (const operators::Refusal& refusal) {
    return refusal.cls;
  }
  return std::nullopt;
}

}  // namespace davsim::test
