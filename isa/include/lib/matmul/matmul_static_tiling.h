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

/// The tiling of a configuration that names its single shape; base blocks that it names are kept.
/// Of one that names no sizes all is left to the tiling at run time.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig& mmCFG,
                                                   std::int32_t l1Size = TOTAL_L1_SIZE - 256) {
  MatmulApiStaticTiling tiling;
  tiling.cfg = mmCFG;
  const auto given = [](std::uint32_t value) {
    return value > 0 ? static_cast<std::int32_t>(value) : -1;
  };
  davsim::tiling::MatmulQuestion question;
  question.m = tiling.singleCoreM = given(mmCFG.singleCoreM);
  question.n = tiling.singleCoreN = given(mmCFG.singleCoreN);
  question.k = tiling.singleCoreK = given(mmCFG.singleCoreK);
  question.base_m = given(mmCFG.basicM);
  question.base_n = given(mmCFG.basicN);
  question.base_k = given(mmCFG.basicK);
  const bool names_sizes = question.m > 0 || question.n > 0 || question.k > 0 ||
                           question.base_m > 0 || question.base_n > 0 || question.base_k > 0;
  if (!names_sizes) return tiling;
  // A product whose shape comes at run time is taken for a large one.
  constexpr std::int32_t kLarge = 4096;
  if (question.m < 0) question.m = question.base_m > 0 ? question.base_m : kLarge;
  if (question.n < 0) question.n = question.base_n > 0 ? question.base_n : kLarge;
  if (question.k < 0) question.k = kLarge;
  question.bits = static_cast<std::int32_t>(
      davsim::isa::dtype_bits(davsim::api::dtype_of<typename A_TYPE::T>()));
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
  tiling.baseM = choice.base_m;
  tiling.baseN = choice.base_n;
  tiling.baseK = choice.base_k;
  tiling.stepM = mmCFG.stepM > 0 ? static_cast<std::int32_t>(mmCFG.stepM) : 1;
  tiling.stepN = mmCFG.stepN > 0 ? static_cast<std::int32_t>(mmCFG.stepN) : 1;
  tiling.stepKa = choice.step_ka;
  tiling.stepKb = choice.step_kb;
  tiling.depthA1 = choice.depth_a;
  tiling.depthB1 = choice.depth_b;
  tiling.iterateOrder = choice.order;
  tiling.dbL0A = tiling.dbL0B = 2;
  tiling.dbL0C = choice.db_l0c;
  tiling.isBias = mmCFG.enableSetBias ? 1 : 0;
  return tiling;
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
