// Each vector core asks several objects for products again and again, of the matrices and in the
// forms that `calls` says.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "tests/matmul/kernels/random_calls_call.h"

using namespace AscendC;

namespace {

template <typename T, TPosition position = TPosition::GM>
using Of = MatmulType<position, CubeFormat::ND, T>;
using Shared = MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::NONE, true>;
template <class A, class B>
using Shares = Matmul<A, B, Of<float>, Of<float>, CFG_IBSHARE_NORM>;

class RandomProducts {
 public:
  Matmul<Of<half>, Of<half>, Of<float>> plain;
  Matmul<Of<half>, Of<half>, Of<float>, Of<float>, CFG_MDL> loads_more;
  Matmul<Of<half, TPosition::VECOUT>, Of<half>, Of<float>> from_ub;
  Shares<Shared, Of<half>> shares_a;
  Shares<Of<half>, Shared> shares_b;
  Shares<Shared, Shared> shares_both;

  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TPipe* pipe,
                              const TCubeTiling& t) {
    t_ = t;
    size_ = static_cast<uint32_t>(t.M) * t.N;
    a_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a));
    b_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b));
    c_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(c) +
                       GetBlockIdx() * RandomCalls::kSteps * size_);
    room_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(room) + GetBlockIdx() * 16384);
    pipe->InitBuffer(out_, size_ * sizeof(float));
    pipe->InitBuffer(in_, t.M * t.Ka * sizeof(half));
    part_ = in_.Get<half>();
    DataCopy(part_, a_, t.M * t.Ka);
    PipeBarrier<PIPE_ALL>();
  }

  __aicore__ inline void Process(const RandomCalls& calls) {
    for (int step = 0; step < RandomCalls::kSteps; ++step) {
      const RandomCall call = calls.call[GetBlockIdx()][step];
      const auto matrices = calls.matrices[GetBlockIdx()][step];
      const GlobalTensor<half> a = a_[(matrices & 1) * t_.M * t_.Ka];
      const GlobalTensor<half> b = b_[(matrices >> 1) * t_.Ka * t_.N];
      const GlobalTensor<float> c = c_[step * size_];
      switch (calls.object[GetBlockIdx()][step]) {
        case RandomObject::kPlain:
          Ask(plain, call, a, b, c);
          break;
        case RandomObject::kLoadsMore:
          Ask(loads_more, call, a, b, c);
          break;
        case RandomObject::kFromUb:
          Ask(from_ub, call, part_, b, c);
          break;
        case RandomObject::kSharesA:
          Ask(shares_a, call, a, b, c);
          break;
        case RandomObject::kSharesB:
          Ask(shares_b, call, a, b, c);
          break;
        default:
          shares_both.SetTensorA(a);
          shares_both.SetTensorB(b);
          shares_both.IterateAll(c);
          shares_both.End();
          break;
      }
    }
  }

 private:
  template <class Object, class A>
  __aicore__ inline void Ask(Object& mm, RandomCall call, const A& a, const GlobalTensor<half>& b,
                             const GlobalTensor<float>& c) {
    LocalTensor<float> ub = out_.Get<float>();
    mm.SetWorkspace(room_);
    mm.SetTensorA(a);
    mm.SetTensorB(b);
    const int blocks = (t_.M + t_.baseM - 1) / t_.baseM * ((t_.N + t_.baseN - 1) / t_.baseN);
    bool in_ub = false;
    switch (call) {
      case RandomCall::kAll:
        mm.IterateAll(c);
        break;
      case RandomCall::kAllAwaited:
        mm.template IterateAll<false>(c, 0, false, true);
        mm.WaitIterateAll();
        break;
      case RandomCall::kAllNotAwaited:
        mm.template IterateAll<false>(c);
        break;
      case RandomCall::kBlocks:
        while (mm.Iterate()) mm.GetTensorC(c);
        break;
      case RandomCall::kBlocksToUb:
        while (mm.Iterate()) mm.GetTensorC(ub, 0, false);
        in_ub = true;
        break;
      case RandomCall::kBlocksAhead:
        mm.template Iterate<false>();
        for (int i = 0; i < blocks; ++i) mm.template GetTensorC<false>(ub, 0, false);
        in_ub = true;
        break;
      case RandomCall::kEachAhead:
        while (mm.template Iterate<false>()) mm.template GetTensorC<false>(ub, 0, false);
        in_ub = true;
        break;
      default:
        mm.IterateAll(ub);
        in_ub = true;
        break;
    }
    mm.End();
    if (in_ub) DataCopy(c, ub, size_);
    PipeBarrier<PIPE_ALL>();
  }

  TCubeTiling t_;
  uint32_t size_ = 0;
  GlobalTensor<half> a_, b_;
  GlobalTensor<float> c_, room_;
  TBuf<TPosition::VECCALC> in_, out_;
  LocalTensor<half> part_;
};

}  // namespace

extern "C" __global__ __aicore__ void random_calls(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room,
                                                   RandomCalls calls) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  TPipe pipe;
  RandomProducts op;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.plain, &calls.tiling, op.loads_more,
                    &calls.tiling, op.from_ub, &calls.tiling, op.shares_a, &calls.tiling,
                    op.shares_b, &calls.tiling, op.shares_both, &calls.tiling);
  op.Init(a, b, c, room, &pipe, calls.tiling);
  op.Process(calls);
}
