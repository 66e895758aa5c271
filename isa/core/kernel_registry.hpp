// Kernels by name: each is compiled once for the cube and once for the vector core (see
// cmake/DavsimKernel.cmake) and both halves are registered here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/core/core_sink.hpp"
#include "isa/core/kernel_parameters.hpp"
#include "isa/core/kernel_type_mark.hpp"

namespace davsim::isa {

/// Blocks of a launch, at least 1: the device counts them in 16 bits.
inline constexpr std::uint32_t kMostBlocks = 65535;

/// What a kernel was compiled for.
struct KernelTraits {
  /// The synchronisation that the vendor's compiler inserts.
  bool auto_sync = false;
  /// Its source has pointers into buffers, __ubuf__ T*, which it may dereference. Else an access to
  /// one of the lowest addresses is one through a null pointer.
  bool local_pointers = false;
  /// Its scalar instructions take time, as far as they are counted. False: only its calls of the
  /// kernel API do.
  bool scalar_work = true;
  /// Its source uses SHMEM: where devices are PEs, all of them begin it together.
  bool symmetric_memory = false;
};

struct KernelEntry {
  std::string name;
  KernelType type = KernelType::kAivOnly;
  KernelFunction aic = nullptr;
  KernelFunction aiv = nullptr;
  /// Types of single tiling keys.
  std::vector<std::pair<std::uint64_t, KernelType>> keyed_types = {};
  /// As far as whoever registered the kernel knows them.
  KernelParameters parameters = {};
  KernelTraits traits = {};

  KernelType type_for(std::uint64_t tiling_key) const;
};

/// Throws std::invalid_argument: there is none, with those that exist, or more than one.
const KernelEntry& find_kernel(std::string_view name);
std::vector<std::string> kernel_names();

/// Throws std::invalid_argument if a launch with arguments of these bytes does not fit what is
/// known of the kernel's parameters.
void check_arguments(const KernelEntry& kernel, const std::uint32_t* sizes, std::uint32_t count);

/// What the linker collected of the kernels of one module, a program or a shared library: marks of
/// KERNEL_TASK_TYPE_DEFAULT, and the code of kernels whose qualifier says on which cores they run.
struct ModuleKernels {
  struct Section {
    const char* start;
    const char* stop;
    KernelType type;
  };
  const KernelTypeMark* first_mark;
  const KernelTypeMark* last_mark;  ///< behind the last one
  Section sections[4];
};

/// Registers a kernel for as long as this lives: as a static variable of the module that has the
/// kernel. What the kernel's source says overrides `type`: a KERNEL_TASK_TYPE_DEFAULT, else a
/// qualifier (__vector__, __cube__, __mix__) of its function. `parameters`, where they are given,
/// are what launches are checked against: ParametersOf<decltype(kernel)>::value().
/// Two kernels of one name can live side by side, but neither can be launched.
class KernelRegistrar {
 public:
  __attribute__((visibility("hidden")))
  KernelRegistrar(const char* name, KernelType type, KernelFunction aic, KernelFunction aiv,
                  KernelParameters parameters = {}, KernelTraits traits = {})
      : KernelRegistrar(name, type, aic, aiv, parameters, traits, kernels_of_this_module()) {}
  KernelRegistrar(const char* name, KernelType type, KernelFunction aic, KernelFunction aiv,
                  KernelParameters parameters, KernelTraits traits, const ModuleKernels& module);
  ~KernelRegistrar();
  KernelRegistrar(const KernelRegistrar&) = delete;
  KernelRegistrar& operator=(const KernelRegistrar&) = delete;

 private:
  // Hidden, as is the constructor that calls it: another module's would give that one's marks.
  __attribute__((visibility("hidden"))) static ModuleKernels kernels_of_this_module();

  std::string name_;
};

}  // namespace davsim::isa

// The linker provides the bounds of the sections; they are null where no kernel of the module has
// any. Hidden, so that each module finds its own.
#define DAVSIM_SECTION_BOUNDS(type, section)                                   \
  extern "C" {                                                                 \
  extern type __start_##section[] __attribute__((weak, visibility("hidden"))); \
  extern type __stop_##section[] __attribute__((weak, visibility("hidden")));  \
  }
DAVSIM_SECTION_BOUNDS(const davsim::isa::KernelTypeMark, davsim_ktype)
DAVSIM_SECTION_BOUNDS(const char, davsim_kernels_0_1)
DAVSIM_SECTION_BOUNDS(const char, davsim_kernels_1_0)
DAVSIM_SECTION_BOUNDS(const char, davsim_kernels_1_1)
DAVSIM_SECTION_BOUNDS(const char, davsim_kernels_1_2)
#undef DAVSIM_SECTION_BOUNDS

namespace davsim::isa {

inline ModuleKernels KernelRegistrar::kernels_of_this_module() {
  return {__start_davsim_ktype,
          __stop_davsim_ktype,
          {{__start_davsim_kernels_0_1, __stop_davsim_kernels_0_1, KernelType::kAivOnly},
           {__start_davsim_kernels_1_0, __stop_davsim_kernels_1_0, KernelType::kAicOnly},
           {__start_davsim_kernels_1_1, __stop_davsim_kernels_1_1, KernelType::kMix11},
           {__start_davsim_kernels_1_2, __stop_davsim_kernels_1_2, KernelType::kMix12}}};
}

}  // namespace davsim::isa
