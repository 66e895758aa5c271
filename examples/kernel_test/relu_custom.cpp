// y = max(x, 0) on half, and the function by which host code of other files launches it. Libraries
// of operators for torch have their kernels in this form.
#include "kernel_operator.h"

constexpr uint32_t kTile = 2048;  // elements

extern "C" __global__ __aicore__ void relu_custom(GM_ADDR x, GM_ADDR y, uint32_t length) {
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> x_queue;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> y_queue;
  pipe.InitBuffer(x_queue, 2, kTile * sizeof(half));
  pipe.InitBuffer(y_queue, 2, kTile * sizeof(half));
  AscendC::GlobalTensor<half> from, to;
  from.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), length);
  to.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y), length);

  const uint32_t step = kTile * AscendC::GetBlockNum();
  for (uint32_t at = kTile * AscendC::GetBlockIdx(); at < length; at += step) {
    const uint32_t count = length - at < kTile ? length - at : kTile;
    const AscendC::DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(half)), 0, 0, 0};
    AscendC::LocalTensor<half> in = x_queue.AllocTensor<half>();
    AscendC::DataCopyPad(in, from[at], bytes, AscendC::DataCopyPadExtParams<half>{});
    x_queue.EnQue(in);
    in = x_queue.DeQue<half>();
    AscendC::LocalTensor<half> out = y_queue.AllocTensor<half>();
    AscendC::Relu(out, in, count);
    y_queue.EnQue(out);
    x_queue.FreeTensor(in);
    out = y_queue.DeQue<half>();
    AscendC::DataCopyPad(to[at], out, bytes);
    y_queue.FreeTensor(out);
  }
}

extern "C" void relu_custom_do(uint32_t blocks, void* stream, uint8_t* x, uint8_t* y,
                               uint32_t length) {
  relu_custom<<<blocks, nullptr, stream>>>(x, y, length);
}
