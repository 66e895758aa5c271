// A kernel whose stages register their Matmul objects in a function of their own, one after the
// other: C is the sum of A B, A' B and A B.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "tests/matmul/kernels/stages_call.h"

using namespace AscendC;

namespace {

using Half = MatmulType<TPosition::GM, CubeFormat::ND, half, true>;
using Product = Matmul<Half, Half, MatmulType<TPosition::GM, CubeFormat::ND, float>>;

template <class T>
__aicore__ inline GlobalTensor<T> Global(GM_ADDR address) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address));
  return tensor;
}

class Stages {
 public:
  __aicore__ inline void Run(GM_ADDR a, GM_ADDR b, GM_ADDR c, const StagesCall& call) {
    a_ = a, b_ = b, c_ = c;
    Product kept[3];
    for (int32_t stage = 0; stage < 3; ++stage) {
      Product own;
      Stage(call.use == StagesUse::kObjectOfAStage ? own
            : call.use == StagesUse::kObjectOfAll  ? kept[0]
                                                   : kept[stage],
            stage == 1, call);
      if ASCEND_IS_AIV {
        if (call.use == StagesUse::kLeftBehind && stage == 1) Multiply(kept[0], false);
      }
    }
  }

 private:
  __aicore__ inline void Stage(Product& mm, bool turned, const StagesCall& call) {
    TPipe pipe;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, turned ? &call.turned : &call.tiling);
    if (GetBlockIdx() == 0) Multiply(mm, turned);
  }
  __aicore__ inline void Multiply(Product& mm, bool turned) {
    mm.SetTensorA(Global<half>(a_), turned);
    mm.SetTensorB(Global<half>(b_));
    mm.IterateAll(Global<float>(c_), 1);
    mm.End();
  }

  GM_ADDR a_, b_, c_;
};

}  // namespace

extern "C" __global__ __aicore__ void stages(GM_ADDR a, GM_ADDR b, GM_ADDR c, StagesCall call) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  { KERNEL_TASK_TYPE(11, KERNEL_TYPE_MIX_AIC_1_1); }
  Stages op;
  op.Run(a, b, c, call);
}
