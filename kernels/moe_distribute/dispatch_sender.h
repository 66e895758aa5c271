// The sending half of dispatch: rows into the windows of their ranks, then counts.
#pragma once

#include "kernels/common/static_quant.h"
#include "kernels/moe_distribute/dispatch_common.h"
#include "kernels/moe_distribute/row_scale.h"

namespace moe_distribute {

using namespace AscendC;

template <class T>
class DispatchSender : protected DispatchCommon {
 public:
  __aicore__ inline DispatchSender(const MoeDistributeTiling& tiling, const DispatchBuffers& gm,
                                   TPipe* pipe)
      : DispatchCommon(tiling, gm, pipe) {
    entries_ = t_.tokens * t_.top_k;
    ranks_per_shared_ = t_.shared_experts > 0 ? t_.shared_ranks / t_.shared_experts : 1;
  }

  /// The half of the windows whose turn it is.
  __aicore__ inline uint32_t Process() {
    InitSending();
    half_ = TakeTurn(record_.Get<int32_t>(), own_, 0, block_);
    LoadRouting();
    Send();
    CountAll();
    PipeBarrier<PIPE_ALL>();
    SyncAll<true>();
    Announce();
    PipeBarrier<PIPE_ALL>();
    return half_;
  }

 protected:
  // --- who gets what -----------------------------------------------------------------------------
  __aicore__ inline void InitSending() {
    InitRouting<1024>();
    InitRows<2>(static_cast<uint32_t>(row_bytes_));
  }
  /// `work` bytes for ReduceMax of a row.
  template <uint32_t work>
  __aicore__ inline void InitRouting() {
    pipe_->InitBuffer(record_, 32);
    pipe_->InitBuffer(ids_, static_cast<uint32_t>(AlignUp(uint64_t{entries_} * 4, 256)));
    pipe_->InitBuffer(piece_, kPiece * 4);
    pipe_->InitBuffer(work_, work);
    pipe_->InitBuffer(sum_, 32);
    announced_ = kernel_common::ShareOfWork(t_.shared_ranks + t_.experts, t_.blocks, block_);
    pipe_->InitBuffer(word_,
                      static_cast<uint32_t>((announced_.end - announced_.begin + 1) * kFlagBytes));
    pipe_->InitBuffer(index_, kPiece * 4);
  }
  /// `buffers` for rows of `row` bytes.
  template <uint8_t buffers>
  __aicore__ inline void InitRows(uint32_t row) {
    const uint32_t wide = static_cast<uint32_t>(AlignUp(t_.width, 128));
    if (t_.quantised != 0) {
      pipe_->InitBuffer(in_queue_, buffers, wide * 2);
      pipe_->InitBuffer(out_queue_, buffers, row);
      pipe_->InitBuffer(numbers_, wide * 4);
      pipe_->InitBuffer(factors_, wide * 4);
      pipe_->InitBuffer(halves_, wide * 2);
    } else {
      pipe_->InitBuffer(rows_, buffers, row);
    }
  }

  /// ids_ = expert ids as floats, -1 where a mask excludes the pair; active_ = active tokens.
  __aicore__ inline void LoadRouting() {
    const LocalTensor<float> ids = ids_.Get<float>(), piece = piece_.Get<float>();
    active_ = t_.tokens;
    if (t_.mask_rank == 1) active_ = CountTrue(t_.tokens);
    for (uint32_t at = 0; at < entries_; at += kPiece) {
      const uint32_t count = entries_ - at < kPiece ? entries_ - at : kPiece;
      const LocalTensor<float> to = ids[at];
      Load(piece.ReinterpretCast<int32_t>(), gm_.expert_ids, at, count);
      Order<HardEvent::MTE2_V>();
      Cast(to, piece.ReinterpretCast<int32_t>(), RoundMode::CAST_RINT, count);
      PipeBarrier<PIPE_V>();
      Order<HardEvent::V_MTE2>();
      if (t_.mask_rank != 2) continue;
      LoadMask(piece, MaskBytes(), MaskHalves(), gm_.mask, at, count);
      Adds(to, to, 1.0f, count);
      PipeBarrier<PIPE_V>();
      Mul(to, to, piece, count);
      PipeBarrier<PIPE_V>();
      Adds(to, to, -1.0f, count);
      PipeBarrier<PIPE_V>();
      Order<HardEvent::V_MTE2>();
    }
    Order<HardEvent::V_S>();
  }
  /// index_ is free until rows are sent.
  __aicore__ inline LocalTensor<uint8_t> MaskBytes() { return index_.Get<uint8_t>(); }
  __aicore__ inline LocalTensor<half> MaskHalves() {
    return index_.Get<uint8_t>()[kPiece].template ReinterpretCast<half>();
  }

