// y = scale * x on float vectors, with the size of a tile and the number of buffers as parameters:
// the host tries some and compares.
#include "kernel_operator.h"

using namespace AscendC;

/// What the host decides; a kernel's parameters may be structs.
struct ScaleTiling {
  uint32_t length;   ///< elements, a multiple of 8 times the number of blocks
  uint32_t tile;     ///< elements, a multiple of 8
  uint32_t buffers;  ///< of each queue: 1 or 2
};

class ScaleCustom {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const ScaleTiling& tiling) {
    share_ = tiling.length / GetBlockNum();
    tile_ = tiling.tile;
    const uint64_t first = uint64_t{share_} * GetBlockIdx();
    x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x) + first, share_);
    y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y) + first, share_);
    pipe_.InitBuffer(in_, tiling.buffers, tile_ * sizeof(float));
    pipe_.InitBuffer(out_, tiling.buffers, tile_ * sizeof(float));
  }

  __aicore__ inline void Process(float scale) {
    for (uint32_t start = 0; start < share_; start += tile_) {
      const uint32_t count = share_ - start < tile_ ? share_ - start : tile_;
      LocalTensor<float> x = in_.AllocTensor<float>();
      DataCopy(x, x_[start], count);
      in_.EnQue(x);

      x = in_.DeQue<float>();
      LocalTensor<float> y = out_.AllocTensor<float>();
      Muls(y, x, scale, count);
      out_.EnQue(y);
      in_.FreeTensor(x);

      y = out_.DeQue<float>();
      DataCopy(y_[start], y, count);
      out_.FreeTensor(y);
    }
  }

 private:
  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_;
  TQue<TPosition::VECOUT, 2> out_;
  GlobalTensor<float> x_, y_;
  uint32_t share_ = 0, tile_ = 0;
};

extern "C" __global__ __aicore__ void scale_custom(GM_ADDR x, GM_ADDR y, float scale,
                                                   ScaleTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  ScaleCustom op;
  op.Init(x, y, tiling);
  op.Process(scale);
}
