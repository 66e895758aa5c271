// Synchronisation of vector cores through words in global memory: SyncAll with a workspace, IBSet
// and IBWait, blocks that take turns. A core polls the words through UB. The caller's workspace
// starts at 0, has a DataBlock for each core, and keeps its values between launches.
#pragma once

#include <cstdint>

#include "ascendc/data_copy.h"
#include "ascendc/sync.h"
#include "isa/numeric/min_max.hpp"

namespace davsim::api {

/// The words of a workspace, one a DataBlock, by way of UB. Everything the core has in flight
/// drains before each access and after it.
class WordBoard {
 public:
  WordBoard(const AscendC::GlobalTensor<std::int32_t>& words,
            const AscendC::LocalTensor<std::int32_t>& ub, Location where)
      : words_(words), ub_(ub), where_(where), atomic_(registers().atomic) {
    // A kernel that adds up its results must not add up these words.
    registers().atomic = isa::AtomicOp::kNone;
    AscendC::PipeBarrier<PIPE_ALL>(where_);
    tell_watcher(true);
  }
  WordBoard(const WordBoard&) = delete;
  WordBoard& operator=(const WordBoard&) = delete;
  ~WordBoard() {
    tell_watcher(false);
    registers().atomic = atomic_;
  }

  std::int32_t read(std::uint32_t word) {
    fetch(word, 1);
    return ub_.GetValue(0, where_);
  }
  void write(std::uint32_t word, std::int32_t value) {
    ub_.SetValue(0, value, where_);
    AscendC::DataCopy(words_[std::uint64_t{word} * kStep], ub_, kStep, where_);
    AscendC::PipeBarrier<PIPE_ALL>(where_);
  }
  /// Adds to a word that others add to as well.
  void add(std::uint32_t word, std::int32_t value) {
    const isa::DType type = registers().atomic_type;
    ub_.SetValue(0, value, where_);
    for (std::uint32_t i = 1; i < kStep; ++i) ub_.SetValue(i, 0, where_);
    registers().atomic = isa::AtomicOp::kAdd;
    registers().atomic_type = isa::DType::kI32;
    AscendC::DataCopy(words_[std::uint64_t{word} * kStep], ub_, kStep, where_);
    registers().atomic = isa::AtomicOp::kNone;
    registers().atomic_type = type;
    AscendC::PipeBarrier<PIPE_ALL>(where_);
  }
  void wait_until(std::uint32_t word, std::int32_t value) {
    poll([&] { return read(word) == value; });
  }
  void wait_until_at_least(std::uint32_t word, std::int32_t value) {
    poll([&] { return read(word) >= value; });
  }
  /// Waits until the first `count` words are `value` at least.
  void wait_for_all(std::uint32_t count, std::int32_t value) {
    const auto behind = [&](std::uint32_t word) {
      return ub_.GetValue(word * kStep, where_) < value;
    };
    poll([&] {
      fetch(0, count);
      std::uint32_t word = 0;
      while (word < count && !behind(word)) ++word;
      return word == count;
    });
  }

 private:
  static constexpr std::uint32_t kStep = isa::kBlockBytes / sizeof(std::int32_t);

  static void tell_watcher(bool begins) {
    if (isa::CoreWatcher* watcher = isa::current_watcher()) watcher->words_follow(begins);
  }

  /// Looks until `found()`. A launch in which everybody looks in vain ends there.
  template <class Found>
  void poll(Found found) {
    for (;;) {
      const bool is_there = found();
      isa::current_core().polled(is_there, where_);
      if (is_there) return;
    }
  }

  void fetch(std::uint32_t word, std::uint32_t count) {
    AscendC::DataCopy(ub_, words_[std::uint64_t{word} * kStep], count * kStep, where_);
    AscendC::PipeBarrier<PIPE_ALL>(where_);
  }

  AscendC::GlobalTensor<std::int32_t> words_;
  AscendC::LocalTensor<std::int32_t> ub_;
  Location where_;
  isa::AtomicOp atomic_;
};

/// Vector cores of the launch.
inline std::int64_t vector_cores() {
  const auto& me = isa::current_core().identity();
  return std::int64_t{me.block_num} * std::max(me.sub_block_num, 1u);
}

/// The word of IBSet and IBWait.
inline std::uint32_t word_of_event(const char* call, std::int32_t block, std::int32_t event,
                                   Location where) {
  require_range(call, "blockIdx", block, 0, vector_cores() - 1, where);
  require_range(call, "eventID", event, 0, INT16_MAX, where);
  return static_cast<std::uint32_t>(vector_cores() * event + block);
}

}  // namespace davsim::api

