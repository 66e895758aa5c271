// A product whose B is 4:2 sparse, on a cube core.
#define ASCENDC_CUBE_ONLY
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

namespace {

using Left = MatmulType<TPosition::GM, CubeFormat::ND, int8_t>;
using Right = SparseMatmulType<TPosition::GM, TPosition::GM, CubeFormat::ND, int8_t, true>;
using Sums = MatmulType<TPosition::GM, CubeFormat::ND, int32_t>;

template <class T>
__aicore__ inline GlobalTensor<T> Global(GM_ADDR address) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address));
  return tensor;
}

}  // namespace

extern "C" __global__ __aicore__ void sparse(GM_ADDR a, GM_ADDR b, GM_ADDR index, GM_ADDR bias,
                                             GM_ADDR c, TCubeTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  TPipe pipe;
  Matmul<Left, Right, Sums, Sums, CFG_MDL> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
  mm.SetTensorA(Global<int8_t>(a));
  mm.SetTensorB(Global<int8_t>(b), true);
  if (index != nullptr) mm.SetSparseIndex(Global<uint8_t>(index));
  mm.SetBias(Global<int32_t>(bias));
  mm.IterateAll(Global<int32_t>(c));
  mm.End();
}
