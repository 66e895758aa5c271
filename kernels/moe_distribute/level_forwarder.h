// The second level of dispatch by levels: a token that came from another server goes on to those of
// its experts that are in this one.
#pragma once

#include "kernels/moe_distribute/dispatch_common.h"
#include "kernels/moe_distribute/level_sender.h"
#include "kernels/moe_distribute/server_experts.h"

namespace moe_distribute {

class LevelForwarder : DispatchCommon {
 public:
  __aicore__ inline LevelForwarder(const MoeLevelTiling& tiling, const DispatchBuffers& gm,
                                   GM_ADDR lists, TPipe* pipe, uint32_t half)
      : DispatchCommon(tiling.flat, gm, pipe),
        at_(tiling),
        levels_(tiling),
        lists_(lists, tiling),
        experts_(tiling, tail_) {
    half_ = half;
    sent_bytes_ = tail_ + kFlagBytes + 3 * levels_.list_bytes;
  }

  __aicore__ inline void Process() {
    Init();
    const uint64_t others = at_.servers - 1;
    const kernel_common::WorkRange mine =
        kernel_common::ShareOfWork(t_.max_tokens * others, t_.blocks, block_);
    for (uint64_t i = mine.begin; i < mine.end; ++i) {
      Forward(static_cast<uint32_t>(i / others), at_.Behind(1 + i % others));
    }
    AwaitCounts();
    PipeBarrier<PIPE_ALL>();
    SyncAll<true>();
    Announce();
    PipeBarrier<PIPE_ALL>();
  }

 private:
  __aicore__ inline void Init() {
    counted_ = kernel_common::ShareOfWork(at_.servers * levels_.server_experts, t_.blocks, block_);
    const auto counts = static_cast<uint32_t>(counted_.end - counted_.begin + 1);
    experts_.Init(pipe_);
    pipe_->InitBuffer(flag_, kFlagBytes);
    pipe_->InitBuffer(zeros_, counts * kFlagBytes);
    pipe_->InitBuffer(counts_, counts * kFlagBytes);
    pipe_->InitBuffer(nowhere_, static_cast<uint32_t>(levels_.list_bytes));
    pipe_->InitBuffer(rows_, 2, static_cast<uint32_t>(sent_bytes_));
    Duplicate(zeros_.Get<float>(), 0.0f, static_cast<int32_t>(counts * 8));
    Duplicate(nowhere_.Get<int32_t>(), -1, static_cast<int32_t>(levels_.list_bytes / 4));
    Order<HardEvent::V_MTE3>();
  }

  __aicore__ inline void Forward(uint32_t token, uint32_t from) {
    if (AwaitToken(token, from) == kIsAbsent) {
      lists_.Put(token, from, nowhere_.Get<int32_t>(), nowhere_.Get<int32_t>());
      return;
    }
    LocalTensor<uint8_t> row = rows_.AllocTensor<uint8_t>();
    GlobalTensor<uint8_t> arrived = At<uint8_t>(own_, levels_.Token(half_, from, token));
    arrived.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    DataCopy(row, arrived, static_cast<uint32_t>(sent_bytes_));
    rows_.EnQue(row);
    row = rows_.DeQue<uint8_t>();
    Order<HardEvent::MTE2_S>();
    const TokenLists lists(row, tail_, levels_.list_bytes);
    const uint32_t source = at_.RankIn(from);
    Order<HardEvent::MTE3_S>();
    experts_.SetTails(lists, source, token);
    Order<HardEvent::S_MTE3>();
    experts_.Send(row, lists, source, half_, ep_);
    lists_.Put(token, from, lists.experts, lists.indices);
    rows_.FreeTensor(row);
  }

  /// Polls the token's flag, and clears it.
  __aicore__ inline float AwaitToken(uint32_t token, uint32_t from) {
    const GlobalTensor<float> at = At<float>(own_, levels_.TokenFlag(half_, from, token));
    const float state = AwaitFlag(flag_.Get<float>(), at);
    DataCopy(at, zeros_.Get<float>(), 8);
    return state;
  }

  /// Counts of the own server are among them.
  __aicore__ inline void AwaitCounts() {
    const auto count = static_cast<uint32_t>(counted_.end - counted_.begin);
    if (count == 0) return;
    const LocalTensor<float> words = counts_.Get<float>();
    const GlobalTensor<float> from = At<float>(own_, levels_.Count(half_, 0, counted_.begin));
    uint32_t seen = 0;
    while (seen < count) {
      DataCopy(words, from, count * 8);
      Order<HardEvent::MTE2_S>();
      while (seen < count && words.GetValue(seen * 8) != 0.0f) ++seen;
      Order<HardEvent::S_MTE2>();
    }
    DataCopy(from, zeros_.Get<float>(), count * 8);
  }

  /// All blocks have forwarded: the rows of this server's experts are there.
  __aicore__ inline void Announce() {
    for (uint64_t i = counted_.begin; i < counted_.end; ++i) {
      const auto from = static_cast<uint32_t>(i / levels_.server_experts);
      const uint64_t expert = at_.server * levels_.server_experts + i % levels_.server_experts;
      const uint64_t word = expert % t_.rank_experts * t_.world + at_.RankIn(from);
      DataCopy(At<float>(ep_.Of(static_cast<uint32_t>(expert / t_.rank_experts)),
                         levels_.Status(half_, word)),
               counts_.Get<float>()[(i - counted_.begin) * 8], 8);
    }
  }

  ServerPlace at_;
  LevelWindow levels_;
  RowLists lists_;
  ServerExperts experts_;
  uint64_t sent_bytes_;                     ///< of a token with its experts
  kernel_common::WorkRange counted_{0, 0};  ///< the counts that this block passes on
  TBuf<TPosition::VECCALC> flag_, zeros_, counts_, nowhere_;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> rows_;
};

}  // namespace moe_distribute
