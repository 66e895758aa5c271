#include <cstdio>

#include "memory/tensor.hpp"
#include "sim/device/device.hpp"

int main() {
  davsim::sim::Device device(davsim::sim::SocConfig::named("Ascend910B3"));
  auto* out = reinterpret_cast<float*>(device.memory().allocate(32, "out"));
  device.launch("seven", 1, out);
  std::printf("%g", *out);
  int unused_but_no_error;
}
