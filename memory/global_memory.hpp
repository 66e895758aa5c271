// The device's global memory: one range of addresses with an allocator. Kernels have ordinary
// pointers into it. An access outside every allocation is found by its address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isa/core/core_memory.hpp"

namespace davsim::memory {

class GlobalMemory : public isa::GlobalAddressMap {
  struct Block {
    std::uint64_t bytes;
    std::string name;
    std::uint64_t serial = 0;
    bool unwritten = false, shared = false;
  };

 public:
  /// Holds at most `bytes`. Address space is taken as it is used (memory/address_space.hpp); pages
  /// cost host memory only once they are touched.
  /// `shared_file`: the descriptor of a file in memory (memfd_create) that other processes map as
  /// well. It gets the size `bytes`, and a byte of it is the byte at the same device address.
  /// kNotShared: memory of this process alone.
  /// Throws std::runtime_error if the host refuses.
  static constexpr int kNotShared = -1;
  explicit GlobalMemory(std::uint64_t bytes, int shared_file = kNotShared);
  /// A die among others has its memory at `place` if the host has room there; else elsewhere. It
  /// takes small pages of the host only and gives those of what is freed back at once: windows and
  /// outputs have room for the most that peers may send, and little of it is used.
  struct OneOfMany {
    std::uint64_t place;
  };
  GlobalMemory(std::uint64_t bytes, OneOfMany die);
  ~GlobalMemory() override;
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  static constexpr std::uint64_t kAlignment = 512;
  /// `bytes` zeroed bytes at a multiple of `alignment`, which is one of kAlignment, apart from
  /// other allocations by at least one 512-byte line. `name` appears in error messages. Throws
  /// std::bad_alloc when full.
  std::byte* allocate(std::uint64_t bytes, std::string name, std::uint64_t alignment = kAlignment);
  /// The same as near to the end of the memory as there is room.
  std::byte* allocate_last(std::uint64_t bytes, std::string name,
                           std::uint64_t alignment = kAlignment);
  /// The same at `start`, a multiple of kAlignment. Throws std::bad_alloc if that is not free.
  std::byte* allocate_at(std::uint64_t start, std::uint64_t bytes, std::string name);
  /// Gives the pages back to the host. Throws std::invalid_argument for an unknown pointer.
  void free(std::byte* start);

  /// Says that nobody has written an allocation: a checker reports kernels that read it before they
  /// wrote it. Throws std::invalid_argument for an unknown pointer.
  void declare_unwritten(const std::byte* start);

  /// Lets other dies reach an allocation. Throws std::invalid_argument for an unknown pointer.
  void share(const std::byte* start);
  /// Whether [addr, addr + bytes) lies in one live allocation that other dies reach.
  bool contains_shared(std::uint64_t addr, std::uint64_t bytes) const;

  struct Allocation {
    std::uint64_t start, bytes;
    std::string name;
    std::uint64_t serial;  ///< differs between any two allocations
    bool unwritten;
    bool shared = false;  ///< with other dies
  };
  /// All live allocations, by address.
  std::vector<Allocation> allocations() const;

  /// Lets other processes map the bytes: returns the descriptor of a file in memory that has them
  /// from now on, each at its device address. Nobody else may write meanwhile. Throws
  /// std::system_error if the host refuses.
  int share_with_processes();

  /// Makes bytes of another process's memory an allocation here: `bytes` bytes from `offset` on of
  /// the file that its share_with_processes() returned. Other dies reach them. Returns where the
  /// first one lies, at the same device address if that is free. Throws std::bad_alloc when full,
  /// std::system_error if the host refuses.
  std::byte* borrow(int file, std::uint64_t offset, std::uint64_t bytes, std::string name);
  /// Ends it; the other process keeps the bytes.
  void end_borrowing(const std::byte* first);

  /// The memory of the same die in another process.
  struct Elsewhere {
    int file = kNotShared;
    std::vector<Allocation> allocations;
  };
  /// As long as it lives, a memory has the bytes and the allocations of one in another process in
  /// place of its own. Allocations made meanwhile lie where that process takes none before its
  /// memory is nearly full, and are gone at the end.
  class Visit {
   public:
    /// Throws std::system_error if the host refuses.
    Visit(GlobalMemory& memory, const Elsewhere& elsewhere);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    GlobalMemory& memory_;
    std::map<std::uint64_t, Block> live_;
    std::map<std::uint64_t, std::uint64_t> free_;
    std::uint64_t allocated_;
    bool shared_;
  };

  bool is_visited() const { return visited_; }

  // The same address on every run makes pointers in error messages comparable. Any other place
  // works too: everything that matters is computed from device addresses.
  static constexpr std::uint64_t kPreferredBase = 0x200000000000;

  bool contains(std::uint64_t addr, std::uint64_t bytes) const override;
  std::string describe(std::uint64_t addr, std::uint64_t bytes) const override;

  std::uint64_t base() const { return base_; }
  std::uint64_t capacity() const { return capacity_; }
  /// Device address, the same on every run and host: what L2 sets and traces are computed from.
  std::uint64_t device_address(std::uint64_t addr) const { return addr - base_; }
  std::uint64_t allocated_bytes() const { return allocated_; }

 private:
  GlobalMemory(std::uint64_t bytes, int shared_file, std::uint64_t place, bool one_of_many);
  void clear(std::uint64_t start, std::uint64_t bytes) const;
  /// Makes [start, start + taken) of a hole an allocation of `bytes` bytes.
  std::byte* take(std::map<std::uint64_t, std::uint64_t>::iterator hole, std::uint64_t start,
                  std::uint64_t taken, std::uint64_t bytes, std::string name);

  bool shared_ = false, one_of_many_ = false, visited_ = false;
  int own_file_ = kNotShared;  ///< of share_with_processes()
  std::uint64_t base_ = 0, capacity_ = 0, allocated_ = 0, serials_ = 0;
  std::map<std::uint64_t, Block> live_;              ///< by start address
  std::map<std::uint64_t, std::uint64_t> free_;      ///< start -> bytes, merged
  std::map<std::uint64_t, std::uint64_t> borrowed_;  ///< start -> bytes, in whole pages
};

}  // namespace davsim::memory
