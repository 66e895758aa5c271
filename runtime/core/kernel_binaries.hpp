// Kernels that a program loads while it runs: shared objects that davsim-cc or
// ascendc_fatbin_library built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/core/device_copies.hpp"

namespace davsim::runtime {

struct KernelBinary;

/// Functions of this name and a number return a kernel's function on the host: what a program that
/// compiles kernels asks for by an expression.
inline constexpr const char* kNamedKernel = "davsim_named_kernel_";

/// A kernel of a binary.
struct KernelHandle {
  KernelBinary* binary;
  std::string name;        ///< as the program asked for it
  std::string registered;  ///< as the registry of kernels has it
  isa::KernelParameters parameters;
  std::uint64_t tiling_key = 0;              ///< of its launches
  const std::uint8_t* alignments = nullptr;  ///< runtime::alignments_of
};

/// Arguments while a program puts them together.
struct KernelArgumentList {
  struct Parameter {
    std::size_t slot, bytes;
    bool placeholder = false;
    std::vector<std::byte> buffer;  ///< what the placeholder will point to
  };

  KernelHandle* kernel = nullptr;
  std::vector<std::uint64_t> slots;
  /// A deque, because programs keep pointers to its elements.
  std::deque<Parameter> parameters;
  bool complete = false;
};

/// All calls throw ApiError. Handles are looked up before they are used.
class KernelBinaries {
 public:
  static KernelBinaries& instance();

  KernelBinary* load(const std::string& file);
  KernelBinary* load(const void* bytes, std::size_t count);
  /// Waits for the device.
  void unload(void* handle);

  /// How many kernels the binary has.
  std::uint32_t count(void* binary);
  KernelHandle& function(void* binary, const std::string& name);
  /// By a number: the kernel whose name ends with it, or else the binary's only kernel, with that
  /// tiling key.
  KernelHandle& function(void* binary, std::uint64_t key);
  KernelHandle& function(void* handle);
  /// Of a kernel in the program itself, by its function on the host.
  KernelHandle& function_of(void (*host)());

  /// A list of the runtime's own. The last 4096 of them live.
  KernelArgumentList* make_arguments(void* function);
  /// One that is known by the program's address.
  void make_arguments(void* function, void* handle);
  KernelArgumentList& arguments(void* handle);

  /// Queues a launch with the list's arguments.
  void launch(KernelHandle& kernel, std::uint32_t blocks, void* stream,
              const KernelArgumentList& arguments);
  /// The same with slots of 8 bytes.
  void launch(KernelHandle& kernel, std::uint32_t blocks, void* stream,
              std::vector<std::uint64_t> slots);

 private:
  KernelBinary& binary_of(void* handle);  ///< the mutex is held

  std::mutex mutex_;
  std::map<void*, std::unique_ptr<KernelBinary>> binaries_;
  std::map<void (*)(), std::unique_ptr<KernelHandle>> own_functions_;  ///< of the program
  std::set<void*> functions_;
  std::map<void*, std::unique_ptr<KernelArgumentList>> arguments_;
  std::deque<void*> own_arguments_;  ///< in the order in which they were made
};

}  // namespace davsim::runtime
