// Dispatch of a mixture of experts: sends each token to the ranks of its experts.
//
// Each block sends a share of the (token, expert) pairs straight into the windows of their ranks,
// quantised on the way if asked for. When all blocks have sent, each of them announces counts to
// some experts: a word with a flag and a count. It then polls its share of the words of the own
// window, and copies the rows that they promise behind those of the words before.
#include "kernels/common/static_quant.h"
#include "kernels/moe_distribute/routing.h"
#include "kernels/moe_distribute/row_scale.h"

using namespace AscendC;

namespace moe_distribute {
namespace {

struct DispatchBuffers {
  GM_ADDR x, expert_ids, scales, mask, weights, workspace;
  GM_ADDR expand_x, dynamic_scales, info, token_nums, ep_counts, tp_counts, expand_scales;
  GM_ADDR ep_context, tp_context;
};

template <class T>
class Dispatch {
 public:
  __aicore__ inline Dispatch(const MoeDistributeTiling& tiling, const DispatchBuffers& gm,
                             TPipe* pipe)
      : t_(tiling), gm_(gm), pipe_(pipe), windows_(tiling), tp_windows_(tiling) {
    ep_.InitV2(gm.ep_context, nullptr);
    if (t_.tp_world > 1) tp_.InitV2(gm.tp_context, nullptr);
    block_ = static_cast<uint32_t>(GetBlockIdx());
    own_ = ep_.GetWindowsInAddr(t_.rank);
    entries_ = t_.tokens * t_.top_k;
    sent_size_ = t_.quantised != 0 ? 1 : 2;
    tail_ = AlignUp(uint64_t{t_.width} * sent_size_, 32);
    row_bytes_ = tail_ + (t_.has_weights != 0 ? kTailBytes : kWeightAt);
    ranks_per_shared_ = t_.shared_experts > 0 ? t_.shared_ranks / t_.shared_experts : 1;
    local_experts_ = t_.rank < t_.shared_ranks ? 1 : t_.rank_experts;
    words_ = uint64_t{local_experts_} * t_.world;
  }

  __aicore__ inline void Process() {
    InitSending();
    half_ = TakeTurn(record_.Get<int32_t>(), own_, 0, block_);
    LoadRouting();
    Send();
    SyncAll<true>();
    Announce();
    PipeBarrier<PIPE_ALL>();
    pipe_->Reset();
    InitReceiving();
    Await();
    SyncAll<true>();
    SumUp();
    Receive();
    if (t_.tp_world > 1) Share();
    PutOutTotals();
  }

