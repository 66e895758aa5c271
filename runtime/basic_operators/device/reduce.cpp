// The kernel of reductions: a value for each row. Tiles have several rows or a part of one.
#include "device/reduce_tiling.h"
#include "device/rows.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

template <typename In, typename Work>
class Reduce {
 public:
  __aicore__ inline explicit Reduce(const ReduceTiling& tiling) : tiling_(tiling) {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR shift, GM_ADDR out) {
    const RowShares& shares = tiling_.shares;
    in_.Init(pipe_, x, shares.tile);
    x_ = Zeros<Work>(pipe_, x_buffer_, shares.tile);
    values_ = Zeros<Work>(pipe_, values_buffer_, kMostRows);
    reducer_.Init(pipe_, kMostRows);
    out_.Init(pipe_, out, kMostRows);
    if (tiling_.map == ReduceMap::kNotZero || tiling_.map == ReduceMap::kNanToZero) {
      pipe_.InitBuffer(bits_, shares.tile / 8);
    }
    if (HasShift()) {
      shift_in_.Init(pipe_, shift, kMostRows);
      shift_ = Zeros<float>(pipe_, shift_buffer_, kMostRows);
      blocks_ = Zeros<float>(pipe_, blocks_buffer_, kMostRows * kBlockElements);
    }
  }

  __aicore__ inline void Process() {
    ForTilesOfRows(tiling_.shares, [this](uint64_t row, uint32_t rows) { ReduceRows(row, rows); });
  }

 private:
  __aicore__ inline bool HasShift() const {
    return tiling_.map == ReduceMap::kExpOfDifference ||
           tiling_.map == ReduceMap::kSquareOfDifference;
  }

  __aicore__ inline void ReduceRows(uint64_t row, uint32_t rows) {
    const uint64_t part = row % tiling_.parts, whole_row = row / tiling_.parts;
    const uint64_t start = whole_row * tiling_.row + part * tiling_.shares.length;
    const uint64_t length = min(tiling_.shares.length, tiling_.row - part * tiling_.shares.length);
    if (HasShift()) {
      shift_in_.Read(shift_, whole_row, rows, RowTile{1, rows, RoundUp(rows, kRowUnit)});
      Spread(blocks_, shift_, rows);
    }
    LocalTensor<Work> total = out_.Alloc();
    for (uint64_t at = 0; at < length; at += tiling_.shares.tile) {
      const uint32_t columns = min(static_cast<uint64_t>(tiling_.shares.tile), length - at);
      const RowTile tile = TileOf(rows, columns);
      in_.Read(x_, start + at, tiling_.row, tile);
      if constexpr (std::is_same_v<Work, float>) Map(tile);
      reducer_.Run(tiling_.op, at == 0 ? total : values_, x_, tile);
      if (at > 0) CalculateRow(tiling_.op, total, total, values_, false, rows);
    }
    if constexpr (std::is_same_v<Work, float>) {
      if (tiling_.scale != 1) Muls(total, total, tiling_.scale, rows);
    }
    out_.Send(total, row, rows, RowTile{1, rows, rows});
  }

  __aicore__ inline void Map(const RowTile& tile) {
    const uint32_t count = tile.Count();
    switch (tiling_.map) {
      case ReduceMap::kNone:
        return;
      case ReduceMap::kAbs:
        return Abs(x_, x_, count);
      case ReduceMap::kSquare:
        return Mul(x_, x_, x_, count);
      case ReduceMap::kSquareOfDifference:
        Calculate(Arithmetic::kSub, x_, x_, blocks_, Along::kRows, tile);
        return Mul(x_, x_, x_, count);
      case ReduceMap::kExpOfDifference:
        Calculate(Arithmetic::kSub, x_, x_, blocks_, Along::kRows, tile);
        return Exp(x_, x_, count);
      case ReduceMap::kPower:
        Abs(x_, x_, count);
        Ln(x_, x_, count);
        Muls(x_, x_, tiling_.power, count);
        return Exp(x_, x_, count);
      case ReduceMap::kNanToZero:
        Compare(bits_.Get<uint8_t>(), x_, x_, CMPMODE::EQ, tile.WholeRepeats());
        return Select(x_, bits_.Get<uint8_t>(), x_, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
      case ReduceMap::kNotZero:
        // Not NE, which is false for NaN.
        CompareScalar(bits_.Get<uint8_t>(), x_, 0.0f, CMPMODE::EQ, tile.WholeRepeats());
        Duplicate(x_, 0.0f, count);
        return Select(x_, bits_.Get<uint8_t>(), x_, 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    }
  }

  const ReduceTiling& tiling_;
  TPipe pipe_;
  RowInput<In> in_;
  RowInput<float> shift_in_;
  RowOutput<Work> out_;
  RowReducer reducer_;
  TBuf<QuePosition::VECCALC> x_buffer_, values_buffer_, shift_buffer_, blocks_buffer_, bits_;
  LocalTensor<Work> x_, values_;
  LocalTensor<float> shift_, blocks_;
};

template <typename In, typename Work>
__aicore__ inline void Run(GM_ADDR x, GM_ADDR shift, GM_ADDR out, const ReduceTiling& tiling) {
  Reduce<In, Work> reduce(tiling);
  reduce.Init(x, shift, out);
  reduce.Process();
}

}  // namespace

extern "C" __global__ __aicore__ void davsim_reduce(GM_ADDR x, GM_ADDR shift, GM_ADDR out,
                                                    GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(ReduceTiling, tiling, tiling_data);
  if (tiling.whole != 0) return Run<int32_t, int32_t>(x, shift, out, tiling);
  ForElement(tiling.in, [&](auto in) { Run<decltype(in), float>(x, shift, out, tiling); });
}
