// The kernel of softmax and its logarithm along rows.
#include "device/row_passes.h"
#include "device/softmax_tiling.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

template <typename In, typename Out>
class Softmax {
 public:
  __aicore__ inline explicit Softmax(const SoftmaxTiling& tiling)
      : tiling_(tiling), passes_(tiling.shares) {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR out) {
    in_.Init(pipe_, x, tiling_.shares.tile);
    out_.Init(pipe_, out, tiling_.shares.tile);
    x_ = Zeros<float>(pipe_, x_buffer_, tiling_.shares.tile);
    passes_.Init(pipe_);
    greatest_.Init(pipe_);
    sum_.Init(pipe_);
  }

  __aicore__ inline void Process() {
    ForTilesOfRows(tiling_.shares, [this](uint64_t row, uint32_t rows) { Rows(row, rows); });
  }

 private:
  __aicore__ inline void Rows(uint64_t row, uint32_t rows) {
    const LocalTensor<float>& scratch = passes_.Scratch();
    passes_.Total(Arithmetic::kMax, greatest_.Values(), rows,
                  [&](uint64_t at, const RowTile& tile) {
                    Read(row, at, tile);
                    Adds(scratch, x_, 0.0f, tile.Count());
                  });
    greatest_.Spread(rows);
    passes_.Total(Arithmetic::kAdd, sum_.Values(), rows, [&](uint64_t at, const RowTile& tile) {
      if (!passes_.IsOnePart()) Read(row, at, tile);
      Exponentials(tile);
      if (tiling_.logarithm == 0) Adds(scratch, x_, 0.0f, tile.Count());
    });
    if (tiling_.logarithm != 0) Ln(sum_.Values(), sum_.Values(), rows);
    sum_.Spread(rows);
    passes_.ForParts(rows, [&](uint64_t at, const RowTile& tile) {
      if (!passes_.IsOnePart()) {
        Read(row, at, tile);
        Exponentials(tile);
      }
      sum_.Apply(tiling_.logarithm != 0 ? Arithmetic::kSub : Arithmetic::kDiv, x_, tile);
      out_.Write(x_, row * tiling_.shares.length + at, tiling_.shares.length, tile);
    });
  }

  __aicore__ inline void Read(uint64_t row, uint64_t at, const RowTile& tile) {
    in_.Read(x_, row * tiling_.shares.length + at, tiling_.shares.length, tile);
  }

  /// The exponentials of x - max in x_, or where the logarithm is wanted in the scratch tile beside
  /// x - max.
  __aicore__ inline void Exponentials(const RowTile& tile) {
    greatest_.Apply(Arithmetic::kSub, x_, tile);
    Exp(tiling_.logarithm != 0 ? passes_.Scratch() : x_, x_, tile.Count());
  }

  const SoftmaxTiling& tiling_;
  TPipe pipe_;
  RowInput<In> in_;
  RowOutput<Out> out_;
  RowPasses passes_;
  RowValues greatest_, sum_;
  TBuf<QuePosition::VECCALC> x_buffer_;
  LocalTensor<float> x_;
};

template <typename In, typename Out>
__aicore__ inline void Run(GM_ADDR x, GM_ADDR out, const SoftmaxTiling& tiling) {
  Softmax<In, Out> softmax(tiling);
  softmax.Init(x, out);
  softmax.Process();
}

}  // namespace

extern "C" __global__ __aicore__ void davsim_softmax(GM_ADDR x, GM_ADDR out, GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(SoftmaxTiling, tiling, tiling_data);
  ForElement(tiling.in, [&](auto in) {
    using In = decltype(in);
    if (tiling.out == tiling.in) return Run<In, In>(x, out, tiling);
    Run<In, float>(x, out, tiling);
  });
}
