// The kernel that rearranges elements within UB: it loads what a tile is made from, and gathers the
// tile's elements by a table that is the same for all tiles.
#include "device/rearrange_tiling.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

template <typename T>
class Rearrange {
 public:
  __aicore__ inline Rearrange(const RearrangeTiling& tiling, GM_ADDR tiling_data, GM_ADDR from,
                              GM_ADDR to)
      : tiling_(tiling), from_(from + tiling.from_offset), to_(to + tiling.to_offset) {
    pipe_.InitBuffer(in_, 2, kRearrangeSpan);
    pipe_.InitBuffer(out_, 2, kRearrangeCount * sizeof(T));
    pipe_.InitBuffer(tables_, 1, kRearrangeCount * sizeof(uint32_t));
    GlobalTensor<uint32_t> from_table;
    from_table.SetGlobalBuffer((__gm__ uint32_t*)(tiling_data + sizeof(RearrangeTiling)));
    table_ = tables_.AllocTensor<uint32_t>();
    const auto bytes = static_cast<uint32_t>(tiling_.tile * tiling_.count * sizeof(uint32_t));
    DataCopyPad(table_, from_table, DataCopyExtParams{1, bytes, 0, 0, 0},
                DataCopyPadExtParams<uint32_t>{});
    tables_.EnQue(table_);
    table_ = tables_.DeQue<uint32_t>();
  }

  __aicore__ inline void Process() {
    for (uint64_t tile = GetBlockIdx(); tile < tiling_.tiles; tile += GetBlockNum()) {
      Find(tile);
      CopyIn();
      LocalTensor<T> in = in_.template DeQue<T>();
      LocalTensor<T> out = out_.template AllocTensor<T>();
      const uint32_t count = rows_ * tiling_.count;
      Gather(out, in, table_, 0, count);
      in_.FreeTensor(in);
      out_.EnQue(out);
      out = out_.template DeQue<T>();
      GlobalTensor<T> to;
      to.SetGlobalBuffer((__gm__ T*)(to_ + to_at_));
      const auto bytes = static_cast<uint32_t>(count * sizeof(T));
      DataCopyPad(to, out, DataCopyExtParams{1, bytes, 0, 0, 0});
      out_.FreeTensor(out);
    }
    tables_.FreeTensor(table_);
  }

 private:
  __aicore__ inline void Find(uint64_t tile) {
    const uint64_t blocks = (tiling_.rows + tiling_.tile - 1) / tiling_.tile;
    const uint64_t row = tile % blocks * tiling_.tile;
    tile /= blocks;
    rows_ = min(static_cast<uint64_t>(tiling_.tile), tiling_.rows - row);
    // The first byte of the tile's spans is that of its last row where rows go backwards.
    const uint64_t lowest = tiling_.from_step < 0 ? row + rows_ - 1 : row;
    from_at_ = static_cast<int64_t>(lowest) * tiling_.from_step;
    to_at_ = row * tiling_.count * sizeof(T);
    for (uint32_t d = tiling_.dims; d-- > 0; tile /= tiling_.size[d]) {
      const int64_t index = static_cast<int64_t>(tile % tiling_.size[d]);
      from_at_ += index * tiling_.from_steps[d];
      to_at_ += index * tiling_.to_steps[d];
    }
  }

  __aicore__ inline void CopyIn() {
    LocalTensor<T> in = in_.template AllocTensor<T>();
    GlobalTensor<T> from;
    from.SetGlobalBuffer((__gm__ T*)(from_ + from_at_));
    const int64_t step = tiling_.from_step < 0 ? -tiling_.from_step : tiling_.from_step;
    if (tiling_.apart != 0) {
      const uint32_t gap = rows_ == 1 ? 0 : static_cast<uint32_t>(step - tiling_.span);
      DataCopyPad(in, from,
                  DataCopyExtParams{static_cast<uint16_t>(rows_), tiling_.span, gap, 0, 0},
                  DataCopyPadExtParams<T>{});
    } else {
      const auto bytes = static_cast<uint32_t>((rows_ - 1) * step + tiling_.span);
      DataCopyPad(in, from, DataCopyExtParams{1, bytes, 0, 0, 0}, DataCopyPadExtParams<T>{});
    }
    in_.EnQue(in);
  }

  const RearrangeTiling& tiling_;
  const GM_ADDR from_, to_;
  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> in_, tables_;
  TQue<QuePosition::VECOUT, 1> out_;
  LocalTensor<uint32_t> table_;
  int64_t from_at_ = 0, to_at_ = 0;
  uint32_t rows_ = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void davsim_rearrange(GM_ADDR from, GM_ADDR to,
                                                       GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(RearrangeTiling, tiling, tiling_data);
  if (tiling.element == sizeof(uint16_t)) {
    Rearrange<uint16_t>(tiling, tiling_data, from, to).Process();
  } else {
    Rearrange<uint32_t>(tiling, tiling_data, from, to).Process();
  }
}
