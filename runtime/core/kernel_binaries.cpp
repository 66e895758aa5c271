#include "runtime/core/kernel_binaries.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "runtime/core/api_error.hpp"
#include "runtime/core/compiler.hpp"
#include "runtime/core/process.hpp"
#include "runtime/core/slot_call.hpp"
#include "runtime/kernel_module.hpp"
#include "runtime/loaded_kernels.hpp"

namespace davsim::runtime {

struct KernelBinary {
  std::string file;
  void* library = nullptr;
  int descriptor = -1;  ///< of bytes that came from memory
  std::vector<LoadedKernel> kernels;
  std::map<std::string, std::unique_ptr<KernelHandle>> functions;
};

namespace {

constexpr std::size_t kMostOwnArguments = 4096;

std::string names_of(const KernelBinary& binary) {
  std::string names;
  for (const LoadedKernel& kernel : binary.kernels) {
    names += (names.empty() ? "" : ", ") + kernel.name;
  }
  return names.empty() ? "none" : names;
}

/// Whether the file is what davsim-cc -c writes.
bool is_object(const std::string& file) {
  Elf64_Ehdr head{};
  std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(&head), sizeof head);
  return std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_type == ET_REL;
}

/// An object made a shared object in `folder`.
std::string linked(const std::string& object, const CompilerFolder& folder) {
  std::error_code ignored;
  const std::string copy = folder.file("kernels.o"), made = folder.file("kernels.so");
  std::filesystem::copy_file(object, copy, ignored);
  const CompilerRun run = run_compiler({"--davsim-module", copy, "-o", made});
  if (run.status != 0) {
    throw ApiError(ACL_ERROR_INVALID_FILE,
                   object + " cannot be linked, is it compiled with -fPIC? " + run.log);
  }
  return made;
}

void open(KernelBinary& binary, const std::string& path) {
  const LoadedKernels heard;
  // A name without a folder would be looked for elsewhere.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  std::optional<CompilerFolder> folder;
  if (is_object(file)) file = linked(file, folder.emplace());
  binary.library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (binary.library == nullptr) {
    const char* reason = dlerror();
    throw ApiError(ACL_ERROR_INVALID_FILE,
                   "a binary is a shared object of davsim-cc or ascendc_fatbin_library; " +
                       binary.file + ": " + (reason == nullptr ? "cannot be loaded" : reason));
  }
  binary.kernels = heard.all();
}

/// Bytes of all arguments in their slots.
std::size_t slots_of(const isa::KernelParameters& parameters) {
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < parameters.count; ++i) {
    bytes += isa::slot_bytes(parameters.sizes[i]);
  }
  return bytes / isa::kSlotBytes;
}

void check_list(const KernelHandle& kernel, const KernelArgumentList& list) {
  if (list.kernel != &kernel) refuse_rt("the arguments were made for another kernel");
  if (!list.complete) refuse_rt("the arguments are not complete; call aclrtKernelArgsFinalize");
  const isa::KernelParameters& parameters = kernel.parameters;
  if (!parameters.known()) return;
  if (list.parameters.size() != parameters.count) {
    refuse_rt(kernel.name + " has " + std::to_string(parameters.count) + " parameters, " +
              std::to_string(list.parameters.size()) + " arguments were given");
  }
  for (std::uint32_t i = 0; i < parameters.count; ++i) {
    if (list.parameters[i].bytes == parameters.sizes[i]) continue;
    refuse_rt("argument " + std::to_string(i + 1) + " of " + kernel.name + " has " +
              std::to_string(list.parameters[i].bytes) + " bytes, the parameter has " +
              std::to_string(parameters.sizes[i]));
  }
}

}  // namespace

KernelBinaries& KernelBinaries::instance() {
  static auto* all = new KernelBinaries();  // static variables of the program may still use it
  return *all;
}

KernelBinary* KernelBinaries::load(const std::string& file) {
  const std::lock_guard lock(mutex_);
  auto binary = std::make_unique<KernelBinary>();
  binary->file = file;
  open(*binary, file);
  // A file that is loaded already runs no initialisers again; its kernels are those of then.
  for (const auto& [handle, other] : binaries_) {
    if (other->library == binary->library) binary->kernels = other->kernels;
  }
  KernelBinary* const made = binary.get();
  binaries_[made] = std::move(binary);
  return made;
}

