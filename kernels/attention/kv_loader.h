// Loads blocks of query, key and value rows from global memory into fractals in L1.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/attention_tiling.h"
#include "kernels/attention/step_walk.h"
#include "kernels/matmul/operand_loads.h"

namespace kernel_attention {

using kernel_matmul::AlignUp;
using kernel_matmul::kC0;
using kernel_matmul::kFractalRows;

/// The place of a block in L1: columns of fractals of `l1_rows` rows each.
template <typename T>
struct L1Block {
  LocalTensor<T> tensor;
  uint32_t l1_rows;
};

/// Moves row-major rows to fractals. The instruction's strides have 16 bits. Rows with a larger
/// stride are moved one by one.
template <typename T>
__aicore__ inline void LoadRows(const L1Block<T>& to, uint32_t to_row, uint32_t to_row_stride,
                                const GlobalTensor<T>& from, uint64_t row_elements, uint32_t rows,
                                uint32_t columns) {
  constexpr uint64_t kMostStride = 65535;
  const bool in_reach = row_elements <= kMostStride;
  Nd2NzParams copy;
  copy.ndNum = 1;
  copy.nValue = static_cast<uint16_t>(in_reach ? rows : 1);
  copy.dValue = static_cast<uint16_t>(columns);
  // For one row the stride has no effect, but it must be legal.
  copy.srcDValue = static_cast<uint16_t>(in_reach && row_elements > 0 ? row_elements : 1);
  copy.dstNzC0Stride = static_cast<uint16_t>(to.l1_rows);
  copy.dstNzNStride = static_cast<uint16_t>(to_row_stride);
  const uint32_t calls = in_reach ? 1 : rows;
  for (uint32_t row = 0; row < calls; ++row) {
    DataCopy(to.tensor[(to_row + row * to_row_stride) * kC0<T>], from[row * row_elements], copy);
  }
}

/// Loads the rows [first, first + rows) and columns [column, column + columns) of a key/value
/// tensor whose head begins at `address` to the rows from 0 on. Each page takes an instruction. If
/// it reads past L2, L2 keeps no lines of them.
template <typename T>
class KvLoader {
 public:
  __aicore__ inline KvLoader(const AttentionKv& kv, uint64_t address, uint64_t table, bool past_l2)
      : kv_(kv), address_(address), past_l2_(past_l2) {
    if (Tabled()) table_ = AtAddress<int32_t>(table);
  }

  __aicore__ inline void Load(const L1Block<T>& to, uint32_t first, uint32_t rows, uint32_t column,
                              uint32_t columns) const {
    if (kv_.page_rows == 0) {
      const GlobalTensor<T> from = From(address_);
      LoadRows(to, 0, 1, from[uint64_t{first} * kv_.row_elements + column], kv_.row_elements, rows,
               columns);
      return;
    }
    for (uint32_t done = 0; done < rows;) {
      const uint32_t row = (first + done) % kv_.page_rows;
      const uint32_t piece = min(rows - done, kv_.page_rows - row);
      const uint32_t index = (first + done) / kv_.page_rows;
      const auto page = Tabled() ? static_cast<uint64_t>(table_.GetValue(index)) : uint64_t{index};
      LoadPiece(to, done, From(address_ + page * kv_.page_stride), row, piece, column, columns);
      done += piece;
    }
  }

 private:
  __aicore__ inline GlobalTensor<T> From(uint64_t address) const {
    GlobalTensor<T> from = AtAddress<T>(address);
    if (past_l2_) from.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    return from;
  }
  __aicore__ inline bool Tabled() const {
    return kv_.storage == AttentionStorage::kPagedRows || kv_.storage == AttentionStorage::kPagedNz;
  }
  /// Loads rows of one page.
  __aicore__ inline void LoadPiece(const L1Block<T>& to, uint32_t to_row,
                                   const GlobalTensor<T>& page, uint32_t row, uint32_t rows,
                                   uint32_t column, uint32_t columns) const {
    if (kv_.storage == AttentionStorage::kPagedRows) {
      LoadRows(to, to_row, 1, page[uint64_t{row} * kv_.row_elements + column], kv_.row_elements,
               rows, columns);
      return;
    }
    DataCopyParams copy;
    copy.blockCount = static_cast<uint16_t>(columns / kC0<T>);
    copy.blockLen = static_cast<uint16_t>(rows);  // a row of a fractal is one DataBlock
    copy.srcGap = static_cast<uint16_t>(kv_.page_rows - rows);
    copy.dstGap = static_cast<uint16_t>(to.l1_rows - rows);
    DataCopy(to.tensor[to_row * kC0<T>], page[uint64_t{column} * kv_.page_rows + row * kC0<T>],
             copy);
  }

  const AttentionKv& kv_;
  uint64_t address_;
  bool past_l2_;
  GlobalTensor<int32_t> table_;
};

/// Loads the columns [column, column + columns) of a task's query rows, head by head. If a task has
/// several heads and several rows, the fewer of the two take an instruction each.
template <typename T>
__aicore__ inline void LoadQuery(const L1Block<T>& to, const AttentionTask& task, uint64_t address,
                                 const AttentionRows& strides, uint32_t column, uint32_t columns) {
  const GlobalTensor<T> from = AtAddress<T>(address)[column];
  const uint32_t heads = task.heads, rows = task.rows;
  if (heads <= rows) {
    for (uint32_t head = 0; head < heads; ++head) {
      LoadRows(to, head * rows, 1, from[head * strides.head], strides.row, rows, columns);
    }
    return;
  }
  for (uint32_t row = 0; row < rows; ++row) {
    LoadRows(to, row, rows, from[row * strides.row], strides.head, heads, columns);
  }
}

}  // namespace kernel_attention
