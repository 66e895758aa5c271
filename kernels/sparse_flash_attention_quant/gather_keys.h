// The Feed of sparse attention. It gathers the key rows that a token's list names from the pages
// and dequantises them. Latents and rope part lie beside one another.
#pragma once

#include <type_traits>

#include "kernels/attention/two_pass_stream.h"
#include "kernels/common/row_io.h"
#include "kernels/sparse_flash_attention_quant/sparse_flash_attention_tiling.h"

namespace kernel_sparse_attention {

using namespace AscendC;
using kernel_attention::AtAddress;
using kernel_attention::kFeedEvents;
using kernel_attention::kFloatLanes;
using kernel_attention::kFloatsPerBlock;
using kernel_attention::Step;
using kernel_attention::Workspace;

class GatherKeys {
 public:
  __aicore__ inline GatherKeys(const SparseFlashAttentionTiling& tiling, uint32_t vector_core)
      : cache_(tiling.cache), half_(vector_core) {
    uint32_t end = tiling.attention.ub.feed;
    const auto take = [&](auto& tensor, uint32_t bytes) {
      using T = typename std::remove_reference_t<decltype(tensor)>::PrimType;
      tensor = LocalTensor<T>(TPosition::VECCALC, end, bytes / sizeof(T));
      end += bytes;
    };
    for (uint32_t i = 0; i < kBuffers; ++i) {
      take(narrow_[i], kRows * SparseUb::Latents(Quantised()));
      take(wide_[i], kRows * kSparseLatent * sizeof(bfloat16_t));
      take(rope_[i], kRows * kSparseRope * sizeof(bfloat16_t));
      take(scales_[i], kRows * SparseUb::kScales);
      take(listed_[i], SparseUb::kListed * sizeof(int32_t));
      take(pages_[i], SparseUb::kPages * sizeof(int32_t));
    }
    if (!Quantised()) return;
    take(floats_, kRows * kSparseLatent * sizeof(float));
    take(spread_, kRows * kFloatsPerBlock * SparseUb::kScales);
  }

  __aicore__ inline void Begin() {
    for (const int32_t event : kFeedEvents) {
      SetFlag<HardEvent::V_MTE2>(event);
      SetFlag<HardEvent::MTE3_V>(event);
      SetFlag<HardEvent::MTE3_MTE2>(event);
    }
  }
  __aicore__ inline void End() {
    for (const int32_t event : kFeedEvents) {
      WaitFlag<HardEvent::V_MTE2>(event);
      WaitFlag<HardEvent::MTE3_V>(event);
      WaitFlag<HardEvent::MTE3_MTE2>(event);
    }
  }

  /// The list of the next step comes while the rows of this one do, and its pages with it if they
  /// are others.
  __aicore__ inline void Expect(const Step& step) {
    const GlobalTensor<int32_t> list = AtAddress<int32_t>(step.task.key);
    const auto buffer = static_cast<int32_t>(step.index % kBuffers);
    kernel_common::Load(listed_[buffer], list[step.kv_first], step.columns);
    if (step.task.table != table_) {
      table_ = step.task.table;
      table_buffer_ = 1 - table_buffer_;
      kernel_common::Load(pages_[table_buffer_], AtAddress<int32_t>(table_),
                          min(cache_.pages, SparseUb::kPages));
    }
    table_of_[buffer] = table_buffer_;
    SetFlag<HardEvent::MTE2_S>(buffer);
  }

  /// The two vector cores take pieces in turn; of only one the second has nothing.
  __aicore__ inline uint32_t Pieces(const Step& step) const {
    const uint32_t all = (step.columns + kRows - 1) / kRows;
    return all == 1 ? 1 : (all + 1 - half_) / 2;
  }

  __aicore__ inline void Load(const Step& step, uint32_t piece) {
    const uint32_t list = step.index % kBuffers;
    if (piece == 0) WaitFlag<HardEvent::MTE2_S>(static_cast<int32_t>(list));
    const uint32_t first = FirstRow(piece), rows = RowsFrom(step, first);
    if (rows == 0) return;
    const uint32_t buffer = loaded_++ % kBuffers;
    const int32_t event = kFeedEvents[buffer];
    WaitFlag<HardEvent::V_MTE2>(event);
    WaitFlag<HardEvent::MTE3_MTE2>(event);
    for (uint32_t row = 0; row < rows; ++row) {
      const auto position = static_cast<uint32_t>(listed_[list].GetValue(first + row));
      const uint64_t page = PageAt(step, position / kSparsePage);
      CopyRow(buffer, row, page * kSparsePage + position % kSparsePage);
    }
    SetFlag<HardEvent::MTE2_V>(event);
    SetFlag<HardEvent::MTE2_MTE3>(event);
  }

