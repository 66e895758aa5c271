// The memories that an instruction can access: the core's own buffers and global memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "isa/instr/fault.hpp"
#include "isa/instr/opcode.hpp"

namespace davsim::isa {

/// Says whether bytes of global memory may be accessed. memory/ implements it.
class GlobalAddressMap {
 public:
  virtual ~GlobalAddressMap() = default;
  /// True if [addr, addr + bytes) lies in one live allocation.
  virtual bool contains(std::uint64_t addr, std::uint64_t bytes) const = 0;
  /// "0x... lies 64 bytes behind allocation 'k_cache'": for error messages.
  virtual std::string describe(std::uint64_t addr, std::uint64_t bytes) const = 0;
};

/// Views of all memories of one core. Does not own them.
class CoreMemory {
 public:
  void attach(Space space, std::span<std::byte> bytes) {
    local_[static_cast<std::size_t>(space)] = bytes;
  }
  void attach_global(const GlobalAddressMap* map) { global_ = map; }

  std::uint64_t size(Space space) const { return local_[static_cast<std::size_t>(space)].size(); }

  /// True if [addr, addr + bytes) lies inside the buffer, or in one allocation of global memory.
  bool contains(Space space, std::uint64_t addr, std::uint64_t bytes) const {
    if (space == Space::kGm) return global_ != nullptr && global_->contains(addr, bytes);
    return addr <= size(space) && bytes <= size(space) - addr;
  }

  /// Host address of a byte that was found to be there: of what an accepted instruction touches.
  std::byte* host(Space space, std::uint64_t addr) const {
    if (space == Space::kGm) return reinterpret_cast<std::byte*>(addr);
    return local_[static_cast<std::size_t>(space)].data() + addr;
  }

  /// Host address of `bytes` bytes at `addr`.
  /// Throws Fault(kAddress) naming space, address and size where they are not all inside.
  std::byte* at(Space space, std::uint64_t addr, std::uint64_t bytes) const {
    if (space == Space::kGm) {
      if (global_ == nullptr || !global_->contains(addr, bytes)) global_fault(addr, bytes);
      return reinterpret_cast<std::byte*>(addr);
    }
    const auto& view = local_[static_cast<std::size_t>(space)];
    if (addr > view.size() || bytes > view.size() - addr) local_fault(space, addr, bytes);
    return view.data() + addr;
  }

 private:
  [[noreturn]] void global_fault(std::uint64_t addr, std::uint64_t bytes) const;
  [[noreturn]] void local_fault(Space space, std::uint64_t addr, std::uint64_t bytes) const;

  std::array<std::span<std::byte>, kSpaceCount> local_{};
  const GlobalAddressMap* global_ = nullptr;
};

}  // namespace davsim::isa
