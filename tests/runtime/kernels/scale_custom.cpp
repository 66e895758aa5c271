// y[i] = x[i] * factor + offset: parameters of three kinds, one of them a structure.
#include "kernel_operator.h"

using namespace AscendC;

struct ScaleTiling {
  uint32_t length;  ///< floats a block, a multiple of 8, at most 1024
  uint16_t offset;
};

extern "C" __global__ __aicore__ void scale_custom(GM_ADDR x, GM_ADDR y, float factor,
                                                   ScaleTiling tiling) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 1024 * sizeof(float));
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x) + GetBlockIdx() * tiling.length);
  to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y) + GetBlockIdx() * tiling.length);
  LocalTensor<float> values = buffer.Get<float>();
  DataCopy(values, from, tiling.length);
  SetFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
  Muls(values, values, factor, tiling.length);
  PipeBarrier<PIPE_V>();
  Adds(values, values, static_cast<float>(tiling.offset), tiling.length);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopy(to, values, tiling.length);
}
