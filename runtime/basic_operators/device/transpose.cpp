// The kernel that transposes matrices of elements of 8, 16 and 32 bits, tile by tile, by the vector
// unit's transposition of sixteen DataBlocks.
#include "device/transpose_tiling.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

constexpr uint32_t kBlock = 32;
/// Rows that one instruction transposes.
constexpr uint32_t kGroup = NCHW_CONV_ADDR_LIST_SIZE;

__aicore__ inline uint32_t Rounded(uint32_t bytes) {
  return (bytes + kBlock - 1) / kBlock * kBlock;
}

template <typename T>
class Transposition {
  /// Columns that a DataBlock of a row has.
  static constexpr uint32_t kColumns = kBlock / sizeof(T);

 public:
  __aicore__ inline Transposition(const TransposeTiling& tiling, GM_ADDR from, GM_ADDR to)
      : tiling_(tiling), from_(from + tiling.from_offset), to_(to + tiling.to_offset) {
    pipe_.InitBuffer(in_, 2, kTransposeTile);
    pipe_.InitBuffer(out_, 2, kTransposeTile);
  }

  __aicore__ inline void Process() {
    for (uint64_t tile = GetBlockIdx(); tile < tiling_.tiles; tile += GetBlockNum()) {
      Find(tile);
      CopyIn();
      Transpose();
      CopyOut();
    }
  }

 private:
  __aicore__ inline void Find(uint64_t tile) {
    const uint64_t across = (tiling_.columns + tiling_.tile_columns - 1) / tiling_.tile_columns;
    const uint64_t down = (tiling_.rows + tiling_.tile_rows - 1) / tiling_.tile_rows;
    const uint64_t column = tile % across * tiling_.tile_columns;
    tile /= across;
    const uint64_t row = tile % down * tiling_.tile_rows;
    tile /= down;
    from_at_ = row * tiling_.from_step + column * sizeof(T);
    to_at_ = column * tiling_.to_step + row * sizeof(T);
    for (uint32_t d = tiling_.dims; d-- > 0; tile /= tiling_.size[d]) {
      const int64_t index = static_cast<int64_t>(tile % tiling_.size[d]);
      from_at_ += index * tiling_.from_steps[d];
      to_at_ += index * tiling_.to_steps[d];
    }
    rows_ = min(static_cast<uint64_t>(tiling_.tile_rows), tiling_.rows - row);
    columns_ = min(static_cast<uint64_t>(tiling_.tile_columns), tiling_.columns - column);
  }

  __aicore__ inline void CopyIn() {
    LocalTensor<T> in = in_.template AllocTensor<T>();
    GlobalTensor<T> from;
    from.SetGlobalBuffer((__gm__ T*)(from_ + from_at_));
    const uint32_t bytes = columns_ * sizeof(T);
    const uint32_t gap = rows_ == 1 ? 0 : static_cast<uint32_t>(tiling_.from_step - bytes);
    const auto missing = static_cast<uint8_t>((Rounded(bytes) - bytes) / sizeof(T));
    DataCopyPad(in, from, DataCopyExtParams{static_cast<uint16_t>(rows_), bytes, gap, 0, 0},
                DataCopyPadExtParams<T>{missing != 0, 0, missing, 0});
    in_.EnQue(in);
  }

  __aicore__ inline void Transpose() {
    LocalTensor<T> in = in_.template DeQue<T>();
    LocalTensor<T> out = out_.template AllocTensor<T>();
    for (uint32_t row = 0; row < rows_; row += kGroup) {
      if constexpr (sizeof(T) == 1) {
        TransposeGroup(in, out, row, false);
        TransposeGroup(in, out, row, true);
      } else {
        TransposeGroup(in, out, row, false);
      }
    }
    in_.FreeTensor(in);
    out_.EnQue(out);
  }

  /// Sixteen rows. Of elements of 8 bits an instruction takes a half of each DataBlock, `upper` or
  /// not, and writes one.
  __aicore__ inline void TransposeGroup(const LocalTensor<T>& in, const LocalTensor<T>& out,
                                        uint32_t row, bool upper) {
    // DataBlocks that a column of sixteen rows has.
    constexpr uint32_t kBlocks = kGroup > kColumns ? kGroup / kColumns : 1;
    const uint32_t from_pitch = Rounded(columns_ * sizeof(T)), to_pitch = ToPitch();
    const uint32_t start = row * sizeof(T) / kBlock * kBlock + (upper ? kGroup * to_pitch : 0);
    uint64_t sources[kGroup], targets[kGroup];
    for (uint32_t i = 0; i < kGroup; ++i) {
      // Rows that are missing are the last one again.
      sources[i] = in.GetPhyAddr() + min(row + i, rows_ - 1) * from_pitch;
      targets[i] = out.GetPhyAddr() + start + i / kBlocks * to_pitch + i % kBlocks * kBlock;
    }
    const uint32_t repeats = (columns_ + kColumns - 1) / kColumns;
    // The strides of a single repeat would move its start.
    const TransDataTo5HDParams params(
        row * sizeof(T) % kBlock != 0, upper, static_cast<uint8_t>(repeats),
        repeats == 1 ? 0 : static_cast<uint16_t>(kColumns * to_pitch / kBlock),
        repeats == 1 ? 0 : 1);
    TransDataTo5HD<T>(targets, sources, params);
  }

  /// Whole DataBlocks of whole groups.
  __aicore__ inline uint32_t ToPitch() {
    return Rounded((rows_ + kGroup - 1) / kGroup * kGroup * sizeof(T));
  }

  __aicore__ inline void CopyOut() {
    LocalTensor<T> out = out_.template DeQue<T>();
    GlobalTensor<T> to;
    to.SetGlobalBuffer((__gm__ T*)(to_ + to_at_));
    const uint32_t bytes = rows_ * sizeof(T);
    const uint32_t gap = columns_ == 1 ? 0 : static_cast<uint32_t>(tiling_.to_step - bytes);
    DataCopyPad(to, out,
                DataCopyExtParams{static_cast<uint16_t>(columns_), bytes,
                                  (ToPitch() - Rounded(bytes)) / kBlock, gap, 0});
    out_.FreeTensor(out);
  }

  const TransposeTiling& tiling_;
  const GM_ADDR from_, to_;
  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> in_;
  TQue<QuePosition::VECOUT, 1> out_;
  int64_t from_at_ = 0, to_at_ = 0;
  uint32_t rows_ = 0, columns_ = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void davsim_transpose(GM_ADDR from, GM_ADDR to,
                                                       GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(TransposeTiling, tiling, tiling_data);
  switch (tiling.element) {
    case sizeof(int8_t):
      return Transposition<int8_t>(tiling, from, to).Process();
    case sizeof(int16_t):
      return Transposition<int16_t>(tiling, from, to).Process();
    default:
      return Transposition<int32_t>(tiling, from, to).Process();
  }
}
