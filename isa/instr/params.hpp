// Parameters of the instruction groups, normalised: what the kernel API's many structs and
// overloads mean to the machine. All sizes and strides are in bytes unless the name says otherwise.
#pragma once

#include <array>
#include <cstdint>

#include "isa/instr/opcode.hpp"
#include "isa/numeric/dtype.hpp"
#include "isa/numeric/round_mode.hpp"

namespace davsim::isa {

/// A DataBlock: the unit of vector addressing and of DMA alignment in UB and L1.
inline constexpr std::uint32_t kBlockBytes = 32;
/// What one repeat of a vector instruction covers: eight DataBlocks.
inline constexpr std::uint32_t kRepeatBytes = 256;
inline constexpr std::uint32_t kBlocksPerRepeat = 8;

enum class MaskMode : std::uint8_t {
  kNormal,   ///< `mask` has a bit a lane of one repeat, the same for every repeat
  kCounter,  ///< mask[0] is the number of elements of the whole instruction; `repeats` is ignored
};

/// Distances of one vector operand in DataBlocks of 32 bytes.
struct BlockStride {
  std::uint16_t block = 1;   ///< between the blocks of one repeat
  std::uint16_t repeat = 8;  ///< between the first blocks of two repeats
};

/// What a reduction to the largest or smallest element of a repeat writes; values as in Ascend C.
enum class ReduceOrder : std::uint8_t { kValueIndex, kIndexValue, kOnlyValue, kOnlyIndex };

/// What happens to results that do not fit: bits of the control register CTRL. The defaults are
/// those that kernels start with.
struct OverflowModes {
  bool floats_saturate = false;    ///< CTRL[48] == 0: half, bfloat16: inf to the largest, NaN to 0
  bool integers_saturate = false;  ///< CTRL[53] == 1: integer arithmetic; else it wraps around
  bool casts_wrap = false;         ///< CTRL[59] == 1: conversions to integers; else they saturate
};

/// What a comparison asks of its first source; values as in Ascend C.
enum class CompareMode : std::uint8_t {
  kLess,
  kGreater,
  kEqual,
  kLessEqual,
  kGreaterEqual,
  kNotEqual
};

/// Where VSEL finds its bits and its second source; values as in Ascend C.
enum class SelectMode : std::uint8_t {
  kMaskRegister,  ///< CMPMASK has the bits of every repeat, src1 is a tensor
  kTensorScalar,  ///< src1 is the tensor of bits, CMPMASK has the scalar
  kTensorTensor,  ///< CMPMASK has the address of the bits in UB, src1 is a tensor
};

struct VectorParams {
  MaskMode mask_mode = MaskMode::kNormal;
  RoundMode round = RoundMode::kNone;
  OverflowModes overflow;
  bool upper_half = false;    ///< CastDequant: results fill the upper halves of DataBlocks
  std::uint16_t repeats = 1;  ///< 0..255; 0 does nothing
  std::array<std::uint64_t, 2> mask = {~std::uint64_t{0}, ~std::uint64_t{0}};
  BlockStride dst, src0, src1;
  /// Bit pattern of the scalar operand, in the type of its operand. Shifts: bits 0 to 31 the number
  /// of places, bit 32 whether to round. Casts by DEQSCALE: that register.
  std::uint64_t scalar = 0;
  /// Reductions. The repeat stride of their destination counts results of a repeat, not DataBlocks.
  ReduceOrder order = ReduceOrder::kValueIndex;
  bool accumulate = false;  ///< kReduceSum: adds the repeats up in ACC_VAL and writes nothing to UB
  CompareMode compare = CompareMode::kLess;
  SelectMode select = SelectMode::kMaskRegister;
  std::uint8_t pattern = 0;  ///< kGatherMask: 1 to 7, or 0 where src1 is a tensor of bits
};

inline constexpr std::uint32_t kTransposeBlocks = 16;

/// Sixteen DataBlocks from anywhere in UB, transposed into sixteen others, repeat after repeat.
/// Addresses and distances are in DataBlocks.
struct TransposeParams {
  std::array<std::uint16_t, kTransposeBlocks> dst = {}, src = {};
  std::uint8_t repeats = 1;
  std::uint16_t dst_step = 0, src_step = 0;   ///< from repeat to repeat
  bool dst_upper = false, src_upper = false;  ///< 8-bit elements: which halves of the DataBlocks
};

/// Scores that Sort32 takes in one repeat.
inline constexpr std::uint32_t kSortedPerRepeat = 32;
/// A score (half: in the low two bytes, the next two are 0) and, in the high four bytes, its index.
inline constexpr std::uint32_t kSortPairBytes = 8;

/// Sorting of pairs of a score and an index.
struct SortParams {
  std::uint8_t repeats = 1;
  // kMergeSort only
  std::uint8_t queues = 0;                       ///< 2 to 4
  bool stop_when_empty = false;                  ///< ends when one queue has nothing left
  std::array<std::uint16_t, 4> lengths = {};     ///< pairs of each queue
  std::array<std::uint32_t, 4> queue_addr = {};  ///< bytes of UB; src0 is the first one
};

enum class AtomicOp : std::uint8_t { kNone, kAdd, kMax, kMin };

/// A move of `bursts` runs of `burst_bytes` each; pitches go from start to start.
struct MoveParams {
  std::uint32_t bursts = 1;
  std::uint32_t burst_bytes = 0;
  std::int64_t src_pitch = 0;
  std::int64_t dst_pitch = 0;
  /// Padding of every burst on its way into UB, in elements of the destination type; the rest up to
  /// the next DataBlock is filled with the pad value as well. Where both are 0, the burst's first
  /// element fills the rest.
  std::uint8_t left_pad = 0, right_pad = 0;
  bool pad = false;  ///< the fill value is `pad_value`; else what lies there is unspecified
  std::uint64_t pad_value = 0;
  /// The register with the fill value is written first, which waits for the moves before it.
  bool sets_pad = false;
  AtomicOp atomic = AtomicOp::kNone;  ///< applied by L2 where the destination is global memory
};

/// Row-major matrices in global memory to fractal (NZ) matrices in L1. Counted in elements.
struct Nd2NzMoveParams {
  std::uint16_t matrices = 1;
  std::uint16_t rows = 0;               ///< nValue
  std::uint16_t cols = 0;               ///< dValue
  std::uint64_t src_matrix_stride = 0;  ///< srcNdMatrixStride
  std::uint32_t src_row_stride = 0;     ///< srcDValue
  std::uint32_t dst_c0_stride = 0;      ///< dstNzC0Stride: between C0 columns, in 32-byte units
  std::uint32_t dst_row_stride = 0;     ///< dstNzNStride: between rows of a column, 32-byte units
  std::uint64_t dst_matrix_stride = 0;  ///< dstNzMatrixStride
};

/// Whole fractals of 512 bytes from L1 to L0A or L0B (or from L1, transposed on the way).
struct Load2dParams {
  std::uint16_t start = 0;         ///< first source fractal
  std::uint8_t repeats = 1;        ///< fractals (transposing: squares) to move
  std::uint16_t src_stride = 1;    ///< fractals (squares) between sources, start to start
  std::uint16_t dst_gap = 0;       ///< fractals between (first) destinations, end to start
  std::uint16_t dst_frac_gap = 0;  ///< transposing: fractals between the two halves of a square
  bool transpose = false;
  bool decrease = false;  ///< address mode: walk the source downwards
};

/// img2col from a feature map [C1, H, W, C0] in L1 to L0A or L0B.
struct Load3dParams {
  std::array<std::uint8_t, 4> pad = {0, 0, 0, 0};  ///< left, right, top, bottom
  std::uint16_t l1_h = 1, l1_w = 1;
  std::uint16_t channels = 0;
  std::uint16_t k_extension = 0, m_extension = 0;  ///< elements to move
  std::uint32_t k_start = 0, m_start = 0;
  std::uint8_t stride_w = 1, stride_h = 1;
  std::uint16_t filter_w = 1, filter_h = 1;
  std::uint8_t dilation_w = 1, dilation_h = 1;
  bool transpose = false;
  std::uint64_t pad_value = 0;
  std::uint8_t repeats = 1;         ///< pieces; each is written behind the one before it
  std::uint32_t repeat_m_step = 0;  ///< rows between the starts of two pieces
  std::uint32_t repeat_k_step = 0;  ///< elements of k between the starts of two pieces
  std::uint32_t boundary = 0;       ///< byte of L1 from which reads go on at 0; 0: nowhere
};

enum class UnitFlag : std::uint8_t {
  kOff = 0,
  kKeep = 2,    ///< take part in the block protocol, leave the flag
  kToggle = 3,  ///< take part and hand the block over at the end
};

/// C[m,n] (+)= A[m,k] x B[k,n] on fractal operands in L0A and L0B.
struct MmadInstrParams {
  std::uint16_t m = 0, n = 0, k = 0;
  bool init_zero = false;       ///< the accumulator starts at 0 (or at the bias), not at C
  bool bias_from_bt = false;    ///< the accumulator starts at the bias table's row `src_bias`
  std::uint64_t bias_addr = 0;  ///< byte offset in BT
  bool hf32 = false;            ///< fp32 operands are rounded to HF32 first
  bool hf32_nearest_away = false;
  bool gemv = false;  ///< m == 1: A is one row of k elements, not fractals
  /// 4:2 sparsity: B holds two of every four rows, and the index memory says which; int8 only.
  bool sparse = false;
  bool floats_saturate = false;  ///< CTRL[48] == 0: inf becomes the largest float, NaN 0
  bool k_align16 = false;        ///< fp32: rows of fractals of A are padded to 16 of k instead of 8
  UnitFlag unit_flag = UnitFlag::kOff;
};

/// Quantisation of Fixpipe; values are those of the Ascend C enumeration QuantMode_t.
enum class QuantMode : std::uint8_t {
  kNoQuant = 0,
  kF32ToF16 = 1,
  kVReq8 = 2,
  kReq8 = 3,
  kVDeqF16 = 4,
  kDeqF16 = 5,
  kVShiftS32ToS16 = 12,
  kShiftS32ToS16 = 13,
  kF32ToBF16 = 16,
  kVQF32ToB8 = 23,
  kQF32ToB8 = 24,
};

struct FixpipeInstrParams {
  std::uint16_t m = 0, n = 0;
  std::uint32_t src_stride = 0;  ///< between C0 columns of L0C, in units of 16 elements (one row)
  std::uint32_t dst_stride =
      0;  ///< NZ: between C0 columns, in 32-byte units; ND: row pitch, elements
  bool nz2nd = false;
  std::uint16_t nd_num = 1;         ///< matrices when nz2nd
  std::uint32_t src_nd_stride = 0;  ///< in fractals of 1024 bytes
  std::uint32_t dst_nd_stride = 0;  ///< in elements
  QuantMode quant = QuantMode::kNoQuant;
  std::uint64_t quant_scalar = 0;   ///< 64-bit quantisation word of the scalar modes
  std::uint64_t quant_fb_addr = 0;  ///< byte offset in FB of the vector modes
  bool relu = false;
  bool floats_saturate = false;  ///< CTRL[48] == 0: half, bfloat16: inf to the largest, NaN to 0
  bool channel_split = false;
  UnitFlag unit_flag = UnitFlag::kOff;
  AtomicOp atomic = AtomicOp::kNone;
};

/// Event flag between two pipes of a core.
struct FlagParams {
  Pipe set_pipe = Pipe::S, wait_pipe = Pipe::S;
  std::uint8_t id = 0;
  bool inserted = false;  ///< by automatic synchronisation, which has a flag of its own a pair

  bool same_event(const FlagParams& other) const {
    return set_pipe == other.set_pipe && wait_pipe == other.wait_pipe && id == other.id &&
           inserted == other.inserted;
  }
};

/// Barrier of a pipe.
struct BarrierParams {
  bool inserted = false;  ///< by automatic synchronisation
};

/// Flag between cores: mode 0 all cores of a type, 1 the two AIVs of an AI core, 2 AIC <-> its
/// AIVs.
struct CrossCoreFlagParams {
  std::uint8_t mode = 0;
  std::uint8_t id = 0;
};

/// Scalar work: how many scalar instructions one API call stands for.
struct ScalarParams {
  std::uint32_t instructions = 1;
};

/// Code that is fetched before the scalar unit gets to it.
struct PreloadParams {
  std::uint32_t bytes = 0;
};

}  // namespace davsim::isa
