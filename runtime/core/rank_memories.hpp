// Where ranks of several processes have their windows and contexts, and how a process reaches the
// memories of devices that others have.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/system/communicators.hpp"

namespace davsim::runtime {

struct Spread;

/// An open file, which is closed with this.
class OpenFile {
 public:
  OpenFile() = default;
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~OpenFile();
  int descriptor() const { return descriptor_; }  ///< -1: none

 private:
  int descriptor_ = -1;
};

/// A file that another process has open under this number; none if the host does not let it.
OpenFile open_in(pid_t process, int file);

/// What the processes of a communicator have agreed on, by rank.
struct RankMemories {
  std::vector<sim::RankMemory> memories;
  std::vector<bool> here;  ///< this process has reserved it
  /// The memories of devices that other processes have.
  std::vector<OpenFile> files;
  /// Why no process can simulate what the devices of all of them do; empty: it can.
  std::string apart;
};

/// Reserves the memories of the ranks that this process has, tells the other processes where they
/// are, and waits until these have told theirs. Throws ApiError.
RankMemories agree_on_memories(const std::string& name, const std::vector<std::uint32_t>& devices,
                               std::uint64_t window_bytes, const Spread& spread);

}  // namespace davsim::runtime
