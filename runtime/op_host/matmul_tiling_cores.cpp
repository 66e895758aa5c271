// The division of a product among cores, and the three classes that differ by it.
#include <algorithm>

#include "kernel_tiling/matmul_tile_choice.h"
#include "lib/matmul/matmul_tiling.h"

namespace matmul_tiling {

using davsim::tiling::align_up;
using davsim::tiling::ceil_div;

bool MatmulApiTiling::Compute() {
  const Sizes whole = Whole();
  if (whole.m <= 0 || whole.n <= 0 || whole.k <= 0) {
    Refuse("GetTiling", "SetShape or SetOrgShape has to say m, n and k first");
    return false;
  }
  return ComputeCore(whole, whole, 1);
}

// --- several cores -------------------------------------------------------------------------------

int32_t MultiCoreMatmulTiling::SetDim(int32_t dim) {
  if (dim <= 0) return Refuse("SetDim", "the number of cores is positive");
  cores_ = dim;
  return 0;
}
int32_t MultiCoreMatmulTiling::SetSingleShape(int32_t singleMIn, int32_t singleNIn,
                                              int32_t singleKIn) {
  single_ = {singleMIn, singleNIn, singleKIn};
  return 0;
}
int32_t MultiCoreMatmulTiling::SetSingleRange(int32_t maxM, int32_t maxN, int32_t maxK,
                                              int32_t minM, int32_t minN, int32_t minK) {
  most_single_ = {maxM, maxN, maxK};
  least_single_ = {minM, minN, minK};
  return 0;
}
int32_t MultiCoreMatmulTiling::SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK) {
  align_ = {alignM, alignN, alignK};
  return 0;
}

int32_t MultiCoreMatmulTiling::Part(int32_t size, int32_t parts, int32_t fixed, int32_t unit,
                                    int32_t low, int32_t high) {
  if (fixed > 0) return std::min(fixed, size);
  const int64_t whole = unit > 0 ? unit : 16;
  int64_t part = align_up(ceil_div(size, parts), whole);
  if (low > 0) part = std::max(part, align_up(low, whole));
  if (part >= size) part = size;
  if (high <= 0 || part <= high) return static_cast<int32_t>(part);
  const int64_t aligned = high / whole * whole;
  if (aligned > 0 && aligned >= low) return static_cast<int32_t>(aligned);
  return unit > 0 ? 0 : high;  // nobody asked for 16
}

bool MultiCoreMatmulTiling::Compute() {
  const Sizes whole = Whole();
  if (whole.m <= 0 || whole.n <= 0 || whole.k <= 0) {
    Refuse("GetTiling", "SetShape or SetOrgShape has to say m, n and k first");
    return false;
  }
  double best = -1;
  Sizes chosen;
  for (int32_t for_m = 1; for_m <= cores_; ++for_m) {
    for (int32_t for_n = 1; for_m * for_n <= cores_; ++for_n) {
      const int32_t for_k = split_k_ ? cores_ / (for_m * for_n) : 1;
      Sizes part;
      part.m = Part(whole.m, for_m, single_.m, align_.m, least_single_.m, most_single_.m);
      part.n = Part(whole.n, for_n, single_.n, align_.n, least_single_.n, most_single_.n);
      part.k = split_k_ ? Part(whole.k, for_k, single_.k, align_.k, least_single_.k, most_single_.k)
                        : whole.k;
      if (part.m <= 0 || part.n <= 0 || part.k <= 0) continue;
      const int64_t used =
          ceil_div(whole.m, part.m) * ceil_div(whole.n, part.n) * ceil_div(whole.k, part.k);
      if (used > cores_) continue;
      const double cycles = EstimateCore(part);
      if (cycles < 0 || (best >= 0 && cycles >= best)) continue;
      best = cycles;
      chosen = part;
    }
  }
  if (best < 0) {
    Refuse("GetTiling", "no division among the cores of SetDim keeps what was set");
    return false;
  }
  m_dim_ = static_cast<int32_t>(ceil_div(whole.m, chosen.m));
  n_dim_ = static_cast<int32_t>(ceil_div(whole.n, chosen.n));
  k_dim_ = static_cast<int32_t>(ceil_div(whole.k, chosen.k));
  return ComputeCore(whole, chosen, m_dim_ * n_dim_ * k_dim_);
}

