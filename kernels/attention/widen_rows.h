// Quantised tensors become tensors of the query's type, once and before all else: the cube
// multiplies only one type at a time.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/numbers.h"

namespace kernel_attention {

template <typename T>
class WidenRows {
 public:
  __aicore__ inline explicit WidenRows(const AttentionTiling& tiling) : tiling_(tiling) {
    const uint32_t rows = tiling.widen_rows;
    const uint32_t elements = rows * AlignUp(WidestRow(), kBlock);
    uint32_t end = 0;
    const auto take = [&](uint32_t bytes) {
      const uint32_t start = end;
      end += AlignUp(bytes, 32);
      return start;
    };
    narrow_ = LocalTensor<int8_t>(TPosition::VECCALC, take(elements), elements);
    halves_ = LocalTensor<half>(TPosition::VECCALC, take(elements * 2), elements);
    floats_ = LocalTensor<float>(TPosition::VECCALC, take(elements * 4), elements);
    wide_ = LocalTensor<T>(TPosition::VECCALC, take(elements * 2), elements);
    const uint32_t numbers = WidestRow() > rows ? WidestRow() : rows;
    numbers_ = LocalTensor<float>(TPosition::VECCALC, take(numbers * 4), numbers);
    // Parameters have up to 64 bits.
    staging_ = LocalTensor<half>(TPosition::VECCALC, take(numbers * 8), numbers * 4);
    spread_ = LocalTensor<float>(TPosition::VECCALC, take(AlignUp(rows, 8) * 32), rows * 8);
  }

  /// Entries `first`, `first + step`, ... of the list.
  __aicore__ inline void Process(uint32_t first, uint32_t step) {
    SetFlag<HardEvent::V_MTE2>(kLoaded);
    SetFlag<HardEvent::MTE3_V>(kStoredWide);
    for (uint32_t i = first; i < tiling_.widens; i += step) {
      Widen(ReadRecord<AttentionWiden>(tiling_.widen_list + uint64_t{i} * sizeof(AttentionWiden)));
    }
    WaitFlag<HardEvent::V_MTE2>(kLoaded);
    WaitFlag<HardEvent::MTE3_V>(kStoredWide);
  }

 private:
  static constexpr int32_t kLoaded = 0, kStoredWide = 0;
  static constexpr uint32_t kBlock = 32;  ///< bytes of a DataBlock

  __aicore__ inline uint32_t WidestRow() const {
    uint32_t widest = 0;
    for (const AttentionWidenTensor& tensor : tiling_.widen) {
      widest = tensor.access.width > widest ? tensor.access.width : widest;
    }
    return widest;
  }

  __aicore__ inline void Widen(const AttentionWiden& entry) {
    const AttentionWidenTensor& tensor = tiling_.widen[entry.tensor];
    const AttentionKv& access = tensor.access;
    const uint32_t width = access.width, count = entry.rows * width;
    uint64_t page = 0;
    uint32_t row = entry.first;
    if (access.page_rows != 0) {
      page = static_cast<uint64_t>(
          AtAddress<int32_t>(entry.table).GetValue(entry.first / access.page_rows));
      row = entry.first % access.page_rows;
    }
    WaitFlag<HardEvent::V_MTE2>(kLoaded);
    const auto from = AtAddress<int8_t>(entry.from + page * access.page_stride);
    Load(access, tensor.bits, from, row, entry.rows);
    SetFlag<HardEvent::MTE2_V>(kLoaded);
    WaitFlag<HardEvent::MTE2_V>(kLoaded);
    ToHalves(tensor.bits, entry.rows, width);
    PipeBarrier<PIPE_V>();
    SetFlag<HardEvent::V_MTE2>(kLoaded);
    Cast(floats_, halves_, RoundMode::CAST_NONE, count);
    PipeBarrier<PIPE_V>();
    // Parameters of rows lie as the pages do, or as the rows of the batch.
    const bool in_pages = tensor.page_parameters != 0;
    uint64_t at = 0;
    if (tensor.per_row != 0) at = in_pages ? tensor.page_parameters * page + row : entry.first;
    if (entry.offset != 0) {
      const uint64_t from_offset = entry.offset + at * NumberBytes(tensor.offset_type);
      WithNumbers<kernel_common::AddOp>(tensor, tensor.offset_type, from_offset, entry.rows);
    }
    if (entry.scale != 0) {
      const uint64_t from_scale = entry.scale + at * NumberBytes(tensor.type);
      WithNumbers<kernel_common::MulOp>(tensor, tensor.type, from_scale, entry.rows);
    }
    WaitFlag<HardEvent::MTE3_V>(kStoredWide);
    Cast(wide_, floats_, RoundMode::CAST_RINT, count);
    SetFlag<HardEvent::V_MTE3>(kStoredWide);
    WaitFlag<HardEvent::V_MTE3>(kStoredWide);
    DataCopy(AtAddress<T>(entry.to), wide_, count);
    SetFlag<HardEvent::MTE3_V>(kStoredWide);
  }

