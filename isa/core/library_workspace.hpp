// Global memory that the library of kernels keeps for itself: messages between vector and cube
// cores, and tiles on their way. A device has one such part and clears it before each launch.
#pragma once

#include <cstdint>

namespace davsim::isa {

struct LibraryWorkspace {
  /// Bytes for each vector core of a launch: first the words of messages, then room for tiles.
  static constexpr std::uint64_t kBytesOfCore = 512 << 10;
  static constexpr std::uint64_t kWordBytes = 1024;

  std::uint64_t start = 0;  ///< host address; 0: there is none
  std::uint64_t bytes = 0;

  /// Whether cores wait for each other by the word at `address`.
  bool has_word(std::uint64_t address) const {
    return address - start < bytes && (address - start) % kBytesOfCore < kWordBytes;
  }
};

/// That of the running launch.
LibraryWorkspace library_workspace();
void set_library_workspace(LibraryWorkspace workspace);

}  // namespace davsim::isa
