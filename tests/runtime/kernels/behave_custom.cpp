// Does what the host asks for, good or bad.
#include <cstdlib>

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void behave_custom(GM_ADDR data, uint32_t how) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 1024);
  LocalTensor<float> values = buffer.Get<float>();
  Duplicate(values, 1.0f, 64);
  if (how == 1) AscendC::printf("block %d says hello\n", static_cast<int32_t>(GetBlockIdx()));
  if (how == 2) {  // far behind the block of memory
    GlobalTensor<float> far;
    far.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(data));
    DataCopy(values, far[1u << 28], 64);
  }
  volatile uint64_t nowhere = 8;
  if (how == 3) *reinterpret_cast<volatile int32_t*>(nowhere) = 1;
  if (how == 4) WaitFlag<HardEvent::MTE2_V>(0);
  if (how == 5) Trap();
  if (how == 6) {  // nothing makes the addition wait for the move
    GlobalTensor<float> from;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(data));
    DataCopy(values, from, 64);
    Adds(values, values, 1.0f, 64);
  }
  if (how == 10) std::exit(0);
  volatile bool ever = true;
  while (how == 7 && ever) {
  }
  while (how == 8 && ever) Adds(values, values, 1.0f, 64);
}
