// The kernel of pooling: windows are reduced along rows first, and then along columns, which a
// table gathers.
#include "device/convert.h"
#include "device/pool_tiling.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

template <typename T>
class Pool {
 public:
  __aicore__ inline Pool(const PoolTiling& tiling, GM_ADDR from, GM_ADDR to, GM_ADDR tiling_data)
      : tiling_(tiling) {
    from_.SetGlobalBuffer((__gm__ T*)from);
    to_.SetGlobalBuffer((__gm__ T*)to);
    const uint32_t tables = (tiling_.columns + 1) * tiling_.out_pitch;
    pipe_.InitBuffer(in_, 2, tiling_.in_rows * tiling_.pitch * sizeof(T));
    pipe_.InitBuffer(out_, 2, tiling_.rows * tiling_.out_pitch * sizeof(T));
    pipe_.InitBuffer(tables_, 1, tables * sizeof(uint32_t));
    pipe_.InitBuffer(image_, tiling_.in_rows * tiling_.pitch * sizeof(float));
    pipe_.InitBuffer(row_, (tiling_.pitch + kBlock) * sizeof(float));
    pipe_.InitBuffer(gathered_, tiling_.out_pitch * sizeof(float));
    pipe_.InitBuffer(reduced_, tiling_.out_pitch * sizeof(float));
    GlobalTensor<uint32_t> from_tables;
    from_tables.SetGlobalBuffer((__gm__ uint32_t*)(tiling_data + sizeof(PoolTiling)));
    table_ = tables_.AllocTensor<uint32_t>();
    DataCopy(table_, from_tables, tables);
    tables_.EnQue(table_);
    table_ = tables_.DeQue<uint32_t>();
    // Columns of padding lie behind the row.
    Duplicate(row_.Get<float>()[tiling_.pitch], Neutral(), kBlock);
  }

  __aicore__ inline void Process() {
    for (uint64_t tile = GetBlockIdx(); tile < tiling_.tiles; tile += GetBlockNum()) {
      Find(tile);
      CopyIn();
      Compute();
      CopyOut();
    }
    tables_.FreeTensor(table_);
  }

 private:
  static constexpr uint32_t kBlock = 8;

  __aicore__ inline float Neutral() {
    constexpr float kInfinity = __builtin_inff();
    return tiling_.greatest != 0 ? -kInfinity : 0.0f;
  }

  /// The first row of the image that a row of the result is made from; may be one of padding.
  __aicore__ inline int64_t FirstOf(uint64_t row) {
    return static_cast<int64_t>(row * tiling_.step) - tiling_.before;
  }

  __aicore__ inline void Find(uint64_t tile) {
    const uint64_t blocks = (tiling_.out_height + tiling_.rows - 1) / tiling_.rows;
    plane_ = tile / blocks;
    row_at_ = tile % blocks * tiling_.rows;
    rows_ = min(static_cast<uint64_t>(tiling_.rows), tiling_.out_height - row_at_);
    const int64_t height = tiling_.height;
    const int64_t last = FirstOf(row_at_ + rows_ - 1) + (tiling_.window - 1) * tiling_.dilation;
    first_ = max(FirstOf(row_at_), int64_t{0});
    in_rows_ = static_cast<uint32_t>(min(last + 1, height) - first_);
  }

  __aicore__ inline void CopyIn() {
    LocalTensor<T> in = in_.template AllocTensor<T>();
    const auto bytes = static_cast<uint32_t>(tiling_.width * sizeof(T));
    const uint32_t missing = (32 - bytes % 32) % 32 / sizeof(T);
    const uint32_t gap = (tiling_.pitch - tiling_.width - missing) * sizeof(T) / 32;
    DataCopyPad(in, from_[(plane_ * tiling_.height + first_) * tiling_.width],
                DataCopyExtParams{static_cast<uint16_t>(in_rows_), bytes, 0, gap, 0},
                DataCopyPadExtParams<T>{missing != 0, 0, static_cast<uint8_t>(missing), 0});
    in_.EnQue(in);
  }

