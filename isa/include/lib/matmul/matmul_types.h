// What describes a Matmul object at compile time: operands, configuration, callbacks, policies.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"

namespace AscendC {

enum class CubeFormat : std::uint8_t { ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR };
/// Where the matrices of a batch lie: one behind the other (NORMAL), or interleaved.
enum class LayoutMode : std::uint8_t { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };
enum class BatchMode : std::uint8_t {
  NONE = 0,
  BATCH_LESS_THAN_L1,
  BATCH_LARGE_THAN_L1,
  SINGLE_LARGE_THAN_L1
};
enum class BatchOutMode : std::uint8_t { SINGLE_BATCH = 0, MULTI_BATCH, DEFAULT };
/// Unscoped, because configurations hold it as a number.
enum IterateMode : std::uint8_t {
  ITERATE_MODE_NORMAL = 1,
  ITERATE_MODE_ALL = 2,
  ITERATE_MODE_BATCH = 4,
  ITERATE_MODE_N_BATCH = 8,
  ITERATE_MODE_DEFAULT = 255
};
enum class DecompressionMode : std::uint8_t { DECOMP_NONE = 0 };
enum class IterateOrder : std::uint8_t { ORDER_M = 0, ORDER_N, UNDEF };
enum class ScheduleType : std::uint8_t { INNER_PRODUCT = 0, OUTER_PRODUCT, N_BUFFER_33 };

/// An operand of Matmul. `ISTRANS` allows a transposed matrix, SetTensorA and SetTensorB say
/// whether it is one.
template <TPosition POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false,
          TPosition SRCPOS = TPosition::GM>
struct MatmulType {
  static constexpr TPosition pos = POSITION;
  static constexpr CubeFormat format = FORMAT;
  using T = TYPE;
  static constexpr bool isTrans = ISTRANS;
  static constexpr LayoutMode layout = LAYOUT;
  static constexpr bool ibShare = IBSHARE;
  static constexpr TPosition srcPos = SRCPOS;
};

/// B of 4:2 sparse rows of k: two of every four elements lie in memory, and where they stood in a
/// matrix of indices (SetSparseIndex).
template <TPosition POSITION, TPosition INDEX_POSITION, CubeFormat FORMAT, typename TYPE,
          bool ISTRANS = false, LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false>
struct SparseMatmulType : MatmulType<POSITION, FORMAT, TYPE, ISTRANS, LAYOUT, IBSHARE> {
  static constexpr TPosition indexPosition = INDEX_POSITION;
};

inline constexpr std::uint32_t SHARED_CO1_BUFFER_SIZE = 64 * 1024;

/// The configuration, its members in the documented order. All configurations give the same
/// result; what would give another one does not compile. Here doMultiDataLoad decides how much is
/// loaded into L1 at a time, enUnitFlag how L0C is handed over, and iterateOrder the order of
/// blocks; a size that is not 0 wins over the tiling's.
struct MatmulConfig {
  bool doNorm = false;
  bool doBasicBlock = false;
  bool doMultiDataLoad = false;
  std::uint32_t basicM = 0;
  std::uint32_t basicN = 0;
  std::uint32_t basicK = 0;
  bool intrinsicsCheck = false;
  bool isNBatch = false;
  bool enVecND2NZ = false;
  bool doSpecialBasicBlock = false;
  std::uint32_t doMTE2Preload = 0;
  std::uint32_t singleCoreM = 0;
  std::uint32_t singleCoreN = 0;
  std::uint32_t singleCoreK = 0;
  std::uint32_t stepM = 0;
  std::uint32_t stepN = 0;
  std::uint32_t baseMN = 0;
  std::uint32_t singleCoreMN = 0;
  bool enUnitFlag = false;
  bool isPerTensor = false;
  bool hasAntiQuantOffset = false;
  bool doIBShareNorm = false;
  bool doSpecialMDL = false;
  bool enableInit = true;
  BatchMode batchMode = BatchMode::NONE;
  bool enableEnd = true;
  bool enableGetTensorC = true;
  bool enableSetOrgShape = true;
  bool enableSetBias = true;
  bool enableSetTail = true;
  bool enableQuantVector = true;
  bool enableSetDefineData = true;
  std::uint8_t iterateMode = IterateMode::ITERATE_MODE_DEFAULT;
  bool enableReuse = true;
  bool enableUBReuse = true;
  bool enableL1CacheUB = false;
  bool intraBlockPartSum = false;
  IterateOrder iterateOrder = IterateOrder::UNDEF;
  ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
  bool enableDoubleCache = false;
  bool isBiasBatch = true;
  bool enableStaticPadZeros = false;
  bool isPartialOutput = false;
  bool enableMixDualMaster = false;
  bool isA2B2Shared = false;
  bool isEnableChannelSplit = false;
  bool enableKdimReorderLoad = false;
  bool isCO1Shared = false;
  std::uint32_t sharedCO1BufferSize = SHARED_CO1_BUFFER_SIZE;
  BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
  bool enableL1BankConflictOptimise = false;
  bool enableRelu = false;
  DecompressionMode decompMode = DecompressionMode::DECOMP_NONE;
};

/// Functions of the kernel that replace the three copies: out of L0C, to A1 and to B1. Null stands
/// for the copy of the library.
using MatmulCopyOut = void (*)(const __gm__ void* gm, const LocalTensor<std::int8_t>& co1Local,
                               const void* dataCopyOutParams, const std::uint64_t tilingPtr,
                               const std::uint64_t dataPtr);
using MatmulCopyIn = void (*)(const LocalTensor<std::int8_t>& l1, const __gm__ void* gm, int row,
                              int col, int useRow, int useCol, const std::uint64_t tilingPtr,
                              const std::uint64_t dataPtr);
template <MatmulCopyOut DataCopyOut = nullptr, MatmulCopyIn CopyA1 = nullptr,
          MatmulCopyIn CopyB1 = nullptr>
struct MatmulCallBackFunc {
  static constexpr MatmulCopyOut DataCopyOutPtr = DataCopyOut;
  static constexpr MatmulCopyIn CopyA1Ptr = CopyA1;
  static constexpr MatmulCopyIn CopyB1Ptr = CopyB1;
};

namespace Impl {
/// Depth of the queues of the vendor's library, which kernels take for their own.
constexpr std::int32_t QUEUE_DEPTH = 1;
}  // namespace Impl

namespace Impl::Detail {

/// How the modules of the library work together. davsim's are fixed: all policies but those of
/// triangles give the result of this one, which a kernel's own may be derived from.
#define DAVSIM_MATMUL_POLICY(Name, ...)                                                           \
  template <const auto& MM_CFG, typename IMPL, typename A_TYPE, typename B_TYPE, typename C_TYPE, \
            typename BIAS_TYPE>                                                                   \
  struct Name __VA_ARGS__ {};
#define DAVSIM_MATMUL_DEFAULT_POLICY \
  : MatmulPolicy<MM_CFG, IMPL, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE>
DAVSIM_MATMUL_POLICY(MatmulPolicy)
/// A in three buffers.
DAVSIM_MATMUL_POLICY(NBuffer33MatmulPolicy, DAVSIM_MATMUL_DEFAULT_POLICY)
/// Base blocks below the diagonal of the part of C are neither computed nor stored.
DAVSIM_MATMUL_POLICY(TrianUpperMatmulPolicy, DAVSIM_MATMUL_DEFAULT_POLICY)
/// Base blocks above it.
DAVSIM_MATMUL_POLICY(TrianLowerMatmulPolicy, DAVSIM_MATMUL_DEFAULT_POLICY)
#undef DAVSIM_MATMUL_POLICY
#undef DAVSIM_MATMUL_DEFAULT_POLICY

}  // namespace Impl::Detail

/// What a DataCopyOut callback is given of the block.
struct DataCopyOutParams {
  std::uint16_t cBurstNum = 0;  ///< columns of fractals
  std::uint16_t burstLen = 0;   ///< rows times 16 elements, in units of 32 bytes
  std::uint16_t srcStride = 0;  ///< rows of a column of fractals in L0C
  std::uint32_t dstStride = 0;  ///< elements of a row of C in global memory
  std::uint16_t oriNSize = 0;   ///< columns
  bool enUnitFlag = false;
  std::uint64_t quantScalar = 0;
  std::uint64_t cbufWorkspaceAddr = 0;
};

}  // namespace AscendC

