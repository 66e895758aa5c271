// Converts quantised tensors to tensors of the query's type, once and before everything else,
// because the cube multiplies only one type at a time.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/numbers.h"

namespace kernel_attention {

/// Widens entry by entry; the next one is loaded while this one is computed.
template <typename T>
class WidenRows {
 public:
  __aicore__ inline explicit WidenRows(const AttentionTiling& tiling) : tiling_(tiling) {
    const uint32_t rows = tiling.widen_rows;
    const uint32_t elements = rows * AlignUp(WidestRow(), kBlock);
    const uint32_t numbers = AlignUp(WidestRow() > rows ? WidestRow() : rows, kFloatsPerBlock);
    constexpr uint32_t kRawBytes = 8;  // parameters have up to 64 bits
    uint32_t end = 0;
    const auto take = [&](uint32_t bytes) {
      const uint32_t start = end;
      end += AlignUp(bytes, 32);
      return start;
    };
    for (int32_t i = 0; i < kBuffers; ++i) {
      narrow_[i] = LocalTensor<int8_t>(TPosition::VECCALC, take(elements), elements);
      wide_[i] = LocalTensor<T>(TPosition::VECCALC, take(elements * 2), elements);
      offsets_[i] = LocalTensor<float>(TPosition::VECCALC, take(numbers * kRawBytes), 2 * numbers);
      scales_[i] = LocalTensor<float>(TPosition::VECCALC, take(numbers * kRawBytes), 2 * numbers);
    }
    halves_ = LocalTensor<half>(TPosition::VECCALC, take(elements * 2), elements);
    floats_ = LocalTensor<float>(TPosition::VECCALC, take(elements * 4), elements);
    numbers_ = LocalTensor<float>(TPosition::VECCALC, take(numbers * 4), numbers);
    spread_ = LocalTensor<float>(TPosition::VECCALC, take(AlignUp(rows, 8) * 32), rows * 8);
  }

  /// Entries `first`, `first + step`, ... of the list.
  __aicore__ inline void Process(uint32_t first, uint32_t step) {
    for (int32_t i = 0; i < kBuffers; ++i) {
      SetFlag<HardEvent::V_MTE2>(i);
      SetFlag<HardEvent::MTE3_V>(i);
    }
    Job now, next;
    bool more = first < tiling_.widens;
    if (more) next = Load(first, 0);
    for (uint32_t i = first + step; more; i += step) {
      now = next;
      more = i < tiling_.widens;
      if (more) next = Load(i, 1 - now.buffer);
      Widen(now);
    }
    for (int32_t i = 0; i < kBuffers; ++i) {
      WaitFlag<HardEvent::V_MTE2>(i);
      WaitFlag<HardEvent::MTE3_V>(i);
    }
  }

 private:
  /// Whose events they are, too.
  static constexpr int32_t kBuffers = 2;
  static constexpr uint32_t kBlock = 32;  ///< bytes of a DataBlock

  struct Job {
    AttentionWiden entry;
    int32_t buffer;
  };

  __aicore__ inline uint32_t WidestRow() const {
    uint32_t widest = 0;
    for (const AttentionWidenTensor& tensor : tiling_.widen) {
      widest = tensor.access.width > widest ? tensor.access.width : widest;
    }
    return widest;
  }

  // --- global memory to UB ---------------------------------------------------------------------

  __aicore__ inline Job Load(uint32_t index, int32_t buffer) {
    const Job job = {
        ReadRecord<AttentionWiden>(tiling_.widen_list + uint64_t{index} * sizeof(AttentionWiden)),
        buffer};
    const AttentionWiden& entry = job.entry;
    const AttentionWidenTensor& tensor = tiling_.widen[entry.tensor];
    const AttentionKv& access = tensor.access;
    uint64_t page = 0;
    uint32_t row = entry.first;
    if (access.page_rows != 0) {
      page = static_cast<uint64_t>(
          AtAddress<int32_t>(entry.table).GetValue(entry.first / access.page_rows));
      row = entry.first % access.page_rows;
    }
    WaitFlag<HardEvent::V_MTE2>(buffer);
    const auto from = AtAddress<int8_t>(entry.from + page * access.page_stride);
    LoadRows(narrow_[buffer], access, tensor.bits, from, row, entry.rows);
    // Parameters of rows lie as the pages do, or as the rows of the batch.
    uint64_t at = 0;
    if (tensor.per_row != 0) {
      at = tensor.page_parameters != 0 ? tensor.page_parameters * page + row : entry.first;
    }
    const uint32_t count = tensor.per_row != 0 ? entry.rows : access.width;
    const auto load = [&](const LocalTensor<float>& to, uint64_t address, AttentionNumber type) {
      if (address != 0) LoadRaw(to, address + at * NumberBytes(type), type, count);
    };
    if (tensor.per_row + tensor.per_channel != 0) {
      load(offsets_[buffer], entry.offset, tensor.offset_type);
      load(scales_[buffer], entry.scale, tensor.type);
    }
    SetFlag<HardEvent::MTE2_V>(buffer);
    return job;
  }

