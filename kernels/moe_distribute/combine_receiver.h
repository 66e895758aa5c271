// The receiving half of combine: awaits the rows of each token and adds them up.
#pragma once

#include "kernels/moe_distribute/combine_common.h"
#include "kernels/moe_distribute/wait_times.h"

namespace moe_distribute {

using namespace AscendC;

/// `Waits` is WaitTimes where performance_info is given, NoWaitTimes otherwise.
template <class T, class Waits>
class CombineReceiver : CombineCommon<T> {
  using Base = CombineCommon<T>;
  using Base::block_, Base::entries_, Base::ep_, Base::gm_, Base::half_, Base::in_queue_,
      Base::own_;
  using Base::LoadWide, Base::pipe_, Base::row_bytes_, Base::scales_at_, Base::sent_bytes_,
      Base::t_;
  using Base::wide_, Base::windows_;

 public:
  __aicore__ inline CombineReceiver(const MoeDistributeTiling& tiling, const CombineBuffers& gm,
                                    TPipe* pipe, uint32_t half, const Waits& times = {})
      : Base(tiling, gm, pipe), times_(times) {
    half_ = half;
  }

  __aicore__ inline void Process() {
    InitReceiving();
    LoadRouting();
    for (uint64_t token = tokens_.begin; token < tokens_.end; ++token) {
      AddUp(static_cast<uint32_t>(token));
    }
    if constexpr (Waits::kWanted) times_.PutOut(block_, t_.blocks);
  }

 private:
  // --- receive -----------------------------------------------------------------------------------
  __aicore__ inline void InitReceiving() {
    tokens_ = kernel_common::ShareOfWork(t_.tokens, t_.blocks, block_);
    const uint64_t mine = (tokens_.end - tokens_.begin) * t_.top_k;
    const auto list = static_cast<uint32_t>(AlignUp(mine * 4 + 4, 32));
    pipe_->InitBuffer(ids_, list);
    pipe_->InitBuffer(weights_, list);
    pipe_->InitBuffer(indices_, list);
    pipe_->InitBuffer(masks_, list);
    pipe_->InitBuffer(flags_, entries_ * 32);
    pipe_->InitBuffer(zeros_, entries_ * 32);
    pipe_->InitBuffer(in_queue_, 2, wide_ * 2);
    pipe_->InitBuffer(sum_, wide_ * 4);
    pipe_->InitBuffer(numbers_, wide_ * 4);
    pipe_->InitBuffer(others_, wide_ * 4);
    pipe_->InitBuffer(out_queue_, 1, wide_ * 2);
    pipe_->InitBuffer(alphas_, 128);
    if constexpr (Waits::kWanted) times_.Init(pipe_);
    if (t_.quantised != 0) {
      pipe_->InitBuffer(maxima_, static_cast<uint32_t>(AlignUp(wide_ / kScaleGroup * 4, 256)));
    }
  }

  __aicore__ inline void LoadRouting() {
    const uint64_t first = tokens_.begin * t_.top_k;
    const uint64_t count = (tokens_.end - tokens_.begin) * t_.top_k;
    active_ = t_.tokens;
    if (t_.mask_rank == 1) active_ = CountActive();
    if (count == 0) return;
    Load(ids_.Get<int32_t>(), gm_.expert_ids, first, count);
    Load(weights_.Get<float>(), gm_.weights, first, count);
    if (t_.by_index != 0) Load(indices_.Get<int32_t>(), gm_.info, first, count);
    if (t_.mask_rank == 2) Load(masks_.Get<uint8_t>(), gm_.mask, first, count);
    Duplicate(zeros_.Get<float>(), 0.0f, static_cast<int32_t>(entries_ * 8));
    Order<HardEvent::V_MTE3>();
    Order<HardEvent::MTE2_S>();
  }
  /// sum_ and others_ are free before the first token.
  __aicore__ inline uint32_t CountActive() {
    const LocalTensor<float> numbers = sum_.Get<float>();
    uint32_t active = 0;
    for (uint32_t at = 0; at < t_.tokens; at += 256) {
      const uint32_t count = t_.tokens - at < 256 ? t_.tokens - at : 256;
      LoadMask(numbers, numbers_.Get<uint8_t>(), others_.Get<half>(), gm_.mask, at, count);
      ReduceSum(flags_.Get<float>(), numbers, others_.Get<float>(), static_cast<int32_t>(count));
      Order<HardEvent::V_S>();
      Order<HardEvent::V_MTE2>();
      active += static_cast<uint32_t>(flags_.Get<float>().GetValue(0));
    }
    return active;
  }

