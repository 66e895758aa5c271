// Products on cube cores alone in every documented combination of types: `call.number` says which.
#define ASCENDC_CUBE_ONLY
#include "tests/matmul/kernels/combinations_types.h"

using namespace AscendC;

namespace {

struct Tensors {
  GM_ADDR a, b, bias, c, words;
};

template <typename T>
__aicore__ inline GlobalTensor<T> Global(GM_ADDR at) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(at));
  return tensor;
}

template <size_t number>
__aicore__ inline void Multiply(const Tensors& gm, const CombinationsCall& call) {
  constexpr MatmulCombination kIs = matmul_combination(number);
  constexpr auto kGm = TPosition::GM;
  using TA = typename MatmulTypeOf<kIs.types.in>::Type;
  using TBias = typename MatmulTypeOf<kIs.types.bias>::Type;
  using TC = typename MatmulTypeOf<kIs.types.out>::Type;
  constexpr bool kTransA = !std::is_same_v<TA, int4b_t>;  // the one that the documentation excludes
  using A = MatmulType<kGm, matmul_format(kIs.a, CubeFormat::VECTOR), TA, kTransA>;
  using B = MatmulType<kGm, matmul_format(kIs.b, CubeFormat::ND), TA, true>;
  using C = MatmulType<kGm, matmul_format(kIs.c, CubeFormat::ND_ALIGN), TC>;
  TPipe pipe;
  Matmul<A, B, C, MatmulType<kGm, CubeFormat::ND, TBias>, CFG_MDL> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &call.tiling);
  if (call.quant == 1) mm.SetQuantScalar(call.quant_word);
  if (call.quant == 2) mm.SetQuantVector(Global<uint64_t>(gm.words));
  mm.SetTensorA(Global<TA>(gm.a), call.trans_a != 0);
  mm.SetTensorB(Global<TA>(gm.b), call.trans_b != 0);
  if (call.bias) mm.SetBias(Global<TBias>(gm.bias));
  mm.IterateAll(Global<TC>(gm.c));
  mm.End();
}

template <size_t... numbers>
__aicore__ inline void MultiplyAs(std::index_sequence<numbers...>, const Tensors& gm,
                                  const CombinationsCall& call) {
  ((call.number == static_cast<int32_t>(numbers) ? Multiply<numbers>(gm, call) : void()), ...);
}

}  // namespace

extern "C" __global__ __aicore__ void combinations(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c,
                                                   GM_ADDR words, CombinationsCall call) {
  MultiplyAs(std::make_index_sequence<kMatmulCombinations>(), {a, b, bias, c, words}, call);
}
