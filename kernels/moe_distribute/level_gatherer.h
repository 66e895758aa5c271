// The first two levels of combine by levels: the rows of a token come together on the rank of this
// server that has the place of the token's, which adds them up and sends the sum to the token's
// rank.
#pragma once

#include "kernels/moe_distribute/combine_sender.h"
#include "kernels/moe_distribute/server_experts.h"

namespace moe_distribute {

/// Rows to the ranks that gather them, each followed by a flag that has the row's weight behind it.
template <class T>
class LevelReturner : CombineSender<T> {
  using Base = CombineSender<T>;
  using Base::block_, Base::ep_, Base::gm_, Base::half_, Base::own_, Base::pipe_, Base::rows_,
      Base::t_;

 public:
  __aicore__ inline LevelReturner(const MoeLevelTiling& tiling, const CombineBuffers& gm,
                                  GM_ADDR row_weights, TPipe* pipe)
      : Base(tiling.flat, gm, pipe), at_(tiling), levels_(tiling), row_weights_(row_weights) {}

  /// The half of the windows whose turn it is.
  __aicore__ inline uint32_t Process() {
    Base::InitCounts();
    pipe_->InitBuffer(rows_, 2, Base::wide_ * 2);
    pipe_->InitBuffer(flags_, kFlags * kFlagBytes);
    half_ = TakeTurn(Base::word_.template Get<int32_t>(), own_, 1, block_);
    Base::LoadCounts();
    Duplicate(flags_.Get<float>(), 1.0f, kFlags * 8);
    Order<HardEvent::V_S>();
    Base::Send([this](uint64_t row, const typename Base::Place& place) { SendRow(row, place); });
    PipeBarrier<PIPE_ALL>();
    return half_;
  }

 private:
  static constexpr uint32_t kFlags = kOrigins;

  __aicore__ inline void SendRow(uint64_t row, const typename Base::Place& place) {
    const uint32_t to = at_.server * at_.server_ranks + place.rank % at_.server_ranks;
    // Places by index count all experts, those by origin the tokens of a rank.
    const uint64_t first =
        t_.by_index != 0 ? at_.server * levels_.server_experts * levels_.max_tokens : 0;
    const uint64_t slot = place.rank / at_.server_ranks * levels_.source_slots + place.slot - first;
    GM_ADDR const window = ep_.Of(to);
    LocalTensor<T> data = rows_.template AllocTensor<T>();
    Load(data, gm_.expand_x, row * t_.width, t_.width);
    rows_.EnQue(data);
    if (sent_ % kFlags == 0) Order<HardEvent::MTE3_S>();  // all flags are on their way
    const LocalTensor<float> flag = flags_.Get<float>()[sent_ % kFlags * 8];
    flag.SetValue(1, At<float>(row_weights_).GetValue(row));
    Order<HardEvent::S_MTE3>();
    ++sent_;
    data = rows_.template DeQue<T>();
    Store(window + levels_.Gathered(half_, slot), 0, data, t_.width);
    rows_.FreeTensor(data);
    PipeBarrier<PIPE_MTE3>();
    DataCopy(At<float>(window, levels_.GatheredFlag(half_, slot)), flag, 8);
  }

  ServerPlace at_;
  LevelWindow levels_;
  GM_ADDR row_weights_;
  uint32_t sent_ = 0;
  TBuf<TPosition::VECCALC> flags_;
};

/// Sums of the rows that came together, to the tokens' ranks.
template <class T>
class LevelGatherer : CombineCommon<T> {
  using Base = CombineCommon<T>;
  using Base::block_, Base::ep_, Base::gm_, Base::half_, Base::in_queue_, Base::own_, Base::pipe_,
      Base::t_, Base::wide_;

 public:
  __aicore__ inline LevelGatherer(const MoeLevelTiling& tiling, const CombineBuffers& gm,
                                  GM_ADDR lists, TPipe* pipe, uint32_t half)
      : Base(tiling.flat, gm, pipe),
        at_(tiling),
        levels_(tiling),
        lists_(lists, tiling),
        experts_(tiling, 0) {
    half_ = half;
  }

  __aicore__ inline void Process() {
    const kernel_common::WorkRange mine =
        kernel_common::ShareOfWork(t_.max_tokens * at_.servers, t_.blocks, block_);
    Init(mine.end - mine.begin);
    if (mine.end > mine.begin) GatherAll(mine);
    PipeBarrier<PIPE_ALL>();
  }

 private:
  __aicore__ inline void GatherAll(const kernel_common::WorkRange& mine) {
    const uint64_t count = (mine.end - mine.begin) * t_.top_k;
    lists_.Get(ids_.Get<int32_t>(), indices_.Get<int32_t>(), mine.begin * t_.top_k, count);
    Order<HardEvent::MTE2_S>();
    for (uint64_t i = mine.begin; i < mine.end; ++i) {
      first_ = static_cast<uint32_t>((i - mine.begin) * t_.top_k);
      Gather(i / at_.servers, static_cast<uint32_t>(i % at_.servers));
    }
  }

