// Products on cube cores alone, for many types and layouts: `variant` says which.
#define ASCENDC_CUBE_ONLY
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "tests/matmul/kernels/call.h"

using namespace AscendC;
using namespace matmul;

namespace {

constexpr auto kGm = TPosition::GM;
template <typename T, CubeFormat format = CubeFormat::ND, bool trans = true>
using Of = MatmulType<kGm, format, T, trans>;
template <typename T, CubeFormat format = CubeFormat::ND>
using Out = MatmulType<kGm, format, T>;

// As documented.
static_assert(CFG_NORM.enUnitFlag && CFG_IBSHARE_NORM.enUnitFlag && !CFG_MDL.enUnitFlag);
constexpr MatmulConfig kUnitFlag = GetMDLConfig(false, false, 0, false, false, false, true);
constexpr MatmulConfig kConstantShape = [] {
  MatmulConfig config = GetNormalConfig();
  config.singleCoreM = 96;
  config.singleCoreN = 80;
  config.singleCoreK = 200;
  return config;
}();
constexpr MatmulApiStaticTiling kStatic =
    GetMatmulApiTiling<Of<half>, Of<half>, Out<float>, Out<float>>(kConstantShape);

/// Names no sizes, so that all are those of the tiling at run time.
constexpr MatmulApiStaticTiling kAllAtRunTime =
    GetMatmulApiTiling<Of<half>, Of<half>, Out<float>, Out<float>>(CFG_MDL);
/// Names base blocks alone: L1 and the order are those of the tiling at run time.
constexpr MatmulApiStaticTiling kBaseBlocks = [] {
  constexpr MatmulShapeParams kShape = {0, 0, 0, 32, 64, 32};
  return GetMatmulApiTiling<Of<half>, Of<half>, Out<float>, Out<float>>(
      GetMMConfig<MatmulConfigMode::CONFIG_MDL>(kShape));
}();
static_assert(kBaseBlocks.baseN == 64 && kBaseBlocks.dbL0A == 2 && kBaseBlocks.isBias == 1 &&
              kBaseBlocks.singleCoreM == -1 && kBaseBlocks.depthA1 == -1 &&
              kBaseBlocks.stepKa == -1 && kBaseBlocks.iterateOrder == -1);
/// By three shapes: a core's part, what one load brings to L1, base blocks.
template <int... sizes>
using Sizes = Shape<std::integral_constant<int, sizes>...>;
constexpr MatmulApiStaticTiling kByShapes =
    GetMatmulApiTiling<Of<half>, Of<half>, Out<float>, Out<float>, Sizes<96, 80, 200>,
                       Sizes<64, 48, 128, 64>, Sizes<32, 48, 64>>(CFG_MDL);
static_assert(kByShapes.M == 96 && kByShapes.Kb == 200 && kByShapes.singleCoreN == 80 &&
              kByShapes.stepM == 2 && kByShapes.stepN == 1 && kByShapes.stepKa == 2 &&
              kByShapes.stepKb == 1 && kByShapes.depthA1 == 8 && kByShapes.depthB1 == 2 &&
              kByShapes.dbL0A == 2 && kByShapes.dbL0C == 1);
/// Where they say nothing of L1, the configuration does.
static_assert(GetMatmulApiTiling<Of<half>, Of<half>, Out<float>, Out<float>, Sizes<96, 80, 200>,
                                 Sizes<0, 0, 0>, Sizes<32, 48, 64>>(kConstantShape)
                  .depthA1 == kStatic.depthA1);

/// Fills L1 with operands, as programs that are tuned by hand do; a bias is allowed, but not set.
constexpr MatmulApiStaticTiling kFullL1 = [] {
  constexpr MatmulShapeParams kShape = {150, 600, 1100, 128, 256, 64};
  MatmulConfig config = GetMMConfig<MatmulConfigMode::CONFIG_MDL>(kShape);
  config.enUnitFlag = true;
  auto constants = GetMatmulApiTiling<Of<half>, Of<half>, Out<half>, Out<half>>(config);
  constants.depthA1 = 16;
  constants.depthB1 = 8;
  constants.stepKa = 8;
  constants.stepKb = 4;
  constants.stepM = constants.stepN = 1;
  return constants;
}();
/// The members by their names, in the documented order.
constexpr MatmulConfig kByMembers = {.doNorm = true,
                                     .enableEnd = true,
                                     .enableSetTail = true,
                                     .iterateMode = IterateMode::ITERATE_MODE_ALL,
                                     .scheduleType = ScheduleType::INNER_PRODUCT,
                                     .isCO1Shared = false,
                                     .sharedCO1BufferSize = SHARED_CO1_BUFFER_SIZE,
                                     .bmmOutMode = BatchOutMode::SINGLE_BATCH,
                                     .enableL1BankConflictOptimise = false,
                                     .enableRelu = false,
                                     .decompMode = DecompressionMode::DECOMP_NONE};

struct Tensors {
  GM_ADDR a, b, bias, c, words;
};

template <class A, class B, class C, class Bias, const auto& CFG = CFG_NORM>
__aicore__ inline void Multiply(const Tensors& gm, const MatmulTestCall& call) {
  using TA = typename A::T;
  using TB = typename B::T;
  using TC = typename C::T;
  using TBias = typename Bias::T;
  TPipe pipe;
  Matmul<A, B, C, Bias, CFG> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &call.tiling);
  GlobalTensor<TA> a;
  GlobalTensor<TB> b;
  GlobalTensor<TC> c;
  GlobalTensor<TBias> bias;
  GlobalTensor<uint64_t> words;
  a.SetGlobalBuffer(reinterpret_cast<__gm__ TA*>(gm.a));
  b.SetGlobalBuffer(reinterpret_cast<__gm__ TB*>(gm.b));
  c.SetGlobalBuffer(reinterpret_cast<__gm__ TC*>(gm.c));
  bias.SetGlobalBuffer(reinterpret_cast<__gm__ TBias*>(gm.bias));
  words.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(gm.words));
  if (call.use == MatmulUse::kPastL2) {
    a.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    b.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    c.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
  }
  const TCubeTiling& t = call.tiling;
  const uint32_t rows = (t.M + t.singleCoreM - 1) / t.singleCoreM;
  const uint32_t cols = (t.N + t.singleCoreN - 1) / t.singleCoreN;
  const uint32_t row = GetBlockIdx() % rows * t.singleCoreM;
  const uint32_t col = GetBlockIdx() / rows % cols * t.singleCoreN;
  const uint32_t k = GetBlockIdx() / rows / cols * t.singleCoreK;
  if (static_cast<int>(k) >= t.Ka) return;
  const bool nz_a = A::format == CubeFormat::NZ, nz_b = B::format == CubeFormat::NZ;
  const uint64_t at_a = nz_a           ? row * 16
                        : call.trans_a ? uint64_t{k} * t.M + row
                                       : uint64_t{row} * t.Ka + k;
  const uint64_t at_b = nz_b           ? uint64_t{col} * ((t.Kb + 15) / 16 * 16)
                        : call.trans_b ? uint64_t{col} * t.Kb + k
                                       : uint64_t{k} * t.N + col;
  if (call.hf32) mm.SetHF32(true, 0);
  if (call.quant == 1) mm.SetQuantScalar(call.quant_word);
  if (call.quant == 2) mm.SetQuantVector(words[col]);
  mm.SetTail(min<int>(t.singleCoreM, t.M - row), min<int>(t.singleCoreN, t.N - col),
             min<int>(t.singleCoreK, t.Ka - k));
  mm.SetTensorA(a[at_a], call.trans_a != 0);
  mm.SetTensorB(b[at_b], call.trans_b != 0);
  if constexpr (std::is_same_v<TA, half> || std::is_same_v<TA, float>) {
    if (call.use == MatmulUse::kNumberA) mm.SetTensorA(TA(2.f), call.trans_a != 0);
    if (call.use == MatmulUse::kNumberB) mm.SetTensorB(TA(2.f));
  }
  if (call.bias && k == 0) mm.SetBias(bias[col]);
  const bool nz_c = C::format == CubeFormat::NZ;
  const uint64_t at_c =
      nz_c ? uint64_t{col} * ((t.M + 15) / 16 * 16) + row * 16 : uint64_t{row} * t.N + col;
  if (call.use == MatmulUse::kBlocks) {
    while (mm.Iterate()) mm.GetTensorC(c[at_c]);
  } else if (call.use == MatmulUse::kSequential) {
    mm.IterateAll(c, 0, true);
  } else if (call.use == MatmulUse::kStoredAndAddedTwice) {
    mm.IterateAll(c[at_c]);
    mm.IterateAll(c[at_c], 1);
    mm.IterateAll(c[at_c], 1);
  } else {
    // Parts of k add up in C, which is 0 before.
    mm.IterateAll(c[at_c], t.singleCoreK < t.Ka ? 1 : 0);
  }
  mm.End();
}

}  // namespace

