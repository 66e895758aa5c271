#include "bench/silicon/kernel.hpp"

#include <stdexcept>

namespace davsim::silicon {
namespace {

std::vector<Kernel>& registry() {
  static std::vector<Kernel> all;
  return all;
}

}  // namespace

Kernel by_high_level(std::string calls, Kernel kernel) {
  kernel.high_level = [calls = std::move(calls)](const Params&) { return calls; };
  return kernel;
}

KernelRegistrar::KernelRegistrar(Kernel kernel) {
  registry().push_back(std::move(kernel));
}

const std::vector<Kernel>& kernels() {
  return registry();
}

const Kernel& find_kernel(const std::string& name) {
  for (const Kernel& kernel : registry()) {
    if (kernel.name == name) return kernel;
  }
  throw std::invalid_argument("there is no kernel called " + name);
}

}  // namespace davsim::silicon
