// The kernel of Matmul: C = A x B + bias on the cube cores. product.h has the computation.
#include "kernel_operator.h"
#include "kernels/matmul/matmul_tiling.h"
#include "kernels/matmul/product.h"

using namespace AscendC;
using namespace kernel_matmul;

namespace {

template <typename TIn, typename TAcc, typename TOut>
__aicore__ inline void Run(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c,
                           const MatmulTiling& tiling) {
  Product<TIn, TAcc, TOut> product(tiling, GetBlockIdx(), GetBlockNum());
  product.Init(a, b, bias, c);
  BeginProducts();
  product.Process();
  EndProducts();
}

}  // namespace

extern "C" __global__ __aicore__ void matmul(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c,
                                             MatmulTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  if ASCEND_IS_AIC {
    switch (tiling.types) {
      case MatmulTypes::kHalfToHalf:
        return Run<half, float, half>(a, b, bias, c, tiling);
      case MatmulTypes::kHalfToFloat:
        return Run<half, float, float>(a, b, bias, c, tiling);
      case MatmulTypes::kBfloatToBfloat:
        return Run<bfloat16_t, float, bfloat16_t>(a, b, bias, c, tiling);
      case MatmulTypes::kBfloatToFloat:
        return Run<bfloat16_t, float, float>(a, b, bias, c, tiling);
      case MatmulTypes::kFloatToFloat:
        return Run<float, float, float>(a, b, bias, c, tiling);
      case MatmulTypes::kInt8ToInt32:
        return Run<int8_t, int32_t, int32_t>(a, b, bias, c, tiling);
    }
  }
}
