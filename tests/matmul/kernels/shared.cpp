// Matmul objects whose operands the two vector cores of an AI core share in L1: `call.shared` says
// which. With both, the vector cores call alike and the product is one; else each has its rows.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "tests/matmul/kernels/shared_call.h"

using namespace AscendC;

namespace {

template <bool shared>
using Operand = MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::NONE, shared>;
using Result = MatmulType<TPosition::GM, CubeFormat::ND, float>;

template <bool shareA, bool shareB>
__aicore__ inline void Multiply(GM_ADDR a, GM_ADDR b, GM_ADDR c, const SharedTestCall& call) {
  const TCubeTiling& t = call.tiling;
  TPipe pipe;
  Matmul<Operand<shareA>, Operand<shareB>, Result, Result, CFG_IBSHARE_NORM> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, call.init ? nullptr : &t);
  if (call.init) mm.Init(&t);
  GlobalTensor<half> left, right;
  GlobalTensor<float> out;
  left.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a));
  right.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b));
  out.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(c));
  const uint64_t first = shareA && shareB ? 0 : GetBlockIdx() * t.singleCoreM;
  for (int32_t round = 0; round < call.rounds; ++round) {
    mm.SetTensorA(left[first * t.Ka]);
    mm.SetTensorB(right);
    mm.IterateAll(out[first * t.N]);
    mm.End();
  }
}

}  // namespace

extern "C" __global__ __aicore__ void shared(GM_ADDR a, GM_ADDR b, GM_ADDR c, SharedTestCall call) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  switch (call.shared) {
    case 0:
      return Multiply<false, false>(a, b, c, call);
    case 1:
      return Multiply<true, false>(a, b, c, call);
    case 2:
      return Multiply<false, true>(a, b, c, call);
    default:
      return Multiply<true, true>(a, b, c, call);
  }
}