namespace AscendC {

/// Waits until the first `usedCores` vector cores stand here; 0: all. `gmWorkspace` and
/// `ubWorkspace` have 32 bytes a core.
template <bool isAIVOnly = true>
void SyncAll(const GlobalTensor<std::int32_t>& gmWorkspace,
             const LocalTensor<std::int32_t>& ubWorkspace, const std::int32_t usedCores = 0,
             davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(isAIVOnly, "SyncAll with a workspace synchronises vector cores only");
  davsim::api::require_range("SyncAll", "usedCores", usedCores, 0, davsim::api::vector_cores(),
                             where);
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  const auto cores =
      static_cast<std::uint32_t>(usedCores != 0 ? usedCores : davsim::api::vector_cores());
  const auto me = static_cast<std::uint32_t>(GetBlockIdx());
  if (me >= cores) return;
  davsim::api::WordBoard board(gmWorkspace, ubWorkspace, where);
  // Counts rounds, so that the workspace serves any number of them.
  const std::int32_t round = board.read(me) + 1;
  board.write(me, round);
  board.wait_for_all(cores, round);
}

/// Raises event `eventID` of `blockIdx`, whose last raise must have been awaited: until then it
/// waits itself. Vector cores only, as on the device; on a cube core it does nothing.
template <bool isAIVOnly = true>
void IBSet(const GlobalTensor<std::int32_t>& gmWorkspace,
           const LocalTensor<std::int32_t>& ubWorkspace, std::int32_t blockIdx,
           std::int32_t eventID, davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  const std::uint32_t word = davsim::api::word_of_event("IBSet", blockIdx, eventID, where);
  davsim::api::WordBoard board(gmWorkspace, ubWorkspace, where);
  board.wait_until(word, 0);
  board.write(word, 1);
}

/// Waits for IBSet with the same block and event, and takes it back.
template <bool isAIVOnly = true>
void IBWait(const GlobalTensor<std::int32_t>& gmWorkspace,
            const LocalTensor<std::int32_t>& ubWorkspace, std::int32_t blockIdx,
            std::int32_t eventID, davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  const std::uint32_t word = davsim::api::word_of_event("IBWait", blockIdx, eventID, where);
  davsim::api::WordBoard board(gmWorkspace, ubWorkspace, where);
  board.wait_until(word, 1);
  board.write(word, 0);
}

/// Prepares a workspace of any content for blocks that take turns. Every vector core calls it.
inline void InitDetermineComputeWorkspace(
    GlobalTensor<std::int32_t>& gmWorkspace, LocalTensor<std::int32_t>& ubWorkspace,
    davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  {
    davsim::api::WordBoard board(gmWorkspace, ubWorkspace, where);
    board.write(static_cast<std::uint32_t>(GetBlockIdx()), 0);
  }
  SyncAll(where);
}

/// Waits for the block before this one, in block 0 for the last one's turn of the round before.
inline void WaitPreBlock(GlobalTensor<std::int32_t>& gmWorkspace,
                         LocalTensor<std::int32_t>& ubWorkspace,
                         davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  davsim::api::WordBoard board(gmWorkspace, ubWorkspace, where);
  const auto me = static_cast<std::uint32_t>(GetBlockIdx());
  const std::int32_t turns = board.read(me);
  const auto last = static_cast<std::uint32_t>(davsim::api::vector_cores() - 1);
  board.wait_until_at_least(me > 0 ? me - 1 : last, me > 0 ? turns + 1 : turns);
}

/// Ends this block's turn.
inline void NotifyNextBlock(GlobalTensor<std::int32_t>& gmWorkspace,
                            LocalTensor<std::int32_t>& ubWorkspace,
                            davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  davsim::api::WordBoard board(gmWorkspace, ubWorkspace, where);
  const auto me = static_cast<std::uint32_t>(GetBlockIdx());
  board.write(me, board.read(me) + 1);
}

}  // namespace AscendC