KernelBinary* KernelBinaries::load(const void* bytes, std::size_t count) {
  const std::lock_guard lock(mutex_);
  auto binary = std::make_unique<KernelBinary>();
  binary->file = "the data";
  binary->descriptor = memfd_create("davsim-kernels", MFD_CLOEXEC);
  const auto* from = static_cast<const char*>(bytes);
  for (std::size_t done = 0; done < count;) {
    const ssize_t written = write(binary->descriptor, from + done, count - done);
    if (written <= 0) {
      if (binary->descriptor >= 0) close(binary->descriptor);
      throw ApiError(ACL_ERROR_RT_MEMORY_ALLOCATION, "the host has no room for the binary");
    }
    done += static_cast<std::size_t>(written);
  }
  try {
    open(*binary, "/proc/self/fd/" + std::to_string(binary->descriptor));
  } catch (...) {
    close(binary->descriptor);
    throw;
  }
  KernelBinary* const made = binary.get();
  binaries_[made] = std::move(binary);
  return made;
}

void KernelBinaries::unload(void* handle) {
  {
    const std::lock_guard lock(mutex_);
    binary_of(handle);
  }
  if (Simulator* simulator = Simulator::if_started()) simulator->synchronise_all();
  const std::lock_guard lock(mutex_);
  const auto found = binaries_.find(handle);
  if (found == binaries_.end()) return;
  for (const auto& [name, function] : found->second->functions) {
    functions_.erase(function.get());
    std::erase_if(arguments_,
                  [&](const auto& entry) { return entry.second->kernel == function.get(); });
  }
  std::erase_if(own_arguments_, [this](void* own) { return !arguments_.contains(own); });
  dlclose(found->second->library);
  if (found->second->descriptor >= 0) close(found->second->descriptor);
  binaries_.erase(found);
}

KernelBinary& KernelBinaries::binary_of(void* handle) {
  const auto found = binaries_.find(handle);
  if (found != binaries_.end()) return *found->second;
  throw ApiError(ACL_ERROR_RT_INVALID_HANDLE, "the binary does not exist, or not any more");
}

std::uint32_t KernelBinaries::count(void* binary) {
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint32_t>(binary_of(binary).kernels.size());
}

KernelHandle& KernelBinaries::function(void* binary, std::uint64_t key) {
  const std::string ending = "_" + std::to_string(key);
  std::unique_lock lock(mutex_);
  KernelBinary& of = binary_of(binary);
  for (const LoadedKernel& kernel : of.kernels) {
    if (!kernel.name.ends_with(ending)) continue;
    lock.unlock();
    return function(binary, kernel.name);
  }
  if (of.kernels.size() != 1) {
    throw ApiError(ACL_ERROR_RT_KERNEL_LOOKUP, "the binary has no kernel whose name ends with '" +
                                                   ending + "'; it has " + names_of(of));
  }
  const LoadedKernel& only = of.kernels.front();
  std::unique_ptr<KernelHandle>& handle = of.functions[only.name + " with key" + ending];
  if (handle) return *handle;
  handle = std::make_unique<KernelHandle>(KernelHandle{
      &of, only.name, only.registered, parameters_of(only.host), key, alignments_of(only.host)});
  functions_.insert(handle.get());
  return *handle;
}

KernelHandle& KernelBinaries::function(void* binary, const std::string& name) {
  const std::lock_guard lock(mutex_);
  KernelBinary& of = binary_of(binary);
  std::unique_ptr<KernelHandle>& handle = of.functions[name];
  if (handle) return *handle;
  const auto named = name.starts_with(kNamedKernel)
                         ? reinterpret_cast<void (*(*)())()>(dlsym(of.library, name.c_str()))
                         : nullptr;
  const auto asked = named == nullptr ? nullptr : named();
  const auto kernel =
      std::find_if(of.kernels.begin(), of.kernels.end(), [&](const LoadedKernel& one) {
        return asked == nullptr ? one.name == name : one.host == asked;
      });
  if (kernel == of.kernels.end()) {
    of.functions.erase(name);
    throw ApiError(ACL_ERROR_RT_KERNEL_LOOKUP,
                   "the binary has no kernel '" + name + "'; it has " + names_of(of));
  }
  handle = std::make_unique<KernelHandle>(KernelHandle{
      &of, name, kernel->registered, parameters_of(kernel->host), 0, alignments_of(kernel->host)});
  functions_.insert(handle.get());
  return *handle;
}

