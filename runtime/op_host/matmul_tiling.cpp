// What the three tiling classes of Matmul share: setters, and the part of one core.
#include "lib/matmul/matmul_tiling.h"

#include <algorithm>
#include <cstdio>

namespace matmul_tiling {

namespace {

int64_t memory_of(const platform_ascendc::PlatformAscendC& platform,
                  platform_ascendc::CoreMemType type) {
  uint64_t bytes = 0;
  platform.GetCoreMemSize(type, bytes);
  return static_cast<int64_t>(bytes);
}

/// A size that a program may leave open.
bool open_or_positive(int32_t value) {
  return value == -1 || value > 0;
}

int32_t bits_of(DataType type) {
  switch (type) {
    case DataType::DT_FLOAT:
    case DataType::DT_INT32:
    case DataType::DT_UINT32:
      return 32;
    case DataType::DT_INT8:
    case DataType::DT_UINT8:
      return 8;
    case DataType::DT_INT4:
      return 4;
    default:
      return 16;
  }
}

/// Bytes that the device's library keeps of UB and L1 for its messages.
constexpr int64_t kKept = 256;

}  // namespace

MatmulApiTilingBase::MatmulApiTilingBase()
    : l1_(512 * 1024 - kKept),
      l0a_(64 * 1024),
      l0b_(64 * 1024),
      l0c_(128 * 1024),
      bt_(1024),
      ub_(192 * 1024 - kKept) {}

MatmulApiTilingBase::MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& platform)
    : MatmulApiTilingBase() {
  using platform_ascendc::CoreMemType;
  l1_ = memory_of(platform, CoreMemType::L1);
  l0a_ = memory_of(platform, CoreMemType::L0_A);
  l0b_ = memory_of(platform, CoreMemType::L0_B);
  l0c_ = memory_of(platform, CoreMemType::L0_C);
  bt_ = memory_of(platform, CoreMemType::BT);
  ub_ = memory_of(platform, CoreMemType::UB);
}

MatmulApiTilingBase::MatmulApiTilingBase(const PlatformInfo& platform) : MatmulApiTilingBase() {
  const auto take = [](int64_t& bytes, uint64_t given) {
    if (given > 0) bytes = static_cast<int64_t>(given);
  };
  take(l1_, platform.l1Size);
  take(l0a_, platform.l0ASize);
  take(l0b_, platform.l0BSize);
  take(l0c_, platform.l0CSize);
  take(bt_, platform.btSize);
  take(ub_, platform.ubSize);
}

int32_t MatmulApiTilingBase::Refuse(const char* call, const char* rule) {
  std::fprintf(stderr, "davsim: %s: %s\n", call, rule);
  return -1;
}

int32_t MatmulApiTilingBase::SetAType(TPosition pos, CubeFormat type, DataType dataType,
                                      bool isTrans) {
  a_ = {pos, type, dataType, isTrans};
  return 0;
}
int32_t MatmulApiTilingBase::SetBType(TPosition pos, CubeFormat type, DataType dataType,
                                      bool isTrans) {
  b_ = {pos, type, dataType, isTrans};
  return 0;
}
int32_t MatmulApiTilingBase::SetCType(TPosition pos, CubeFormat type, DataType dataType) {
  c_ = {pos, type, dataType, false};
  return 0;
}
int32_t MatmulApiTilingBase::SetBiasType(TPosition pos, CubeFormat type, DataType dataType) {
  bias_type_ = {pos, type, dataType, false};
  return 0;
}
int32_t MatmulApiTilingBase::SetDequantType(DequantType) {
  return 0;  // takes no room in the buffers that a tiling divides
}

int32_t MatmulApiTilingBase::SetShape(int32_t m, int32_t n, int32_t k) {
  if (!open_or_positive(m) || !open_or_positive(n) || !open_or_positive(k)) {
    return Refuse("SetShape", "m, n and k are positive, or -1 for those of SetOrgShape");
  }
  shape_ = {m, n, k};
  return 0;
}
int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgM, int32_t orgN, int32_t orgK) {
  return SetOrgShape(orgM, orgN, orgK, orgK);
}
int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgM, int32_t orgN, int32_t orgKa, int32_t orgKb) {
  if (!open_or_positive(orgM) || !open_or_positive(orgN) || !open_or_positive(orgKa) ||
      !open_or_positive(orgKb)) {
    return Refuse("SetOrgShape", "sizes are positive, or -1 for those of SetShape");
  }
  org_m_ = orgM;
  org_n_ = orgN;
  org_ka_ = orgKa;
  org_kb_ = orgKb;
  return 0;
}

int32_t MatmulApiTilingBase::SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
  a_layout_ = {b, s, n, g, d};
  return 0;
}
int32_t MatmulApiTilingBase::SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
  b_layout_ = {b, s, n, g, d};
  return 0;
}
int32_t MatmulApiTilingBase::SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
  c_layout_ = {b, s, n, g, d};
  return 0;
}
int32_t MatmulApiTilingBase::SetBatchNum(int32_t batch) {
  if (batch <= 0) return Refuse("SetBatchNum", "the number of products is positive");
  batch_ = batch;
  return 0;
}
int32_t MatmulApiTilingBase::SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m,
                                                   int32_t n, int32_t k) {
  if (batchA <= 0 || batchB <= 0 || m <= 0 || n <= 0 || k <= 0) {
    return Refuse("SetBatchInfoForNormal", "batchA, batchB, m, n and k are positive");
  }
  normal_a_ = batchA;
  normal_b_ = batchB;
  normal_ = {m, n, k};
  return 0;
}

