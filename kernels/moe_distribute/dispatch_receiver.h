// The receiving half of dispatch: awaits counts, and copies rows from the window to the outputs.
#pragma once

#include "kernels/moe_distribute/dispatch_common.h"
#include "kernels/moe_distribute/wait_times.h"

namespace moe_distribute {

using namespace AscendC;

/// `Waits` is WaitTimes where performance_info is given, NoWaitTimes otherwise.
template <class Waits>
class DispatchReceiver : DispatchCommon {
 public:
  __aicore__ inline DispatchReceiver(const MoeDistributeTiling& tiling, const DispatchBuffers& gm,
                                     TPipe* pipe, uint32_t half, const Waits& times = {})
      : DispatchCommon(tiling, gm, pipe), tp_windows_(tiling), times_(times) {
    if (t_.tp_world > 1) tp_.InitV2(gm.tp_context, nullptr);
    half_ = half;
    words_ = uint64_t{t_.rank < t_.shared_ranks ? 1 : t_.rank_experts} * t_.world;
  }

  __aicore__ inline void Process() {
    InitReceiving();
    Await();
    SyncAll<true>();
    SumUp();
    Receive();
    if (t_.tp_world > 1) Share();
    PipeBarrier<PIPE_ALL>();
    if (words_ > t_.world) SyncAll<true>();
    PutOutTotals();
    if constexpr (Waits::kWanted) times_.PutOut(block_, t_.blocks);
  }

 private:
  // --- receive -----------------------------------------------------------------------------------
  __aicore__ inline void InitReceiving() {
    mine_ = kernel_common::ShareOfWork(words_, t_.blocks, block_);
    const auto mine = static_cast<uint32_t>(mine_.end - mine_.begin);
    pipe_->InitBuffer(record_, 32);
    pipe_->InitBuffer(sums_, static_cast<uint32_t>(AlignUp(t_.blocks * kFlagBytes, 256)));
    pipe_->InitBuffer(work_, 1024);
    pipe_->InitBuffer(sum_, 32);
    pipe_->InitBuffer(word_, static_cast<uint32_t>((mine + 1) * kFlagBytes));
    pipe_->InitBuffer(index_, static_cast<uint32_t>(AlignUp((mine + 1) * 4, 32)));
    pipe_->InitBuffer(rows_, 2, static_cast<uint32_t>(row_bytes_));
    if constexpr (Waits::kWanted) {
      times_.Init(pipe_);
      pipe_->InitBuffer(noted_, static_cast<uint32_t>(AlignUp(mine + 1, 32)));
    }
  }

  /// Waits for the words of this block, clears them, and tells the other blocks their sum.
  __aicore__ inline void Await() {
    const auto count = static_cast<uint32_t>(mine_.end - mine_.begin);
    if (count == 0) return Tell(0);
    const LocalTensor<float> words = word_.Get<float>();
    const GlobalTensor<float> from = At<float>(own_, windows_.Status(half_, mine_.begin));
    uint32_t seen = 0;
    if constexpr (Waits::kWanted) BeginToNote(count);
    while (seen < count) {
      DataCopy(words, from, count * 8);
      Order<HardEvent::MTE2_S>();
      if constexpr (Waits::kWanted) NoteArrivals(words, count);
      while (seen < count && words.GetValue(seen * 8) != 0.0f) ++seen;
      Order<HardEvent::S_MTE2>();
    }
    const LocalTensor<int32_t> counts = index_.Get<int32_t>();
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const int32_t rows = words.ReinterpretCast<int32_t>().GetValue(i * 8 + 1);
      counts.SetValue(i, rows);
      sum += static_cast<uint32_t>(rows);
    }
    Order<HardEvent::S_V>();
    Duplicate(words, 0.0f, count * 8);
    Order<HardEvent::V_MTE3>();
    DataCopy(from, words, count * 8);
    Tell(sum);
  }

