#include "runtime/kernel_module.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa/core/kernel_registry.hpp"
#include "runtime/loaded_kernels.hpp"

namespace davsim::runtime {
namespace {

thread_local LoadedKernels* t_hears = nullptr;

class Modules {
 public:
  void add(const DavsimKernel& kernel) {
    const std::scoped_lock lock(mutex_);
    if (kernel.host == nullptr || !names_.contains(kernel.host)) add_new(kernel);
    if (t_hears == nullptr) return;
    const auto known = names_.find(kernel.host);
    const auto found = registrations_.find(&kernel);
    t_hears->add(
        {kernel.name, known != names_.end() ? known->second : found->second.name, kernel.host});
  }

  void remove(const DavsimKernel& kernel) {
    const std::scoped_lock lock(mutex_);
    const auto found = registrations_.find(&kernel);
    if (found == registrations_.end()) return;
    used_.erase(found->second.name);
    if (kernel.host != nullptr) {
      names_.erase(kernel.host);
      parameters_.erase(kernel.host);
      kinds_.erase(kernel.host);
      alignments_.erase(kernel.host);
    }
    registrations_.erase(found);
  }

  void describe(void (*host)(), const isa::KernelParameters& parameters) {
    const std::scoped_lock lock(mutex_);
    parameters_[host] = parameters;
  }
  void describe(void (*host)(), const char* kinds) {
    const std::scoped_lock lock(mutex_);
    kinds_[host] = kinds;
  }
  void describe(void (*host)(), const std::uint8_t* alignments) {
    const std::scoped_lock lock(mutex_);
    alignments_[host] = alignments;
  }
  const std::uint8_t* alignments(void (*host)()) {
    const std::scoped_lock lock(mutex_);
    const auto found = alignments_.find(host);
    return found == alignments_.end() ? nullptr : found->second;
  }
  std::string kinds(void (*host)()) {
    const std::scoped_lock lock(mutex_);
    const auto found = kinds_.find(host);
    return found == kinds_.end() ? "" : found->second;
  }
  /// Null: no kernel with a function on the host has this name.
  void (*host_of(const std::string& registered))() {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find_if(names_.begin(), names_.end(),
                                    [&](const auto& name) { return name.second == registered; });
    return found == names_.end() ? nullptr : found->first;
  }

  isa::KernelParameters parameters(void (*host)()) {
    const std::scoped_lock lock(mutex_);
    const auto found = parameters_.find(host);
    return found == parameters_.end() ? isa::KernelParameters{} : found->second;
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

  void add_new(const DavsimKernel& kernel) {
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
        isa::KernelTraits{.auto_sync = (kernel.traits & DAVSIM_AUTO_SYNC) != 0,
                          .local_pointers = (kernel.traits & DAVSIM_LOCAL_POINTERS) != 0,
                          .symmetric_memory = (kernel.traits & DAVSIM_SYMMETRIC_MEMORY) != 0},
        module);
    used_.insert(registration.name);
    if (kernel.host != nullptr) names_.emplace(kernel.host, registration.name);
  }

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
  std::unordered_map<void (*)(), isa::KernelParameters> parameters_;
  std::unordered_map<void (*)(), std::string> kinds_;
  std::unordered_map<void (*)(), const std::uint8_t*> alignments_;
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

LoadedKernels::LoadedKernels() {
  t_hears = this;
}

LoadedKernels::~LoadedKernels() {
  t_hears = nullptr;
}

isa::KernelParameters parameters_of(const std::string& registered) {
  return modules().parameters(modules().host_of(registered));
}

isa::KernelParameters parameters_of(void (*host)()) {
  return modules().parameters(host);
}

const std::uint8_t* alignments_of(const std::string& registered) {
  return modules().alignments(modules().host_of(registered));
}

const std::uint8_t* alignments_of(void (*host)()) {
  return modules().alignments(host);
}

std::string parameter_kinds_of(void (*host)()) {
  return modules().kinds(host);
}

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

bool davsim_describe_kernel(void (*host)(), const std::uint32_t* sizes, std::uint32_t count,
                            void (*call)(void (*half)(), const std::byte* slots)) {
  davsim::runtime::modules().describe(host, {sizes, count, call});
  return true;
}

bool davsim_describe_alignments(void (*host)(), const std::uint8_t* alignments) {
  davsim::runtime::modules().describe(host, alignments);
  return true;
}

bool davsim_describe_kinds(void (*host)(), const char* kinds) {
  davsim::runtime::modules().describe(host, kinds);
  return true;
}
