// GroupBarrier: some vector cores wait until others have come.
#pragma once

#include <cstdint>

#include "ascendc/block_sync.h"
#include "ascendc/tpipe.h"

namespace AscendC {

/// Which pipe's work an arrival comes behind. Here all of the core's work comes first.
enum class PipeMode : std::uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };

/// `waitSize` vector cores wait for `arriveSize` others. The workspace has 512 bytes, zero at the
/// start, for each that waits. The words go through 32 bytes of what InitBuffer has left of UB.
template <PipeMode pipeMode>
class GroupBarrier {
  using Location = davsim::api::Location;

 public:
  GroupBarrier(GM_ADDR groupWorkspace, std::uint32_t arriveSizeIn, std::uint32_t waitSizeIn,
               Location where = Location::current())
      : arrive_size_(arriveSizeIn), wait_size_(waitSizeIn) {
    const std::int64_t cores = davsim::api::vector_cores();
    davsim::api::require_range("GroupBarrier", "arriveSize", arriveSizeIn, 1, cores, where);
    davsim::api::require_range("GroupBarrier", "waitSize", waitSizeIn, 1, cores, where);
    words_.SetGlobalBuffer(reinterpret_cast<__gm__ std::int32_t*>(groupWorkspace));
  }

  /// Core `arriveIndex` of those that the others wait for is here.
  void Arrive(std::uint32_t arriveIndex, Location where = Location::current()) {
    davsim::api::require_range("GroupBarrier::Arrive", "arriveIndex", arriveIndex, 0,
                               std::int64_t{arrive_size_} - 1, where);
    if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
    davsim::api::WordBoard board(words_, block("GroupBarrier::Arrive", where), where);
    for (std::uint32_t waiting = 0; waiting < wait_size_; ++waiting) {
      board.add(waiting * kBlocksOfWord, 1);
    }
  }
  /// Waits, as core `waitIndex` of those that wait, until all have arrived once more.
  void Wait(std::uint32_t waitIndex, Location where = Location::current()) {
    davsim::api::require_range("GroupBarrier::Wait", "waitIndex", waitIndex, 0,
                               std::int64_t{wait_size_} - 1, where);
    if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
    davsim::api::WordBoard board(words_, block("GroupBarrier::Wait", where), where);
    const auto all = static_cast<std::int32_t>(arrive_size_);
    board.wait_until_at_least(waitIndex * kBlocksOfWord, all);
    board.add(waitIndex * kBlocksOfWord, -all);
  }
  /// Bytes of the workspace.
  std::uint64_t GetWorkspaceLen() const { return std::uint64_t{wait_size_} * kBytesOfWord; }

 private:
  static constexpr std::uint32_t kBytesOfWord = 512;
  static constexpr std::uint32_t kBlocksOfWord = kBytesOfWord / davsim::isa::kBlockBytes;

  static LocalTensor<std::int32_t> block(const char* call, Location where) {
    LocalTensor<std::int32_t> rest;
    if (!PopStackBuffer<std::int32_t, TPosition::LCM>(rest, where)) {
      davsim::api::queue_fault(call, TPosition::MAX, "no 32 bytes are left of UB", where);
    }
    return rest;
  }

  GlobalTensor<std::int32_t> words_;
  std::uint32_t arrive_size_, wait_size_;
};

}  // namespace AscendC