  __aicore__ inline void BeginToNote(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) noted_.Get<uint8_t>().SetValue(i, 0);
    times_.Begin();
  }
  /// A rank's counts come when all its rows have.
  __aicore__ inline void NoteArrivals(const LocalTensor<float>& words, uint32_t count) {
    const LocalTensor<uint8_t> noted = noted_.Get<uint8_t>();
    const int32_t waited = times_.SinceBegin();
    for (uint32_t i = 0; i < count; ++i) {
      if (noted.GetValue(i) != 0 || words.GetValue(i * 8) == 0.0f) continue;
      noted.SetValue(i, 1);
      times_.Longest(static_cast<uint32_t>((mine_.begin + i) % t_.world), waited);
    }
  }

  /// Each block has a copy of the sum for itself, on lines that no two blocks share.
  __aicore__ inline void Tell(uint32_t sum) {
    const LocalTensor<float> sums = sums_.Get<float>();
    Duplicate(sums, static_cast<float>(sum), static_cast<int32_t>(t_.blocks * 8));
    Order<HardEvent::V_MTE3>();
    constexpr auto kGap = static_cast<uint16_t>(kApart / 32 - 1);
    DataCopy(At<float>(gm_.workspace, uint64_t{block_} * t_.blocks * kApart), sums,
             DataCopyParams(static_cast<uint16_t>(t_.blocks), 1, 0, kGap));
    PipeBarrier<PIPE_ALL>();
  }
  /// before_ = rows of the words of the blocks before; total_ = all rows.
  __aicore__ inline void SumUp() {
    const auto gap = static_cast<uint16_t>(t_.blocks * kApart / 32 - 1);
    DataCopy(sums_.Get<float>(), At<float>(gm_.workspace, uint64_t{block_} * kApart),
             DataCopyParams(static_cast<uint16_t>(t_.blocks), 1, gap, 0));
    Order<HardEvent::MTE2_V>();
    before_ = SumOfBlocks(block_);
    total_ = SumOfBlocks(t_.blocks);
  }
  /// A sum is there eight times.
  __aicore__ inline uint32_t SumOfBlocks(uint32_t blocks) {
    if (blocks == 0) return 0;
    ReduceSum(sum_.Get<float>(), sums_.Get<float>(), work_.Get<float>(),
              static_cast<int32_t>(blocks * 8));
    Order<HardEvent::V_S>();
    return static_cast<uint32_t>(sum_.Get<float>().GetValue(0)) / 8;
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
    LocalTensor<uint8_t> data = rows_.AllocTensor<uint8_t>();
    // Nobody reads the row again, so that it need not stay in L2.
    GlobalTensor<uint8_t> arrived = At<uint8_t>(own_, from);
    arrived.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    DataCopy(data, arrived, bytes);
    rows_.EnQue(data);
    data = rows_.DeQue<uint8_t>();
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
      Store(gm_.dynamic_scales, row, data[tail_].ReinterpretCast<float>(), 1);
    }
    if (t_.has_weights != 0) {
      Store(gm_.expand_scales, row, data[tail_ + kWeightAt].ReinterpretCast<float>(), 1);
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
      LocalTensor<uint8_t> data = rows_.AllocTensor<uint8_t>();
      DataCopy(data, At<uint8_t>(mine, tp_windows_.Row(0, half_, row)),
               static_cast<uint32_t>(row_bytes_));
      rows_.EnQue(data);
      data = rows_.DeQue<uint8_t>();
      PutRow(data, total_ + row);
      rows_.FreeTensor(data);
    }
    if (count == 0) return;
    Order<HardEvent::MTE3_MTE2>();
    Load(running, mine + tp_windows_.Counts(half_), mine_.begin, count);
    Order<HardEvent::MTE2_MTE3>();
    Store(gm_.ep_counts, words_ + mine_.begin, running, count);
  }

  /// The last block that has words reads where the rows of each expert end, as the others wrote it,
  /// and writes the number of rows: with the scalar unit, a line of the data cache at a time, as in
  /// public kernels.
  __aicore__ inline void PutOutTotals() {
    const uint64_t users = words_ < t_.blocks ? words_ : t_.blocks;
    if (block_ != users - 1) return;
    const GlobalTensor<int32_t> ends = At<int32_t>(gm_.ep_counts);
    GlobalTensor<int64_t> numbers = At<int64_t>(gm_.token_nums);
    uint32_t begin = 0;
    for (uint64_t expert = 0; expert < words_ / t_.world; ++expert) {
      const uint64_t last = expert * t_.world + t_.world - 1;
      if (expert > 0) begin = FreshValue(ends, last - t_.world);
      const uint32_t end = FreshValue(ends, last);
      numbers.SetValue(expert, int64_t{t_.counts_add_up != 0 ? end : end - begin} + other_total_);
      CleanLine(numbers[expert]);
    }
    if (t_.tp_world == 1) return;
    GlobalTensor<int32_t> totals = At<int32_t>(gm_.tp_counts);
    totals.SetValue(t_.tp_rank, static_cast<int32_t>(total_));
    totals.SetValue(1 - t_.tp_rank, static_cast<int32_t>(other_total_));
    CleanLine(totals);
  }
  template <class T>
  __aicore__ inline void CleanLine(const GlobalTensor<T>& of) {
    DataCacheCleanAndInvalid<T, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(of);
  }
  __aicore__ inline uint32_t FreshValue(const GlobalTensor<int32_t>& from, uint64_t at) {
    CleanLine(from[at]);
    return static_cast<uint32_t>(from.GetValue(at));
  }

  TpWindow tp_windows_;
  Waits times_;
  Hccl<HCCL_SERVER_TYPE_AICPU> tp_;
  uint32_t before_ = 0, total_ = 0, other_total_ = 0;
  uint64_t words_, end_ = 0;
  kernel_common::WorkRange mine_{0, 0};

  TBuf<TPosition::VECCALC> record_, sums_, work_, sum_, word_, index_, noted_;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> rows_;
};

}  // namespace moe_distribute
