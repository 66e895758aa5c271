// A mixed kernel whose two halves, and whose names, differ from those of add_custom.cpp.
#include "kernel_operator.h"

#define KERNEL_ID 2
#include "same_names.hpp"

using namespace AscendC;

/// Another class of the same name as in add_custom.cpp.
class KernelAdd {
 public:
  __aicore__ inline void Init(Trace* trace) { this->trace = trace; }
  __aicore__ inline void Process() {
    *trace = trace_half();
    if ASCEND_IS_AIC {
      trace->id += 1000;
    }
    if constexpr (g_coreType == AIV) {
      trace->id += 2000;
    }
  }

 private:
  Trace* trace;
};

extern "C" __global__ __aicore__ void mixed_custom(Trace* trace) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  KernelAdd op;
  op.Init(trace);
  op.Process();
}

extern "C" __global__ __aicore__ void faulty_custom() {
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> que;
  que.AllocTensor<half>();
}
