// The tiling of Matmul objects: what a program sets, and GetTiling, which chooses the rest and
// fills a TCubeTiling for the kernel.
//
// Setters return 0, or -1 and a message on standard error where a value is outside its limits.
// GetTiling returns 0, or -1 and a message that names the rule which no tiling could keep.
#pragma once

#include <cstdint>

#include "kernel_tiling/matmul_tile_choice.h"
#include "kernel_tiling/tcube_tiling.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

/// TCubeTiling as tiling data: set_baseM, get_baseM and so on.
BEGIN_TILING_DATA_DEF(TCubeTiling)
const char* KernelHeader() const override {
  return "kernel_tiling/kernel_tiling.h";
}
#define DAVSIM_TCUBE_TILING_FIELD(name) TILING_DATA_FIELD_DEF(int32_t, name);
DAVSIM_TCUBE_TILING_FIELDS(DAVSIM_TCUBE_TILING_FIELD)
#undef DAVSIM_TCUBE_TILING_FIELD
END_TILING_DATA_DEF;

}  // namespace optiling

namespace matmul_tiling {

enum class TPosition : int32_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM,
  SPM,
  SHM = SPM,
  TSCM,
  MAX
};
enum class CubeFormat : int32_t { ND = 0, NZ, ZN, ZZ, NN, VECTOR, SCALAR, ND_ALIGN };
/// The numbers of ge::DataType.
enum class DataType : int32_t {
  DT_FLOAT = 0,
  DT_FLOAT16 = 1,
  DT_INT8 = 2,
  DT_INT32 = 3,
  DT_UINT8 = 4,
  DT_INT16 = 6,
  DT_UINT16 = 7,
  DT_UINT32 = 8,
  DT_INT64 = 9,
  DT_UINT64 = 10,
  DT_BF16 = 27,
  DT_BFLOAT16 = 27,
  DT_INT4 = 29,
  DT_UNDEFINED = 255
};
enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM, FIRSTN };
enum class MatrixMadType : int32_t { NORMAL = 0, HF32 = 1 };
enum class DequantType : int32_t { SCALAR = 0, TENSOR = 1, DEFAULT };
enum class ScheduleType : int32_t { INNER_PRODUCT = 0, OUTER_PRODUCT, N_BUFFER_33 };

/// Of a program that knows its device itself. Bytes.
struct PlatformInfo {
  platform_ascendc::SocVersion socVersion = platform_ascendc::SocVersion::ASCEND910B;
  uint64_t l1Size = 0, l0CSize = 0, ubSize = 0, l0ASize = 0, l0BSize = 0, btSize = 0, fbSize = 0;
};

struct MatmulConfigParams {
  MatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                     ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                     MatrixTraverse traverseIn = MatrixTraverse::NOSET, bool enVecND2NZIn = false)
      : mmConfigType(mmConfigTypeIn),
        enableL1CacheUB(enableL1CacheUBIn),
        scheduleType(scheduleTypeIn),
        traverse(traverseIn),
        enVecND2NZ(enVecND2NZIn) {}
  int32_t mmConfigType;  ///< 0: Norm, 1: MDL
  bool enableL1CacheUB;
  ScheduleType scheduleType;
  MatrixTraverse traverse;
  bool enVecND2NZ;
};

/// Bytes that a tiling takes.
struct SysTilingTempBufSize {
  int32_t ubSize = 0, l1Size = 0, l0cSize = 0;
};