  __aicore__ inline uint32_t ListAt(uint32_t token, uint32_t k) {
    return static_cast<uint32_t>((token - tokens_.begin) * t_.top_k + k);
  }
  __aicore__ inline bool IsMasked(uint32_t token, uint32_t k) {
    if (token >= active_) return true;
    return t_.mask_rank == 2 && masks_.Get<uint8_t>().GetValue(ListAt(token, k)) == 0;
  }
  __aicore__ inline bool IsActive(uint32_t token) {
    for (uint32_t k = 0; k < t_.top_k; ++k) {
      if (!IsMasked(token, k)) return true;
    }
    return false;
  }
  /// Whether a row comes back for this entry of the token: the experts, then the shared ones.
  __aicore__ inline bool IsAwaited(uint32_t token, uint32_t entry) {
    if (entry >= t_.top_k) return IsActive(token);
    return !IsMasked(token, entry) &&
           static_cast<uint32_t>(ids_.Get<int32_t>().GetValue(ListAt(token, entry))) < t_.experts;
  }
  __aicore__ inline uint64_t SlotOf(uint32_t token, uint32_t entry) {
    if (t_.by_index == 0) return uint64_t{token} * entries_ + entry;
    if (entry >= t_.top_k) {
      return uint64_t{t_.experts + entry - t_.top_k} * t_.max_tokens + token;
    }
    const uint32_t at = ListAt(token, entry);
    return static_cast<uint64_t>(ids_.Get<int32_t>().GetValue(at)) * t_.max_tokens +
           static_cast<uint64_t>(indices_.Get<int32_t>().GetValue(at));
  }

  /// Polls the flags of a token's rows, and clears them.
  __aicore__ inline void AwaitRows(uint32_t token) {
    const LocalTensor<float> flags = flags_.Get<float>();
    [[maybe_unused]] typename Waits::Entries rows;
    if constexpr (Waits::kWanted) times_.Begin();
    bool there = false;
    while (!there) {
      for (uint32_t i = 0; i < entries_; ++i) {
        if (t_.by_index == 0 && i > 0) break;
        if (t_.by_index != 0 && !IsAwaited(token, i)) continue;
        DataCopy(flags[i * 8], FlagsOf(token, i), t_.by_index != 0 ? 8 : entries_ * 8);
      }
      Order<HardEvent::MTE2_S>();
      there = true;
      if constexpr (Waits::kWanted) NoteArrivals(flags, rows.waited);
      for (uint32_t i = 0; i < entries_ && there; ++i) {
        there = !IsAwaited(token, i) || flags.GetValue(i * 8) != 0.0f;
      }
      Order<HardEvent::S_MTE2>();
    }
    if constexpr (Waits::kWanted) AddWaits(token, rows.waited);
    for (uint32_t i = 0; i < entries_; ++i) {
      if (t_.by_index == 0 && i > 0) break;
      if (t_.by_index != 0 && !IsAwaited(token, i)) continue;
      DataCopy(FlagsOf(token, i), zeros_.Get<float>(), t_.by_index != 0 ? 8 : entries_ * 8);
    }
  }
  /// waited[i] = 1 + the time until row i was there, in the poll that finds it first.
  __aicore__ inline void NoteArrivals(const LocalTensor<float>& flags, int32_t* waited) {
    const int32_t now = times_.SinceBegin() + 1;
    for (uint32_t i = 0; i < entries_; ++i) {
      if (waited[i] == 0 && flags.GetValue(i * 8) != 0.0f) waited[i] = now;
    }
  }
  /// A source counts with the last one of the rows that it sends for the token.
  __aicore__ inline void AddWaits(uint32_t token, const int32_t* waited) {
    for (uint32_t i = 0; i < entries_; ++i) {
      if (!IsAwaited(token, i)) continue;
      const uint32_t source = SourceOf(token, i);
      bool last = true;
      for (uint32_t j = 0; j < entries_ && last; ++j) {
        if (j == i || !IsAwaited(token, j) || SourceOf(token, j) != source) continue;
        last = waited[j] < waited[i] || (waited[j] == waited[i] && j < i);
      }
      if (last) times_.Add(source, waited[i] - 1);
    }
  }
  /// The rank that sends the row of this entry.
  __aicore__ inline uint32_t SourceOf(uint32_t token, uint32_t entry) {
    if (entry >= t_.top_k) {
      const uint32_t replicas = t_.shared_ranks / t_.shared_experts;
      return (entry - t_.top_k) * replicas + t_.rank % replicas;
    }
    const auto expert = static_cast<uint32_t>(ids_.Get<int32_t>().GetValue(ListAt(token, entry)));
    return t_.shared_ranks + expert / t_.rank_experts;
  }
  __aicore__ inline GlobalTensor<float> FlagsOf(uint32_t token, uint32_t entry) {
    return At<float>(own_, windows_.Flag(half_, SlotOf(token, entry)));
  }

