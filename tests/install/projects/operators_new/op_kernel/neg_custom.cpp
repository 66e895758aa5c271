#include "kernel_operator.h"
#include "op_kernel/math_util.h"
#ifdef OPTIONS_OF_WORDS
#include "found.h"
#endif

extern "C" __global__ __aicore__ void neg_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  data.length = Ops::Base::CeilAlign(data.length, 8U);
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::QuePosition::VECIN, 1> in;
  AscendC::TQue<AscendC::QuePosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, data.length * sizeof(float));
  pipe.InitBuffer(out, 1, data.length * sizeof(float));
  AscendC::GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x + AscendC::GetBlockIdx() * data.length, data.length);
  to.SetGlobalBuffer((__gm__ float*)y + AscendC::GetBlockIdx() * data.length, data.length);
  AscendC::LocalTensor<float> a = in.AllocTensor<float>();
  AscendC::DataCopy(a, from, data.length);
  in.EnQue(a);
  a = in.DeQue<float>();
  AscendC::LocalTensor<float> b = out.AllocTensor<float>();
  AscendC::Muls(b, a, data.factor, data.length);
  out.EnQue(b);
  in.FreeTensor(a);
  b = out.DeQue<float>();
  AscendC::DataCopy(to, b, data.length);
  out.FreeTensor(b);
}

#ifndef __CCE_KT_TEST__
// Samples keep a function that launches beside the kernel. Operators do not need it.
void neg_custom_do(uint32_t blockDim, void* l2ctrl, void* stream, uint8_t* x, uint8_t* y,
                   uint8_t* workspace, uint8_t* tiling) {
  neg_custom<<<blockDim, l2ctrl, stream>>>(x, y, workspace, tiling);
}
#endif
