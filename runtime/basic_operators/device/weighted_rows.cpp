// The kernel of weighted sums of rows: out[i] = first[i] + second[i] + the sum over a row's choices
// j of weights[i, j] * (table[rows[i, j]] + biases[groups[i, j]]), in float. A row less than 0 is
// one of zeros. All but table, rows and out may be missing.
#include "device/rows.h"
#include "device/weighted_rows_tiling.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

struct WeightedRowsTensors {
  GM_ADDR table, rows, weights, biases, groups, first, second, out;
};

template <typename T>
class WeightedRows {
 public:
  __aicore__ inline WeightedRows(const WeightedRowsTiling& tiling,
                                 const WeightedRowsTensors& tensors)
      : tiling_(tiling), tensors_(tensors) {}

  __aicore__ inline void Init() {
    // One queue for all tensors: a core has few events for buffers of its queues.
    constexpr uint32_t kBuffers = 4;
    in_.Init(pipe_, tensors_.table, tiling_.tile, kBuffers);
    out_.Init(pipe_, tensors_.out, tiling_.tile);
    pipe_.InitBuffer(numbers_, 2, 3 * kWeightedNumbers * sizeof(int32_t));
    sum_ = Zeros<float>(pipe_, sum_buffer_, tiling_.tile);
    row_ = Zeros<float>(pipe_, row_buffer_, tiling_.tile);
    bias_ = Zeros<float>(pipe_, bias_buffer_, tiling_.tile);
  }

  __aicore__ inline void Process() {
    const uint64_t first = GetBlockIdx() / tiling_.parts * tiling_.share;
    const uint64_t last = min(tiling_.sums, first + tiling_.share);
    const uint64_t start = GetBlockIdx() % tiling_.parts * tiling_.part;
    const uint64_t end = min(tiling_.length, start + tiling_.part);
    const uint64_t at_once = kWeightedNumbers / tiling_.choices;
    for (uint64_t sum = first; sum < last; sum += at_once) {
      const uint64_t sums = min(at_once, last - sum);
      LocalTensor<int32_t> numbers = LoadNumbers(sum * tiling_.choices, sums * tiling_.choices);
      for (uint32_t i = 0; i < sums; ++i) {
        const LocalTensor<int32_t> own = numbers[i * tiling_.choices];
        for (uint64_t at = start; at < end; at += tiling_.tile) {
          const uint64_t columns = min(static_cast<uint64_t>(tiling_.tile), end - at);
          Compute(sum + i, own, at, TileOf(1, columns));
        }
      }
      numbers_.FreeTensor(numbers);
    }
  }

 private:
  /// Rows, and behind them groups and weights.
  __aicore__ inline LocalTensor<int32_t> LoadNumbers(uint64_t from, uint32_t count) {
    LocalTensor<int32_t> numbers = numbers_.AllocTensor<int32_t>();
    const GM_ADDR all[] = {tensors_.rows, tensors_.groups, tensors_.weights};
    for (uint32_t i = 0; i < 3; ++i) {
      if (all[i] == nullptr) continue;
      GlobalTensor<int32_t> gm;
      gm.SetGlobalBuffer((__gm__ int32_t*)all[i] + from);
      const auto bytes = static_cast<uint32_t>(count * sizeof(int32_t));
      DataCopyPad(numbers[i * kWeightedNumbers], gm, DataCopyExtParams{1, bytes, 0, 0, 0},
                  DataCopyPadExtParams<int32_t>{});
    }
    numbers_.EnQue(numbers);
    return numbers_.DeQue<int32_t>();
  }

  __aicore__ inline void Read(const LocalTensor<float>& to, GM_ADDR tensor, uint64_t row,
                              uint64_t at, const RowTile& tile) {
    GlobalTensor<T> gm;
    gm.SetGlobalBuffer((__gm__ T*)tensor + row * tiling_.length + at);
    in_.ReadOf(gm, to, tiling_.length, tile);
  }

  __aicore__ inline void Compute(uint64_t sum, const LocalTensor<int32_t>& numbers, uint64_t at,
                                 const RowTile& tile) {
    if (tensors_.first != nullptr) {
      Read(sum_, tensors_.first, sum, at, tile);
    } else {
      Duplicate(sum_, 0.0f, tile.Count());
    }
    if (tensors_.second != nullptr) {
      Read(row_, tensors_.second, sum, at, tile);
      Add(sum_, sum_, row_, tile.Count());
    }
    for (uint32_t j = 0; j < tiling_.choices; ++j) AddChoice(numbers, j, at, tile);
    out_.Write(sum_, sum * tiling_.length + at, tiling_.length, tile);
  }

  __aicore__ inline void AddChoice(const LocalTensor<int32_t>& numbers, uint32_t j, uint64_t at,
                                   const RowTile& tile) {
    const int32_t row = numbers.GetValue(j);
    const float weight =
        tensors_.weights == nullptr
            ? 1.0f
            : numbers.template ReinterpretCast<float>().GetValue(2 * kWeightedNumbers + j);
    if (row >= 0) Read(row_, tensors_.table, row, at, tile);
    if (tensors_.groups == nullptr) {
      if (row >= 0) Axpy(sum_, row_, weight, tile.Count());
      return;
    }
    Read(bias_, tensors_.biases, numbers.GetValue(kWeightedNumbers + j), at, tile);
    if (row >= 0) Add(bias_, bias_, row_, tile.Count());
    Axpy(sum_, bias_, weight, tile.Count());
  }

  const WeightedRowsTiling& tiling_;
  const WeightedRowsTensors tensors_;
  TPipe pipe_;
  RowInput<T> in_;
  RowOutput<T> out_;
  TQue<QuePosition::VECIN, 2> numbers_;
  TBuf<QuePosition::VECCALC> sum_buffer_, row_buffer_, bias_buffer_;
  LocalTensor<float> sum_, row_, bias_;
};

}  // namespace

extern "C" __global__ __aicore__ void davsim_weighted_rows(GM_ADDR table, GM_ADDR rows,
                                                           GM_ADDR weights, GM_ADDR biases,
                                                           GM_ADDR groups, GM_ADDR first,
                                                           GM_ADDR second, GM_ADDR out,
                                                           GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(WeightedRowsTiling, tiling, tiling_data);
  ForElement(tiling.element, [&](auto element) {
    WeightedRows<decltype(element)> sums(
        tiling, {table, rows, weights, biases, groups, first, second, out});
    sums.Init();
    sums.Process();
  });
}