  __aicore__ inline void Lay(const Step& step, uint32_t piece, const Workspace& workspace) {
    const uint32_t first = FirstRow(piece), rows = RowsFrom(step, first);
    if (rows == 0) return;
    const uint32_t buffer = laid_++ % kBuffers;
    const int32_t event = kFeedEvents[buffer];
    WaitFlag<HardEvent::MTE2_MTE3>(event);
    DataCopy(AtAddress<bfloat16_t>(workspace.RopeRows(step))[first * kSparseRope], rope_[buffer],
             rows * kSparseRope);
    SetFlag<HardEvent::MTE3_MTE2>(event);
    WaitFlag<HardEvent::MTE2_V>(event);
    WaitFlag<HardEvent::MTE3_V>(event);
    Widen(buffer, rows);
    SetFlag<HardEvent::V_MTE2>(event);
    SetFlag<HardEvent::V_MTE3>(event);
    WaitFlag<HardEvent::V_MTE3>(event);
    DataCopy(AtAddress<bfloat16_t>(workspace.Rows(step))[first * kSparseLatent], wide_[buffer],
             rows * kSparseLatent);
    SetFlag<HardEvent::MTE3_V>(event);
  }

 private:
  static constexpr uint32_t kRows = SparseUb::kRows, kBuffers = SparseUb::kBuffers;
  static constexpr uint32_t kScaleFloats = SparseUb::kScales / sizeof(float);
  static constexpr uint32_t kScaleGroup = kSparseLatent / kSparseScales;
  __aicore__ inline bool Quantised() const { return cache_.quantised != 0; }
  __aicore__ inline uint32_t FirstRow(uint32_t piece) const { return (2 * piece + half_) * kRows; }
  __aicore__ static inline uint32_t RowsFrom(const Step& step, uint32_t first) {
    return first < step.columns ? min(kRows, step.columns - first) : 0;
  }

  /// Beyond what UB holds of the table the scalar unit reads it, which no core writes.
  __aicore__ inline uint64_t PageAt(const Step& step, uint32_t index) const {
    if (index < SparseUb::kPages) {
      const uint32_t buffer = table_of_[step.index % kBuffers];
      return static_cast<uint64_t>(pages_[buffer].GetValue(index));
    }
    return static_cast<uint64_t>(AtAddress<int32_t>(step.task.table).GetValue(index));
  }

  __aicore__ inline void CopyRow(uint32_t buffer, uint32_t row, uint64_t from) const {
    const uint64_t latents = from * kSparseLatent;
    if (Quantised()) {
      DataCopy(narrow_[buffer][row * kSparseLatent], AtAddress<int8_t>(cache_.latents)[latents],
               kSparseLatent);
      kernel_common::Load(scales_[buffer][row * kScaleFloats],
                          AtAddress<float>(cache_.scales)[from * kSparseScales], kSparseScales);
    } else {
      DataCopy(narrow_[buffer].ReinterpretCast<bfloat16_t>()[row * kSparseLatent],
               AtAddress<bfloat16_t>(cache_.latents)[latents], kSparseLatent);
    }
    DataCopy(rope_[buffer][row * kSparseRope],
             AtAddress<bfloat16_t>(cache_.rope)[from * kSparseRope], kSparseRope);
  }

  __aicore__ inline void Widen(uint32_t buffer, uint32_t rows) {
    if (Quantised()) {
      Dequantise(wide_[buffer], narrow_[buffer], scales_[buffer], rows);
    } else {
      DataCopy(wide_[buffer], narrow_[buffer].ReinterpretCast<bfloat16_t>(), rows * kSparseLatent);
    }
    PipeBarrier<PIPE_V>();
  }

  /// bf16(value * scale of its quarter of the row), by way of halves where the result goes later.
  __aicore__ inline void Dequantise(const LocalTensor<bfloat16_t>& wide,
                                    const LocalTensor<int8_t>& narrow,
                                    const LocalTensor<float>& scales, uint32_t rows) {
    const LocalTensor<half> halves = wide.ReinterpretCast<half>();
    Cast(halves, narrow, RoundMode::CAST_NONE, rows * kSparseLatent);
    Brcb(spread_, scales, rows, {1, 8});
    PipeBarrier<PIPE_V>();
    Cast(floats_, halves, RoundMode::CAST_NONE, rows * kSparseLatent);
    PipeBarrier<PIPE_V>();
    constexpr uint8_t kRowBlocks = kSparseLatent / kFloatsPerBlock;
    const BinaryRepeatParams scaled(1, 1, 0, kRowBlocks, kRowBlocks, kScaleFloats);
    for (uint32_t column = 0; column < kSparseLatent; column += kFloatLanes) {
      const LocalTensor<float> scale = spread_[column / kScaleGroup * kFloatsPerBlock];
      Mul(floats_[column], floats_[column], scale, kFloatLanes, rows, scaled);
    }
    PipeBarrier<PIPE_V>();
    Cast(wide, floats_, RoundMode::CAST_RINT, rows * kSparseLatent);
  }

  const SparseCache& cache_;
  uint32_t half_;  ///< which of the two vector cores
  uint32_t loaded_ = 0, laid_ = 0;
  uint64_t table_ = 0;  ///< that came last
  uint32_t table_buffer_ = 0;
  uint32_t table_of_[kBuffers] = {};  ///< which buffer of pages the steps use
  LocalTensor<int8_t> narrow_[kBuffers];
  LocalTensor<bfloat16_t> wide_[kBuffers], rope_[kBuffers];
  LocalTensor<float> scales_[kBuffers];
  LocalTensor<int32_t> listed_[kBuffers], pages_[kBuffers];
  LocalTensor<float> floats_, spread_;
};

}  // namespace kernel_sparse_attention