  __aicore__ inline uint32_t CountTrue(uint32_t count) {
    LoadMask(piece_.Get<float>(), MaskBytes(), MaskHalves(), gm_.mask, 0, count);
    ReduceSum(sum_.Get<float>(), piece_.Get<float>(), work_.Get<float>(),
              static_cast<int32_t>(count));
    Order<HardEvent::V_S>();
    Order<HardEvent::V_MTE2>();
    return static_cast<uint32_t>(sum_.Get<float>().GetValue(0));
  }

  __aicore__ inline int32_t ExpertOf(uint32_t entry) {
    return static_cast<int32_t>(ids_.Get<float>().GetValue(entry));
  }

  /// Pairs before `end` that go to `expert`: 1 - min(|id - expert|, 1), summed up.
  __aicore__ inline uint32_t CountBefore(uint32_t end, uint32_t expert) {
    const LocalTensor<float> ids = ids_.Get<float>(), piece = piece_.Get<float>();
    uint32_t others = 0;
    for (uint32_t at = 0; at < end; at += kPiece) {
      const auto count = static_cast<int32_t>(end - at < kPiece ? end - at : kPiece);
      Adds(piece, ids[at], -static_cast<float>(expert), count);
      PipeBarrier<PIPE_V>();
      Abs(piece, piece, count);
      PipeBarrier<PIPE_V>();
      Mins(piece, piece, 1.0f, count);
      PipeBarrier<PIPE_V>();
      ReduceSum(sum_.Get<float>(), piece, work_.Get<float>(), count);
      Order<HardEvent::V_S>();
      others += static_cast<uint32_t>(sum_.Get<float>().GetValue(0));
    }
    return end - others;
  }

  __aicore__ inline bool IsActive(uint32_t token) {
    if (token >= active_) return false;
    if (t_.mask_rank != 2) return true;
    for (uint32_t k = 0; k < t_.top_k; ++k) {
      if (ExpertOf(token * t_.top_k + k) >= 0) return true;
    }
    return false;
  }
  __aicore__ inline uint32_t ActiveBefore(uint32_t token) {
    if (t_.mask_rank != 2) return token < active_ ? token : active_;
    uint32_t count = 0;
    for (uint32_t other = 0; other < token; ++other) count += IsActive(other) ? 1 : 0;
    return count;
  }

  // --- send --------------------------------------------------------------------------------------
  __aicore__ inline void Send() {
    const kernel_common::WorkRange mine =
        kernel_common::ShareOfWork(active_ * t_.top_k, t_.blocks, block_);
    const LocalTensor<int32_t> indices = index_.Get<int32_t>();
    for (uint64_t entry = mine.begin; entry < mine.end; ++entry) {
      const int32_t expert = ExpertOf(static_cast<uint32_t>(entry));
      uint32_t index = 0;
      if (expert >= 0 && static_cast<uint32_t>(expert) < t_.experts) {
        index = CountBefore(static_cast<uint32_t>(entry), static_cast<uint32_t>(expert));
        const uint32_t rank = static_cast<uint32_t>(expert) / t_.rank_experts + t_.shared_ranks;
        SendRow(static_cast<uint32_t>(entry / t_.top_k), static_cast<uint32_t>(entry % t_.top_k),
                rank, static_cast<uint32_t>(expert) % t_.rank_experts, index,
                t_.shared_experts + static_cast<uint32_t>(expert));
      }
      if (t_.by_index != 0) indices.SetValue(entry - mine.begin, static_cast<int32_t>(index));
    }
    if (t_.by_index != 0 && mine.end > mine.begin) {
      Order<HardEvent::S_MTE3>();
      Store(gm_.info, mine.begin, indices, mine.end - mine.begin);
    }
    SendToSharedExperts();
  }