  __aicore__ inline void LoadRows(const LocalTensor<int8_t>& to, const AttentionKv& access,
                                  uint32_t bits, const GlobalTensor<int8_t>& from, uint32_t row,
                                  uint32_t rows) {
    if (access.storage == AttentionStorage::kPagedNz) {
      const uint32_t columns = access.width / kBlock;
      DataCopyParams copy;
      copy.blockCount = static_cast<uint16_t>(rows);
      copy.blockLen = 1;
      copy.dstGap = static_cast<uint16_t>(columns - 1);
      for (uint32_t column = 0; column < columns; ++column) {
        DataCopy(to[column * kBlock], from[(uint64_t{column} * access.page_rows + row) * kBlock],
                 copy);
      }
      return;
    }
    DataCopyExtParams copy;
    copy.blockCount = static_cast<uint16_t>(rows);
    copy.blockLen = access.width * bits / 8;
    copy.srcStride = (access.row_elements - access.width) * bits / 8;
    DataCopyPad(to, from[uint64_t{row} * access.row_elements * bits / 8], copy,
                DataCopyPadExtParams<int8_t>());
  }

  // --- compute ---------------------------------------------------------------------------------

  __aicore__ inline void Widen(const Job& job) {
    const AttentionWiden& entry = job.entry;
    const AttentionWidenTensor& tensor = tiling_.widen[entry.tensor];
    const uint32_t count = entry.rows * tensor.access.width;
    const int32_t buffer = job.buffer;
    WaitFlag<HardEvent::MTE2_V>(buffer);
    ToHalves(narrow_[buffer], tensor.bits, entry.rows, tensor.access.width);
    PipeBarrier<PIPE_V>();
    Cast(floats_, halves_, RoundMode::CAST_NONE, count);
    PipeBarrier<PIPE_V>();
    if (entry.offset != 0) {
      WithNumbers<kernel_common::AddOp>(tensor, tensor.offset_type, offsets_[buffer], entry.offset,
                                        entry.rows);
    }
    if (entry.scale != 0) {
      WithNumbers<kernel_common::MulOp>(tensor, tensor.type, scales_[buffer], entry.scale,
                                        entry.rows);
    }
    SetFlag<HardEvent::V_MTE2>(buffer);
    WaitFlag<HardEvent::MTE3_V>(buffer);
    Cast(wide_[buffer], floats_, RoundMode::CAST_RINT, count);
    SetFlag<HardEvent::V_MTE3>(buffer);
    WaitFlag<HardEvent::V_MTE3>(buffer);
    DataCopy(AtAddress<T>(entry.to), wide_[buffer], count);
    SetFlag<HardEvent::MTE3_V>(buffer);
  }

  /// Rows of bytes begin at whole DataBlocks, rows of halves lie behind one another.
  __aicore__ inline void ToHalves(const LocalTensor<int8_t>& from, uint32_t bits, uint32_t rows,
                                  uint32_t width) {
    constexpr uint32_t kLanes = 128;
    if (bits == 4) {
      Cast(halves_, from.template ReinterpretCast<int4b_t>(), RoundMode::CAST_NONE, rows * width);
      return;
    }
    if (width % kBlock == 0) {
      Cast(halves_, from, RoundMode::CAST_NONE, rows * width);
      return;
    }
    const auto to_stride = static_cast<uint8_t>(width * sizeof(half) / kBlock);
    const auto from_stride = static_cast<uint8_t>((width + kBlock - 1) / kBlock);
    for (uint32_t column = 0; column < width; column += kLanes) {
      Cast(halves_[column], from[column], RoundMode::CAST_NONE, min(kLanes, width - column),
           static_cast<uint8_t>(rows), {1, 1, to_stride, from_stride});
    }
  }

  /// Combines rows with one number, which is at `address`, or with one a channel or one a row,
  /// which came as `raw`.
  template <class Op>
  __aicore__ inline void WithNumbers(const AttentionWidenTensor& tensor, AttentionNumber type,
                                     const LocalTensor<float>& raw, uint64_t address,
                                     uint32_t rows) {
    const uint32_t width = tensor.access.width;
    if (tensor.per_row != 0) {
      SpreadRows(spread_, RawAsFloats(numbers_, raw, type, rows), rows);
      WithRowValues<Op>(floats_, width, spread_, rows, width);
      return;
    }
    const kernel_common::Rows<float> data = {floats_, width};
    LocalTensor<float> numbers = numbers_;
    if (tensor.per_channel != 0) {
      numbers = RawAsFloats(numbers_, raw, type, width);
    } else {
      Duplicate(numbers_, ReadNumber(address, type), static_cast<int32_t>(width));
      PipeBarrier<PIPE_V>();
    }
    kernel_common::RowWise<Op>(data, data, kernel_common::SameRow(numbers), rows, width);
    PipeBarrier<PIPE_V>();
  }

  const AttentionTiling& tiling_;
  LocalTensor<int8_t> narrow_[kBuffers];
  LocalTensor<T> wide_[kBuffers];
  LocalTensor<float> offsets_[kBuffers], scales_[kBuffers];  ///< as they came
  LocalTensor<half> halves_;
  LocalTensor<float> floats_, numbers_, spread_;
};

}  // namespace kernel_attention
