// The first level of dispatch by levels: each token goes once to every server that has experts of
// it, to the rank with the place of this one.
#pragma once

#include "kernels/moe_distribute/dispatch_sender.h"
#include "kernels/moe_distribute/server_experts.h"

namespace moe_distribute {

/// A token's flag: it is there, or no expert of the server gets it.
constexpr float kIsThere = 1.0f, kIsAbsent = 2.0f;

template <class T>
class LevelSender : DispatchSender<T> {
  using Base = DispatchSender<T>;
  using Base::active_, Base::announced_, Base::block_, Base::ep_, Base::gm_, Base::half_,
      Base::out_queue_, Base::own_, Base::pipe_, Base::rows_, Base::t_, Base::tail_;

 public:
  __aicore__ inline LevelSender(const MoeLevelTiling& tiling, const DispatchBuffers& gm,
                                GM_ADDR lists, TPipe* pipe)
      : Base(tiling.flat, gm, pipe),
        at_(tiling),
        levels_(tiling),
        lists_(lists, tiling),
        experts_(tiling, tail_) {}

  /// The half of the windows whose turn it is.
  __aicore__ inline uint32_t Process() {
    InitLevel();
    half_ = TakeTurn(Base::record_.template Get<int32_t>(), own_, 0, block_);
    Base::LoadRouting();
    const kernel_common::WorkRange mine =
        kernel_common::ShareOfWork(t_.max_tokens, t_.blocks, block_);
    for (uint64_t token = mine.begin; token < mine.end; ++token) {
      SendToken(static_cast<uint32_t>(token));
    }
    // Sums set flags for MTE3, which must not wait for tokens on their way meanwhile.
    Order<HardEvent::MTE3_S>();
    Base::CountAll();
    TellCounts();
    PipeBarrier<PIPE_ALL>();
    return half_;
  }

 private:
  __aicore__ inline void InitLevel() {
    Base::template InitRouting<1280>();
    sent_bytes_ = tail_ + kFlagBytes + 3 * levels_.list_bytes;
    if (t_.width > kWidestPair) {
      Base::template InitRows<1>(static_cast<uint32_t>(sent_bytes_));
    } else {
      Base::template InitRows<2>(static_cast<uint32_t>(sent_bytes_));
    }
    experts_.Init(pipe_);
    pipe_->InitBuffer(flags_, 2 * kFlagBytes);
    pipe_->InitBuffer(nowhere_, static_cast<uint32_t>(levels_.list_bytes));
    pipe_->InitBuffer(own_indices_, static_cast<uint32_t>(levels_.list_bytes));
    Duplicate(flags_.Get<float>(), kIsThere, 8);
    Duplicate(flags_.Get<float>()[8], kIsAbsent, 8);
    Duplicate(nowhere_.Get<int32_t>(), -1, static_cast<int32_t>(levels_.list_bytes / 4));
    Order<HardEvent::V_MTE3>();
  }

  __aicore__ inline GM_ADDR WindowIn(uint32_t server) { return ep_.Of(at_.RankIn(server)); }

  __aicore__ inline void SendToken(uint32_t token) {
    if (token >= active_) {
      for (uint32_t i = 1; i < at_.servers; ++i) Tell(at_.Behind(i), token, kIsAbsent);
      lists_.Put(token, at_.server, nowhere_.Get<int32_t>(), nowhere_.Get<int32_t>());
      return;
    }
    // The counts of rows before come from the vector unit, which the scalar unit awaits.
    const LocalTensor<int32_t> indices = own_indices_.Get<int32_t>();
    Order<HardEvent::MTE3_S>();
    for (uint32_t k = 0; k < t_.top_k; ++k) {
      const uint32_t entry = token * t_.top_k + k;
      const auto expert = static_cast<uint32_t>(Base::ExpertOf(entry));
      indices.SetValue(k, static_cast<int32_t>(Base::CountBefore(entry, expert)));
    }
    if (t_.quantised != 0) {
      LocalTensor<uint8_t> row = Base::QuantisedRow(token, 0);
      out_queue_.EnQue(row);
      row = out_queue_.template DeQue<uint8_t>();
      SendRow(row, token);
      out_queue_.FreeTensor(row);
    } else {
      LocalTensor<uint8_t> row = rows_.template AllocTensor<uint8_t>();
      Load(row, gm_.x, uint64_t{token} * t_.width * 2, uint64_t{t_.width} * 2);
      rows_.EnQue(row);
      row = rows_.template DeQue<uint8_t>();
      SendRow(row, token);
      rows_.FreeTensor(row);
    }
  }

