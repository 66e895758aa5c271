// Tilings that are known at compile time: GetMatmulApiTiling, and what a configuration is to the
// library.
#pragma once

#include "kernel_tiling/matmul_tile_choice.h"
#include "lib/matmul/matmul_config.h"

namespace AscendC {

/// A tiling whose fields are constants; -1 stands for what the tiling at run time says.
struct MatmulApiStaticTiling {
#define DAVSIM_STATIC_TILING_FIELD(name) std::int32_t name = -1;
  DAVSIM_TCUBE_TILING_FIELDS(DAVSIM_STATIC_TILING_FIELD)
#undef DAVSIM_STATIC_TILING_FIELD
  MatmulConfig cfg = CFG_NORM;
};

}  // namespace AscendC

namespace davsim::api {

/// A block of an operand twice in L0A or L0B, if it fits.
constexpr std::int32_t matmul_halves(std::int64_t side, std::int64_t k, std::int64_t bits) {
  return 2 * side * k * bits / 8 <= davsim::tiling::MatmulBuffers{}.l0a ? 2 : 1;
}
template <class T>
inline constexpr std::int64_t kMatmulBits = isa::dtype_bits(dtype_of<T>());

/// Base blocks as constants; all else is left to the tiling at run time.
template <class A_TYPE, class B_TYPE>
constexpr void set_matmul_base(AscendC::MatmulApiStaticTiling& tiling, std::int32_t base_m,
                               std::int32_t base_n, std::int32_t base_k) {
  tiling.baseM = base_m;
  tiling.baseN = base_n;
  tiling.baseK = base_k;
  tiling.dbL0A = matmul_halves(base_m, base_k, kMatmulBits<typename A_TYPE::T>);
  tiling.dbL0B = matmul_halves(base_n, base_k, kMatmulBits<typename B_TYPE::T>);
  tiling.isBias = tiling.cfg.enableSetBias ? 1 : 0;
}

/// Number `index` of a tuple of constants, or `otherwise` where it has fewer.
template <class Tuple, std::size_t index>
constexpr std::int32_t matmul_size(std::int32_t otherwise = 0) {
  if constexpr (index < std::tuple_size_v<Tuple>) {
    return static_cast<std::int32_t>(std::tuple_element_t<index, Tuple>::value);
  } else {
    return otherwise;
  }
}

}  // namespace davsim::api

namespace AscendC {

/// The tiling of a configuration that names its single shape; base blocks that it names are kept.
/// One that names base blocks alone has constants for these, and one that names nothing for
/// nothing.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig& mmCFG,
                                                   std::int32_t l1Size = TOTAL_L1_SIZE - 256) {
  MatmulApiStaticTiling tiling;
  tiling.cfg = mmCFG;
  const auto given = [](std::uint32_t value) {
    return value > 0 ? static_cast<std::int32_t>(value) : -1;
  };
  davsim::tiling::MatmulQuestion question;
  question.m = given(mmCFG.singleCoreM);
  question.n = given(mmCFG.singleCoreN);
  question.k = given(mmCFG.singleCoreK);
  question.base_m = given(mmCFG.basicM);
  question.base_n = given(mmCFG.basicN);
  question.base_k = given(mmCFG.basicK);
  if (question.m < 0 || question.n < 0 || question.k < 0) {
    if (question.base_m > 0 && question.base_n > 0 && question.base_k > 0) {
      davsim::api::set_matmul_base<A_TYPE, B_TYPE>(tiling, question.base_m, question.base_n,
                                                   question.base_k);
    }
    return tiling;
  }
  tiling.singleCoreM = question.m;
  tiling.singleCoreN = question.n;
  tiling.singleCoreK = question.k;
  question.bits = static_cast<std::int32_t>(davsim::api::kMatmulBits<typename A_TYPE::T>);
  question.trans_a = A_TYPE::isTrans;
  question.trans_b = B_TYPE::isTrans;
  question.bias = mmCFG.enableSetBias;
  question.words = davsim::api::kMatmulWords<typename A_TYPE::T, typename C_TYPE::T>;
  if (mmCFG.iterateOrder != IterateOrder::UNDEF) {
    question.order = mmCFG.iterateOrder == IterateOrder::ORDER_N ? 1 : 0;
  }
  question.buffers.l1 = l1Size;
  const davsim::tiling::MatmulChoice choice = davsim::tiling::choose_matmul_tiles(question);
  if (!choice.found) return tiling;
  davsim::api::set_matmul_base<A_TYPE, B_TYPE>(tiling, choice.base_m, choice.base_n, choice.base_k);
  tiling.stepM = mmCFG.stepM > 0 ? static_cast<std::int32_t>(mmCFG.stepM) : 1;
  tiling.stepN = mmCFG.stepN > 0 ? static_cast<std::int32_t>(mmCFG.stepN) : 1;
  tiling.stepKa = choice.step_ka;
  tiling.stepKb = choice.step_kb;
  tiling.depthA1 = choice.depth_a;
  tiling.depthB1 = choice.depth_b;
  tiling.iterateOrder = choice.order;
  tiling.dbL0C = choice.db_l0c;
  return tiling;
}

