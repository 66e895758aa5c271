// The kernel that quantises rows to int8.
#include "device/quant_tiling.h"
#include "device/row_passes.h"
#include "device/row_weights.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

constexpr float kLeast = -128, kGreatest = 127;

template <typename T>
class Quant {
 public:
  __aicore__ inline explicit Quant(const QuantTiling& tiling)
      : tiling_(tiling), passes_(tiling.shares) {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR scales, GM_ADDR offsets, GM_ADDR y,
                              GM_ADDR row_scales) {
    const uint32_t tile = tiling_.shares.tile;
    in_.Init(pipe_, x, tile);
    if (tiling_.has_scale != 0) scales_.Init(pipe_, scales, tile);
    if (tiling_.has_offset != 0) offsets_.Init(pipe_, offsets, tile);
    out_.Init(pipe_, y, tile);
    x_ = Zeros<float>(pipe_, x_buffer_, tile);
    passes_.Init(pipe_);
    if (tiling_.is_dynamic != 0) {
      row_scales_.Init(pipe_);
      row_scales_out_.Init(pipe_, row_scales, kMostRows);
    }
  }

  __aicore__ inline void Process() {
    ForTilesOfRows(tiling_.shares, [this](uint64_t row, uint32_t rows) {
      if (tiling_.is_dynamic != 0) FindScales(row, rows);
      passes_.ForParts(rows, [&](uint64_t at, const RowTile& tile) {
        if (tiling_.is_dynamic == 0 || !passes_.IsOnePart()) Read(row, at, tile);
        if (tiling_.is_dynamic != 0) row_scales_.Apply(Arithmetic::kDiv, x_, tile);
        Write(row, at, tile);
      });
    });
    scales_.Free();
    offsets_.Free();
  }

 private:
  /// The greatest elements of rows become 127.
  __aicore__ inline void FindScales(uint64_t row, uint32_t rows) {
    const LocalTensor<float>& scales = row_scales_.Values();
    passes_.Total(Arithmetic::kMax, scales, rows, [&](uint64_t at, const RowTile& tile) {
      Read(row, at, tile);
      Abs(passes_.Scratch(), x_, tile.Count());
    });
    Muls(scales, scales, 1 / kGreatest, rows);
    row_scales_.Spread(rows);
    row_scales_out_.Write(scales, row, rows, RowTile{1, rows, rows});
  }

  __aicore__ inline void Read(uint64_t row, uint64_t at, const RowTile& tile) {
    const uint64_t length = tiling_.shares.length;
    const uint64_t weights = row % tiling_.weight_rows * length + at;
    in_.Read(x_, row * length + at, length, tile);
    if (tiling_.has_scale != 0) scales_.Apply(Arithmetic::kMul, x_, weights, tile);
    if (tiling_.twice != 0) scales_.Apply(Arithmetic::kMul, x_, weights, tile);
    if (tiling_.has_offset != 0) offsets_.Apply(Arithmetic::kAdd, x_, weights, tile);
  }

  __aicore__ inline void Write(uint64_t row, uint64_t at, const RowTile& tile) {
    const uint32_t count = tile.Count();
    Round(count);
    Maxs(x_, x_, kLeast, count);
    Mins(x_, x_, kGreatest, count);
    const LocalTensor<half> between = passes_.Scratch().template ReinterpretCast<half>();
    Cast(between, x_, RoundMode::CAST_RINT, count);
    LocalTensor<int8_t> y = out_.Alloc();
    Cast(y, between, RoundMode::CAST_RINT, count);
    out_.Send(y, row * tiling_.shares.length + at, tiling_.shares.length, tile);
  }

  __aicore__ inline void Round(uint32_t count) {
    switch (tiling_.rounding) {
      case Rounding::kNearest:
        return Cast(x_, x_, RoundMode::CAST_RINT, count);
      case Rounding::kDown:
        return Cast(x_, x_, RoundMode::CAST_FLOOR, count);
      case Rounding::kUp:
        return Cast(x_, x_, RoundMode::CAST_CEIL, count);
      case Rounding::kTowardsZero:
        return Cast(x_, x_, RoundMode::CAST_TRUNC, count);
    }
  }

  const QuantTiling& tiling_;
  TPipe pipe_;
  RowInput<T> in_;
  RowWeights scales_, offsets_;
  RowOutput<int8_t> out_;
  RowOutput<float> row_scales_out_;
  RowPasses passes_;
  RowValues row_scales_;
  TBuf<QuePosition::VECCALC> x_buffer_;
  LocalTensor<float> x_;
};

template <typename T>
__aicore__ inline void Run(GM_ADDR x, GM_ADDR scales, GM_ADDR offsets, GM_ADDR y,
                           GM_ADDR row_scales, const QuantTiling& tiling) {
  Quant<T> quant(tiling);
  quant.Init(x, scales, offsets, y, row_scales);
  quant.Process();
}

}  // namespace

extern "C" __global__ __aicore__ void davsim_quant(GM_ADDR x, GM_ADDR scales, GM_ADDR offsets,
                                                   GM_ADDR y, GM_ADDR row_scales,
                                                   GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(QuantTiling, tiling, tiling_data);
  ForElement(tiling.element,
             [&](auto in) { Run<decltype(in)>(x, scales, offsets, y, row_scales, tiling); });
}