int32_t MatmulApiTilingBase::EnableBias(bool isBiasIn) {
  bias_ = isBiasIn;
  return 0;
}
int32_t MatmulApiTilingBase::SetFixSplit(int32_t baseMIn, int32_t baseNIn, int32_t baseKIn) {
  const auto whole = [](int32_t value) { return value == -1 || (value > 0 && value % 16 == 0); };
  if (!whole(baseMIn) || !whole(baseNIn) || !open_or_positive(baseKIn)) {
    return Refuse("SetFixSplit", "baseM and baseN are multiples of 16, or -1");
  }
  fixed_ = {baseMIn, baseNIn, baseKIn};
  return 0;
}
int32_t MatmulApiTilingBase::SetSplitRange(int32_t maxBaseM, int32_t maxBaseN, int32_t maxBaseK,
                                           int32_t minBaseM, int32_t minBaseN, int32_t minBaseK) {
  most_base_ = {maxBaseM, maxBaseN, maxBaseK};
  least_base_ = {minBaseM, minBaseN, minBaseK};
  return 0;
}
int32_t MatmulApiTilingBase::SetBufferSpace(int32_t l1Size, int32_t l0CSize, int32_t ubSize,
                                            int32_t btSize) {
  if (l1Size > l1_ || l0CSize > l0c_) {
    return Refuse("SetBufferSpace", "the space is more than the core has");
  }
  l1_space_ = l1Size;
  l0c_space_ = l0CSize;
  ub_space_ = ubSize;
  bt_space_ = btSize;
  return 0;
}
int32_t MatmulApiTilingBase::SetTraverse(MatrixTraverse traverse) {
  traverse_ = traverse;
  return 0;
}
int32_t MatmulApiTilingBase::SetMadType(MatrixMadType) {
  return 0;  // HF32 takes as much room
}
int32_t MatmulApiTilingBase::SetDoubleBuffer(bool, bool, bool, bool, bool, bool) {
  return 0;
}
void MatmulApiTilingBase::SetMatmulConfigParams(int32_t mmConfigTypeIn, bool enableL1CacheUBIn,
                                                ScheduleType scheduleTypeIn,
                                                MatrixTraverse traverseIn, bool enVecND2NZIn) {
  SetMatmulConfigParams(MatmulConfigParams(mmConfigTypeIn, enableL1CacheUBIn, scheduleTypeIn,
                                           traverseIn, enVecND2NZIn));
}
void MatmulApiTilingBase::SetMatmulConfigParams(const MatmulConfigParams& configParams) {
  config_ = configParams;
  if (config_.traverse != MatrixTraverse::NOSET) traverse_ = config_.traverse;
}
int32_t MatmulApiTilingBase::SetSparse(bool isSparseIn) {
  sparse_ = isSparseIn;
  return 0;
}

// --- the choice ----------------------------------------------------------------------------------

int32_t MatmulApiTilingBase::InputBits() const {
  return std::max(bits_of(a_.type), bits_of(b_.type));
}

MatmulApiTilingBase::Sizes MatmulApiTilingBase::Whole() const {
  const auto set = [](int32_t value, int32_t otherwise) { return value > 0 ? value : otherwise; };
  return {set(shape_.m, org_m_), set(shape_.n, org_n_), set(shape_.k, org_ka_)};
}

davsim::tiling::MatmulQuestion MatmulApiTilingBase::Question(const Sizes& single) const {
  davsim::tiling::MatmulQuestion question;
  question.m = single.m;
  question.n = single.n;
  question.k = single.k;
  question.bits = InputBits();
  question.trans_a = a_.transposed;
  question.trans_b = b_.transposed;
  question.bias = bias_;
  question.sparse = sparse_;
  const bool plain = c_.type == DataType::DT_BF16 || bits_of(c_.type) == 32;
  question.words = !plain;
  question.base_m = fixed_.m;
  question.base_n = fixed_.n;
  question.base_k = fixed_.k;
  question.most_base_m = most_base_.m;
  question.most_base_n = most_base_.n;
  question.most_base_k = most_base_.k;
  question.least_base_m = least_base_.m;
  question.least_base_n = least_base_.n;
  question.least_base_k = least_base_.k;
  if (traverse_ != MatrixTraverse::NOSET) {
    question.order = traverse_ == MatrixTraverse::FIRSTN ? 1 : 0;
  }
  const auto space = [](int64_t set, int64_t core) { return set > 0 ? set : core; };
  question.buffers = {space(l1_space_, l1_), l0a_, l0b_, space(l0c_space_, l0c_),
                      space(bt_space_, bt_)};
  if (c_.position == TPosition::VECIN || c_.position == TPosition::VECCALC) {
    // A base block of results has to fit in UB.
    const int64_t elements = space(ub_space_, ub_) * 8 / bits_of(c_.type);
    question.buffers.l0c = std::min(question.buffers.l0c, elements * 4);
  }
  return question;
}

