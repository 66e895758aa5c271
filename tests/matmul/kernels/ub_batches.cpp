// Batches of mixed kernels whose operands lie in UB: `call.layout` and `call.use` say how.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "tests/matmul/kernels/ub_batches_call.h"

using namespace AscendC;

namespace {

constexpr TPosition kIn = TPosition::VECCALC;
constexpr MatmulConfig kOneBiasEach =
    GetNormalConfig(false, false, false, BatchMode::BATCH_LESS_THAN_L1);

template <TPosition position, typename T, bool trans, LayoutMode layout,
          CubeFormat format = CubeFormat::ND>
using Of = MatmulType<position, format, T, trans, layout>;

/// A and B in UB. A vector core has batches of its own; the second one needs what the first has.
template <typename T, typename C, LayoutMode layout, CubeFormat format = CubeFormat::ND,
          TPosition of_c = TPosition::GM>
class Batches {
 public:
  __aicore__ inline void Process(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, TPipe* pipe,
                                 const UbBatchesCall& call) {
    const uint32_t core = GetBlockIdx();
    const auto load = [&](TBuf<TPosition::VECCALC>& buffer, GM_ADDR from, uint32_t bytes) {
      GlobalTensor<uint8_t> gm;
      gm.SetGlobalBuffer(from + core * bytes);
      pipe->InitBuffer(buffer, bytes);
      DataCopy(buffer.Get<uint8_t>(), gm, bytes);
    };
    load(a_, a, call.bytes_a);
    load(b_, b, call.bytes_b);
    if (call.bias != 0) load(bias_, bias, call.bytes_bias);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    mm.SetTensorA(a_.Get<T>());
    mm.SetTensorB(b_.Get<T>(), true);
    if (call.bias != 0) mm.SetBias(bias_.Get<C>());
    GlobalTensor<C> out;
    out.SetGlobalBuffer(reinterpret_cast<__gm__ C*>(c) + core * call.elements_c);
    if constexpr (of_c == TPosition::GM) {
      mm.IterateBatch(out, call.batch_a, call.batch_b, false);
      if (call.again != 0) {  // the operands stay set, but more of them are needed
        mm.IterateAll(out);
        mm.IterateBatch(out, call.batch_a, call.batch_b, false);
      }
    } else {
      pipe->InitBuffer(c_, call.elements_c * sizeof(C));
      mm.IterateBatch(c_.Get<C>(), call.batch_a, call.batch_b, false);
      DataCopy(out, c_.Get<C>(), call.elements_c);
    }
    mm.End();
  }

  Matmul<Of<kIn, T, false, layout, format>, Of<kIn, T, true, layout, format>,
         Of<of_c, C, false, layout>, Of<kIn, C, false, layout>, kOneBiasEach>
      mm;

 private:
  TBuf<TPosition::VECCALC> a_, b_, bias_, c_;
};

template <class Op>
__aicore__ inline void Run(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, UbBatchesCall& call) {
  Op op;
  TPipe pipe;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.mm, &call.tiling);
  op.Process(a, b, bias, c, &pipe, call);
}

}  // namespace

extern "C" __global__ __aicore__ void ub_batches(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c,
                                                 UbBatchesCall call) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  switch (call.variant) {
    case UbBatches::kNormal:
      return Run<Batches<half, float, LayoutMode::NORMAL>>(a, b, bias, c, call);
    case UbBatches::kBsngd:
      return Run<Batches<half, float, LayoutMode::BSNGD>>(a, b, bias, c, call);
    case UbBatches::kSbngd:
      return Run<Batches<half, float, LayoutMode::SBNGD>>(a, b, bias, c, call);
    case UbBatches::kBngs1s2:
      return Run<Batches<half, float, LayoutMode::BNGS1S2>>(a, b, bias, c, call);
    case UbBatches::kToUb:
      return Run<Batches<half, float, LayoutMode::NORMAL, CubeFormat::ND, TPosition::VECCALC>>(
          a, b, bias, c, call);
    case UbBatches::kFractals:
      return Run<Batches<int8_t, int32_t, LayoutMode::NORMAL, CubeFormat::NZ>>(a, b, bias, c, call);
  }
}