extern "C" __global__ __aicore__ void cube_only(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c,
                                                GM_ADDR words, MatmulTestCall call) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  if ASCEND_IS_AIC {
    const Tensors gm{a, b, bias, c, words};
    constexpr auto kNz = CubeFormat::NZ;
    switch (call.variant) {
      case 0:
        return Multiply<Of<half>, Of<half>, Out<float>, Out<float>>(gm, call);
      case 1:
        return Multiply<Of<half>, Of<half>, Out<float>, Out<float>, CFG_MDL>(gm, call);
      case 2:
        return Multiply<Of<bfloat16_t>, Of<bfloat16_t>, Out<bfloat16_t>, Out<float>>(gm, call);
      case 3:
        return Multiply<Of<float>, Of<float>, Out<float>, Out<float>, CFG_MDL>(gm, call);
      case 4:
        return Multiply<Of<int8_t>, Of<int8_t>, Out<int32_t>, Out<int32_t>, CFG_MDL>(gm, call);
      case 5:
        return Multiply<Of<int8_t>, Of<int8_t>, Out<half>, Out<int32_t>>(gm, call);
      case 6:
        return Multiply<Of<int8_t>, Of<int8_t>, Out<int8_t>, Out<int32_t>>(gm, call);
      case 7:
        return Multiply<Of<int4b_t, CubeFormat::ND, false>, Of<int4b_t>, Out<int32_t>,
                        Out<int32_t>>(gm, call);
      case 8:
        return Multiply<Of<half, kNz>, Of<half, kNz>, Out<float, kNz>, Out<float>>(gm, call);
      case 9:
        return Multiply<Of<half, CubeFormat::VECTOR>, Of<half>, Out<half>, Out<half>>(gm, call);
      case 10:
        return Multiply<Of<half>, Of<half>, Out<half>, Out<half>, kUnitFlag>(gm, call);
      case 11:
        return Multiply<Of<half>, Of<half>, Out<int8_t>, Out<float>>(gm, call);
      case 12:
        return Multiply<Of<half>, Of<half>, Out<float>, Out<float>, kStatic>(gm, call);
      case 13:
        return Multiply<Of<half>, Of<half>, Out<float>, Out<float>, kAllAtRunTime>(gm, call);
      case 14:
        return Multiply<Of<half>, Of<half>, Out<float>, Out<float>, kByMembers>(gm, call);
      case 15:
        return Multiply<Of<half>, Of<half>, Out<half>, Out<half>, kFullL1>(gm, call);
      case 16:
        return Multiply<Of<half>, Of<half>, Out<float>, Out<float>, kBaseBlocks>(gm, call);
      case 17:
        return Multiply<Of<half>, Of<half>, Out<float>, Out<float>, kByShapes>(gm, call);
      case 18:
        return Multiply<Of<int8_t, CubeFormat::ND, false>, Of<int8_t>, Out<int32_t>, Out<int32_t>,
                        CFG_MDL>(gm, call);
      default:
        return;
    }
  }
}
