// The kernel of the gradient of softmax along rows: (gradient - sum(gradient y)) y.
#include "device/row_passes.h"
#include "device/softmax_tiling.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

template <typename In>
class SoftmaxBackward {
 public:
  __aicore__ inline explicit SoftmaxBackward(const SoftmaxTiling& tiling)
      : tiling_(tiling), passes_(tiling.shares) {}

  __aicore__ inline void Init(GM_ADDR gradient, GM_ADDR y, GM_ADDR out) {
    const uint32_t tile = tiling_.shares.tile;
    gradient_in_.Init(pipe_, gradient, tile);
    y_in_.Init(pipe_, y, tile);
    out_.Init(pipe_, out, tile);
    gradient_ = Zeros<float>(pipe_, gradient_buffer_, tile);
    y_ = Zeros<float>(pipe_, y_buffer_, tile);
    passes_.Init(pipe_);
    sum_.Init(pipe_);
  }

  __aicore__ inline void Process() {
    ForTilesOfRows(tiling_.shares, [this](uint64_t row, uint32_t rows) { Rows(row, rows); });
  }

 private:
  __aicore__ inline void Rows(uint64_t row, uint32_t rows) {
    passes_.Total(Arithmetic::kAdd, sum_.Values(), rows, [&](uint64_t at, const RowTile& tile) {
      Read(row, at, tile);
      Mul(passes_.Scratch(), gradient_, y_, tile.Count());
    });
    sum_.Spread(rows);
    passes_.ForParts(rows, [&](uint64_t at, const RowTile& tile) {
      if (!passes_.IsOnePart()) Read(row, at, tile);
      sum_.Apply(Arithmetic::kSub, gradient_, tile);
      Mul(gradient_, gradient_, y_, tile.Count());
      out_.Write(gradient_, row * tiling_.shares.length + at, tiling_.shares.length, tile);
    });
  }

  __aicore__ inline void Read(uint64_t row, uint64_t at, const RowTile& tile) {
    const uint64_t from = row * tiling_.shares.length + at;
    gradient_in_.Read(gradient_, from, tiling_.shares.length, tile);
    y_in_.Read(y_, from, tiling_.shares.length, tile);
  }

  const SoftmaxTiling& tiling_;
  TPipe pipe_;
  RowInput<In> gradient_in_, y_in_;
  RowOutput<In> out_;
  RowPasses passes_;
  RowValues sum_;
  TBuf<QuePosition::VECCALC> gradient_buffer_, y_buffer_;
  LocalTensor<float> gradient_, y_;
};

template <typename In>
__aicore__ inline void Run(GM_ADDR gradient, GM_ADDR y, GM_ADDR out, const SoftmaxTiling& tiling) {
  SoftmaxBackward<In> softmax(tiling);
  softmax.Init(gradient, y, out);
  softmax.Process();
}

}  // namespace

extern "C" __global__ __aicore__ void davsim_softmax_backward(GM_ADDR gradient, GM_ADDR y,
                                                              GM_ADDR out, GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(SoftmaxTiling, tiling, tiling_data);
  ForElement(tiling.in, [&](auto in) { Run<decltype(in)>(gradient, y, out, tiling); });
}
