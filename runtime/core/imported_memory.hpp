// Memory of a device that another process of this machine has, in the memory of that device here.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace davsim::runtime {

/// Where the memory of a key lies, in words of the process that exported it.
struct ExportedMemory {
  pid_t process = 0;
  int file = -1;  ///< with the bytes of the device's memory
  std::uint32_t die = 0;
  std::uint64_t offset = 0, bytes = 0;  ///< in that memory

  /// Throws ApiError for an address that is in no block of a device.
  static ExportedMemory of(const void* start, std::uint64_t bytes);
  /// Behind a number that differs between the keys of a process.
  std::string key(std::uint64_t number) const;
  /// Throws ApiError for what is no such key.
  static ExportedMemory opened(const std::string& key);
};

/// Calls may come from any thread. What is wrong is thrown as ApiError.
class ImportedMemory {
 public:
  static ImportedMemory& instance();
  /// The same address for the same key.
  void* import(const std::string& key);
  /// False for a key that was not imported.
  bool close(const std::string& key);

 private:
  struct Import {
    std::uint32_t die = 0;
    void* start = nullptr;
  };

  std::mutex mutex_;
  std::map<std::string, Import> imports_;
};

}  // namespace davsim::runtime
