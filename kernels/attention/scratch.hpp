// A piece of global memory that lives as long as one launch: a workspace, or a list for the kernel.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "memory/global_memory.hpp"

namespace davsim::operators::attention {

class Scratch {
 public:
  Scratch() = default;
  /// Allocates `bytes` bytes for the kernel, or nothing if `bytes` is 0. `memory` must outlive
  /// this.
  Scratch(memory::GlobalMemory& memory, std::uint64_t bytes, const std::string& name) {
    allocate(memory, bytes, name);
    if (bytes > 0) memory.declare_unwritten(data_.get());
  }
  template <class T>
  Scratch(memory::GlobalMemory& memory, const std::vector<T>& list, const std::string& name) {
    allocate(memory, list.size() * sizeof(T), name);
    if (!list.empty()) std::memcpy(data_.get(), list.data(), list.size() * sizeof(T));
  }

  std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(data_.get()); }

 private:
  void allocate(memory::GlobalMemory& memory, std::uint64_t bytes, const std::string& name) {
    if (bytes == 0) return;
    data_ = std::shared_ptr<std::byte>(memory.allocate(bytes, "attention " + name),
                                       [&memory](std::byte* start) { memory.free(start); });
  }

  std::shared_ptr<std::byte> data_;
};

}  // namespace davsim::operators::attention