  /// Rows of bytes begin at whole DataBlocks, rows of halves lie behind one another.
  __aicore__ inline void ToHalves(uint32_t bits, uint32_t rows, uint32_t width) {
    constexpr uint32_t kLanes = 128;
    if (bits == 4) {
      Cast(halves_, narrow_.template ReinterpretCast<int4b_t>(), RoundMode::CAST_NONE,
           rows * width);
      return;
    }
    if (width % kBlock == 0) {
      Cast(halves_, narrow_, RoundMode::CAST_NONE, rows * width);
      return;
    }
    const auto to_stride = static_cast<uint8_t>(width * sizeof(half) / kBlock);
    const auto from_stride = static_cast<uint8_t>((width + kBlock - 1) / kBlock);
    for (uint32_t column = 0; column < width; column += kLanes) {
      Cast(halves_[column], narrow_[column], RoundMode::CAST_NONE, min(kLanes, width - column),
           static_cast<uint8_t>(rows), {1, 1, to_stride, from_stride});
    }
  }

  __aicore__ inline void Load(const AttentionKv& access, uint32_t bits,
                              const GlobalTensor<int8_t>& from, uint32_t row, uint32_t rows) {
    if (access.storage == AttentionStorage::kPagedNz) {
      const uint32_t columns = access.width / kBlock;
      DataCopyParams copy;
      copy.blockCount = static_cast<uint16_t>(rows);
      copy.blockLen = 1;
      copy.dstGap = static_cast<uint16_t>(columns - 1);
      for (uint32_t column = 0; column < columns; ++column) {
        DataCopy(narrow_[column * kBlock],
                 from[(uint64_t{column} * access.page_rows + row) * kBlock], copy);
      }
      return;
    }
    DataCopyExtParams copy;
    copy.blockCount = static_cast<uint16_t>(rows);
    copy.blockLen = access.width * bits / 8;
    copy.srcStride = (access.row_elements - access.width) * bits / 8;
    DataCopyPad(narrow_, from[uint64_t{row} * access.row_elements * bits / 8], copy,
                DataCopyPadExtParams<int8_t>());
  }

  /// Combines rows with one number, one a channel or one a row.
  template <class Op>
  __aicore__ inline void WithNumbers(const AttentionWidenTensor& tensor, AttentionNumber type,
                                     uint64_t address, uint32_t rows) {
    const uint32_t width = tensor.access.width;
    const kernel_common::Rows<float> data = {floats_, width};
    if (tensor.per_row != 0) {
      LoadNumbers(numbers_, staging_, address, type, rows);
      SpreadRows(spread_, numbers_, rows);
      WithRowValues<Op>(floats_, width, spread_, rows, width);
      return;
    }
    if (tensor.per_channel != 0) {
      LoadNumbers(numbers_, staging_, address, type, width);
    } else {
      Duplicate(numbers_, ReadNumber(address, type), static_cast<int32_t>(width));
      PipeBarrier<PIPE_V>();
    }
    kernel_common::RowWise<Op>(data, data, kernel_common::SameRow(numbers_), rows, width);
    PipeBarrier<PIPE_V>();
  }

  const AttentionTiling& tiling_;
  LocalTensor<int8_t> narrow_;
  LocalTensor<half> halves_, staging_;
  LocalTensor<float> floats_, numbers_, spread_;
  LocalTensor<T> wide_;
};

}  // namespace kernel_attention
