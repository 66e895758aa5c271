// Matmul objects whose C is a triangle, comes in parts or stays in L0C, and whose A lies in L1 of
// the cube core. The kernel names the library's enumerations without a namespace, as kernels of the
// field do.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "tests/matmul/kernels/forms_call.h"

namespace {

using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::TPosition;

template <typename T, TPosition position = TPosition::GM, CubeFormat format = CubeFormat::ND>
using Of = AscendC::MatmulType<position, format, T>;

template <class C, template <const auto&, typename, typename, typename, typename, typename>
                   class Policy = AscendC::Impl::Detail::MatmulPolicy>
using OnCube = AscendC::MatmulImpl<Of<half>, Of<half>, C, Of<float>, CFG_NORM,
                                   AscendC::MatmulCallBackFunc<nullptr, nullptr, nullptr>, Policy>;

constexpr MatmulConfig kSplit = [] {
  MatmulConfig config = GetNormalConfig();
  config.isEnableChannelSplit = true;
  return config;
}();
constexpr MatmulConfig kParts = [] {
  MatmulConfig config = GetMDLConfig();
  config.isPartialOutput = true;
  return config;
}();
template <class C, const auto& CFG>
using Configured = AscendC::MatmulImpl<Of<half>, Of<half>, C, Of<float>, CFG>;

template <class T>
GlobalTensor<T> global(GM_ADDR address) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address));
  return tensor;
}

template <class Object>
__aicore__ inline void All(GM_ADDR a, GM_ADDR b, GM_ADDR c, const FormsCall& call) {
  Object mm;
  mm.Init(&call.tiling);
  mm.SetTensorA(global<half>(a));
  mm.SetTensorB(global<half>(b));
  mm.IterateAll(global<float>(c));
  mm.End();
}

/// Parts of base blocks one by one, each added to C.
template <class Object>
__aicore__ inline void InParts(Object& mm, GM_ADDR a, GM_ADDR b, GM_ADDR c, const FormsCall& call) {
  mm.SetTensorA(global<half>(a));
  mm.SetTensorB(global<half>(b));
  int parts = 0;
  for (; mm.Iterate(); ++parts) mm.GetTensorC(global<float>(c), 1);
  mm.End();
  const TCubeTiling& t = call.tiling;
  const int blocks = AscendC::Ceil(t.M, t.baseM) * AscendC::Ceil(t.N, t.baseN);
  ascendc_assert(parts == blocks * static_cast<int>(AscendC::Ceil(t.Ka, t.baseK)));
}

/// All blocks of one row of blocks lie in L0C before they leave it together.
__aicore__ inline void KeptInL0c(GM_ADDR a, GM_ADDR b, GM_ADDR c, const FormsCall& call) {
  const TCubeTiling& t = call.tiling;
  OnCube<Of<typename AscendC::GetMmDstType<half>::Type, TPosition::CO1, CubeFormat::NZ>> mm;
  mm.Init(&t);
  mm.SetTensorA(global<half>(a));
  mm.SetTensorB(global<half>(b));
  AscendC::TQue<TPosition::CO1, AscendC::Impl::QUEUE_DEPTH> que;
  GetTPipePtr()->InitBuffer(que, 1, t.baseM * t.singleCoreN * sizeof(float));
  LocalTensor<float> sums = que.AllocTensor<float>();
  for (int32_t at = 0; at < t.baseM * t.singleCoreN; at += t.baseM * t.baseN) {
    mm.Iterate(false, sums[at]);
  }
  que.EnQue(sums);
  sums = que.DeQue<float>();
  AscendC::FixpipeParamsV220 out;
  out.mSize = t.M;
  out.nSize = t.N;
  out.srcStride = t.baseM;
  out.dstStride = t.N;
  AscendC::Fixpipe<float, float, AscendC::CFG_ROW_MAJOR>(global<float>(c), sums, out);
  que.FreeTensor(sums);
  mm.End();
}

