#include "isa/core/kernel_registry.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

// The linker provides the bounds of the section that KERNEL_TASK_TYPE_DEFAULT writes to; they are
// null where no kernel of the program uses the macro.
extern "C" {
extern const davsim::isa::KernelTypeMark __start_davsim_ktype[] __attribute__((weak));
extern const davsim::isa::KernelTypeMark __stop_davsim_ktype[] __attribute__((weak));
}

namespace davsim::isa {
namespace {

std::map<std::string, KernelEntry, std::less<>>& kernels() {
  static std::map<std::string, KernelEntry, std::less<>> map;
  return map;
}

KernelType type_in_source(const char* name, KernelType fallback) {
  for (const KernelTypeMark* mark = __start_davsim_ktype; mark != __stop_davsim_ktype; ++mark) {
    if (std::string_view(mark->kernel) == name) return mark->type;
  }
  return fallback;
}

}  // namespace

KernelRegistrar::KernelRegistrar(const char* name, KernelType type, KernelFunction aic,
                                 KernelFunction aiv) {
  KernelEntry entry{name, type_in_source(name, type), aic, aiv};
  if (!kernels().emplace(name, entry).second) {
    throw std::logic_error("two kernels are registered under the name " + std::string(name));
  }
}

const KernelEntry& find_kernel(std::string_view name) {
  const auto found = kernels().find(name);
  if (found != kernels().end()) return found->second;
  std::string message = "no kernel named '" + std::string(name) + "'; there are:";
  for (const auto& known : kernel_names()) message += " " + known;
  throw std::invalid_argument(message);
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : kernels()) names.push_back(name);
  return names;
}

}  // namespace davsim::isa