  /// Other servers first: their way is the longest.
  __aicore__ inline void SendRow(const LocalTensor<uint8_t>& row, uint32_t token) {
    const TokenLists lists(row, tail_, levels_.list_bytes);
    SetLists(lists, token);
    experts_.SetTails(lists, t_.rank, token);
    Order<HardEvent::S_MTE3>();
    const auto bytes = static_cast<uint32_t>(sent_bytes_);
    for (uint32_t i = 1; i < at_.servers; ++i) {
      const uint32_t server = at_.Behind(i);
      if (!HasExpertIn(server, lists)) continue;
      const GlobalTensor<uint8_t> to =
          At<uint8_t>(WindowIn(server), levels_.Token(half_, at_.server, token));
      DataCopy(to, row, bytes);  // davsim: allow uninitialised padding goes with its token
    }
    experts_.Send(row, lists, t_.rank, half_, ep_);
    lists_.Put(token, at_.server, lists.experts, lists.indices);
    if (t_.by_index != 0) Store(gm_.info, uint64_t{token} * t_.top_k, lists.indices, t_.top_k);
    PipeBarrier<PIPE_MTE3>();
    for (uint32_t i = 1; i < at_.servers; ++i) {
      const uint32_t server = at_.Behind(i);
      Tell(server, token, HasExpertIn(server, lists) ? kIsThere : kIsAbsent);
    }
  }

  __aicore__ inline void SetLists(const TokenLists& lists, uint32_t token) {
    const GlobalTensor<float> weights = At<float>(gm_.weights);
    for (uint32_t k = 0; k < t_.top_k; ++k) {
      const uint32_t entry = token * t_.top_k + k;
      lists.experts.SetValue(k, Base::ExpertOf(entry));
      lists.indices.SetValue(k, own_indices_.Get<int32_t>().GetValue(k));
      lists.weights.SetValue(k, weights.GetValue(entry));
    }
  }
  __aicore__ inline bool HasExpertIn(uint32_t server, const TokenLists& lists) {
    for (uint32_t k = 0; k < t_.top_k; ++k) {
      if (experts_.Has(lists.experts.GetValue(k), server)) return true;
    }
    return false;
  }
  __aicore__ inline void Tell(uint32_t server, uint32_t token, float state) {
    DataCopy(At<float>(WindowIn(server), levels_.TokenFlag(half_, at_.server, token)),
             flags_.Get<float>()[state == kIsThere ? 0 : 8], 8);
  }

  /// How many rows each expert gets goes to the rank with this place in the expert's server, which
  /// tells the expert's rank when the rows are there.
  __aicore__ inline void TellCounts() {
    const LocalTensor<int32_t> words = Base::word_.template Get<int32_t>();
    Order<HardEvent::S_MTE3>();
    for (uint64_t i = announced_.begin; i < announced_.end; ++i) {
      const auto server = static_cast<uint32_t>(i / levels_.server_experts);
      DataCopy(At<int32_t>(WindowIn(server),
                           levels_.Count(half_, at_.server, i % levels_.server_experts)),
               words[(i - announced_.begin) * 8], 8);
    }
  }

  ServerPlace at_;
  LevelWindow levels_;
  RowLists lists_;
  ServerExperts experts_;
  uint64_t sent_bytes_;  ///< of a token with its experts
  TBuf<TPosition::VECCALC> flags_, nowhere_, own_indices_;
};

}  // namespace moe_distribute
