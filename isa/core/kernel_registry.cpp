#include "isa/core/kernel_registry.hpp"

#include <dlfcn.h>

#include <map>
#include <stdexcept>

#include "isa/core/named_registry.hpp"

namespace davsim::isa {
namespace {

NamedRegistry<KernelEntry>& registry() {
  static NamedRegistry<KernelEntry> kernels("kernel");
  return kernels;
}

/// Kernels whose name was taken when they came: another library has one of that name. They come
/// before main() or while a library is loaded, where nobody could catch an exception.
std::map<const KernelRegistrar*, std::pair<std::string, KernelFunction>>& seconds() {
  // Never destroyed: registrars leave when static variables are gone already.
  static auto& kernels =
      *new std::map<const KernelRegistrar*, std::pair<std::string, KernelFunction>>;
  return kernels;
}

/// The program or library that has the code.
std::string file_of(KernelFunction half) {
  Dl_info info{};
  const bool found = dladdr(reinterpret_cast<const void*>(half), &info) != 0;
  return found && info.dli_fname != nullptr ? info.dli_fname : "an unknown file";
}

KernelFunction half_of(const KernelEntry& entry) {
  return entry.aiv != nullptr ? entry.aiv : entry.aic;
}

KernelType type_of_section(const ModuleKernels& module, KernelFunction half, KernelType fallback) {
  const auto* code = reinterpret_cast<const char*>(half);
  for (const ModuleKernels::Section& section : module.sections) {
    if (section.start <= code && code < section.stop) return section.type;
  }
  return fallback;
}

KernelType type_in_source(const ModuleKernels& module, std::string_view name, KernelFunction half,
                          KernelType fallback) {
  for (const KernelTypeMark* mark = module.first_mark; mark != module.last_mark; ++mark) {
    if (!mark->keyed && mark->kernel == name) return mark->type;
  }
  return type_of_section(module, half, fallback);
}

/// What KERNEL_TASK_TYPE says, of both halves the same.
std::vector<std::pair<std::uint64_t, KernelType>> types_of_keys(const ModuleKernels& module,
                                                                std::string_view name) {
  std::vector<std::pair<std::uint64_t, KernelType>> types;
  for (const KernelTypeMark* mark = module.first_mark; mark != module.last_mark; ++mark) {
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
                                 KernelFunction aiv, KernelParameters parameters,
                                 KernelTraits traits, const ModuleKernels& module)
    : name_(name) {
  KernelEntry entry{name,
                    type_in_source(module, name, aiv, type),
                    aic,
                    aiv,
                    types_of_keys(module, name),
                    parameters,
                    traits};
  if (registry().find(name) != nullptr) {
    seconds()[this] = {name_, half_of(entry)};
  } else {
    registry().add(name, std::move(entry));
  }
}

KernelRegistrar::~KernelRegistrar() {
  if (seconds().erase(this) == 0) registry().remove(name_);
}

const KernelEntry& find_kernel(std::string_view name) {
  for (const auto& [registrar, second] : seconds()) {
    const KernelEntry* first = registry().find(name);
    if (second.first != name || first == nullptr) continue;
    throw std::invalid_argument("there are two kernels named '" + second.first + "', in " +
                                file_of(half_of(*first)) + " and in " + file_of(second.second) +
                                "; a process can launch neither");
  }
  return registry().at(name);
}

void check_arguments(const KernelEntry& kernel, const std::uint32_t* sizes, std::uint32_t count) {
  const KernelParameters& parameters = kernel.parameters;
  if (parameters.sizes == nullptr) return;
  if (count != parameters.count) {
    throw std::invalid_argument("kernel " + kernel.name + ": " + std::to_string(count) +
                                " arguments were given, the kernel has " +
                                std::to_string(parameters.count) + " parameters");
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (parameters.sizes[i] == 0 || parameters.sizes[i] == sizes[i]) continue;
    throw std::invalid_argument("kernel " + kernel.name + ": argument " + std::to_string(i + 1) +
                                " has " + std::to_string(sizes[i]) +
                                " bytes, the kernel's parameter has " +
                                std::to_string(parameters.sizes[i]));
  }
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : registry().entries()) names.push_back(name);
  return names;
}

}  // namespace davsim::isa