bool MatmulApiTilingBase::FixedFits(const Sizes& single) const {
  const int32_t unit_n = std::max(16, davsim::tiling::matmul_c0(InputBits()));
  return fixed_.m <= davsim::tiling::align_up(single.m, 16) &&
         fixed_.n <= davsim::tiling::align_up(single.n, unit_n);
}

davsim::tiling::MatmulChoice MatmulApiTilingBase::Choose(const Sizes& single) const {
  if (!FixedFits(single)) return {};
  return davsim::tiling::choose_matmul_tiles(Question(single));
}

double MatmulApiTilingBase::EstimateCore(const Sizes& single) const {
  const davsim::tiling::MatmulChoice choice = Choose(single);
  return choice.found ? choice.cycles : -1;
}

bool MatmulApiTilingBase::ComputeCore(const Sizes& whole, const Sizes& single, int32_t cores) {
  if (!FixedFits(single)) {
    Refuse("GetTiling",
           "baseM and baseN of SetFixSplit are at most those of a core's part in whole fractals: "
           "singleCoreM in multiples of 16, singleCoreN in multiples of C0");
    return false;
  }
  const davsim::tiling::MatmulChoice choice = Choose(single);
  if (!choice.found) {
    Refuse("GetTiling",
           "no base block fits: baseM * baseN * 4 bytes in L0C, a block of A and B in L0A and "
           "L0B, a row of bias in the bias table, and the blocks of A and B in L1");
    return false;
  }
  AscendC::tiling::TCubeTiling t;
  t.usedCoreNum = cores;
  t.M = org_m_ > 0 ? org_m_ : whole.m;
  t.N = org_n_ > 0 ? org_n_ : whole.n;
  t.Ka = org_ka_ > 0 ? org_ka_ : whole.k;
  t.Kb = org_kb_ > 0 ? org_kb_ : whole.k;
  t.singleCoreM = single.m;
  t.singleCoreN = single.n;
  t.singleCoreK = single.k;
  t.baseM = choice.base_m;
  t.baseN = choice.base_n;
  t.baseK = choice.base_k;
  t.depthA1 = choice.depth_a;
  t.depthB1 = choice.depth_b;
  t.stepM = t.stepN = 1;
  t.stepKa = choice.step_ka;
  t.stepKb = choice.step_kb;
  t.isBias = bias_;
  t.iterateOrder = choice.order;
  const int64_t block_a = int64_t{t.baseM} * t.baseK * InputBits() / 8;
  const int64_t block_b = int64_t{t.baseN} * t.baseK * InputBits() / 8;
  t.dbL0A = 2 * block_a <= l0a_ ? 2 : 1;
  t.dbL0B = 2 * block_b <= l0b_ ? 2 : 1;
  t.dbL0C = choice.db_l0c;
  t.shareL1Size = static_cast<int32_t>(t.depthA1 * block_a + t.depthB1 * block_b);
  t.shareL0CSize = t.baseM * t.baseN * 4 * t.dbL0C;
  t.batchM = t.batchN = t.singleBatchM = t.singleBatchN = 1;
  t.BatchNum = batch_;
  AddLayouts(t);
  result_ = t;
  return true;
}

void MatmulApiTilingBase::AddLayouts(AscendC::tiling::TCubeTiling& t) const {
  t.ALayoutInfoB = a_layout_.b;
  t.ALayoutInfoS = a_layout_.s;
  t.ALayoutInfoN = a_layout_.n;
  t.ALayoutInfoG = a_layout_.g;
  t.ALayoutInfoD = a_layout_.d;
  t.BLayoutInfoB = b_layout_.b;
  t.BLayoutInfoS = b_layout_.s;
  t.BLayoutInfoN = b_layout_.n;
  t.BLayoutInfoG = b_layout_.g;
  t.BLayoutInfoD = b_layout_.d;
  t.CLayoutInfoB = c_layout_.b;
  t.CLayoutInfoS1 = c_layout_.s;
  t.CLayoutInfoN = c_layout_.n;
  t.CLayoutInfoG = c_layout_.g;
  t.CLayoutInfoS2 = c_layout_.d;
}

int64_t MatmulApiTilingBase::GetTiling(AscendC::tiling::TCubeTiling& tiling) {
  if (!Compute()) return -1;
  tiling = result_;
  return 0;
}

int64_t MatmulApiTilingBase::GetTiling(optiling::TCubeTiling& tiling) {
  if (!Compute()) return -1;
#define DAVSIM_TCUBE_TILING_SET(name) tiling.set_##name(result_.name);
  DAVSIM_TCUBE_TILING_FIELDS(DAVSIM_TCUBE_TILING_SET)
#undef DAVSIM_TCUBE_TILING_SET
  return 0;
}

}  // namespace matmul_tiling
