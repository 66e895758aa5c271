#include "cli/served_kernels.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <boost/json.hpp>
#include <functional>
#include <stdexcept>
#include <utility>

#include "cli/errors.hpp"
#include "runtime/core/slot_call.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;

std::string_view kind_name(char kind) {
  switch (kind) {
    case 'p':
      return "pointer";
    case 'b':
      return "bool";
    case 'i':
      return "int";
    case 'u':
      return "uint";
    case 'f':
      return "float";
    default:
      return "struct";
  }
}

json::value parameters_json(const runtime::LoadedKernel& kernel) {
  const isa::KernelParameters parameters = runtime::parameters_of(kernel.host);
  const std::string kinds = runtime::parameter_kinds_of(kernel.host);
  if (!parameters.known() || kinds.size() != parameters.count) return nullptr;
  json::array list;
  for (std::uint32_t i = 0; i < parameters.count; ++i) {
    list.push_back({{"kind", kind_name(kinds[i])}, {"bytes", parameters.sizes[i]}});
  }
  return list;
}

std::string names_of(const std::vector<runtime::LoadedKernel>& kernels) {
  std::string names;
  for (const runtime::LoadedKernel& kernel : kernels) {
    names += (names.empty() ? "" : ", ") + kernel.name;
  }
  return names.empty() ? "none" : names;
}

void require(bool holds, const std::string& found, const std::string& rule) {
  if (!holds) throw UsageError(found, rule);
}

void check_arguments(const std::string& name, const isa::KernelParameters& parameters,
                     const std::vector<std::size_t>& sizes) {
  if (!parameters.known()) return;
  require(sizes.size() == parameters.count,
          name + " has " + std::to_string(parameters.count) + " parameters; " +
              std::to_string(sizes.size()) + " arguments were given",
          "a launch has as many arguments as the kernel has parameters");
  for (std::uint32_t i = 0; i < parameters.count; ++i) {
    require(sizes[i] == parameters.sizes[i],
            "argument " + std::to_string(i + 1) + " of " + name + " has " +
                std::to_string(sizes[i]) + " bytes, the parameter has " +
                std::to_string(parameters.sizes[i]),
            "an argument is as large as the parameter");
  }
}

}  // namespace

json::array ServedKernels::load(const std::string& path) {
  auto found = libraries_.find(path);
  if (found == libraries_.end()) {
    const runtime::LoadedKernels heard;
    // Lazily: host code of the source may call a runtime that is not there.
    if (dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL) == nullptr) {
      const char* reason = dlerror();
      throw UsageError(path + " cannot be loaded: " + (reason == nullptr ? "" : reason),
                       "a library of kernels is a shared object of davsim-cc --davsim-module");
    }
    found = libraries_.emplace(path, heard.all()).first;
  }
  json::array list;
  for (const runtime::LoadedKernel& kernel : found->second) {
    list.push_back({{"name", kernel.name}, {"parameters", parameters_json(kernel)}});
  }
  return list;
}

const runtime::LoadedKernel& ServedKernels::find(const std::string& path,
                                                 const std::string& name) const {
  const auto library = libraries_.find(path);
  require(library != libraries_.end(), path + " is not loaded",
          "a library of kernels is loaded before its kernels are launched");
  for (const runtime::LoadedKernel& kernel : library->second) {
    if (kernel.name == name) return kernel;
  }
  throw UsageError("there is no kernel '" + name + "'; the source has " + names_of(library->second),
                   "a kernel is launched by its name in the source");
}

KernelLaunch::KernelLaunch(const runtime::LoadedKernel& kernel, std::uint64_t blocks,
                           std::uint64_t tiling_key, Arguments arguments,
                           const std::vector<std::size_t>& sizes, const std::string& product)
    : entry_(isa::find_kernel(kernel.registered)),
      blocks_(static_cast<std::uint32_t>(blocks)),
      tiling_key_(tiling_key),
      arguments_(std::move(arguments)) {
  require(blocks > 0 && blocks <= isa::kMostBlocks,
          "the number of blocks is " + std::to_string(blocks),
          "a launch has 1 to " + std::to_string(isa::kMostBlocks) + " blocks");
  const isa::KernelParameters parameters = runtime::parameters_of(kernel.host);
  check_arguments(kernel.name, parameters, sizes);
  call_ = parameters.call;
  if (call_ == nullptr) {
    call_ = runtime::slot_call(static_cast<std::uint32_t>(arguments_.slots.size()));
  }
  require(
      call_ != nullptr, kernel.name + " has " + std::to_string(sizes.size()) + " arguments",
      "a kernel whose parameters are not known has at most " + std::to_string(runtime::kMostWords));
  arguments_.slots.push_back(0);  // nobody has none
  info_.name = kernel.name;
  info_.summary = "a kernel";
  info_.products = {product};
}

observe::LaunchReport KernelLaunch::launch(const operators::Call&, operators::TensorMap&,
                                           sim::Device& device) const {
  const auto bound = [&](isa::KernelFunction half) -> std::function<void()> {
    if (half == nullptr) return {};
    const auto* slots = reinterpret_cast<const std::byte*>(arguments_.slots.data());
    return [call = call_, half, slots] { call(half, slots); };
  };
  device.set_tiling_key(tiling_key_);
  const struct Reset {
    sim::Device& device;
    ~Reset() { device.set_tiling_key(0); }
  } reset{device};
  return device.launch(entry_, blocks_, bound(entry_.aic), bound(entry_.aiv));
}

operators::Cost KernelLaunch::cost(const operators::Call&) const {
  operators::Cost cost;
  cost.min_bytes = arguments_.tensor_bytes;
  return cost;
}

operators::Call KernelLaunch::make_case(std::string_view id, memory::GlobalMemory&) const {
  throw std::invalid_argument("a kernel has no case '" + std::string(id) + "'");
}

}  // namespace davsim::cli
