#include <cstdio>

#include "isa/core/kernel_registry.hpp"

int main() {
  int aic = 0, aiv = 0;
  const auto& kernel = davsim::isa::find_kernel("answer");
  reinterpret_cast<void (*)(int*)>(kernel.aic)(&aic);
  reinterpret_cast<void (*)(int*)>(kernel.aiv)(&aiv);
  std::printf("aic %d aiv %d\n", aic, aiv);
}