  __aicore__ inline void AddUp(uint32_t token) {
    const LocalTensor<float> sum = sum_.Get<float>();
    Duplicate(sum, 0.0f, static_cast<int32_t>(t_.width));
    PipeBarrier<PIPE_V>();
    if (IsActive(token)) {
      AwaitRows(token);
      for (uint32_t entry = 0; entry < entries_; ++entry) AddEntry(token, entry);
      if (t_.has_shared_x != 0) {
        LoadWide(numbers_.Get<float>(), gm_.shared_x + token * row_bytes_);
        AddWeighted(1.0f);
      }
    }
    LocalTensor<T> out = out_queue_.template AllocTensor<T>();
    Cast(out, sum, RoundMode::CAST_RINT, t_.width);
    PipeBarrier<PIPE_V>();
    out_queue_.EnQue(out);
    out = out_queue_.template DeQue<T>();
    Store(gm_.x, uint64_t{token} * t_.width, out, t_.width);
    out_queue_.FreeTensor(out);
  }

  __aicore__ inline void AddWeighted(float weight) {
    Base::AddWeighted(sum_.Get<float>(), numbers_.Get<float>(), weight);
  }

  __aicore__ inline void AddEntry(uint32_t token, uint32_t entry) {
    if (entry >= t_.top_k) {
      LoadReturned(own_ + windows_.Returned(half_, SlotOf(token, entry)));
      return AddWeighted(1.0f);
    }
    if (IsMasked(token, entry)) return;
    const uint32_t at = ListAt(token, entry);
    // The scalar unit reads the expert in global memory, as in public kernels.
    const auto expert = static_cast<uint32_t>(
        At<int32_t>(gm_.expert_ids).GetValue(uint64_t{token} * t_.top_k + entry));
    const float weight = weights_.Get<float>().GetValue(at);
    if (expert < t_.experts) {
      LoadReturned(own_ + windows_.Returned(half_, SlotOf(token, entry)));
    } else if (expert < t_.copy_begin) {
      return;  // an expert that adds nothing
    } else {
      LoadWide(numbers_.Get<float>(), gm_.ori_x + token * row_bytes_);
      if (expert >= t_.const_begin) MixConstant(expert - t_.const_begin);
    }
    AddWeighted(weight);
  }

  /// numbers = alpha_1 * numbers + alpha_2 * constant.
  __aicore__ inline void MixConstant(uint32_t number) {
    const LocalTensor<float> numbers = numbers_.Get<float>(), others = others_.Get<float>();
    const LocalTensor<T> alphas = alphas_.Get<T>();
    const LocalTensor<float> wide = alphas_.Get<float>()[16];
    LoadWide(others, gm_.constant + number * row_bytes_);
    Load(alphas, gm_.alpha_1, number, 1);
    Load(alphas[16], gm_.alpha_2, number, 1);
    Order<HardEvent::MTE2_V>();
    Cast(wide, alphas, RoundMode::CAST_NONE, 1);
    Cast(wide[8], alphas[16], RoundMode::CAST_NONE, 1);
    Order<HardEvent::V_S>();
    const float first = wide.GetValue(0), second = wide.GetValue(8);
    const auto width = static_cast<int32_t>(t_.width);
    Muls(numbers, numbers, first, width);
    Muls(others, others, second, width);
    PipeBarrier<PIPE_V>();
    Add(numbers, numbers, others, width);
    PipeBarrier<PIPE_V>();
    Order<HardEvent::V_MTE2>();
  }

  /// numbers = a row that came back.
  __aicore__ inline void LoadReturned(GM_ADDR from) {
    const LocalTensor<float> numbers = numbers_.Get<float>();
    if (t_.quantised == 0) return LoadWide(numbers, from);
    this->LoadQuantised(numbers, from, others_.Get<float>(), maxima_.Get<float>());
  }

  Waits times_;
  uint32_t active_ = 0;
  kernel_common::WorkRange tokens_{0, 0};

  TBuf<TPosition::VECCALC> ids_, weights_, indices_, masks_, flags_, zeros_, sum_, alphas_;
  TBuf<TPosition::VECCALC> numbers_, others_, maxima_;
  TQue<TPosition::VECOUT, 1> out_queue_;
};

}  // namespace moe_distribute