  __aicore__ inline void Compute() {
    LocalTensor<T> in = in_.template DeQue<T>();
    LocalTensor<T> out = out_.template AllocTensor<T>();
    const LocalTensor<float> image = image_.Get<float>();
    for (uint32_t i = 0; i < in_rows_; ++i) {
      Convert(image[i * tiling_.pitch], in[i * tiling_.pitch], tiling_.width);
    }
    in_.FreeTensor(in);
    for (uint32_t i = 0; i < rows_; ++i) {
      const uint32_t found = ReduceRows(image, row_at_ + i);
      ReduceColumns();
      if (tiling_.greatest == 0) Divide(row_at_ + i, found);
      Convert(out[i * tiling_.out_pitch], reduced_.Get<float>(), tiling_.out_width);
    }
    out_.EnQue(out);
  }

  __aicore__ inline void Reduce(const LocalTensor<float>& to, const LocalTensor<float>& with,
                                uint32_t count) {
    if (tiling_.greatest != 0) {
      Max(to, to, with, count);
    } else {
      Add(to, to, with, count);
    }
  }

  /// Returns how many rows are in the image.
  __aicore__ inline uint32_t ReduceRows(const LocalTensor<float>& image, uint64_t row) {
    const LocalTensor<float> reduced = row_.Get<float>();
    Duplicate(reduced, Neutral(), tiling_.width);
    uint32_t found = 0;
    for (uint32_t i = 0; i < tiling_.window; ++i) {
      const int64_t y = FirstOf(row) + i * tiling_.dilation;
      if (y < 0 || y >= tiling_.height) continue;
      Reduce(reduced, image[static_cast<uint32_t>(y - first_) * tiling_.pitch], tiling_.width);
      ++found;
    }
    return found;
  }

  __aicore__ inline void ReduceColumns() {
    const LocalTensor<float> row = row_.Get<float>(), gathered = gathered_.Get<float>();
    const LocalTensor<float> reduced = reduced_.Get<float>();
    Gather(reduced, row, table_, 0, tiling_.out_width);
    for (uint32_t j = 1; j < tiling_.columns; ++j) {
      Gather(gathered, row, table_[j * tiling_.out_pitch], 0, tiling_.out_width);
      Reduce(reduced, gathered, tiling_.out_width);
    }
  }

  __aicore__ inline void Divide(uint64_t row, uint32_t found) {
    const LocalTensor<float> counts =
        table_[tiling_.columns * tiling_.out_pitch].template ReinterpretCast<float>();
    const int64_t first = FirstOf(row), end = tiling_.height + tiling_.behind;
    int64_t rows = found;
    if (tiling_.counts_padding != 0) rows = min(first + tiling_.window, end) - first;
    if (tiling_.counts_rows == 0) rows = 1;
    const LocalTensor<float> divisors = gathered_.Get<float>();
    Muls(divisors, counts, static_cast<float>(rows), tiling_.out_width);
    Div(reduced_.Get<float>(), reduced_.Get<float>(), divisors, tiling_.out_width);
  }

  __aicore__ inline void CopyOut() {
    LocalTensor<T> out = out_.template DeQue<T>();
    const auto bytes = static_cast<uint32_t>(tiling_.out_width * sizeof(T));
    const uint32_t gap = (tiling_.out_pitch * sizeof(T) - (bytes + 31) / 32 * 32) / 32;
    DataCopyPad(to_[(plane_ * tiling_.out_height + row_at_) * tiling_.out_width], out,
                DataCopyExtParams{static_cast<uint16_t>(rows_), bytes, gap, 0, 0});
    out_.FreeTensor(out);
  }

  const PoolTiling& tiling_;
  GlobalTensor<T> from_, to_;
  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> in_, tables_;
  TQue<QuePosition::VECOUT, 1> out_;
  TBuf<QuePosition::VECCALC> image_, row_, gathered_, reduced_;
  LocalTensor<uint32_t> table_;
  uint64_t plane_ = 0, row_at_ = 0;
  int64_t first_ = 0;
  uint32_t rows_ = 0, in_rows_ = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void davsim_pool(GM_ADDR from, GM_ADDR to, GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(PoolTiling, tiling, tiling_data);
  switch (tiling.element) {
    case PoolElement::kFloat:
      return Pool<float>(tiling, from, to, tiling_data).Process();
    case PoolElement::kHalf:
      return Pool<half>(tiling, from, to, tiling_data).Process();
    case PoolElement::kBfloat:
      return Pool<bfloat16_t>(tiling, from, to, tiling_data).Process();
  }
}
