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
  std::uint8_t auto_sync;  ///< 1: built for the synchronisation that the vendor's compiler inserts
};

/// Registers kernels for as long as their module is loaded. A kernel whose host function is known
/// already is the same one from another source file and is left out. One whose name is taken gets
/// " (2)" behind it.
void davsim_add_kernels(const DavsimKernel* kernels, std::size_t count);
void davsim_remove_kernels(const DavsimKernel* kernels, std::size_t count);

/// The name under which the kernel registry has the kernel with this host function; null if it has
/// none.
const char* davsim_kernel_name(void (*host)());

}  // extern "C"