  __aicore__ inline void Init(uint64_t items) {
    const auto list = static_cast<uint32_t>(AlignUp(items * t_.top_k * 4 + 4, 32));
    pipe_->InitBuffer(ids_, list);
    pipe_->InitBuffer(indices_, list);
    pipe_->InitBuffer(flags_, t_.top_k * kFlagBytes);
    pipe_->InitBuffer(zeros_, t_.top_k * kFlagBytes);
    pipe_->InitBuffer(there_, kFlagBytes);
    pipe_->InitBuffer(in_queue_, wide_ > kWidestPair ? 1 : 2, wide_ * 2);
    pipe_->InitBuffer(sum_, wide_ * 4);
    pipe_->InitBuffer(numbers_, wide_ * 4);
    pipe_->InitBuffer(out_queue_, 1, wide_ * 2);
    if (t_.quantised != 0) {
      pipe_->InitBuffer(maxima_, static_cast<uint32_t>(AlignUp(wide_ / kScaleGroup * 4, 256)));
    }
    Duplicate(zeros_.Get<float>(), 0.0f, static_cast<int32_t>(t_.top_k * 8));
    Duplicate(there_.Get<float>(), 1.0f, 8);
    Order<HardEvent::V_MTE3>();
  }

  /// Whether the row of this entry comes from an expert of this server.
  __aicore__ inline bool IsHere(uint32_t k) {
    return experts_.Has(ids_.Get<int32_t>().GetValue(first_ + k), at_.server);
  }
  __aicore__ inline uint64_t SlotOf(uint64_t token, uint32_t from, uint32_t k) {
    uint64_t slot = token * t_.top_k + k;
    if (t_.by_index != 0) {
      const auto expert = static_cast<uint64_t>(ids_.Get<int32_t>().GetValue(first_ + k));
      slot = expert % levels_.server_experts * levels_.max_tokens +
             static_cast<uint64_t>(indices_.Get<int32_t>().GetValue(first_ + k));
    }
    return from * levels_.source_slots + slot;
  }

  __aicore__ inline void Gather(uint64_t token, uint32_t from) {
    bool any = false;
    for (uint32_t k = 0; k < t_.top_k; ++k) any = any || IsHere(k);
    if (!any) return;
    AwaitRows(token, from);
    const LocalTensor<float> sum = sum_.Get<float>(), numbers = numbers_.Get<float>();
    Duplicate(sum, 0.0f, static_cast<int32_t>(t_.width));
    PipeBarrier<PIPE_V>();
    for (uint32_t k = 0; k < t_.top_k; ++k) {
      if (!IsHere(k)) continue;
      Base::LoadWide(numbers, own_ + levels_.Gathered(half_, SlotOf(token, from, k)));
      Base::AddWeighted(sum, numbers, flags_.Get<float>().GetValue(k * 8 + 1));
    }
    SendSum(from, token);
  }

  /// Polls the flags of the rows, and clears them.
  __aicore__ inline void AwaitRows(uint64_t token, uint32_t from) {
    const LocalTensor<float> flags = flags_.Get<float>();
    for (uint32_t k = 0; k < t_.top_k; ++k) {
      if (!IsHere(k)) continue;
      const GlobalTensor<float> at =
          At<float>(own_, levels_.GatheredFlag(half_, SlotOf(token, from, k)));
      AwaitFlag(flags[k * 8], at);
      DataCopy(at, zeros_.Get<float>(), 8);
    }
  }

  /// A sum that leaves the server may travel as int8.
  __aicore__ inline void SendSum(uint32_t to, uint64_t token) {
    const LocalTensor<float> sum = sum_.Get<float>();
    LocalTensor<uint8_t> out = out_queue_.template AllocTensor<uint8_t>();
    const bool quantised = t_.quantised != 0 && to != at_.server;
    if (quantised) {
      this->Quantise(out, sum, numbers_.Get<float>(), maxima_.Get<float>());
    } else {
      Cast(out.template ReinterpretCast<T>(), sum, RoundMode::CAST_RINT, t_.width);
    }
    PipeBarrier<PIPE_V>();
    out_queue_.EnQue(out);
    out = out_queue_.template DeQue<uint8_t>();
    GM_ADDR const window = ep_.Of(at_.RankIn(to));
    DataCopyPad(At<uint8_t>(window, levels_.Sum(half_, at_.server, token)), out,
                Bytes(quantised ? Base::sent_bytes_ : Base::row_bytes_));
    out_queue_.FreeTensor(out);
    PipeBarrier<PIPE_MTE3>();
    DataCopy(At<float>(window, levels_.SumFlag(half_, at_.server, token)), there_.Get<float>(), 8);
  }

  ServerPlace at_;
  LevelWindow levels_;
  RowLists lists_;
  ServerExperts experts_;
  uint32_t first_ = 0;
  TBuf<TPosition::VECCALC> ids_, indices_, flags_, zeros_, there_, sum_, numbers_, maxima_;
  TQue<TPosition::VECOUT, 1> out_queue_;
};

}  // namespace moe_distribute