  __aicore__ inline void SendToSharedExperts() {
    if (t_.shared_experts == 0) return;
    const kernel_common::WorkRange mine =
        kernel_common::ShareOfWork(active_ * t_.shared_experts, t_.blocks, t_.blocks - 1 - block_);
    for (uint64_t i = mine.begin; i < mine.end; ++i) {
      const auto token = static_cast<uint32_t>(i / t_.shared_experts);
      const auto shared = static_cast<uint32_t>(i % t_.shared_experts);
      if (!IsActive(token)) continue;
      const uint32_t rank = shared * ranks_per_shared_ + t_.rank % ranks_per_shared_;
      SendRow(token, t_.top_k + shared, rank, 0, ActiveBefore(token), shared);
    }
  }

  __aicore__ inline void SendRow(uint32_t token, uint32_t k, uint32_t rank, uint32_t expert,
                                 uint32_t index, uint32_t scale_row) {
    const GlobalTensor<uint8_t> to =
        At<uint8_t>(ep_.Of(rank), windows_.Row(half_, t_.rank, expert, index));
    const auto bytes = static_cast<uint32_t>(row_bytes_);
    if (t_.quantised != 0) {
      LocalTensor<uint8_t> row = QuantisedRow(token, scale_row);
      out_queue_.EnQue(row);
      row = out_queue_.template DeQue<uint8_t>();
      SetTail(row, token, k);
      Order<HardEvent::S_MTE3>();
      DataCopy(to, row, bytes);  // davsim: allow uninitialised padding goes with its row
      out_queue_.FreeTensor(row);
      return;
    }
    LocalTensor<uint8_t> row = rows_.template AllocTensor<uint8_t>();
    Load(row, gm_.x, uint64_t{token} * t_.width * 2, uint64_t{t_.width} * 2);
    rows_.EnQue(row);
    SetTail(row, token, k);
    row = rows_.template DeQue<uint8_t>();
    Order<HardEvent::S_MTE3>();
    DataCopy(to, row, bytes);  // davsim: allow uninitialised padding goes with its row
    rows_.FreeTensor(row);
  }

  __aicore__ inline LocalTensor<uint8_t> QuantisedRow(uint32_t token, uint32_t scale_row) {
    const LocalTensor<float> numbers = numbers_.Get<float>(), factors = factors_.Get<float>();
    LocalTensor<T> in = in_queue_.template AllocTensor<T>();
    Load(in, gm_.x, uint64_t{token} * t_.width, t_.width);
    if (t_.has_scales != 0) {
      Order<HardEvent::V_MTE2>();  // the last row's absolute values were there
      Load(factors, gm_.scales, uint64_t{scale_row} * t_.width, t_.width);
    }
    in_queue_.EnQue(in);
    in = in_queue_.template DeQue<T>();
    LocalTensor<uint8_t> row = out_queue_.template AllocTensor<uint8_t>();
    Cast(numbers, in, RoundMode::CAST_NONE, t_.width);
    PipeBarrier<PIPE_V>();
    in_queue_.FreeTensor(in);
    if (t_.has_scales != 0) {
      Mul(numbers, numbers, factors, t_.width);
      PipeBarrier<PIPE_V>();
    }
    Abs(factors, numbers, t_.width);
    PipeBarrier<PIPE_V>();
    ReduceMax(sum_.Get<float>(), factors, work_.Get<float>(), static_cast<int32_t>(t_.width));
    Order<HardEvent::V_S>();
    const RowScale scale(sum_.Get<float>().GetValue(0));
    Order<HardEvent::S_V>();
    Muls(numbers, numbers, scale.factor, t_.width);
    PipeBarrier<PIPE_V>();
    kernel_common::RoundToInt8(row.ReinterpretCast<int8_t>(), numbers, halves_.Get<half>(),
                               t_.width);
    PipeBarrier<PIPE_V>();
    row[tail_].template ReinterpretCast<float>().SetValue(0, scale.back);
    return row;
  }

