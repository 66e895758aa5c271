// Kernels of users' own that a served device launches: shared objects of `davsim-cc
// --davsim-module`.
#pragma once

#include <boost/json/array.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isa/core/kernel_registry.hpp"
#include "kernels/registry/operator.hpp"
#include "runtime/loaded_kernels.hpp"

namespace davsim::cli {

/// The libraries that a process has loaded. They stay loaded.
class ServedKernels {
 public:
  /// The kernels of a library: name, and of each parameter kind and bytes. A file that is loaded
  /// already is not loaded again. Throws UsageError naming the file and what is wrong with it.
  boost::json::array load(const std::string& path);
  /// Throws UsageError naming the kernels that the library has.
  const runtime::LoadedKernel& find(const std::string& path, const std::string& name) const;

 private:
  std::map<std::string, std::vector<runtime::LoadedKernel>> libraries_;
};

/// One launch of such a kernel, as an operator without tensors: it is run, observed and reported
/// like one.
class KernelLaunch final : public operators::Operator {
 public:
  struct Arguments {
    std::vector<std::uint64_t> slots;  ///< one argument behind the other, in whole slots of 8 bytes
    std::size_t count = 0;
    double tensor_bytes = 0;  ///< of the memory that pointers lead to: the least that may move
  };
  /// Throws UsageError if number or sizes of the arguments are not those of the kernel, or if
  /// `blocks` is 0 or more than 65535.
  KernelLaunch(const runtime::LoadedKernel& kernel, std::uint64_t blocks, std::uint64_t tiling_key,
               Arguments arguments, const std::vector<std::size_t>& sizes,
               const std::string& product);

  const operators::OperatorInfo& info() const override { return info_; }
  void validate(const operators::Call&, const sim::SocConfig&) const override {}
  std::vector<operators::TensorShape> infer(const operators::Call&) const override { return {}; }
  observe::LaunchReport launch(const operators::Call& call, operators::TensorMap& outputs,
                               sim::Device& device) const override;
  operators::Cost cost(const operators::Call&) const override;
  std::vector<operators::ExampleCase> cases() const override { return {}; }
  operators::Call make_case(std::string_view id, memory::GlobalMemory&) const override;

 private:
  operators::OperatorInfo info_;
  isa::KernelEntry entry_;
  std::uint32_t blocks_;
  std::uint64_t tiling_key_;
  Arguments arguments_;
  void (*call_)(isa::KernelFunction half, const std::byte* slots) = nullptr;
};

}  // namespace davsim::cli
