// Products of mixed kernels in every documented combination of types, whose operands lie in global
// memory, in UB and in L1: `call.number` is the row of the table.
#include "tests/matmul/kernels/combinations_types.h"

using namespace AscendC;

namespace {

constexpr TPosition PositionOf(MatmulPlace place, TPosition in_ub) {
  return place == MatmulPlace::kUb   ? in_ub
         : place == MatmulPlace::kL1 ? TPosition::TSCM
                                     : TPosition::GM;
}
constexpr CubeFormat FormatOf(MatmulPlace place) {
  return place == MatmulPlace::kL1 ? CubeFormat::NZ : CubeFormat::ND;
}

template <typename T>
__aicore__ inline GlobalTensor<T> Global(GM_ADDR at) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(at));
  return tensor;
}

/// An operand of `bytes` bytes that is taken to where the object reads it.
template <typename T, MatmulPlace place>
class Operand {
 public:
  __aicore__ inline void Load(TPipe* pipe, GM_ADDR from, uint32_t bytes) {
    from_ = from;
    const DataCopyParams whole(1, bytes / 32, 0, 0);
    if constexpr (place == MatmulPlace::kUb) {
      pipe->InitBuffer(in_ub_, bytes);
      DataCopy(in_ub_.Get<int8_t>(), Global<int8_t>(from), whole);
    } else if constexpr (place == MatmulPlace::kL1) {
      pipe->InitBuffer(in_l1_, 1, bytes);
      LocalTensor<int8_t> l1 = in_l1_.template AllocTensor<int8_t>();
      DataCopy(l1, Global<int8_t>(from), whole);
      in_l1_.EnQue(l1);
      l1_ = in_l1_.template DeQue<int8_t>();
    }
  }
  __aicore__ inline auto Get() {
    if constexpr (place == MatmulPlace::kUb) {
      return in_ub_.Get<T>();
    } else if constexpr (place == MatmulPlace::kL1) {
      return l1_.template ReinterpretCast<T>();
    } else {
      return Global<T>(from_);
    }
  }
  __aicore__ inline void Free() {
    if constexpr (place == MatmulPlace::kL1) in_l1_.FreeTensor(l1_);
  }

 private:
  GM_ADDR from_ = nullptr;
  TBuf<TPosition::VECCALC> in_ub_;
  TSCM<TPosition::GM, 1> in_l1_;
  LocalTensor<int8_t> l1_;
};

struct Tensors {
  GM_ADDR a, b, bias, c;
};

template <size_t row>
__aicore__ inline void Multiply(const Tensors& gm, const CombinationsCall& call) {
  constexpr MatmulTypes kTypes = kMatmulTypes[row];
  constexpr MatmulPlaces kPlaces = matmul_places(row);
  using T = typename MatmulTypeOf<kTypes.in>::Type;
  using TBias = typename MatmulTypeOf<kTypes.bias>::Type;
  using TC = typename MatmulTypeOf<kTypes.out>::Type;
  using A = MatmulType<PositionOf(kPlaces.a, TPosition::VECOUT), FormatOf(kPlaces.a), T>;
  using B = MatmulType<PositionOf(kPlaces.b, TPosition::VECOUT), FormatOf(kPlaces.b), T, true>;
  using C = MatmulType<PositionOf(kPlaces.c, TPosition::VECIN), CubeFormat::ND, TC>;
  using Bias = MatmulType<PositionOf(kPlaces.bias, TPosition::VECOUT), CubeFormat::ND, TBias>;
  Matmul<A, B, C, Bias> mm;
  TPipe pipe;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &call.tiling);
  const TCubeTiling& t = call.tiling;
  Operand<T, kPlaces.a> a;
  Operand<T, kPlaces.b> b;
  Operand<TBias, kPlaces.bias> bias;
  const uint32_t bits = std::is_same_v<T, int4b_t> ? 4 : sizeof(T) * 8;
  a.Load(&pipe, gm.a, t.M * t.Ka * bits / 8);
  b.Load(&pipe, gm.b, t.N * t.Kb * bits / 8);
  bias.Load(&pipe, gm.bias, t.N * sizeof(TBias));
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  if (call.quant != 0) mm.SetQuantScalar(call.quant_word);
  mm.SetTensorA(a.Get());
  mm.SetTensorB(b.Get(), call.trans_b != 0);
  if (call.bias) mm.SetBias(bias.Get());
  if constexpr (kPlaces.c == MatmulPlace::kUb) {
    TBuf<TPosition::VECCALC> results;
    pipe.InitBuffer(results, t.M * t.N * sizeof(TC));
    LocalTensor<TC> c = results.Get<TC>();
    mm.IterateAll(c);
    DataCopy(Global<TC>(gm.c), c, t.M * t.N);
  } else {
    mm.IterateAll(Global<TC>(gm.c));
  }
  mm.End();
  a.Free();
  b.Free();
}

template <size_t... rows>
__aicore__ inline void MultiplyAs(std::index_sequence<rows...>, const Tensors& gm,
                                  const CombinationsCall& call) {
  ((call.number == static_cast<int32_t>(rows) ? Multiply<rows>(gm, call) : void()), ...);
}

}  // namespace

extern "C" __global__ __aicore__ void combinations_mixed(GM_ADDR a, GM_ADDR b, GM_ADDR bias,
                                                         GM_ADDR c, CombinationsCall call) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
  MultiplyAs(std::make_index_sequence<kMatmulRows>(), {a, b, bias, c}, call);
}
