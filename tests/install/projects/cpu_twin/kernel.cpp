#include "kernel_operator.h"
extern "C" __global__ __aicore__ void twice(GM_ADDR in, GM_ADDR out, uint32_t count) {
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  AscendC::GlobalTensor<float> from, to;
  from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(in));
  to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(out));
  pipe.InitBuffer(buffer, count * sizeof(float));
  AscendC::LocalTensor<float> local = buffer.Get<float>();
  AscendC::DataCopy(local, from, count);
  AscendC::PipeBarrier<PIPE_ALL>();
  AscendC::Add(local, local, local, count);
  AscendC::PipeBarrier<PIPE_ALL>();
  AscendC::DataCopy(to, local, count);
}
#ifndef ASCENDC_CPU_DEBUG
#error the CPU twin defines it
#endif
