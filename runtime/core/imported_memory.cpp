#include "runtime/core/imported_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <new>
#include <system_error>

#include "runtime/core/api_error.hpp"
#include "runtime/core/rank_memories.hpp"
#include "runtime/core/simulator.hpp"

namespace davsim::runtime {

ExportedMemory ExportedMemory::of(const void* start, std::uint64_t bytes) {
  Simulator& simulator = Simulator::instance();
  const auto block = simulator.memory().require_room(start, bytes, "devPtr");
  if (!block || !block->device) refuse_rt("devPtr is no memory of a device");
  ExportedMemory exported;
  exported.process = getpid();
  const auto at = reinterpret_cast<std::uint64_t>(start);
  exported.die = simulator.memory().die_at(at);
  simulator.queue().between_work([&] {
    memory::GlobalMemory& memory = simulator.memory().of(exported.die);
    exported.file = memory.share_with_processes();
    exported.offset = memory.device_address(at);
  });
  exported.bytes = bytes;
  simulator.memory().make_block_accessible(start);  // kernels of other devices have it by the key
  return exported;
}

std::string ExportedMemory::key(std::uint64_t number) const {
  char text[96];
  std::snprintf(text, sizeof text, "davsim_%d_%" PRIx64 "_%x_%x_%" PRIx64 "_%" PRIx64, process,
                number, static_cast<unsigned>(file), die, offset, bytes);
  return text;
}

ExportedMemory ExportedMemory::opened(const std::string& key) {
  ExportedMemory exported;
  std::uint64_t number = 0;
  unsigned file = 0;
  int end = 0;
  const int fields = std::sscanf(
      key.c_str(), "davsim_%d_%" SCNx64 "_%x_%x_%" SCNx64 "_%" SCNx64 "%n", &exported.process,
      &number, &file, &exported.die, &exported.offset, &exported.bytes, &end);
  if (fields != 6 || static_cast<std::size_t>(end) != key.size()) {
    refuse_rt("'" + key + "' is no key of aclrtIpcMemGetExportKey");
  }
  exported.file = static_cast<int>(file);
  return exported;
}

ImportedMemory& ImportedMemory::instance() {
  static auto* imported = new ImportedMemory;  // static variables of the program may still use it
  return *imported;
}

void* ImportedMemory::import(const std::string& key) {
  const ExportedMemory exported = ExportedMemory::opened(key);
  const std::lock_guard lock(mutex_);
  if (const auto known = imports_.find(key); known != imports_.end()) return known->second.start;
  Simulator& simulator = Simulator::instance();
  if (exported.die >= simulator.devices()) {
    throw ApiError(ACL_ERROR_RT_PARAM_INVALID,
                   "the key's memory is of device " + std::to_string(exported.die) +
                       ", this process has " + std::to_string(simulator.devices()) +
                       ": processes that share memory have the same DAVSIM_SYSTEM");
  }
  const OpenFile file = open_in(exported.process, exported.file);
  if (file.descriptor() < 0) {
    throw ApiError(ACL_ERROR_RT_PARAM_INVALID, "process " + std::to_string(exported.process) +
                                                   ", which exported the key, is not there any "
                                                   "more, or of another user");
  }
  std::byte* start = nullptr;
  try {
    simulator.queue().between_work([&] {
      memory::GlobalMemory& memory = simulator.memory().of(exported.die);
      start = memory.borrow(file.descriptor(), exported.offset, exported.bytes,
                            "memory of process " + std::to_string(exported.process));
    });
  } catch (const std::bad_alloc&) {
    throw ApiError(ACL_ERROR_RT_MEMORY_ALLOCATION, "the device has no room for the key's memory");
  } catch (const std::system_error& error) {
    throw ApiError(ACL_ERROR_RT_FAILURE, error.what());
  }
  simulator.memory().adopt(start, exported.bytes);
  simulator.sharing().share();
  imports_[key] = {exported.die, start};
  return start;
}

bool ImportedMemory::close(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = imports_.find(key);
  if (found == imports_.end()) return false;
  Simulator& simulator = Simulator::instance();
  simulator.synchronise_all();  // kernels may still use it
  simulator.memory().forget(found->second.start);
  simulator.sharing().end();
  simulator.queue().between_work([&] {
    simulator.memory()
        .of(found->second.die)
        .end_borrowing(static_cast<const std::byte*>(found->second.start));
  });
  imports_.erase(found);
  return true;
}

}  // namespace davsim::runtime
