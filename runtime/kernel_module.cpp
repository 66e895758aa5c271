#include "runtime/kernel_module.hpp"

#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa/core/kernel_registry.hpp"

namespace davsim::runtime {
namespace {

class Modules {
 public:
  void add(const DavsimKernel& kernel) {
    const std::scoped_lock lock(mutex_);
    if (kernel.host != nullptr && names_.contains(kernel.host)) return;
    Registration& registration = registrations_[&kernel];
    registration.name = free_name(kernel.name);
    for (std::size_t i = 0; i < kernel.keyed_type_count; ++i) {
      const DavsimKeyedType& keyed = kernel.keyed_types[i];
      registration.marks.push_back(
          {registration.name.c_str(), static_cast<isa::KernelType>(keyed.type), true, keyed.key});
    }
    const isa::KernelTypeMark* marks = registration.marks.data();
    const isa::ModuleKernels module{marks, marks + registration.marks.size(), {}};
    registration.registrar = std::make_unique<isa::KernelRegistrar>(
        registration.name.c_str(), static_cast<isa::KernelType>(kernel.type), kernel.cube,
        kernel.vector, isa::KernelParameters{},
        isa::KernelTraits{(kernel.traits & DAVSIM_AUTO_SYNC) != 0,
                          (kernel.traits & DAVSIM_LOCAL_POINTERS) != 0},
        module);
    used_.insert(registration.name);
    if (kernel.host != nullptr) names_.emplace(kernel.host, registration.name);
  }

  void remove(const DavsimKernel& kernel) {
    const std::scoped_lock lock(mutex_);
    const auto found = registrations_.find(&kernel);
    if (found == registrations_.end()) return;
    used_.erase(found->second.name);
    if (kernel.host != nullptr) names_.erase(kernel.host);
    registrations_.erase(found);
  }

  const char* name(void (*host)()) {
    const std::scoped_lock lock(mutex_);
    const auto found = names_.find(host);
    return found == names_.end() ? nullptr : found->second.c_str();
  }

 private:
  struct Registration {
    std::string name;
    std::vector<isa::KernelTypeMark> marks;
    std::unique_ptr<isa::KernelRegistrar> registrar;
  };

  std::string free_name(const std::string& wanted) const {
    std::string name = wanted;
    for (int number = 2; used_.contains(name); ++number) {
      name = wanted + " (" + std::to_string(number) + ")";
    }
    return name;
  }

  std::mutex mutex_;
  std::unordered_map<const DavsimKernel*, Registration> registrations_;
  std::unordered_map<void (*)(), std::string> names_;
  std::set<std::string> used_;
};

Modules& modules() {
  // Never destroyed: modules leave when the program's static variables are gone already.
  static Modules& all = *new Modules;
  return all;
}

void tell_other_version(std::uint32_t version) {
  std::fprintf(stderr,
               "davsim: the program's kernels were compiled by %s davsim-cc (version %u of the "
               "interface, libascendcl has %u) and cannot be launched: compile them anew\n",
               version < DAVSIM_KERNEL_VERSION ? "an older" : "a newer",
               static_cast<unsigned>(version), static_cast<unsigned>(DAVSIM_KERNEL_VERSION));
}

}  // namespace
}  // namespace davsim::runtime

void davsim_add_module(std::uint32_t version, const DavsimKernel* kernels, std::size_t count) {
  if (version != DAVSIM_KERNEL_VERSION) return davsim::runtime::tell_other_version(version);
  for (std::size_t i = 0; i < count; ++i) davsim::runtime::modules().add(kernels[i]);
}

void davsim_add_kernels(const void*, std::size_t) {
  davsim::runtime::tell_other_version(1);
}

void davsim_remove_kernels(const DavsimKernel* kernels, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) davsim::runtime::modules().remove(kernels[i]);
}

const char* davsim_kernel_name(void (*host)()) {
  return davsim::runtime::modules().name(host);
}
