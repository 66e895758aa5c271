// Which kernels a module brings while it is loaded, and what is known of their parameters.
#pragma once

#include <string>
#include <vector>

#include "isa/core/kernel_parameters.hpp"

namespace davsim::runtime {

struct LoadedKernel {
  std::string name;        ///< as the source has it
  std::string registered;  ///< as the registry of kernels has it, where two have one name
  void (*host)();
};

/// Hears of the kernels that the calling thread loads while this lives.
class LoadedKernels {
 public:
  LoadedKernels();
  ~LoadedKernels();
  LoadedKernels(const LoadedKernels&) = delete;
  LoadedKernels& operator=(const LoadedKernels&) = delete;

  const std::vector<LoadedKernel>& all() const { return kernels_; }
  void add(LoadedKernel kernel) { kernels_.push_back(std::move(kernel)); }

 private:
  std::vector<LoadedKernel> kernels_;
};

/// The parameters of the kernel with this host function; unknown ones if nobody has said them.
isa::KernelParameters parameters_of(void (*host)());
/// The same by the name that the registry of kernels has.
isa::KernelParameters parameters_of(const std::string& registered);
/// At multiples of what they begin in a block of arguments; null if nobody has said it.
const std::uint8_t* alignments_of(void (*host)());
const std::uint8_t* alignments_of(const std::string& registered);
/// A letter for each of them, as kind_of in runtime/kernel_launch.hpp has it; empty if nobody has
/// said them.
std::string parameter_kinds_of(void (*host)());

}  // namespace davsim::runtime
