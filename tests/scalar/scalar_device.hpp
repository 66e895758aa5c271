// A device on which the scalar work of kernels takes its time, or none.
#pragma once

#include <functional>
#include <utility>

#include "tests/sim/device_fixture.hpp"

namespace davsim::test {

class ScalarDevice : public DeviceTest {
 protected:
  /// `work`: the factor of all scalar work.
  explicit ScalarDevice(const char* work) {
    sim::SocConfig soc = without_code("Ascend910B3");
    soc.set("Timing.Scalar", "work", work);
    device(soc);
  }
  /// The core's cycles for a kernel on one vector core.
  observe::Cycle cycles(std::function<void()> kernel) {
    return on_vector(1, std::move(kernel)).cycles;
  }
  double constant(const char* key) {
    return device().soc().constant("Timing.Scalar", key, "cycles");
  }
};

}  // namespace davsim::test
