/* The kernels of a program or of a shared library, as davsim-cc compiles them: each is known by the
 * host's function of the same name, whose call launches it. Plain declarations, because every
 * object with kernels includes them. */
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// A kernel type for launches with one tiling key.
struct DavsimKeyedType {
  std::uint64_t key;
  std::uint8_t type;
};

struct DavsimKernel {
  const char* name;
  /// The host's function; null where the host has none.
  void (*host)();
  /// The halves; null where the kernel has no such half.
  void (*cube)();
  void (*vector)();
  std::uint8_t type;  ///< a davsim::isa::KernelType
  const DavsimKeyedType* keyed_types;
  std::size_t keyed_type_count;
  std::uint8_t traits;  ///< DAVSIM_AUTO_SYNC and so on
};

/// Built for the synchronisation that the vendor's compiler inserts.
#define DAVSIM_AUTO_SYNC 1
/// The source has pointers into buffers of a core.
#define DAVSIM_LOCAL_POINTERS 2
/// The source uses SHMEM.
#define DAVSIM_SYMMETRIC_MEMORY 4

/// What objects with kernels and this library have to agree on: the structures above, and what a
/// kernel calls. Raised when they change.
#define DAVSIM_KERNEL_VERSION 2

/// Registers kernels for as long as their module is loaded. A kernel whose host function is known
/// already is the same one from another source file and is left out. One whose name is taken gets
/// " (2)" behind it.
/// If `version` is not DAVSIM_KERNEL_VERSION, standard error says so and nothing is registered.
void davsim_add_module(std::uint32_t version, const DavsimKernel* kernels, std::size_t count);
/// What objects of davsim-cc before version 2 call.
void davsim_add_kernels(const void* kernels, std::size_t count);
void davsim_remove_kernels(const DavsimKernel* kernels, std::size_t count);

/// Says what the parameters of the kernel with this host function are: bytes of each, and how a
/// half is called with arguments in slots. See isa::KernelParameters. Always true.
bool davsim_describe_kernel(void (*host)(), const std::uint32_t* sizes, std::uint32_t count,
                            void (*call)(void (*half)(), const std::byte* slots));

/// Says of what kind each parameter of the kernel with this host function is: one letter each, see
/// davsim::runtime::kind_of. Always true.
bool davsim_describe_kinds(void (*host)(), const char* kinds);

/// Says at multiples of what the parameters of the kernel with this host function begin in a block
/// of arguments. Always true.
bool davsim_describe_alignments(void (*host)(), const std::uint8_t* alignments);

/// The name under which the kernel registry has the kernel with this host function; null if it has
/// none.
const char* davsim_kernel_name(void (*host)());

}  // extern "C"
