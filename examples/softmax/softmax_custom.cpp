// y = softmax(x) along the rows of a float matrix: maximum, exponentials, sum, quotient.
//
// Blocks take turns with the rows. While the vector unit works on one row, MTE2 loads the next and
// MTE3 stores the last.
#include "kernel_operator.h"

using namespace AscendC;

class SoftmaxCustom {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t width) {
    x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), uint64_t{rows} * width);
    y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), uint64_t{rows} * width);
    rows_ = rows;
    width_ = width;
    pipe_.InitBuffer(in_, 2, width * sizeof(float));
    pipe_.InitBuffer(out_, 2, width * sizeof(float));
    pipe_.InitBuffer(work_, width * sizeof(float));
    pipe_.InitBuffer(scalar_, 32);
  }

  __aicore__ inline void Process() {
    for (uint32_t row = GetBlockIdx(); row < rows_; row += GetBlockNum()) {
      CopyIn(row);
      Compute();
      CopyOut(row);
    }
  }

 private:
  __aicore__ inline void CopyIn(uint32_t row) {
    LocalTensor<float> x = in_.AllocTensor<float>();
    DataCopy(x, x_[uint64_t{row} * width_], width_);
    in_.EnQue(x);
  }

  __aicore__ inline void Compute() {
    LocalTensor<float> x = in_.DeQue<float>();
    LocalTensor<float> y = out_.AllocTensor<float>();
    const LocalTensor<float> work = work_.Get<float>();
    const LocalTensor<float> result = scalar_.Get<float>();

    ReduceMax(result, x, work, width_);
    Adds(y, x, -ReadScalar(result), width_);  // the largest exponent is 0: nothing overflows
    in_.FreeTensor(x);
    PipeBarrier<PIPE_V>();
    Exp(y, y, width_);
    PipeBarrier<PIPE_V>();
    ReduceSum(result, y, work, width_);
    Muls(y, y, 1.0f / ReadScalar(result), width_);
    out_.EnQue(y);
  }

  /// What the vector unit put at the start of a tensor: the scalar unit has to wait for it.
  __aicore__ inline float ReadScalar(const LocalTensor<float>& tensor) {
    const TEventID event = GetTPipePtr()->FetchEventID(HardEvent::V_S);
    SetFlag<HardEvent::V_S>(event);
    WaitFlag<HardEvent::V_S>(event);
    return tensor.GetValue(0);
  }

  __aicore__ inline void CopyOut(uint32_t row) {
    LocalTensor<float> y = out_.DeQue<float>();
    DataCopy(y_[uint64_t{row} * width_], y, width_);
    out_.FreeTensor(y);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_;
  TQue<TPosition::VECOUT, 2> out_;
  TBuf<TPosition::VECCALC> work_, scalar_;
  GlobalTensor<float> x_, y_;
  uint32_t rows_ = 0, width_ = 0;
};

/// `width` is a multiple of 8 elements, at most 8192.
extern "C" __global__ __aicore__ void softmax_custom(GM_ADDR x, GM_ADDR y, uint32_t rows,
                                                     uint32_t width) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  SoftmaxCustom op;
  op.Init(x, y, rows, width);
  op.Process();
}
