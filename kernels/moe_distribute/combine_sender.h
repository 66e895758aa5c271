// The sending half of combine: rows back to their ranks, each followed by a flag.
#pragma once

#include "kernels/moe_distribute/combine_common.h"

namespace moe_distribute {

using namespace AscendC;

/// Rows whose origins are loaded at a time.
constexpr uint32_t kOrigins = 256;

template <class T>
class CombineSender : protected CombineCommon<T> {
 protected:
  using Base = CombineCommon<T>;
  using Base::block_, Base::entries_, Base::ep_, Base::gm_, Base::half_, Base::in_queue_,
      Base::own_;
  using Base::LoadWide, Base::pipe_, Base::row_bytes_, Base::sent_bytes_, Base::t_;
  using Base::wide_, Base::windows_;

 public:
  __aicore__ inline CombineSender(const MoeDistributeTiling& tiling, const CombineBuffers& gm,
                                  TPipe* pipe)
      : Base(tiling, gm, pipe), tp_windows_(tiling) {
    if (t_.tp_world > 1) tp_.InitV2(gm.tp_context, nullptr);
    words_ = uint64_t{t_.rank < t_.shared_ranks ? 1 : t_.rank_experts} * t_.world;
  }

  /// The half of the windows whose turn it is.
  __aicore__ inline uint32_t Process() {
    InitSending();
    half_ = TakeTurn(word_.Get<int32_t>(), own_, 1, block_);
    LoadCounts();
    if (t_.tp_world > 1) ExchangeRows();
    Send([this](uint64_t row, const Place& place) { SendRow(row, place); });
    PipeBarrier<PIPE_ALL>();
    return half_;
  }

 protected:
  // --- send --------------------------------------------------------------------------------------
  __aicore__ inline void InitSending() {
    InitCounts();
    if (t_.quantised == 0 && t_.tp_world == 1) {
      pipe_->InitBuffer(rows_, 2, wide_ * 2);
      return;
    }
    pipe_->InitBuffer(in_queue_, 2, wide_ * 2);
    pipe_->InitBuffer(out_queue_, 2, wide_ * 2);
    pipe_->InitBuffer(numbers_, wide_ * 4);
    pipe_->InitBuffer(others_, wide_ * 4);
    pipe_->InitBuffer(maxima_, static_cast<uint32_t>(AlignUp(wide_ / kScaleGroup * 4, 256)));
  }
  __aicore__ inline void InitCounts() {
    pipe_->InitBuffer(word_, 32);
    pipe_->InitBuffer(flag_, 32);
    pipe_->InitBuffer(counts_, static_cast<uint32_t>(AlignUp(words_ * 4, 32)));
    pipe_->InitBuffer(origins_, kOrigins * 12);
  }

  __aicore__ inline void LoadCounts() {
    const LocalTensor<int32_t> counts = counts_.Get<int32_t>();
    Load(counts, gm_.ep_counts, 0, words_);
    Order<HardEvent::MTE2_S>();
    total_ = static_cast<uint32_t>(counts.GetValue(words_ - 1));
    mine_ = kernel_common::ShareOfWork(total_, t_.blocks, block_);
    Duplicate(flag_.Get<float>(), 1.0f, 8);
    Order<HardEvent::V_MTE3>();
  }

  /// Hands the other rank of the tensor-parallel group its rows, and waits for the own ones. Both
  /// ranks share the rows of a rank out among the blocks in the same way.
  __aicore__ inline void ExchangeRows() {
    const LocalTensor<int32_t> word = word_.Get<int32_t>();
    Load(word, gm_.tp_counts, 0, 2);
    Order<HardEvent::MTE2_S>();
    const auto other = static_cast<uint32_t>(word.GetValue(1 - t_.tp_rank));
    GM_ADDR const theirs = tp_.GetWindowsInAddr(1 - t_.tp_rank);
    const kernel_common::WorkRange range = kernel_common::ShareOfWork(other, t_.blocks, block_);
    const LocalTensor<T> through = numbers_.Get<T>();
    for (uint64_t row = range.begin; row < range.end; ++row) {
      Load(through, gm_.expand_x, (total_ + row) * t_.width, t_.width);
      Order<HardEvent::MTE2_MTE3>();
      Store(theirs + tp_windows_.Row(1, half_, row), 0, through, t_.width);
      Order<HardEvent::MTE3_MTE2>();
    }
    PipeBarrier<PIPE_MTE3>();
    DataCopy(At<float>(theirs, tp_windows_.Flag(1, half_, block_)), flag_.Get<float>(), 8);
    const GlobalTensor<float> flag =
        At<float>(tp_.GetWindowsInAddr(t_.tp_rank), tp_windows_.Flag(1, half_, block_));
    const LocalTensor<float> seen = word_.Get<float>();
    bool there = false;
    while (!there) {
      DataCopy(seen, flag, 8);
      Order<HardEvent::MTE2_S>();
      there = seen.GetValue(0) != 0.0f;
      Order<HardEvent::S_MTE2>();
    }
    seen.SetValue(0, 0.0f);
    Order<HardEvent::S_MTE3>();
    DataCopy(flag, seen, 8);
    Order<HardEvent::MTE3_S>();
    Order<HardEvent::MTE3_V>();
  }

