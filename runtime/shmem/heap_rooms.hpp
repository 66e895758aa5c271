// Which parts of a symmetric heap are taken. PEs that ask for the same in the same order get the
// same places.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace davsim::shmem {

class HeapRooms {
 public:
  explicit HeapRooms(std::uint64_t bytes) { free_[0] = bytes; }
  /// The first place with so much room, a multiple of `alignment`, which is a power of two; none:
  /// there is no such place.
  std::optional<std::uint64_t> take(std::uint64_t bytes, std::uint64_t alignment);
  /// False for what is no start of a room that is taken.
  bool give_back(std::uint64_t start);

 private:
  std::map<std::uint64_t, std::uint64_t> free_, taken_;  ///< start -> bytes
};

}  // namespace davsim::shmem
