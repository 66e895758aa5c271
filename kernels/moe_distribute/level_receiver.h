// The last level of combine by levels: adds up what each server made of a token.
#pragma once

#include "kernels/moe_distribute/combine_common.h"
#include "kernels/moe_distribute/server_experts.h"
#include "kernels/moe_distribute/wait_times.h"

namespace moe_distribute {

template <class T, class Waits>
class LevelReceiver : CombineCommon<T> {
  using Base = CombineCommon<T>;
  using Base::block_, Base::gm_, Base::half_, Base::in_queue_, Base::own_, Base::pipe_,
      Base::row_bytes_, Base::t_, Base::wide_;

 public:
  __aicore__ inline LevelReceiver(const MoeLevelTiling& tiling, const CombineBuffers& gm,
                                  TPipe* pipe, uint32_t half, const Waits& times = {})
      : Base(tiling.flat, gm, pipe),
        at_(tiling),
        levels_(tiling),
        experts_(tiling, 0),
        times_(times) {
    half_ = half;
  }

  __aicore__ inline void Process() {
    tokens_ = kernel_common::ShareOfWork(t_.tokens, t_.blocks, block_);
    Init();
    const uint32_t active = t_.mask_rank != 0 ? CountActive() : t_.tokens;
    Load(ids_.Get<int32_t>(), gm_.expert_ids, tokens_.begin * t_.top_k,
         (tokens_.end - tokens_.begin) * t_.top_k);
    Order<HardEvent::MTE2_S>();
    for (uint64_t token = tokens_.begin; token < tokens_.end; ++token) {
      Duplicate(sum_.Get<float>(), 0.0f, static_cast<int32_t>(t_.width));
      PipeBarrier<PIPE_V>();
      if (token < active) AddUp(token);
      PutOut(token);
    }
    if constexpr (Waits::kWanted) times_.PutOut(block_, t_.blocks);
  }

 private:
  __aicore__ inline void Init() {
    const uint64_t mine = tokens_.end - tokens_.begin;
    pipe_->InitBuffer(ids_, static_cast<uint32_t>(AlignUp(mine * t_.top_k * 4 + 4, 32)));
    pipe_->InitBuffer(flags_, at_.servers * kFlagBytes);
    pipe_->InitBuffer(zeros_, kFlagBytes);
    pipe_->InitBuffer(in_queue_, wide_ > kWidestPair ? 1 : 2, wide_ * 2);
    pipe_->InitBuffer(sum_, wide_ * 4);
    pipe_->InitBuffer(numbers_, wide_ * 4);
    pipe_->InitBuffer(out_queue_, 1, wide_ * 2);
    if (t_.quantised != 0) {
      pipe_->InitBuffer(others_, wide_ * 4);
      pipe_->InitBuffer(maxima_, static_cast<uint32_t>(AlignUp(wide_ / kScaleGroup * 4, 256)));
    }
    if constexpr (Waits::kWanted) times_.Init(pipe_);
    Duplicate(zeros_.Get<float>(), 0.0f, 8);
    Order<HardEvent::V_MTE3>();
  }

  /// The true values of a mask [BS] come first. No row is there yet, so that buffers are free.
  __aicore__ inline uint32_t CountActive() {
    uint32_t active = 0;
    const LocalTensor<float> numbers = numbers_.Get<float>(), sum = sum_.Get<float>();
    for (uint32_t at = 0; at < t_.tokens; at += 256) {
      const uint32_t count = t_.tokens - at < 256 ? t_.tokens - at : 256;
      const LocalTensor<uint8_t> bytes = sum.template ReinterpretCast<uint8_t>();
      LoadMask(numbers, bytes, bytes[512].template ReinterpretCast<half>(), gm_.mask, at, count);
      ReduceSum(sum, numbers, sum[256], static_cast<int32_t>(count));
      Order<HardEvent::V_S>();
      Order<HardEvent::V_MTE2>();
      active += static_cast<uint32_t>(sum.GetValue(0));
    }
    return active;
  }

  __aicore__ inline bool Sends(uint64_t token, uint32_t server) {
    const LocalTensor<int32_t> ids = ids_.Get<int32_t>()[(token - tokens_.begin) * t_.top_k];
    for (uint32_t k = 0; k < t_.top_k; ++k) {
      if (experts_.Has(ids.GetValue(k), server)) return true;
    }
    return false;
  }

  __aicore__ inline void AddUp(uint64_t token) {
    Await(token);
    const LocalTensor<float> sum = sum_.Get<float>(), numbers = numbers_.Get<float>();
    for (uint32_t server = 0; server < at_.servers; ++server) {
      if (!Sends(token, server)) continue;
      GM_ADDR const from = own_ + levels_.Sum(half_, server, token);
      if (t_.quantised != 0 && server != at_.server) {
        this->LoadQuantised(numbers, from, others_.Get<float>(), maxima_.Get<float>());
      } else {
        Base::LoadWide(numbers, from);
      }
      Base::AddWeighted(sum, numbers, 1.0f);
    }
    if (t_.has_shared_x == 0) return;
    Base::LoadWide(numbers, gm_.shared_x + token * row_bytes_);
    Base::AddWeighted(sum, numbers, 1.0f);
  }

  /// Polls the flags of the servers' sums, and clears them.
  __aicore__ inline void Await(uint64_t token) {
    const LocalTensor<float> flags = flags_.Get<float>();
    [[maybe_unused]] typename Waits::Entries sums;
    if constexpr (Waits::kWanted) times_.Begin();
    bool there = false;
    while (!there) {
      for (uint32_t server = 0; server < at_.servers; ++server) {
        if (Sends(token, server)) DataCopy(flags[server * 8], FlagOf(token, server), 8);
      }
      Order<HardEvent::MTE2_S>();
      there = true;
      for (uint32_t server = 0; server < at_.servers; ++server) {
        if (!Sends(token, server)) continue;
        const bool arrived = flags.GetValue(server * 8) != 0.0f;
        there = there && arrived;
        if constexpr (Waits::kWanted) {
          if (arrived && sums.waited[server] == 0) sums.waited[server] = times_.SinceBegin() + 1;
        }
      }
      Order<HardEvent::S_MTE2>();
    }
    for (uint32_t server = 0; server < at_.servers; ++server) {
      if (!Sends(token, server)) continue;
      DataCopy(FlagOf(token, server), zeros_.Get<float>(), 8);
      if constexpr (Waits::kWanted) {
        times_.Add(at_.RankIn(server), sums.waited[server] - 1);
      }
    }
  }
  __aicore__ inline GlobalTensor<float> FlagOf(uint64_t token, uint32_t server) {
    return At<float>(own_, levels_.SumFlag(half_, server, token));
  }

  __aicore__ inline void PutOut(uint64_t token) {
    LocalTensor<T> out = out_queue_.template AllocTensor<T>();
    Cast(out, sum_.Get<float>(), RoundMode::CAST_RINT, t_.width);
    PipeBarrier<PIPE_V>();
    out_queue_.EnQue(out);
    out = out_queue_.template DeQue<T>();
    Store(gm_.x, token * t_.width, out, t_.width);
    out_queue_.FreeTensor(out);
  }

  ServerPlace at_;
  LevelWindow levels_;
  ServerExperts experts_;
  Waits times_;
  kernel_common::WorkRange tokens_{0, 0};
  TBuf<TPosition::VECCALC> ids_, flags_, zeros_, sum_, numbers_, others_, maxima_;
  TQue<TPosition::VECOUT, 1> out_queue_;
};

}  // namespace moe_distribute
