// Special registers of a core. API calls set them, and later instructions use their values.
#pragma once

#include <array>
#include <cstdint>

#include "isa/instr/params.hpp"

namespace davsim::isa {

// Registers that the vector unit writes when an instruction ends, and the scalar unit or a later
// vector instruction reads: byte offsets in Space::kSpr. Like data in UB they need a flag between
// the writer and a reader on another pipe.
inline constexpr std::uint64_t kSprAccVal = 0;        ///< ACC_VAL: sum of an accumulating VCADD
inline constexpr std::uint64_t kSprMaxMinValue = 8;   ///< MAX_MIN_CNT: value of a VCMAX or VCMIN
inline constexpr std::uint64_t kSprMaxMinIndex = 12;  ///< and its index, 32 bits
inline constexpr std::uint64_t kSprMergeCounts =
    16;                                           ///< VMS4_SR: pairs taken of each queue, 4 x 16
inline constexpr std::uint64_t kSprCmpMask = 32;  ///< CMPMASK, 128 bits
inline constexpr std::uint64_t kSprRsvdCnt = 24;  ///< RSVD_CNT: elements a VREDUCEV2 kept
inline constexpr std::uint64_t kCmpMaskBytes = 16;
inline constexpr std::uint64_t kSprBytes = 64;

/// The form of SetDeqScale that wrote DEQSCALE. Each instruction that reads it accepts one form.
enum class DeqForm : std::uint8_t {
  kNone,
  kHalf,   ///< a factor, as half
  kWord,   ///< a quantisation word
  kTable,  ///< where in UB sixteen quantisation words lie, in DataBlocks
};

/// Bits of CTRL that davsim models, and CTRL as a kernel finds it: infinities and NaN are kept.
inline constexpr unsigned kCtrlHf32 = 46;
inline constexpr unsigned kCtrlHf32NearestAway = 47;
inline constexpr unsigned kCtrlKeepsInfNan = 48;
inline constexpr unsigned kCtrlColumnMajor = 51;
inline constexpr unsigned kCtrlIntegersSaturate = 53;
inline constexpr unsigned kCtrlMaskCounts = 56;
inline constexpr unsigned kCtrlCastsWrap = 59;
inline constexpr std::uint64_t kCtrlAtStart = std::uint64_t{1} << kCtrlKeepsInfNan;

/// What an img2col load knows of the matrix in L1 beside its parameters.
struct FeatureMap {
  std::array<std::uint8_t, 4> pad = {0, 0, 0, 0};  ///< left, right, top, bottom
  std::uint16_t height = 1, width = 1;
};

/// What a vector core and the server on its cube core have said to each other since the kernel
/// began. It goes on counting from one REGIST_MATMUL_OBJ to the next, as the words in global memory
/// do, where the last message of an earlier one still lies.
struct ServerMessages {
  std::uint64_t sent = 0;              ///< messages to the cube core
  std::uint64_t answers = 0;           ///< what they are answered by
  std::uint64_t answers_of_other = 0;  ///< answers to messages of the other vector core
};

/// A record copies the register values when it is built, as the hardware's queues do.
struct Registers {
  // vector mask
  MaskMode mask_mode = MaskMode::kNormal;
  std::array<std::uint64_t, 2> mask = {~std::uint64_t{0}, ~std::uint64_t{0}};
  // cube
  bool hf32 = false;
  bool hf32_nearest_away = false;
  bool mm_column_major = false;  ///< SetMMLayoutTransform
  // moves to global memory
  AtomicOp atomic = AtomicOp::kNone;
  DType atomic_type = DType::kNone;
  // moves from global memory to UB
  bool move_pad_set = false;      ///< SetPadValue was called
  bool move_pad_written = false;  ///< since the last move that fills
  std::uint64_t move_pad = 0;     ///< bit pattern of one element
  // fixpipe
  std::uint16_t nd_num = 1, src_nd_stride = 0, dst_nd_stride = 0;  ///< SetFixpipeNz2ndFlag
  std::uint64_t fixpipe_quant = 0;                                 ///< SetFixpipePreQuantFlag
  std::uint64_t fixpipe_quant_addr = 0;
  // img2col
  FeatureMap fmatrix;    ///< SetFmatrix
  FeatureMap fmatrix_b;  ///< set_fmatrix_b
  std::uint64_t load_data_padding = 0;
  std::uint16_t load_3d_repeat_stride = 0;  ///< SetLoadDataRepeat
  std::uint8_t load_3d_repeats = 1, load_3d_repeat_mode = 0;
  std::uint32_t load_3d_boundary = 0;  ///< SetLoadDataBoundary
  // transpositions: addresses in UB, eight for each of VA0 to VA7
  std::array<std::uint32_t, 64> va = {};
  // casts
  std::uint64_t deq_scale = 0;
  // addresses that the start of the kernel passes in
  std::uint8_t* system_workspace = nullptr;      ///< SetSysWorkspace
  std::uint64_t ffts_base = 0;                   ///< SetSyncBaseAddr
  std::array<std::uint8_t*, 2> hccl_contexts{};  ///< SetHcclContext
  std::uint8_t* symmetric_memory = nullptr;      ///< SHMEM's state of the die; null: none

  DeqForm deq_form = DeqForm::kNone;
  // results that do not fit
  std::uint64_t ctrl = kCtrlAtStart;
  OverflowModes overflow() const {
    const auto set = [this](unsigned bit) { return (ctrl >> bit & 1u) != 0; };
    return {!set(kCtrlKeepsInfNan), set(kCtrlIntegersSaturate), set(kCtrlCastsWrap)};
  }
  /// The kernel's TPipe, for GetTPipePtr.
  void* tpipe = nullptr;
  /// A vector core's way into L1 of its cube core: a davsim::api::CubeCourier.
  void* cube_courier = nullptr;
  /// A vector core's messages are the first, a cube core has those of each of its vector cores.
  std::array<ServerMessages, 2> server_messages;
};

}  // namespace davsim::isa
