// Attention: out = softmax(scale * query x key + bias, masked) x value, on cube cores with two
// vector cores each. See docs/operators/attention.md.
#include "kernel_operator.h"
#include "kernels/attention/attention_tiling.h"
#include "kernels/attention/cube_stream.h"
#include "kernels/attention/last_rows.h"
#include "kernels/attention/vector_stream.h"
#include "kernels/attention/widen_pages.h"
#include "kernels/attention/widen_rows.h"

using namespace AscendC;
using namespace kernel_attention;

namespace {

__aicore__ inline bool Widens(const AttentionTiling& tiling) {
  return tiling.widens + tiling.page_widens != 0;
}

template <typename T>
__aicore__ inline void Widen(const AttentionTiling& tiling, uint32_t core, uint32_t cores) {
  if (tiling.widens != 0) {
    WidenRows<T> rows(tiling);
    rows.Process(core, cores);
    PipeBarrier<PIPE_ALL>();
  }
  if (tiling.page_widens != 0) {
    WidenPages<T> pages(tiling);
    pages.Process(core, cores);
  }
  SyncAll<false>();
}

template <typename T, typename Out>
__aicore__ inline void RunOnVector(const AttentionTiling& tiling) {
  const auto core = static_cast<uint32_t>(GetBlockIdx());
  const auto cores = static_cast<uint32_t>(GetBlockNum() * GetSubBlockNum());
  if (Widens(tiling)) Widen<T>(tiling, core, cores);
  RowOutput<Out> output(tiling);
  VectorStream<T, Out> stream(tiling, output, core / static_cast<uint32_t>(GetSubBlockNum()),
                              static_cast<uint32_t>(GetSubBlockIdx()));
  stream.Process();
  EndRows(tiling, output, core, cores);
}

template <typename T, typename Out = T>
__aicore__ inline void Run(const AttentionTiling& tiling) {
  if ASCEND_IS_AIC {
    if (Widens(tiling)) SyncAll<false>();
    CubeStream<T> stream(tiling, static_cast<uint32_t>(GetBlockIdx()));
    stream.Process();
  }
  if ASCEND_IS_AIV {
    RunOnVector<T, Out>(tiling);
  }
}

}  // namespace

extern "C" __global__ __aicore__ void attention(AttentionTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  PRELOAD(4);  // the code of the first tiles, while the first of them is being set up
  if (tiling.types == AttentionTypes::kHalf) {
    Run<half>(tiling);
  } else if (tiling.types == AttentionTypes::kHalfAndBfloat) {
    Run<half, bfloat16_t>(tiling);
  } else {
    Run<bfloat16_t>(tiling);
  }
}