class FromL1 {
 public:
  __aicore__ inline void Process(GM_ADDR a, GM_ADDR b, GM_ADDR c, AscendC::TPipe* pipe,
                                 const FormsCall& call) {
    const TCubeTiling& t = call.tiling;
    const uint16_t first = AscendC::GetBlockIdx() * t.singleCoreM;
    if (first >= t.M) return;
    const uint16_t rows = t.singleCoreM;
    const uint16_t depth = t.Ka;
    AscendC::TSCM<TPosition::VECOUT, 1> scm;
    pipe->InitBuffer(scm, 1, rows * depth * sizeof(half));
    LocalTensor<half> in_l1 = scm.AllocTensor<half>();
    const AscendC::Nd2NzParams to_nz(1, rows, depth, 0, depth, rows, 1, 0);
    if (call.use == FormsUse::kScm) {
      DataCopy(in_l1, global<half>(a)[first * 16],
               AscendC::DataCopyParams(depth / 16, rows, t.M - rows, 0));
    } else if (call.use == FormsUse::kScmNd2Nz) {
      DataCopy(in_l1, global<half>(a)[first * depth], to_nz);
    } else {
      AscendC::TQue<TPosition::VECOUT, 1> que;
      pipe->InitBuffer(que, 1, rows * depth * sizeof(half));
      LocalTensor<half> in_ub = que.AllocTensor<half>();
      DataCopy(in_ub, global<half>(a)[first * depth], rows * depth);
      const auto moved = GetTPipePtr()->FetchEventID(AscendC::HardEvent::MTE2_MTE3);
      AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE3>(moved);
      AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE3>(moved);
      if (call.use == FormsUse::kScmFromUb) {
        DataCopy(in_l1, in_ub, to_nz);
      } else if (call.use == FormsUse::kScmPadShort) {
        const AscendC::DataCopyParams lines(rows, depth * sizeof(half), 0, 0);
        DataCopyPad(in_l1, in_ub, lines, to_nz);
      } else {
        const AscendC::DataCopyExtParams lines(rows, depth * sizeof(half), 0, 0, 0);
        DataCopyPad(in_l1, in_ub, lines, to_nz);
      }
      que.FreeTensor(in_ub);
    }
    scm.EnQue(in_l1);
    in_l1 = scm.DeQue<half>();
    mm.SetTail(rows);
    mm.SetTensorA(in_l1);
    mm.SetTensorB(global<half>(b));
    mm.IterateAll(global<float>(c)[first * t.N]);
    mm.End();
    scm.FreeTensor(in_l1);
  }

  AscendC::Matmul<Of<half, TPosition::TSCM, CubeFormat::NZ>, Of<half>, Of<float>> mm;
};

__aicore__ inline void OnOneCubeCore(GM_ADDR a, GM_ADDR b, GM_ADDR c, const FormsCall& call) {
  using namespace AscendC::Impl::Detail;
  AscendC::TPipe pipe;
  if (call.use == FormsUse::kCo1) return KeptInL0c(a, b, c, call);
  if (call.use == FormsUse::kParts) {
    Configured<Of<float>, kParts> mm;
    mm.Init(&call.tiling);
    return InParts(mm, a, b, c, call);
  }
  if (call.use == FormsUse::kSplit) {
    return All<Configured<Of<float, TPosition::GM, CubeFormat::NZ>, kSplit>>(a, b, c, call);
  }
  if (call.use == FormsUse::kUpper) {
    return All<OnCube<Of<float>, TrianUpperMatmulPolicy>>(a, b, c, call);
  }
  All<OnCube<Of<float>, TrianLowerMatmulPolicy>>(a, b, c, call);
}

}  // namespace

extern "C" __global__ __aicore__ void forms(GM_ADDR a, GM_ADDR b, GM_ADDR c, FormsCall call) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  if (call.use <= FormsUse::kCo1) {
    if ASCEND_IS_AIC {
      OnOneCubeCore(a, b, c, call);
    }
    return;
  }
  if (call.use == FormsUse::kPartsMixed) {
    AscendC::TPipe pipe;
    AscendC::Matmul<Of<half>, Of<half>, Of<float>, Of<float>, kParts> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &call.tiling);
    if (AscendC::GetBlockIdx() == 0) InParts(mm, a, b, c, call);
    return;
  }
  FromL1 op;  // outlives the TPipe, as in the vendor's examples
  AscendC::TPipe pipe;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.mm, &call.tiling);
  op.Process(a, b, c, &pipe, call);
}
