#include "isa/core/kernel_registry.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>

#include "isa/core/kernel_type_mark.hpp"

// The linker provides the bounds of the section that KERNEL_TASK_TYPE_DEFAULT writes to; they are
// null where no kernel of the program uses the macro.
extern "C" {
extern const davsim::isa::KernelTypeMark __start_davsim_ktype[] __attribute__((weak));
extern const davsim::isa::KernelTypeMark __stop_davsim_ktype[] __attribute__((weak));
// And those of the code of kernels whose qualifier says on which cores they run.
#define DAVSIM_KERNEL_SECTION_BOUNDS(cores)                                 \
  extern const char __start_davsim_kernels_##cores[] __attribute__((weak)); \
  extern const char __stop_davsim_kernels_##cores[] __attribute__((weak));
DAVSIM_KERNEL_SECTION_BOUNDS(0_1)
DAVSIM_KERNEL_SECTION_BOUNDS(1_0)
DAVSIM_KERNEL_SECTION_BOUNDS(1_1)
DAVSIM_KERNEL_SECTION_BOUNDS(1_2)
#undef DAVSIM_KERNEL_SECTION_BOUNDS
}

namespace davsim::isa {
namespace {

std::map<std::string, KernelEntry, std::less<>>& kernels() {
  static std::map<std::string, KernelEntry, std::less<>> map;
  return map;
}

/// Code of the kernels with one qualifier.
struct KernelSection {
  const char* start;
  const char* stop;
  KernelType type;
};

KernelType type_of_section(KernelFunction half, KernelType fallback) {
  const KernelSection sections[] = {
      {__start_davsim_kernels_0_1, __stop_davsim_kernels_0_1, KernelType::kAivOnly},
      {__start_davsim_kernels_1_0, __stop_davsim_kernels_1_0, KernelType::kAicOnly},
      {__start_davsim_kernels_1_1, __stop_davsim_kernels_1_1, KernelType::kMix11},
      {__start_davsim_kernels_1_2, __stop_davsim_kernels_1_2, KernelType::kMix12}};
  const auto* code = reinterpret_cast<const char*>(half);
  for (const KernelSection& section : sections) {
    if (section.start <= code && code < section.stop) return section.type;
  }
  return fallback;
}

KernelType type_in_source(const char* name, KernelFunction half, KernelType fallback) {
  for (const KernelTypeMark* mark = __start_davsim_ktype; mark != __stop_davsim_ktype; ++mark) {
    if (!mark->keyed && std::string_view(mark->kernel) == name) return mark->type;
  }
  return type_of_section(half, fallback);
}

/// What KERNEL_TASK_TYPE says, of both halves the same.
std::vector<std::pair<std::uint64_t, KernelType>> types_of_keys(std::string_view name) {
  std::vector<std::pair<std::uint64_t, KernelType>> types;
  for (const KernelTypeMark* mark = __start_davsim_ktype; mark != __stop_davsim_ktype; ++mark) {
    if (mark->keyed && mark->kernel == name) types.emplace_back(mark->tiling_key, mark->type);
  }
  return types;
}

}  // namespace

KernelType KernelEntry::type_for(std::uint64_t tiling_key) const {
  for (const auto& [key, type_of_key] : keyed_types) {
    if (key == tiling_key) return type_of_key;
  }
  return type;
}

KernelRegistrar::KernelRegistrar(const char* name, KernelType type, KernelFunction aic,
                                 KernelFunction aiv) {
  KernelEntry entry{name, type_in_source(name, aiv, type), aic, aiv, types_of_keys(name)};
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