int32_t MultiCoreMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim) const {
  if (result_.baseM == 0) return Refuse("GetCoreNum", "GetTiling comes first");
  dim = result_.usedCoreNum;
  mDim = m_dim_;
  nDim = n_dim_;
  return 0;
}
int32_t MultiCoreMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim,
                                          int32_t& batchCoreM, int32_t& batchCoreN) const {
  batchCoreM = batchCoreN = 1;
  return GetCoreNum(dim, mDim, nDim);
}
int32_t MultiCoreMatmulTiling::GetSingleShape(int32_t& shapeM, int32_t& shapeN,
                                              int32_t& shapeK) const {
  if (result_.baseM == 0) return Refuse("GetSingleShape", "GetTiling comes first");
  shapeM = result_.singleCoreM;
  shapeN = result_.singleCoreN;
  shapeK = result_.singleCoreK;
  return 0;
}

// --- batches -------------------------------------------------------------------------------------

bool BatchMatmulTiling::Compute() {
  Sizes whole = Whole();
  if (normal_.given()) {
    whole = normal_;
  } else if (a_layout_.s > 0 && b_layout_.s > 0 && !shape_.given()) {
    // Matrices of S rows of D elements, as they are stored.
    whole.m = a_.transposed ? a_layout_.d : a_layout_.s;
    whole.n = b_.transposed ? b_layout_.s : b_layout_.d;
    whole.k = a_.transposed ? a_layout_.s : a_layout_.d;
  }
  if (whole.m <= 0 || whole.n <= 0 || whole.k <= 0) {
    Refuse("GetTiling", "SetShape, SetBatchInfoForNormal or layouts have to say m, n and k first");
    return false;
  }
  if (!ComputeCore(whole, whole, 1)) return false;
  const int32_t batch_a = normal_a_ > 0 ? normal_a_ : std::max(1, batch_);
  const int32_t batch_b = normal_b_ > 0 ? normal_b_ : std::max(1, batch_);
  result_.batchM = batch_a;
  result_.batchN = batch_b;
  result_.BatchNum = std::max(batch_a, batch_b);
  if (normal_a_ > 0) {
    result_.ALayoutInfoB = normal_a_;
    result_.BLayoutInfoB = normal_b_;
  }
  return true;
}

int32_t BatchMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim,
                                      int32_t& batchCoreM, int32_t& batchCoreN) const {
  if (result_.baseM == 0) return Refuse("GetCoreNum", "GetTiling comes first");
  dim = result_.usedCoreNum;
  mDim = nDim = batchCoreM = batchCoreN = 1;
  return 0;
}

}  // namespace matmul_tiling

// --- bytes of a tiling ---------------------------------------------------------------------------

int32_t MatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling,
                              matmul_tiling::SysTilingTempBufSize& bufSize) {
  if (tiling.baseM <= 0 || tiling.baseN <= 0) return -1;
  bufSize.l1Size = tiling.shareL1Size;
  bufSize.l0cSize = tiling.shareL0CSize;
  bufSize.ubSize = tiling.shareUbSize;
  return 0;
}
int32_t MultiCoreMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling,
                                       matmul_tiling::SysTilingTempBufSize& bufSize) {
  return MatmulGetTmpBufSizeV2(tiling, bufSize);
}
int32_t BatchMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling,
                                   matmul_tiling::SysTilingTempBufSize& bufSize) {
  return MatmulGetTmpBufSizeV2(tiling, bufSize);
}
int32_t MatmulGetTmpBufSize(optiling::TCubeTiling& tiling,
                            matmul_tiling::SysTilingTempBufSize& bufSize) {
  if (tiling.get_baseM() <= 0 || tiling.get_baseN() <= 0) return -1;
  bufSize.l1Size = tiling.get_shareL1Size();
  bufSize.l0cSize = tiling.get_shareL0CSize();
  bufSize.ubSize = tiling.get_shareUbSize();
  return 0;
}
int32_t MultiCoreMatmulGetTmpBufSize(optiling::TCubeTiling& tiling,
                                     matmul_tiling::SysTilingTempBufSize& bufSize) {
  return MatmulGetTmpBufSize(tiling, bufSize);
}
int32_t BatchMatmulGetTmpBufSize(optiling::TCubeTiling& tiling,
                                 matmul_tiling::SysTilingTempBufSize& bufSize) {
  return MatmulGetTmpBufSize(tiling, bufSize);
}
