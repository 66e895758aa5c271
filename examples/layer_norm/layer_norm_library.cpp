// y = layer norm of the rows of a float matrix, by the function LayerNorm of the high-level API.
//
// Blocks take turns with tiles of eight rows. What InitBuffer leaves of UB is LayerNorm's work.
#include "kernel_operator.h"

using namespace AscendC;

namespace {
constexpr uint32_t kTileRows = 8;
}

class LayerNormLibrary {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, uint32_t rows,
                              uint32_t width) {
    x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), uint64_t{rows} * width);
    y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), uint64_t{rows} * width);
    gamma_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(gamma), width);
    beta_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(beta), width);
    rows_ = rows;
    width_ = width;
    pipe_.InitBuffer(in_, 2, kTileRows * width * sizeof(float));
    pipe_.InitBuffer(out_, 2, kTileRows * width * sizeof(float));
    pipe_.InitBuffer(weights_, 1, 2 * width * sizeof(float));
    pipe_.InitBuffer(values_, 2 * 32);
    tiling_.bLength = 1;
    tiling_.hLength = tiling_.originalHLength = width;
  }

  __aicore__ inline void Process() {
    LocalTensor<float> weights = weights_.AllocTensor<float>();
    DataCopy(weights, gamma_, width_);
    DataCopy(weights[width_], beta_, width_);
    weights_.EnQue(weights);
    weights = weights_.DeQue<float>();
    for (uint32_t row = GetBlockIdx() * kTileRows; row < rows_; row += GetBlockNum() * kTileRows) {
      tiling_.sLength = rows_ - row < kTileRows ? rows_ - row : kTileRows;
      CopyIn(row);
      Compute(weights);
      CopyOut(row);
    }
    weights_.FreeTensor(weights);
  }

 private:
  __aicore__ inline void CopyIn(uint32_t row) {
    LocalTensor<float> x = in_.AllocTensor<float>();
    DataCopy(x, x_[uint64_t{row} * width_], tiling_.sLength * width_);
    in_.EnQue(x);
  }

  __aicore__ inline void Compute(const LocalTensor<float>& weights) {
    LocalTensor<float> x = in_.DeQue<float>();
    LocalTensor<float> y = out_.AllocTensor<float>();
    const LocalTensor<float> values = values_.Get<float>();
    LayerNorm<float, false>(y, values, values[8], x, weights, weights[width_], 1e-5f, tiling_);
    in_.FreeTensor(x);
    out_.EnQue(y);
  }

  __aicore__ inline void CopyOut(uint32_t row) {
    LocalTensor<float> y = out_.DeQue<float>();
    DataCopy(y_[uint64_t{row} * width_], y, tiling_.sLength * width_);
    out_.FreeTensor(y);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_;
  TQue<TPosition::VECIN, 1> weights_;
  TQue<TPosition::VECOUT, 2> out_;
  TBuf<TPosition::VECCALC> values_;
  GlobalTensor<float> x_, gamma_, beta_, y_;
  LayerNormTiling tiling_;
  uint32_t rows_ = 0, width_ = 0;
};

/// `width` is a multiple of 8 elements, at most 768.
extern "C" __global__ __aicore__ void layer_norm_library(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta,
                                                         GM_ADDR y, uint32_t rows, uint32_t width) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  LayerNormLibrary op;
  op.Init(x, gamma, beta, y, rows, width);
  op.Process();
}