 private:
  // --- who gets what -----------------------------------------------------------------------------
  __aicore__ inline void InitSending() {
    const auto row = static_cast<uint32_t>(row_bytes_);
    const uint32_t wide = static_cast<uint32_t>(AlignUp(t_.width, 128));
    pipe_->InitBuffer(record_, 32);
    pipe_->InitBuffer(ids_, static_cast<uint32_t>(AlignUp(uint64_t{entries_} * 4, 256)));
    pipe_->InitBuffer(piece_, kPiece * 4);
    pipe_->InitBuffer(work_, 1024);
    pipe_->InitBuffer(sum_, 32);
    pipe_->InitBuffer(word_, 2 * kFlagBytes);
    pipe_->InitBuffer(index_, kPiece * 4);
    if (t_.quantised != 0) {
      pipe_->InitBuffer(in_queue_, 2, wide * 2);
      pipe_->InitBuffer(out_queue_, 2, row);
      pipe_->InitBuffer(numbers_, wide * 4);
      pipe_->InitBuffer(factors_, wide * 4);
      pipe_->InitBuffer(halves_, wide * 2);
    } else {
      pipe_->InitBuffer(rows_, 2, row);
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
        At<uint8_t>(ep_.GetWindowsInAddr(rank), windows_.Row(half_, t_.rank, expert, index));
    const auto bytes = static_cast<uint32_t>(row_bytes_);
    if (t_.quantised != 0) {
      LocalTensor<uint8_t> row = QuantisedRow(token, scale_row);
      SetTail(row, token, k);
      out_queue_.EnQue(row);
      row = out_queue_.template DeQue<uint8_t>();
      Order<HardEvent::S_MTE3>();
      DataCopy(to, row, bytes);
      out_queue_.FreeTensor(row);
      return;
    }
    LocalTensor<uint8_t> row = rows_.template AllocTensor<uint8_t>();
    Load(row, gm_.x, uint64_t{token} * t_.width * 2, uint64_t{t_.width} * 2);
    Order<HardEvent::MTE2_S>();  // the tail of the row before has left the buffer
    SetTail(row, token, k);
    rows_.EnQue(row);
    row = rows_.template DeQue<uint8_t>();
    Order<HardEvent::S_MTE3>();
    DataCopy(to, row, bytes);
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

  __aicore__ inline void SetTail(const LocalTensor<uint8_t>& row, uint32_t token, uint32_t k) {
    const LocalTensor<int32_t> where = row[tail_ + kOriginAt].template ReinterpretCast<int32_t>();
    where.SetValue(0, static_cast<int32_t>(t_.rank));
    where.SetValue(1, static_cast<int32_t>(token));
    where.SetValue(2, static_cast<int32_t>(k));
    if (t_.has_weights == 0) return;
    const float weight = At<float>(gm_.weights).GetValue(uint64_t{token} * t_.top_k + k);
    row[tail_ + kWeightAt].template ReinterpretCast<float>().SetValue(0, weight);
  }

  /// A word for each expert of each rank, whether or not a token goes there.
  __aicore__ inline void Announce() {
    const uint32_t active = t_.shared_experts > 0 ? ActiveBefore(t_.tokens) : 0;
    const kernel_common::WorkRange mine =
        kernel_common::ShareOfWork(t_.shared_ranks + t_.experts, t_.blocks, block_);
    const LocalTensor<int32_t> word = word_.Get<int32_t>();
    for (uint64_t i = mine.begin; i < mine.end; ++i) {
      uint32_t rank = static_cast<uint32_t>(i), expert = 0, count = 0;
      if (i < t_.shared_ranks) {
        count = rank % ranks_per_shared_ == t_.rank % ranks_per_shared_ ? active : 0;
      } else {
        const auto number = static_cast<uint32_t>(i - t_.shared_ranks);
        rank = t_.shared_ranks + number / t_.rank_experts;
        expert = number % t_.rank_experts;
        count = CountBefore(active_ * t_.top_k, number);
      }
      Order<HardEvent::MTE3_S>();
      word.template ReinterpretCast<float>().SetValue(0, 1.0f);
      word.SetValue(1, static_cast<int32_t>(count));
      Order<HardEvent::S_MTE3>();
      DataCopy(At<int32_t>(ep_.GetWindowsInAddr(rank),
                           windows_.Status(half_, uint64_t{expert} * t_.world + t_.rank)),
               word, 8);
    }
  }

  // --- receive -----------------------------------------------------------------------------------
  __aicore__ inline void InitReceiving() {
    mine_ = kernel_common::ShareOfWork(words_, t_.blocks, block_);
    const auto mine = static_cast<uint32_t>(mine_.end - mine_.begin);
    const auto all = static_cast<uint32_t>(AlignUp(words_ * 4, 256));
    pipe_->InitBuffer(record_, 32);
    pipe_->InitBuffer(ids_, all);
    pipe_->InitBuffer(piece_, all);
    pipe_->InitBuffer(work_, 1024);
    pipe_->InitBuffer(sum_, 32);
    pipe_->InitBuffer(word_, static_cast<uint32_t>((mine + 1) * kFlagBytes));
    pipe_->InitBuffer(index_, static_cast<uint32_t>(AlignUp((mine + 1) * 4, 32)));
    pipe_->InitBuffer(rows_, 2, static_cast<uint32_t>(row_bytes_));
  }

  /// Waits for the words of this block, clears them, and tells the other blocks their counts.
  __aicore__ inline void Await() {
    const auto count = static_cast<uint32_t>(mine_.end - mine_.begin);
    if (count == 0) return;
    const LocalTensor<float> words = word_.Get<float>();
    const GlobalTensor<float> from = At<float>(own_, windows_.Status(half_, mine_.begin));
    uint32_t seen = 0;
    while (seen < count) {
      DataCopy(words, from, count * 8);
      Order<HardEvent::MTE2_S>();
      while (seen < count && words.GetValue(seen * 8) != 0.0f) ++seen;
      Order<HardEvent::S_MTE2>();
    }
    const LocalTensor<int32_t> counts = index_.Get<int32_t>();
    for (uint32_t i = 0; i < count; ++i) {
      counts.SetValue(i, words.template ReinterpretCast<int32_t>().GetValue(i * 8 + 1));
    }
    Order<HardEvent::S_MTE3>();
    Store(gm_.workspace, mine_.begin, counts, count);
    Order<HardEvent::S_V>();
    Duplicate(words, 0.0f, count * 8);
    Order<HardEvent::V_MTE3>();
    DataCopy(from, words, count * 8);
  }

  /// before_ = rows of the words before this block's; total_ = all rows.
  __aicore__ inline void SumUp() {
    const LocalTensor<int32_t> counts = ids_.Get<int32_t>();
    Load(counts, gm_.workspace, 0, words_);
    Order<HardEvent::MTE2_V>();
    Cast(piece_.Get<float>(), counts, RoundMode::CAST_RINT, static_cast<int32_t>(words_));
    PipeBarrier<PIPE_V>();
    before_ = SumOfFirst(mine_.begin);
    total_ = SumOfFirst(words_);
  }
  __aicore__ inline uint32_t SumOfFirst(uint64_t words) {
    if (words == 0) return 0;
    ReduceSum(sum_.Get<float>(), piece_.Get<float>(), work_.Get<float>(),
              static_cast<int32_t>(words));
    Order<HardEvent::V_S>();
    return static_cast<uint32_t>(sum_.Get<float>().GetValue(0));
  }

  __aicore__ inline void Receive() {
    const LocalTensor<int32_t> counts = index_.Get<int32_t>();
    Order<HardEvent::MTE3_S>();
    uint64_t row = before_;
    for (uint64_t word = mine_.begin; word < mine_.end; ++word) {
      const auto count = static_cast<uint32_t>(counts.GetValue(word - mine_.begin));
      for (uint32_t i = 0; i < count; ++i) {
        TakeRow(windows_.Row(half_, word % t_.world, word / t_.world, i), row + i);
      }
      row += count;
      counts.SetValue(word - mine_.begin, static_cast<int32_t>(row));
    }
    end_ = row;
    if (mine_.end == mine_.begin) return;
    Order<HardEvent::S_MTE3>();
    Store(gm_.ep_counts, mine_.begin, counts, mine_.end - mine_.begin);
  }

  /// Copies a row of the own window, and hands it on to the other rank of the tensor-parallel
  /// group.
  __aicore__ inline void TakeRow(uint64_t from, uint64_t row) {
    const auto bytes = static_cast<uint32_t>(row_bytes_);
    LocalTensor<uint8_t> data = rows_.template AllocTensor<uint8_t>();
    DataCopy(data, At<uint8_t>(own_, from), bytes);
    rows_.EnQue(data);
    data = rows_.template DeQue<uint8_t>();
    PutRow(data, row);
    if (t_.by_index == 0)
      Store(gm_.info, row * 3, data[tail_ + kOriginAt].ReinterpretCast<int32_t>(), 3);
    if (t_.tp_world > 1) {
      DataCopy(At<uint8_t>(tp_.GetWindowsInAddr(1 - t_.tp_rank), tp_windows_.Row(0, half_, row)),
               data, bytes);
    }
    rows_.FreeTensor(data);
  }
  __aicore__ inline void PutRow(const LocalTensor<uint8_t>& data, uint64_t row) {
    const uint64_t bytes = uint64_t{t_.width} * sent_size_;
    Store(gm_.expand_x, row * bytes, data, bytes);
    if (t_.quantised != 0) {
      Store(gm_.dynamic_scales, row, data[tail_].template ReinterpretCast<float>(), 1);
    }
    if (t_.has_weights != 0) {
      Store(gm_.expand_scales, row, data[tail_ + kWeightAt].template ReinterpretCast<float>(), 1);
    }
  }

  // --- the tensor-parallel group -----------------------------------------------------------------
  /// The rows of the other rank go behind the own ones. Blocks with the same number work together:
  /// both ranks have equally many words.
  __aicore__ inline void Share() {
    GM_ADDR const theirs = tp_.GetWindowsInAddr(1 - t_.tp_rank);
    GM_ADDR const mine = tp_.GetWindowsInAddr(t_.tp_rank);
    const auto count = static_cast<uint32_t>(mine_.end - mine_.begin);
    const LocalTensor<int32_t> running = index_.Get<int32_t>();
    const LocalTensor<int32_t> word = record_.Get<int32_t>();
    if (count > 0) Store(theirs + tp_windows_.Counts(half_), mine_.begin, running, count);
    PipeBarrier<PIPE_MTE3>();
    word.SetValue(0, 1);
    word.SetValue(1, static_cast<int32_t>(before_));
    word.SetValue(2, static_cast<int32_t>(end_));
    word.SetValue(3, static_cast<int32_t>(total_));
    Order<HardEvent::S_MTE3>();
    DataCopy(At<int32_t>(theirs, tp_windows_.Flag(0, half_, block_)), word, 8);
    Order<HardEvent::MTE3_MTE2>();
    const GlobalTensor<int32_t> flag = At<int32_t>(mine, tp_windows_.Flag(0, half_, block_));
    bool there = false;
    while (!there) {
      DataCopy(word, flag, 8);
      Order<HardEvent::MTE2_S>();
      there = word.GetValue(0) != 0;
      Order<HardEvent::S_MTE2>();
    }
    const auto first = static_cast<uint32_t>(word.GetValue(1));
    const auto end = static_cast<uint32_t>(word.GetValue(2));
    other_total_ = static_cast<uint32_t>(word.GetValue(3));
    word.SetValue(0, 0);
    Order<HardEvent::S_MTE3>();
    DataCopy(flag, word, 8);
    for (uint64_t row = first; row < end; ++row) {
      LocalTensor<uint8_t> data = rows_.template AllocTensor<uint8_t>();
      DataCopy(data, At<uint8_t>(mine, tp_windows_.Row(0, half_, row)),
               static_cast<uint32_t>(row_bytes_));
      rows_.EnQue(data);
      data = rows_.template DeQue<uint8_t>();
      PutRow(data, total_ + row);
      rows_.FreeTensor(data);
    }
    if (count == 0) return;
    Order<HardEvent::MTE3_MTE2>();
    Load(running, mine + tp_windows_.Counts(half_), mine_.begin, count);
    Order<HardEvent::MTE2_MTE3>();
    Store(gm_.ep_counts, words_ + mine_.begin, running, count);
  }

  /// The block that has an expert's last word knows where its rows end.
  __aicore__ inline void PutOutTotals() {
    const LocalTensor<int32_t> running = index_.Get<int32_t>();
    const LocalTensor<int64_t> number = word_.Get<int64_t>();
    for (uint64_t word = mine_.begin; word < mine_.end; ++word) {
      if (word % t_.world != t_.world - 1) continue;
      const uint64_t expert = word / t_.world;
      const uint64_t begin = SumOfFirst(expert * t_.world);
      const uint64_t end = SumOfFirst(word + 1);
      Order<HardEvent::MTE3_S>();
      number.SetValue(0, static_cast<int64_t>(t_.counts_add_up != 0 ? end : end - begin) +
                             static_cast<int64_t>(other_total_));
      Order<HardEvent::S_MTE3>();
      Store(gm_.token_nums, expert, number, 1);
      if (t_.tp_world == 1) continue;
      Order<HardEvent::MTE3_S>();
      running.SetValue(t_.tp_rank, static_cast<int32_t>(total_));
      running.SetValue(1 - t_.tp_rank, static_cast<int32_t>(other_total_));
      Order<HardEvent::S_MTE3>();
      Store(gm_.tp_counts, 0, running, 2);
    }
  }

  const MoeDistributeTiling t_;
  const DispatchBuffers gm_;
  TPipe* pipe_;
  EpWindow windows_;
  TpWindow tp_windows_;
  Hccl<HCCL_SERVER_TYPE_AICPU> ep_, tp_;
  GM_ADDR own_;
  uint32_t block_, half_ = 0, entries_, active_ = 0, sent_size_, ranks_per_shared_, local_experts_;
  uint32_t before_ = 0, total_ = 0, other_total_ = 0;
  uint64_t tail_, row_bytes_, words_, end_ = 0;
  kernel_common::WorkRange mine_{0, 0};

  TBuf<TPosition::VECCALC> record_, ids_, piece_, work_, sum_, word_, index_;
  TBuf<TPosition::VECCALC> numbers_, factors_, halves_;
  TQue<TPosition::VECIN, 2> in_queue_;
  TQue<TPosition::VECOUT, 2> out_queue_;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> rows_;
};

}  // namespace
}  // namespace moe_distribute

extern "C" __global__ __aicore__ void moe_distribute_dispatch(
    GM_ADDR x, GM_ADDR expert_ids, GM_ADDR scales, GM_ADDR mask, GM_ADDR weights, GM_ADDR workspace,
    GM_ADDR expand_x, GM_ADDR dynamic_scales, GM_ADDR info, GM_ADDR token_nums, GM_ADDR ep_counts,
    GM_ADDR tp_counts, GM_ADDR expand_scales, GM_ADDR ep_context, GM_ADDR tp_context,
    MoeDistributeTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  const moe_distribute::DispatchBuffers gm = {
      x,    expert_ids, scales,    mask,      weights,       workspace,  expand_x,  dynamic_scales,
      info, token_nums, ep_counts, tp_counts, expand_scales, ep_context, tp_context};
  if (tiling.bfloat16 != 0) {
    moe_distribute::Dispatch<bfloat16_t>(tiling, gm, &pipe).Process();
  } else {
    moe_distribute::Dispatch<half>(tiling, gm, &pipe).Process();
  }
}