/// What the three tiling classes share: everything that a program can set.
class MatmulApiTilingBase {
 public:
  MatmulApiTilingBase();
  explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& platform);
  explicit MatmulApiTilingBase(const PlatformInfo& platform);
  virtual ~MatmulApiTilingBase() = default;

  int32_t SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false);
  int32_t SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false);
  int32_t SetCType(TPosition pos, CubeFormat type, DataType dataType);
  int32_t SetBiasType(TPosition pos, CubeFormat type, DataType dataType);
  int32_t SetDequantType(DequantType dequantType);

  /// What one launch multiplies, or one core where there is one.
  virtual int32_t SetShape(int32_t m, int32_t n, int32_t k);
  /// The matrices that it lies in.
  int32_t SetOrgShape(int32_t orgM, int32_t orgN, int32_t orgK);
  int32_t SetOrgShape(int32_t orgM, int32_t orgN, int32_t orgKa, int32_t orgKb);

  int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
  int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
  int32_t SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
  int32_t SetBatchNum(int32_t batch);
  int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k);

  int32_t EnableBias(bool isBiasIn = false);
  int32_t SetBias(bool isBiasIn = false) { return EnableBias(isBiasIn); }
  /// Base block; -1: chosen here.
  int32_t SetFixSplit(int32_t baseMIn = -1, int32_t baseNIn = -1, int32_t baseKIn = -1);
  int32_t SetSplitRange(int32_t maxBaseM = -1, int32_t maxBaseN = -1, int32_t maxBaseK = -1,
                        int32_t minBaseM = -1, int32_t minBaseN = -1, int32_t minBaseK = -1);
  /// Bytes that the product may take; -1: all of the core's.
  int32_t SetBufferSpace(int32_t l1Size = -1, int32_t l0CSize = -1, int32_t ubSize = -1,
                         int32_t btSize = -1);
  int32_t SetTraverse(MatrixTraverse traverse);
  int32_t SetMadType(MatrixMadType madType);
  /// Kept for programs that say it; both sides of L0 are double-buffered here whenever they fit.
  int32_t SetDoubleBuffer(bool a, bool b, bool c, bool bias, bool transND2NZ = true,
                          bool transNZ2ND = true);
  void SetMatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                             ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                             MatrixTraverse traverseIn = MatrixTraverse::NOSET,
                             bool enVecND2NZIn = false);
  void SetMatmulConfigParams(const MatmulConfigParams& configParams);
  int32_t SetSparse(bool isSparseIn = false);

  /// Of the last GetTiling.
  int32_t GetBaseM() const { return result_.baseM; }
  int32_t GetBaseN() const { return result_.baseN; }
  int32_t GetBaseK() const { return result_.baseK; }

  int64_t GetTiling(optiling::TCubeTiling& tiling);
  int64_t GetTiling(AscendC::tiling::TCubeTiling& tiling);

 protected:
  struct Operand {
    TPosition position = TPosition::GM;
    CubeFormat format = CubeFormat::ND;
    DataType type = DataType::DT_FLOAT16;
    bool transposed = false;
  };
  struct Sizes {
    int32_t m = -1, n = -1, k = -1;
    bool given() const { return m > 0 || n > 0 || k > 0; }
  };
  struct Layout {
    int32_t b = 0, s = 0, n = 0, g = 0, d = 0;
  };

  /// Fills result_; false after a message.
  virtual bool Compute() = 0;
  /// Chooses base blocks for one core's part and writes them with everything that was set.
  bool ComputeCore(const Sizes& whole, const Sizes& single, int32_t cores);
  /// Whether the base block that was set is no larger than the part in whole fractals.
  bool FixedFits(const Sizes& single) const;
  davsim::tiling::MatmulChoice Choose(const Sizes& single) const;
  /// The estimate of a core's cycles; negative where no tiling fits.
  double EstimateCore(const Sizes& single) const;
  /// The shape that was set; the matrices' where only those were.
  Sizes Whole() const;
  int32_t InputBits() const;
  davsim::tiling::MatmulQuestion Question(const Sizes& single) const;
  void AddLayouts(AscendC::tiling::TCubeTiling& t) const;
  static int32_t Refuse(const char* call, const char* rule);

  Operand a_, b_, c_, bias_type_;
  Sizes shape_, single_, fixed_, most_base_, least_base_, align_, most_single_, least_single_;
  int32_t org_m_ = -1, org_n_ = -1, org_ka_ = -1, org_kb_ = -1;
  Layout a_layout_, b_layout_, c_layout_;
  int32_t batch_ = 0;
  Sizes normal_;  ///< of one product of SetBatchInfoForNormal
  int32_t normal_a_ = 0, normal_b_ = 0;
  bool bias_ = false;
  bool sparse_ = false;
  MatrixTraverse traverse_ = MatrixTraverse::NOSET;
  MatmulConfigParams config_;
  int64_t l1_, l0a_, l0b_, l0c_, bt_, ub_;                                  ///< of the core
  int64_t l1_space_ = -1, l0c_space_ = -1, ub_space_ = -1, bt_space_ = -1;  ///< of the product
  int32_t cores_ = 1;
  AscendC::tiling::TCubeTiling result_;
};

/// The tiling of a product on one core.
class MatmulApiTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;

 protected:
  bool Compute() override;
};

/// The tiling of a product on several cores. On mixed kernels each vector core counts as one.
class MultiCoreMatmulTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;

  /// Cores at most.
  int32_t SetDim(int32_t dim);
  /// Sizes of one core's part; -1: chosen here.
  int32_t SetSingleShape(int32_t singleMIn = -1, int32_t singleNIn = -1, int32_t singleKIn = -1);
  int32_t SetSingleRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1, int32_t minM = -1,
                         int32_t minN = -1, int32_t minK = -1);
  int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK);
  /// Allows cores to take parts of k, whose results the kernel adds up.
  void EnableMultiCoreSplitK(bool flag) { split_k_ = flag; }

  /// Of the last GetTiling: cores in use, and how many share M and N.
  int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim) const;
  int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim, int32_t& batchCoreM,
                     int32_t& batchCoreN) const;
  int32_t GetSingleShape(int32_t& shapeM, int32_t& shapeN, int32_t& shapeK) const;

 protected:
  bool Compute() override;

 private:
  /// A side's length on each of `parts` cores, in the units and the range that were set.
  static int32_t Part(int32_t size, int32_t parts, int32_t fixed, int32_t unit, int32_t low,
                      int32_t high);

  bool split_k_ = false;
  int32_t m_dim_ = 1, n_dim_ = 1, k_dim_ = 1;
};

/// The tiling of several products of one size on one core.
class BatchMatmulTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;
  int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim, int32_t& batchCoreM,
                     int32_t& batchCoreN) const;

 protected:
  bool Compute() override;
};

}  // namespace matmul_tiling

/// Bytes of the buffers that a tiling takes; 0, or -1 for a tiling without base blocks.
int32_t MatmulGetTmpBufSize(optiling::TCubeTiling& tiling,
                            matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t MultiCoreMatmulGetTmpBufSize(optiling::TCubeTiling& tiling,
                                     matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t BatchMatmulGetTmpBufSize(optiling::TCubeTiling& tiling,
                                 matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t MatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling,
                              matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t MultiCoreMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling,
                                       matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t BatchMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling,
                                   matmul_tiling::SysTilingTempBufSize& bufSize);