  /// The scalar unit writes the tail when all rows before have arrived, as in public kernels: an
  /// event of MTE3 cannot tell the two buffers apart. So each row waits for the way of the one
  /// before, while it is loaded and quantised.
  __aicore__ inline void SetTail(const LocalTensor<uint8_t>& row, uint32_t token, uint32_t k) {
    Order<HardEvent::MTE3_S>();
    const LocalTensor<int32_t> where = row[tail_ + kOriginAt].template ReinterpretCast<int32_t>();
    where.SetValue(0, static_cast<int32_t>(t_.rank));
    where.SetValue(1, static_cast<int32_t>(token));
    where.SetValue(2, static_cast<int32_t>(k));
    if (t_.has_weights == 0) return;
    const float weight = At<float>(gm_.weights).GetValue(uint64_t{token} * t_.top_k + k);
    row[tail_ + kWeightAt].template ReinterpretCast<float>().SetValue(0, weight);
  }

  /// The words of this block: one for each expert of each rank, whether or not a token goes there.
  __aicore__ inline void CountAll() {
    const uint32_t active = t_.shared_experts > 0 ? ActiveBefore(t_.tokens) : 0;
    const LocalTensor<int32_t> words = word_.Get<int32_t>();
    const auto count = static_cast<int32_t>(announced_.end - announced_.begin);
    if (count == 0) return;
    Duplicate(words, 0, count * 8);  // what follows flag and count travels too
    Order<HardEvent::V_S>();
    for (uint64_t i = announced_.begin; i < announced_.end; ++i) {
      const auto rank = static_cast<uint32_t>(i);
      uint32_t pairs = 0;
      if (i < t_.shared_ranks) {
        pairs = rank % ranks_per_shared_ == t_.rank % ranks_per_shared_ ? active : 0;
      } else {
        pairs = CountBefore(active_ * t_.top_k, rank - t_.shared_ranks);
      }
      const LocalTensor<int32_t> word = words[(i - announced_.begin) * 8];
      word.template ReinterpretCast<float>().SetValue(0, 1.0f);
      word.SetValue(1, static_cast<int32_t>(pairs));
    }
  }
  /// Tells the words to their ranks when all blocks have sent.
  __aicore__ inline void Announce() {
    const LocalTensor<int32_t> words = word_.Get<int32_t>();
    for (uint64_t i = announced_.begin; i < announced_.end; ++i) {
      uint32_t rank = static_cast<uint32_t>(i), expert = 0;
      if (i >= t_.shared_ranks) {
        const auto number = static_cast<uint32_t>(i - t_.shared_ranks);
        rank = t_.shared_ranks + number / t_.rank_experts;
        expert = number % t_.rank_experts;
      }
      DataCopy(
          At<int32_t>(ep_.Of(rank), windows_.Status(half_, uint64_t{expert} * t_.world + t_.rank)),
          words[(i - announced_.begin) * 8], 8);
    }
    Order<HardEvent::MTE3_S>();
  }

  uint32_t entries_, active_ = 0, ranks_per_shared_;
  kernel_common::WorkRange announced_{0, 0};  ///< experts of all ranks that this block announces

  TBuf<TPosition::VECCALC> record_, ids_, piece_, work_, sum_, word_, index_;
  TBuf<TPosition::VECCALC> numbers_, factors_, halves_;
  TQue<TPosition::VECIN, 2> in_queue_;
  TQue<TPosition::VECOUT, 2> out_queue_;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> rows_;
};

}  // namespace moe_distribute
