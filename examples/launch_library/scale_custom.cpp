// y = factor * x on floats: every core has the same share, in one piece.
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void scale_custom(GM_ADDR x, GM_ADDR y, uint32_t length,
                                                   float factor) {
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> x_queue;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> y_queue;
  const uint32_t share = length / AscendC::GetBlockNum();
  const uint32_t first = share * AscendC::GetBlockIdx();
  pipe.InitBuffer(x_queue, 1, share * sizeof(float));
  pipe.InitBuffer(y_queue, 1, share * sizeof(float));
  AscendC::GlobalTensor<float> from, to;
  from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x) + first, share);
  to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y) + first, share);

  AscendC::LocalTensor<float> in = x_queue.AllocTensor<float>();
  AscendC::DataCopy(in, from, share);
  x_queue.EnQue(in);
  in = x_queue.DeQue<float>();
  AscendC::LocalTensor<float> out = y_queue.AllocTensor<float>();
  AscendC::Muls(out, in, factor, share);
  y_queue.EnQue(out);
  x_queue.FreeTensor(in);
  out = y_queue.DeQue<float>();
  AscendC::DataCopy(to, out, share);
  y_queue.FreeTensor(out);
}
