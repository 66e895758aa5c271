// Matmul objects of mixed kernels in the other forms of their calls: `call.use` says which.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "tests/matmul/kernels/mixed_call.h"

using namespace AscendC;

namespace {

template <typename T, TPosition position = TPosition::GM, bool trans = false>
using Of = MatmulType<position, CubeFormat::ND, T, trans>;

class MixedProduct {
 public:
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TPipe* pipe,
                              const MixedTestCall& call) {
    const TCubeTiling& t = call.tiling;
    const uint32_t first = GetBlockIdx() * t.singleCoreM;
    a_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a));
    b_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b));
    c_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(c));
    room_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(room));
    rows_ = first < static_cast<uint32_t>(t.M) ? min<uint32_t>(t.singleCoreM, t.M - first) : 0;
    a_ = a_[uint64_t{first} * t.Ka];
    c_ = c_[uint64_t{first} * t.N];
    room_ = room_[GetBlockIdx() * 65536];
    pipe->InitBuffer(in_, 32 * 1024);
    pipe->InitBuffer(out_, 64 * 1024);
  }

  __aicore__ inline void Process(const MixedTestCall& call) {
    if (rows_ == 0) return;
    const TCubeTiling& t = call.tiling;
    mm.SetTail(rows_);
    mm.SetTensorA(a_);
    mm.SetTensorB(b_);
    switch (call.use) {
      case MixedUse::kAll:
        return mm.IterateAll(c_);
      case MixedUse::kAllAsync:
        mm.IterateAll<false>(c_, 0, false, true);
        return mm.WaitIterateAll();
      case MixedUse::kBlocksAhead:
        Ahead<false>(t);
        mm.SetTensorA(a_);
        return Ahead<false>(t);
      case MixedUse::kBlocksByOtherName:
        Ahead<true>(t);
        return mm.IterateAll(c_);
      case MixedUse::kAllToUb:
        return ToUb(t);
      case MixedUse::kFromUb:
        return FromUb(t, false);
      case MixedUse::kFromUbAhead:
        return FromUb(t, true);
      case MixedUse::kBiasInUb:
        return BiasInUb(t, false);
      case MixedUse::kBiasCleared:
        return BiasInUb(t, true);
      case MixedUse::kPartialSums:
        return PartialSums(t, false);
      case MixedUse::kRunningSums:
        return PartialSums(t, true);
      case MixedUse::kGetWithoutIterate:
        return mm.GetTensorC(c_);
      case MixedUse::kIterateTwice:
        mm.Iterate();
        mm.Iterate();
        return;
      case MixedUse::kForgottenEnd:
        mm.IterateAll(c_);  // forgotten
        return FromUb(t, false);
      case MixedUse::kSideBySide:
        return SideBySide(t);
      case MixedUse::kNumberB:
        mm.SetTensorB(half(2.f));
        mm.IterateAll(room_);
        mm.SetTensorB(b_);
        return mm.IterateAll(c_);
      case MixedUse::kNoServer:
        return mm.IterateAll(c_);  // nobody answers
    }
  }

  Matmul<Of<half>, Of<half>, Of<float>> mm;
  Matmul<Of<half>, Of<half>, Of<float>> second;
  Matmul<Of<half, TPosition::VECOUT>, Of<half>, Of<float>, Of<float>, CFG_MDL> from_ub;
  Matmul<Of<half>, Of<half>, Of<float>, Of<float, TPosition::VECOUT>> with_bias;

 private:
  template <bool other_name>
  __aicore__ inline void Ahead(const TCubeTiling& t) {
    mm.SetWorkspace(room_);
    mm.SetLocalWorkspace(in_.Get<uint8_t>());
    LocalTensor<float> block = out_.Get<float>();
    for (uint32_t i = 0; mm.Iterate<false>(); ++i) {
      if (other_name) {
        mm.AsyncGetTensorC(block);
        mm.WaitGetTensorC();
      } else {
        mm.GetTensorC<false>(block, 0, true);
      }
      const uint32_t high = (rows_ + t.baseM - 1) / t.baseM;
      const uint32_t row = i % high * t.baseM, col = i / high * t.baseN;
      DataCopyExtParams copy;
      copy.blockCount = min<uint32_t>(t.baseM, rows_ - row);
      copy.blockLen = min<uint32_t>(t.baseN, t.N - col) * sizeof(float);
      copy.srcStride = (t.baseN * 4 - copy.blockLen) / 32;
      copy.dstStride = t.N * 4 - copy.blockLen;
      DataCopyPad(c_[uint64_t{row} * t.N + col], block, copy);
    }
  }
  __aicore__ inline void ToUb(const TCubeTiling& t) {
    LocalTensor<float> all = out_.Get<float>();
    mm.IterateAll(all);
    DataCopy(c_, all, rows_ * t.N);
  }
  __aicore__ inline void FromUb(const TCubeTiling& t, bool after_another) {
    LocalTensor<half> part = in_.Get<half>();
    DataCopy(part, a_, rows_ * t.Ka);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    from_ub.SetTail(rows_);
    from_ub.SetTensorA(part);
    from_ub.SetTensorB(b_);
    if (after_another) {
      from_ub.IterateAll<false>(room_);
      from_ub.SetTensorA(part);
    }
    from_ub.IterateAll(c_);
    from_ub.End();
  }
  /// The object `mm` is asked for its next product before the other one is asked for one.
  __aicore__ inline void SideBySide(const TCubeTiling& t) {
    second.SetTail(rows_);
    second.SetTensorA(a_);
    second.SetTensorB(b_);
    mm.IterateAll<false>(room_, 0, false, true);
    for (int step = 0; step < 3; ++step) {
      mm.WaitIterateAll();
      if (step < 2) mm.IterateAll<false>(room_, 0, false, true);
      second.IterateAll<false>(c_, 0, false, true);
      second.WaitIterateAll();
    }
    mm.End();
    second.End();
  }
  __aicore__ inline void BiasInUb(const TCubeTiling& t, bool cleared) {
    LocalTensor<float> bias = in_.Get<float>();
    Duplicate(bias, 2.0f, t.N);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    with_bias.SetTail(rows_);
    with_bias.SetTensorA(a_);
    with_bias.SetTensorB(b_);
    with_bias.SetBias(bias);
    if (cleared) with_bias.ClearBias();
    with_bias.IterateAll(c_);
    with_bias.End();
  }
  __aicore__ inline void PartialSums(const TCubeTiling& t, bool running) {
    const int half_k = t.Ka / 2;
    mm.SetSingleShape(rows_, t.N, half_k);
    mm.Iterate();
    if (running) mm.GetTensorC(c_);
    mm.SetTensorA(a_[half_k]);
    mm.SetTensorB(b_[half_k * t.N]);
    mm.Iterate(true);
    mm.GetTensorC(c_);
  }

  GlobalTensor<half> a_, b_;
  GlobalTensor<float> c_, room_;
  TBuf<TPosition::VECCALC> in_, out_;
  uint32_t rows_ = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void mixed(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room,
                                            MixedTestCall call) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  { KERNEL_TASK_TYPE(11, KERNEL_TYPE_MIX_AIC_1_1); }
  { KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY); }
  TPipe pipe;
  MixedProduct op;
  if ASCEND_IS_AIV {
    op.Init(a, b, c, room, &pipe, call);
  }
  if ASCEND_IS_AIC {
    if (call.use == MixedUse::kNoServer) return;
  }
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.mm, &call.tiling, op.from_ub, &call.tiling,
                    op.with_bias, &call.tiling, op.second, &call.tiling);
  op.Process(call);
}
