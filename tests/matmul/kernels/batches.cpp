// Batches, callbacks for copies, policies and configurations by groups: `call.variant` says which.
#define ASCENDC_CUBE_ONLY
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "tests/matmul/kernels/call.h"

using namespace AscendC;
using namespace matmul;

namespace {

template <typename T, LayoutMode layout, bool trans = false>
using In = MatmulType<TPosition::GM, CubeFormat::ND, T, trans, layout>;
using Plain = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Result = MatmulType<TPosition::GM, CubeFormat::ND, float>;

constexpr MatmulConfigMode kMode = MatmulConfigMode::CONFIG_NORM;
constexpr MatmulBatchParams kOneBias{true, BatchMode::BATCH_LESS_THAN_L1, false};
constexpr MatmulFuncParams kOrderN{
    false, false, false, false, 0, IterateOrder::ORDER_N, ScheduleType::INNER_PRODUCT};
constexpr MatmulConfig kBatchConfig = GetMMConfig<kMode>(kOneBias, kOrderN);

template <bool selected>
struct Choice {
  template <const auto& MM_CFG, typename IMPL, typename A, typename B, typename C, typename Bias>
  struct Result : AscendC::Impl::Detail::MatmulPolicy<MM_CFG, IMPL, A, B, C, Bias> {};
};

struct Buffers {
  GlobalTensor<half> a, b;
  GlobalTensor<float> bias, c;
};

/// Three matrices of A and of B, or one of B for all.
template <LayoutMode layout>
__aicore__ inline void Batches(const Buffers& gm, const MatmulTestCall& call) {
  TPipe pipe;
  matmul::MatmulImpl<In<half, layout>, In<half, layout>, In<float, layout>, Result, kBatchConfig,
                     matmul::MatmulCallBackFunc<nullptr, nullptr, nullptr>,
                     Choice<true>::template Result>
      mm;
  mm.SetSubBlockIdx(0);
  mm.Init(&call.tiling, &pipe);
  mm.SetTensorA(gm.a, false);
  mm.SetTensorB(gm.b, false);
  if (call.bias) mm.SetBias(gm.bias);
  if (call.use == MatmulUse::kBlocks) {
    mm.SetBatchNum(3, 3);
    mm.SetNBatchOutNum(3);
    mm.IterateBatch(gm.c, false, 0, false);
  } else if (call.use == MatmulUse::kNBatch) {
    mm.SetWorkspace(gm.c);
    mm.IterateNBatch(3, 1, 1, false);
    for (uint32_t i = 0; i < 3; ++i) {
      const uint64_t part = reinterpret_cast<uint64_t>(mm.GetBatchTensorC(1, 1).GetPhyAddr());
      const uint64_t first = reinterpret_cast<uint64_t>(gm.c.GetPhyAddr());
      ASSERT(part == first + i * call.tiling.M * call.tiling.N * sizeof(float));
    }
  } else {
    mm.IterateBatch(gm.c, 3, call.use == MatmulUse::kPartial ? 1 : 3, false);
  }
  mm.End();
}

/// What the callbacks are handed: where the matrices are, and their pitches.
struct Pitches {
  uint64_t a, b, c;
};
__aicore__ inline Pitches PitchesAt(uint64_t address) {
  const auto words = reinterpret_cast<__gm__ uint64_t*>(address);
  return {words[0], words[1], words[2]};
}

template <uint64_t Pitches::*pitch>
__aicore__ inline void CopyIn(const LocalTensor<int8_t>& l1, const __gm__ void* gm, int row,
                              int col, int rows, int cols, const uint64_t tilingPtr,
                              const uint64_t dataPtr) {
  const auto& tiling = *reinterpret_cast<const TCubeTiling*>(tilingPtr);
  const bool of_a = pitch == &Pitches::a;
  GlobalTensor<half> from;
  from.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(const_cast<__gm__ void*>(gm)));
  const uint64_t wide = PitchesAt(dataPtr).*pitch;
  const uint64_t top = row * (of_a ? tiling.baseM : tiling.baseK);
  const uint64_t left = col * (of_a ? tiling.baseK : tiling.baseN);
  Nd2NzParams copy;
  copy.ndNum = 1;
  copy.nValue = rows;
  copy.dValue = cols;
  copy.srcDValue = wide;
  copy.dstNzC0Stride = (rows + 15) / 16 * 16;
  copy.dstNzNStride = 1;
  DataCopy(l1.ReinterpretCast<half>(), from[top * wide + left], copy);
}

