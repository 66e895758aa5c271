// One block that takes `rounds` times as long as one, and writes how many it was asked for.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void spin_custom(GM_ADDR out, int32_t rounds) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 64 * 1024);
  LocalTensor<float> values = buffer.Get<float>();
  for (int32_t i = 0; i < rounds; ++i) {
    Adds(values, values, 1.0f, 16 * 1024);
    PipeBarrier<PIPE_V>();
  }
  LocalTensor<int32_t> result = buffer.Get<int32_t>();
  Duplicate(result, rounds, 8);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  GlobalTensor<int32_t> to;
  to.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(out) + GetBlockIdx() * 8);
  DataCopy(to, result, 8);
}