namespace davsim::api {

/// What a product of these operands is summed up in.
template <class T>
using MatmulSum =
    std::conditional_t<std::is_same_v<T, std::int8_t> || std::is_same_v<T, AscendC::int4b_t>,
                       std::int32_t, float>;

/// Whether the documentation has products of T whose C is of type C.
template <class T, class C>
inline constexpr bool kMatmulResult =
    std::is_same_v<MatmulSum<T>, float>
        ? std::is_same_v<C, float> || std::is_same_v<C, half> || std::is_same_v<C, bfloat16_t> ||
              (std::is_same_v<C, std::int8_t> && !std::is_same_v<T, float>)
        : std::is_same_v<C, std::int32_t> || std::is_same_v<C, half> ||
              (std::is_same_v<C, std::int8_t> && std::is_same_v<T, std::int8_t>);
/// The same for a bias.
template <class T, class Bias>
inline constexpr bool kMatmulBias =
    std::is_same_v<MatmulSum<T>, float> ? std::is_same_v<Bias, float> || std::is_same_v<Bias, half>
                                        : std::is_same_v<Bias, std::int32_t>;

/// Whether an operand may be one number, with which L1 is filled.
template <class Type>
inline constexpr bool kMatmulNumber =
    (std::is_same_v<typename Type::T, half> ||
     std::is_same_v<typename Type::T, float>)&&davsim::api::space_of(Type::pos) != isa::Space::kL1;

/// Whether L1 keeps room for a row of quantisation words.
template <class T, class C>
inline constexpr bool kMatmulWords =
    !std::is_same_v<C, MatmulSum<T>> && !std::is_same_v<C, bfloat16_t>;

/// The base blocks of C that a product has.
enum class MatmulTriangle : std::uint8_t { kNone, kUpper, kLower };

template <template <const auto&, typename, typename, typename, typename, typename> class Policy>
inline constexpr MatmulTriangle kTriangleOf = MatmulTriangle::kNone;
template <>
inline constexpr MatmulTriangle kTriangleOf<AscendC::Impl::Detail::TrianUpperMatmulPolicy> =
    MatmulTriangle::kUpper;
template <>
inline constexpr MatmulTriangle kTriangleOf<AscendC::Impl::Detail::TrianLowerMatmulPolicy> =
    MatmulTriangle::kLower;

/// The callbacks of an object, and what its policy says of C.
template <class Callbacks, MatmulTriangle shape>
struct MatmulShaped : Callbacks {
  static constexpr MatmulTriangle kTriangle = shape;
};
template <class Callbacks, MatmulTriangle shape>
using MatmulExtras =
    std::conditional_t<shape == MatmulTriangle::kNone, Callbacks, MatmulShaped<Callbacks, shape>>;
template <class Extras>
constexpr MatmulTriangle matmul_triangle() {
  if constexpr (requires { Extras::kTriangle; }) {
    return Extras::kTriangle;
  } else {
    return MatmulTriangle::kNone;
  }
}

/// Whether an operand is the same matrix for the two vector cores of an AI core (IBSHARE).
template <class Type>
inline constexpr bool kMatmulShared = Type::ibShare&& Type::pos == AscendC::TPosition::GM;

/// Whether an operand is a SparseMatmulType.
template <class Type>
inline constexpr bool kMatmulSparse = requires {
  Type::indexPosition;
};

constexpr bool matmul_in_ub(AscendC::TPosition position) {
  return space_of(position) == isa::Space::kUb;
}

}  // namespace davsim::api

namespace AscendC {

/// What sums of products of T lie in L0C as.
template <typename T>
struct GetMmDstType {
  using Type = davsim::api::MatmulSum<T>;
};

}  // namespace AscendC
