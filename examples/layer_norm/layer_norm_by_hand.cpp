// y = layer norm of the rows of a float matrix, one row after the other, with the mean and the
// deviation of a row as scalars.
#include "kernel_operator.h"

using namespace AscendC;

class LayerNormByHand {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, uint32_t rows,
                              uint32_t width) {
    x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), uint64_t{rows} * width);
    y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), uint64_t{rows} * width);
    gamma_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(gamma), width);
    beta_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(beta), width);
    rows_ = rows;
    width_ = width;
    pipe_.InitBuffer(in_, 2, width * sizeof(float));
    pipe_.InitBuffer(out_, 2, width * sizeof(float));
    pipe_.InitBuffer(weights_, 1, 2 * width * sizeof(float));
    pipe_.InitBuffer(work_, width * sizeof(float));
    pipe_.InitBuffer(scalar_, 32);
  }

  __aicore__ inline void Process() {
    LocalTensor<float> weights = weights_.AllocTensor<float>();
    DataCopy(weights, gamma_, width_);
    DataCopy(weights[width_], beta_, width_);
    weights_.EnQue(weights);
    weights = weights_.DeQue<float>();
    for (uint32_t row = GetBlockIdx(); row < rows_; row += GetBlockNum()) {
      LocalTensor<float> x = in_.AllocTensor<float>();
      DataCopy(x, x_[uint64_t{row} * width_], width_);
      in_.EnQue(x);
      Compute(weights);
      LocalTensor<float> y = out_.DeQue<float>();
      DataCopy(y_[uint64_t{row} * width_], y, width_);
      out_.FreeTensor(y);
    }
    weights_.FreeTensor(weights);
  }

 private:
  __aicore__ inline void Compute(const LocalTensor<float>& weights) {
    LocalTensor<float> x = in_.DeQue<float>();
    LocalTensor<float> y = out_.AllocTensor<float>();
    const LocalTensor<float> work = work_.Get<float>();
    const int32_t n = width_;
    const float mean = Sum(x, work) / n;
    Adds(y, x, -mean, n);
    in_.FreeTensor(x);
    PipeBarrier<PIPE_V>();
    Mul(work, y, y, n);
    PipeBarrier<PIPE_V>();
    const float variance = Sum(work, work) / n;
    Muls(y, y, 1.0f / sqrt(variance + 1e-5f), n);
    PipeBarrier<PIPE_V>();
    Mul(y, y, weights, n);
    PipeBarrier<PIPE_V>();
    Add(y, y, weights[width_], n);
    out_.EnQue(y);
  }

  /// The sum of a row; the scalar unit waits for it.
  __aicore__ inline float Sum(const LocalTensor<float>& x, const LocalTensor<float>& work) {
    const LocalTensor<float> result = scalar_.Get<float>();
    ReduceSum(result, x, work, width_);
    const TEventID event = GetTPipePtr()->FetchEventID(HardEvent::V_S);
    SetFlag<HardEvent::V_S>(event);
    WaitFlag<HardEvent::V_S>(event);
    return result.GetValue(0);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_;
  TQue<TPosition::VECIN, 1> weights_;
  TQue<TPosition::VECOUT, 2> out_;
  TBuf<TPosition::VECCALC> work_, scalar_;
  GlobalTensor<float> x_, gamma_, beta_, y_;
  uint32_t rows_ = 0, width_ = 0;
};

/// `width` is a multiple of 8 elements, at most 6144.
extern "C" __global__ __aicore__ void layer_norm_by_hand(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta,
                                                         GM_ADDR y, uint32_t rows, uint32_t width) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  LayerNormByHand op;
  op.Init(x, gamma, beta, y, rows, width);
  op.Process();
}