/// The tiling that three shapes say, tuples of constants: of a core's part [M, N, Ka] or
/// [M, N, Ka, Kb], of what one load brings to L1, alike, and of the base blocks [M, N, K]. L1 has
/// room for two loads. Where a size of L1 is 0, the tiling is that of the configuration.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE, class SingleShape,
          class L1Shape, class BaseShape>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig& mmCFG,
                                                   std::int32_t l1Size = TOTAL_L1_SIZE - 256) {
  using davsim::api::matmul_size;
  constexpr std::int32_t kL1M = matmul_size<L1Shape, 0>(), kL1N = matmul_size<L1Shape, 1>(),
                         kL1Ka = matmul_size<L1Shape, 2>(), kL1Kb = matmul_size<L1Shape, 3>(kL1Ka);
  if constexpr (kL1M == 0 || kL1N == 0 || kL1Ka == 0 || kL1Kb == 0) {
    return GetMatmulApiTiling<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE>(mmCFG, l1Size);
  } else {
    constexpr std::int32_t kBaseM = matmul_size<BaseShape, 0>(),
                           kBaseN = matmul_size<BaseShape, 1>(),
                           kBaseK = matmul_size<BaseShape, 2>();
    static_assert(kBaseM > 0 && kBaseN > 0 && kBaseK > 0,
                  "GetMatmulApiTiling: the sizes of BaseShape are positive numbers");
    MatmulApiStaticTiling tiling;
    tiling.cfg = mmCFG;
    davsim::api::set_matmul_base<A_TYPE, B_TYPE>(tiling, kBaseM, kBaseN, kBaseK);
    tiling.M = tiling.singleCoreM = matmul_size<SingleShape, 0>();
    tiling.N = tiling.singleCoreN = matmul_size<SingleShape, 1>();
    tiling.Ka = tiling.singleCoreK = matmul_size<SingleShape, 2>();
    tiling.Kb = matmul_size<SingleShape, 3>(tiling.Ka);
    const auto blocks = [](std::int32_t size, std::int32_t base) {
      return static_cast<std::int32_t>(davsim::tiling::ceil_div(size, base));
    };
    tiling.stepM = blocks(kL1M, kBaseM);
    tiling.stepN = blocks(kL1N, kBaseN);
    tiling.stepKa = blocks(kL1Ka, kBaseK);
    tiling.stepKb = blocks(kL1Kb, kBaseK);
    tiling.depthA1 = 2 * tiling.stepM * tiling.stepKa;
    tiling.depthB1 = 2 * tiling.stepN * tiling.stepKb;
    tiling.iterateOrder = 0;
    tiling.dbL0C = 1;
    return tiling;
  }
}

}  // namespace AscendC

namespace davsim::api {

constexpr const AscendC::MatmulConfig& matmul_config(const AscendC::MatmulConfig& config) {
  return config;
}
constexpr const AscendC::MatmulConfig& matmul_config(const AscendC::MatmulApiStaticTiling& tiling) {
  return tiling.cfg;
}

/// The tiling at run time with the constants of the configuration.
inline TCubeTiling matmul_tiling_with(const AscendC::MatmulConfig&, const TCubeTiling& tiling) {
  return tiling;
}
inline TCubeTiling matmul_tiling_with(const AscendC::MatmulApiStaticTiling& constants,
                                      const TCubeTiling& tiling) {
  TCubeTiling all = tiling;
#define DAVSIM_STATIC_TILING_TAKE(name) \
  if (constants.name != -1) all.name = constants.name;
  DAVSIM_TCUBE_TILING_FIELDS(DAVSIM_STATIC_TILING_TAKE)
#undef DAVSIM_STATIC_TILING_TAKE
  if (all.M == 0) all.M = all.singleCoreM;
  if (all.N == 0) all.N = all.singleCoreN;
  if (all.Ka == 0) all.Ka = all.singleCoreK;
  if (all.Kb == 0) all.Kb = all.singleCoreK;
  return all;
}

}  // namespace davsim::api