KernelHandle& KernelBinaries::function(void* handle) {
  const std::lock_guard lock(mutex_);
  if (functions_.contains(handle)) return *static_cast<KernelHandle*>(handle);
  throw ApiError(ACL_ERROR_RT_INVALID_HANDLE, "the function does not exist, or not any more");
}

KernelHandle& KernelBinaries::function_of(void (*host)()) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<KernelHandle>& handle = own_functions_[host];
  if (handle) return *handle;
  const char* name = davsim_kernel_name(host);
  if (name == nullptr) {
    own_functions_.erase(host);
    throw ApiError(ACL_ERROR_RT_KERNEL_LOOKUP, "the program has no kernel of this symbol");
  }
  handle = std::make_unique<KernelHandle>(
      KernelHandle{nullptr, name, name, parameters_of(host), 0, alignments_of(host)});
  functions_.insert(handle.get());
  return *handle;
}

KernelArgumentList* KernelBinaries::make_arguments(void* handle) {
  KernelHandle& kernel = function(handle);
  const std::lock_guard lock(mutex_);
  auto list = std::make_unique<KernelArgumentList>();
  list->kernel = &kernel;
  KernelArgumentList* const made = list.get();
  arguments_[made] = std::move(list);
  own_arguments_.push_back(made);
  if (own_arguments_.size() > kMostOwnArguments) {
    arguments_.erase(own_arguments_.front());
    own_arguments_.pop_front();
  }
  return made;
}

void KernelBinaries::make_arguments(void* handle, void* by) {
  KernelHandle& kernel = function(handle);
  const std::lock_guard lock(mutex_);
  arguments_[by] = std::make_unique<KernelArgumentList>();
  arguments_[by]->kernel = &kernel;
}

KernelArgumentList& KernelBinaries::arguments(void* handle) {
  const std::lock_guard lock(mutex_);
  const auto found = arguments_.find(handle);
  if (found != arguments_.end()) return *found->second;
  throw ApiError(ACL_ERROR_RT_INVALID_HANDLE, "the arguments do not exist, or not any more");
}

void KernelBinaries::launch(KernelHandle& kernel, std::uint32_t blocks, void* stream,
                            const KernelArgumentList& arguments) {
  check_list(kernel, arguments);
  std::vector<std::uint64_t> slots = arguments.slots;
  DeviceCopies copies(Simulator::instance(), Process::instance().stream(stream));
  for (const KernelArgumentList::Parameter& parameter : arguments.parameters) {
    if (!parameter.placeholder) continue;
    slots[parameter.slot] = reinterpret_cast<std::uint64_t>(
        copies.copy(parameter.buffer.data(), parameter.buffer.size()));
  }
  launch(kernel, blocks, stream, std::move(slots));
}

void KernelBinaries::launch(KernelHandle& kernel, std::uint32_t blocks, void* stream,
                            std::vector<std::uint64_t> slots) {
  if (blocks == 0 || blocks > isa::kMostBlocks) {
    refuse_rt("the number of blocks is " + std::to_string(blocks) + ", allowed are 1 to " +
              std::to_string(isa::kMostBlocks));
  }
  const auto on = Process::instance().stream(stream);
  Simulator& simulator = Simulator::instance();
  require_device_sound(simulator);
  Launch launch{isa::find_kernel(kernel.registered), blocks, kernel.tiling_key, std::move(slots),
                nullptr};
  launch.call = kernel.parameters.call;
  if (kernel.parameters.known() && launch.slots.size() < slots_of(kernel.parameters)) {
    refuse_rt("the arguments of " + kernel.name + " are " +
              std::to_string(slots_of(kernel.parameters) * isa::kSlotBytes) + " bytes; " +
              std::to_string(launch.slots.size() * isa::kSlotBytes) + " were given");
  }
  if (launch.call == nullptr)
    launch.call = slot_call(static_cast<std::uint32_t>(launch.slots.size()));
  if (launch.call == nullptr) refuse_rt(kernel.name + " has too many parameters");
  launch.slots.push_back(0);  // nobody has none
  simulator.launch(on, std::move(launch));
}

}  // namespace davsim::runtime