__aicore__ inline void CopyOut(const __gm__ void* gm, const LocalTensor<int8_t>& co1,
                               const void* params, const uint64_t, const uint64_t dataPtr) {
  const auto& block = *reinterpret_cast<const DataCopyOutParams*>(params);
  GlobalTensor<float> to;
  to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(const_cast<__gm__ void*>(gm)));
  FixpipeParamsV220 fixpipe;
  fixpipe.nSize = block.oriNSize;
  fixpipe.mSize = block.burstLen * 32 / (16 * sizeof(float));
  fixpipe.srcStride = block.srcStride;
  fixpipe.dstStride = PitchesAt(dataPtr).c;
  fixpipe.unitFlag = block.enUnitFlag ? 3 : 0;
  Fixpipe<float, float, CFG_ROW_MAJOR>(to, co1.ReinterpretCast<float>(), fixpipe);
}

__aicore__ inline void Callbacks(const Buffers& gm, GM_ADDR pitches, const MatmulTestCall& call) {
  TPipe pipe;
  AscendC::Matmul<Plain, Plain, Result, Result, CFG_NORM,
                  MatmulCallBackFunc<CopyOut, CopyIn<&Pitches::a>, CopyIn<&Pitches::b>>>
      mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &call.tiling);
  mm.SetUserDefInfo(reinterpret_cast<uint64_t>(&call.tiling));
  mm.SetSelfDefineData(reinterpret_cast<uint64_t>(pitches));
  mm.SetTensorA(gm.a);
  mm.SetTensorB(gm.b);
  mm.IterateAll(gm.c);
  mm.End();
}

/// A in L1, where the kernel has put it.
__aicore__ inline void FromL1(const Buffers& gm, const MatmulTestCall& call) {
  const TCubeTiling& t = call.tiling;
  TPipe pipe;
  TSCM<TPosition::GM, 1> scm;
  pipe.InitBuffer(scm, 1, (t.M + 15) / 16 * 16 * t.Ka * sizeof(half));
  matmul::MatmulImpl<MatmulType<TPosition::TSCM, CubeFormat::NZ, half>, Plain, Result> mm;
  mm.Init(&t, &pipe);
  LocalTensor<half> in_l1 = scm.AllocTensor<half>();
  Nd2NzParams copy;
  copy.ndNum = 1;
  copy.nValue = t.M;
  copy.dValue = copy.srcDValue = t.Ka;
  copy.dstNzC0Stride = (t.M + 15) / 16 * 16;
  copy.dstNzNStride = 1;
  DataCopy(in_l1, gm.a, copy);
  scm.EnQue(in_l1);
  in_l1 = scm.DeQue<half>();
  mm.SetTensorA(in_l1);
  mm.SetTensorB(gm.b);
  mm.IterateAll(gm.c);
  mm.End();
  scm.FreeTensor(in_l1);
}

}  // namespace

extern "C" __global__ __aicore__ void batches(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c,
                                              GM_ADDR pitches, MatmulTestCall call) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  if ASCEND_IS_AIC {
    Buffers gm;
    gm.a.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a));
    gm.b.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b));
    gm.bias.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(bias));
    gm.c.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(c));
    switch (call.variant) {
      case 0:
        return Batches<LayoutMode::NORMAL>(gm, call);
      case 1:
        return Batches<LayoutMode::BSNGD>(gm, call);
      case 2:
        return Batches<LayoutMode::SBNGD>(gm, call);
      case 3:
        return Batches<LayoutMode::BNGS1S2>(gm, call);
      case 4:
        return Callbacks(gm, pitches, call);
      default:
        return FromL1(gm, call);
    }
  }
}