  struct Place {
    uint32_t rank;
    uint64_t slot;
  };
  /// The rows of a block, beginning with another one on each rank.
  template <class SendRow>
  __aicore__ inline void Send(const SendRow& send) {
    for (uint64_t begin = mine_.begin; begin < mine_.end; begin += kOrigins) {
      const uint64_t rest = mine_.end - begin;
      const auto count = static_cast<uint32_t>(rest < kOrigins ? rest : kOrigins);
      if (t_.by_index == 0) {
        Load(origins_.Get<int32_t>(), gm_.info, begin * 3, count * 3);
        Order<HardEvent::MTE2_S>();
      }
      for (uint32_t i = 0; i < count; ++i) {
        const uint32_t at = (i + t_.rank) % count;
        const Place place = t_.by_index != 0 ? PlaceByIndex(begin + at) : PlaceByOrigin(at);
        send(begin + at, place);
      }
      Order<HardEvent::S_MTE2>();
    }
  }

  __aicore__ inline Place PlaceByOrigin(uint32_t at) {
    const LocalTensor<int32_t> origins = origins_.Get<int32_t>();
    const auto token = static_cast<uint64_t>(origins.GetValue(at * 3 + 1));
    const auto k = static_cast<uint64_t>(origins.GetValue(at * 3 + 2));
    return {static_cast<uint32_t>(origins.GetValue(at * 3)), token * entries_ + k};
  }
  /// Rows lie in the order of local experts and sources. The first word that ends behind a row is
  /// its own.
  __aicore__ inline Place PlaceByIndex(uint64_t row) {
    const LocalTensor<int32_t> ends = counts_.Get<int32_t>();
    uint64_t low = 0, high = words_ - 1;
    while (low < high) {
      const uint64_t middle = (low + high) / 2;
      if (static_cast<uint64_t>(ends.GetValue(middle)) > row) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    const uint64_t begin = low == 0 ? 0 : static_cast<uint64_t>(ends.GetValue(low - 1));
    uint64_t expert = t_.experts;
    if (t_.rank < t_.shared_ranks) {
      expert += t_.rank / (t_.shared_ranks / t_.shared_experts);
    } else {
      expert = uint64_t{t_.rank - t_.shared_ranks} * t_.rank_experts + low / t_.world;
    }
    return {static_cast<uint32_t>(low % t_.world), expert * t_.max_tokens + row - begin};
  }

  __aicore__ inline void SendRow(uint64_t row, const Place& place) {
    GM_ADDR const window = ep_.Of(place.rank);
    GM_ADDR const to = window + windows_.Returned(half_, place.slot);
    if (t_.quantised == 0 && t_.tp_world == 1) {
      LocalTensor<T> data = rows_.template AllocTensor<T>();
      Load(data, gm_.expand_x, row * t_.width, t_.width);
      rows_.EnQue(data);
      data = rows_.template DeQue<T>();
      Store(to, 0, data, t_.width);
      rows_.FreeTensor(data);
    } else {
      LocalTensor<uint8_t> data = ComputedRow(row);
      DataCopyPad(At<uint8_t>(to), data, Bytes(sent_bytes_));
      out_queue_.FreeTensor(data);
    }
    PipeBarrier<PIPE_MTE3>();
    DataCopy(At<float>(window, windows_.Flag(half_, place.slot)), flag_.Get<float>(), 8);
  }

  /// The sum of the ranks of a tensor-parallel group, or the row quantised.
  __aicore__ inline LocalTensor<uint8_t> ComputedRow(uint64_t row) {
    const LocalTensor<float> numbers = numbers_.Get<float>(), others = others_.Get<float>();
    LoadWide(numbers, gm_.expand_x + row * row_bytes_);
    LocalTensor<uint8_t> out = out_queue_.template AllocTensor<uint8_t>();
    if (t_.tp_world > 1) {
      LoadWide(others, tp_.GetWindowsInAddr(t_.tp_rank) + tp_windows_.Row(1, half_, row));
      Add(numbers, numbers, others, t_.width);
      PipeBarrier<PIPE_V>();
      Cast(out.template ReinterpretCast<T>(), numbers, RoundMode::CAST_RINT, t_.width);
    } else {
      this->Quantise(out, numbers, others, maxima_.Get<float>());
    }
    PipeBarrier<PIPE_V>();
    out_queue_.EnQue(out);
    return out_queue_.template DeQue<uint8_t>();
  }
  TpWindow tp_windows_;
  Hccl<HCCL_SERVER_TYPE_AICPU> tp_;
  uint32_t total_ = 0;
  uint64_t words_;
  kernel_common::WorkRange mine_{0, 0};

  TBuf<TPosition::VECCALC> word_, flag_, counts_, origins_, numbers_, others_, maxima_;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> rows_;
  TQue<TPosition::VECOUT, 2> out_queue_;
};

}  // namespace moe_distribute
