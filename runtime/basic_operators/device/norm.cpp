// The kernel of norms along rows: RMS, layer and group norms, also of sums.
#include "device/norm_tiling.h"
#include "device/row_passes.h"
#include "device/row_weights.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

struct Addresses {
  GM_ADDR x, second, bias, gamma, beta, y, sum, means, rstd;
};

template <typename In>
class Norm {
 public:
  __aicore__ inline explicit Norm(const NormTiling& tiling)
      : tiling_(tiling), passes_(tiling.shares) {}

  __aicore__ inline void Init(const Addresses& at) {
    const uint32_t tile = tiling_.shares.tile;
    in_.Init(pipe_, at.x, tile);
    if (tiling_.has_second != 0) second_in_.Init(pipe_, at.second, tile);
    if (tiling_.has_bias != 0) bias_.Init(pipe_, at.bias, tile);
    if (tiling_.has_gamma != 0) gamma_.Init(pipe_, at.gamma, tile);
    if (tiling_.has_beta != 0) beta_.Init(pipe_, at.beta, tile);
    if (tiling_.has_sum != 0) sum_out_.Init(pipe_, at.sum, tile);
    if (tiling_.has_means != 0) means_out_.Init(pipe_, at.means, kMostRows);
    if (tiling_.has_rstd != 0) rstd_out_.Init(pipe_, at.rstd, kMostRows);
    out_.Init(pipe_, at.y, tile);
    x_ = Zeros<float>(pipe_, x_buffer_, tile);
    passes_.Init(pipe_);
    means_.Init(pipe_);
    rstd_.Init(pipe_);
  }

  __aicore__ inline void Process() {
    ForTilesOfRows(tiling_.shares, [this](uint64_t row, uint32_t rows) { Rows(row, rows); });
    bias_.Free();
    gamma_.Free();
    beta_.Free();
  }

 private:
  __aicore__ inline void Rows(uint64_t row, uint32_t rows) {
    const LocalTensor<float>& scratch = passes_.Scratch();
    const float part = 1.0f / static_cast<float>(tiling_.shares.length);
    bool is_read = false;
    if (tiling_.centred != 0) {
      passes_.Total(Arithmetic::kAdd, means_.Values(), rows, [&](uint64_t at, const RowTile& tile) {
        Read(row, at, tile, true);
        Adds(scratch, x_, 0.0f, tile.Count());
      });
      Muls(means_.Values(), means_.Values(), part, rows);
      means_.Spread(rows);
      is_read = true;
    }
    const LocalTensor<float>& rstd = rstd_.Values();
    passes_.Total(Arithmetic::kAdd, rstd, rows, [&](uint64_t at, const RowTile& tile) {
      if (!is_read || !passes_.IsOnePart()) Read(row, at, tile, !is_read);
      if (tiling_.centred != 0) means_.Apply(Arithmetic::kSub, x_, tile);
      Mul(scratch, x_, x_, tile.Count());
    });
    Muls(rstd, rstd, part, rows);
    Adds(rstd, rstd, tiling_.epsilon, rows);
    Sqrt(rstd, rstd, rows);
    Duplicate(scratch, 1.0f, rows);
    Div(rstd, scratch, rstd, rows);
    rstd_.Spread(rows);
    if (tiling_.has_means != 0) means_out_.Write(means_.Values(), row, rows, {1, rows, rows});
    if (tiling_.has_rstd != 0) rstd_out_.Write(rstd, row, rows, {1, rows, rows});
    passes_.ForParts(rows, [&](uint64_t at, const RowTile& tile) {
      if (!passes_.IsOnePart()) {
        Read(row, at, tile, false);
        if (tiling_.centred != 0) means_.Apply(Arithmetic::kSub, x_, tile);
      }
      Finish(row, at, tile);
    });
  }

  __aicore__ inline void Finish(uint64_t row, uint64_t at, const RowTile& tile) {
    const uint64_t weights = row % tiling_.weight_rows * tiling_.shares.length + at;
    rstd_.Apply(Arithmetic::kMul, x_, tile);
    if (tiling_.has_gamma != 0) gamma_.Apply(Arithmetic::kMul, x_, weights, tile);
    if (tiling_.has_beta != 0) beta_.Apply(Arithmetic::kAdd, x_, weights, tile);
    out_.Write(x_, Place(row, at), tiling_.shares.length, tile);
  }

  /// x_ = the sum of what is added; `first`: for the first time.
  __aicore__ inline void Read(uint64_t row, uint64_t at, const RowTile& tile, bool first) {
    const uint64_t length = tiling_.shares.length;
    in_.Read(x_, Place(row, at), length, tile);
    if (tiling_.has_second != 0) {
      second_in_.Read(passes_.Scratch(), Place(row, at), length, tile);
      Add(x_, x_, passes_.Scratch(), tile.Count());
    }
    if (tiling_.has_bias != 0) bias_.Apply(Arithmetic::kAdd, x_, at, tile);
    if (tiling_.has_sum != 0 && first) sum_out_.Write(x_, Place(row, at), length, tile);
  }

  __aicore__ inline uint64_t Place(uint64_t row, uint64_t at) const {
    return row * tiling_.shares.length + at;
  }

  const NormTiling& tiling_;
  TPipe pipe_;
  RowInput<In> in_, second_in_;
  RowWeights bias_, gamma_, beta_;
  RowOutput<In> out_, sum_out_;
  RowOutput<float> means_out_, rstd_out_;
  RowPasses passes_;
  RowValues means_, rstd_;
  TBuf<QuePosition::VECCALC> x_buffer_;
  LocalTensor<float> x_;
};

template <typename In>
__aicore__ inline void Run(const Addresses& at, const NormTiling& tiling) {
  Norm<In> norm(tiling);
  norm.Init(at);
  norm.Process();
}

}  // namespace

extern "C" __global__ __aicore__ void davsim_norm(GM_ADDR x, GM_ADDR second, GM_ADDR bias,
                                                  GM_ADDR gamma, GM_ADDR beta, GM_ADDR y,
                                                  GM_ADDR sum, GM_ADDR means, GM_ADDR rstd,
                                                  GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(NormTiling, tiling, tiling_data);
  const Addresses at{x, second, bias, gamma, beta, y, sum, means, rstd};
  ForElement(tiling.in, [&](auto in) { Run<decltype(in)>(at, tiling); });
}
