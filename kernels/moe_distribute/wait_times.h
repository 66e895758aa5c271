// How long a rank waits for what each rank sends it: performance_info.
#pragma once

#include "kernels/moe_distribute/routing.h"

namespace moe_distribute {

/// What receivers have whose call has no performance_info: no instruction of theirs has to do with
/// it.
struct NoWaitTimes {
  static constexpr bool kWanted = false;
  struct Entries {};
};

/// Each block notes its waits by source, in counts of the system counter. At the end the longest
/// one of all blocks is added to what the tensor holds, in microseconds.
class WaitTimes {
 public:
  static constexpr bool kWanted = true;
  /// How long each row of a token was awaited: of K experts, at most 16, and at most 4 shared ones.
  struct Entries {
    int32_t waited[16 + 4] = {};
  };

  /// `times`: int64 numbers of the ranks.
  __aicore__ inline WaitTimes(GM_ADDR times, GM_ADDR workspace, uint32_t ranks)
      : times_(times), workspace_(workspace), ranks_(ranks) {}

  __aicore__ inline void Init(AscendC::TPipe* pipe) {
    pipe->InitBuffer(own_, static_cast<uint32_t>(RowBytes()));
    pipe->InitBuffer(others_, static_cast<uint32_t>(RowBytes()));
    AscendC::Duplicate(own_.Get<int32_t>(), 0, static_cast<int32_t>(RowBytes() / 4));
    Order<AscendC::HardEvent::V_S>();
  }

  __aicore__ inline void Begin() { begin_ = AscendC::GetSystemCycle(); }
  __aicore__ inline int32_t SinceBegin() const {
    return static_cast<int32_t>(AscendC::GetSystemCycle() - begin_);
  }
  __aicore__ inline void Longest(uint32_t source, int32_t counts) {
    const AscendC::LocalTensor<int32_t> own = own_.Get<int32_t>();
    if (own.GetValue(source) < counts) own.SetValue(source, counts);
  }
  __aicore__ inline void Add(uint32_t source, int32_t counts) {
    const AscendC::LocalTensor<int32_t> own = own_.Get<int32_t>();
    own.SetValue(source, own.GetValue(source) + counts);
  }

  /// All blocks of the rank call it.
  __aicore__ inline void PutOut(uint32_t block, uint32_t blocks) {
    const AscendC::LocalTensor<int32_t> own = own_.Get<int32_t>(), others = others_.Get<int32_t>();
    const auto count = static_cast<uint32_t>(RowBytes() / 4);
    Order<AscendC::HardEvent::S_MTE3>();
    AscendC::DataCopy(At<int32_t>(workspace_, block * RowBytes()), own, count);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::SyncAll<true>();
    if (block != 0) return;
    for (uint32_t other = 1; other < blocks; ++other) {
      AscendC::DataCopy(others, At<int32_t>(workspace_, other * RowBytes()), count);
      Order<AscendC::HardEvent::MTE2_V>();
      AscendC::Max(own, own, others, static_cast<int32_t>(count));
      Order<AscendC::HardEvent::V_MTE2>();
    }
    Order<AscendC::HardEvent::V_S>();
    AscendC::GlobalTensor<int64_t> times = At<int64_t>(times_);
    for (uint32_t source = 0; source < ranks_; ++source) {
      const int64_t waited = own.GetValue(source) / kCountsPerMicrosecond;
      times.SetValue(source, times.GetValue(source) + waited);
    }
    for (uint32_t source = 0; source < ranks_; source += kNumbersPerLine) {
      AscendC::DataCacheCleanAndInvalid<int64_t, AscendC::CacheLine::SINGLE_CACHE_LINE,
                                        AscendC::DcciDst::CACHELINE_OUT>(times[source]);
    }
  }

 private:
  static constexpr int32_t kCountsPerMicrosecond = 50;  // documented: GetSystemCycle is at 50 MHz
  static constexpr uint32_t kNumbersPerLine = 8;        // a line of the data cache has 64 bytes

  __aicore__ inline uint64_t RowBytes() const { return AlignUp(uint64_t{ranks_} * 4, kApart); }

  GM_ADDR times_, workspace_;
  uint32_t ranks_;
  int64_t begin_ = 0;
  AscendC::TBuf<AscendC::TPosition::VECCALC> own_, others_;
};

}  // namespace moe_distribute
