// The enumerations of the kernel API, and their values for the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "ascendc/mixed_choice.h"
#include "isa/instr/opcode.hpp"
#include "isa/instr/params.hpp"
#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/dtype.hpp"
#include "isa/numeric/half.hpp"
#include "isa/numeric/int4.hpp"

/// Instruction queues, by the names kernels use.
enum pipe_t : std::uint8_t {
  PIPE_S = 0,
  PIPE_V = 1,
  PIPE_M = 2,
  PIPE_MTE1 = 3,
  PIPE_MTE2 = 4,
  PIPE_MTE3 = 5,
  PIPE_FIX = 6,
  PIPE_ALL = 7,
};

/// Event ids of a pipe pair.
enum event_t : std::uint8_t {
  EVENT_ID0 = 0,
  EVENT_ID1,
  EVENT_ID2,
  EVENT_ID3,
  EVENT_ID4,
  EVENT_ID5,
  EVENT_ID6,
  EVENT_ID7,
};

namespace AscendC {

using TEventID = std::int8_t;
using event_t = ::event_t;

/// Logical place of a tensor; several places share a physical buffer.
enum class TPosition : std::uint8_t {
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
  SHM,
  TSCM,
  C2PIPE2GM,
  C2PIPE2LOCAL,
  MAX,
};
using QuePosition = TPosition;

/// Pairs of pipes that an event orders: <sets>_<waits>.
enum class HardEvent : std::uint8_t {
  MTE2_MTE1,
  MTE1_MTE2,
  MTE1_M,
  M_MTE1,
  MTE2_V,
  V_MTE2,
  MTE3_V,
  V_MTE3,
  M_V,
  V_M,
  V_V,
  MTE3_MTE1,
  MTE1_MTE3,
  MTE1_V,
  MTE2_M,
  M_MTE2,
  V_MTE1,
  M_FIX,
  FIX_M,
  MTE3_MTE2,
  MTE2_MTE3,
  S_V,
  V_S,
  S_MTE2,
  MTE2_S,
  S_MTE3,
  MTE3_S,
  MTE2_FIX,
  FIX_MTE2,
  FIX_S,
  M_S,
  FIX_MTE3,
  MTE1_FIX,
  FIX_MTE1,
  FIX_FIX,
  MAX,
};

enum class RoundMode : std::uint8_t {
  CAST_NONE = 0,
  CAST_RINT,
  CAST_FLOOR,
  CAST_CEIL,
  CAST_ROUND,
  CAST_TRUNC,
  CAST_ODD,
};

enum class MaskMode : std::uint8_t { NORMAL = 0, COUNTER };

/// Sizes of the architecture, in bytes unless the name says otherwise.
constexpr std::uint16_t ONE_BLK_SIZE = 32;  ///< a DataBlock
constexpr std::uint16_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr std::int32_t DEFAULT_BLOCK_SIZE = 256;
constexpr std::int32_t DEFAULT_C0_SIZE = 32;
constexpr std::int32_t BYTE_PER_FRACTAL = 512;
constexpr std::int32_t BLOCK_CUBE = 16;      ///< rows of a fractal
constexpr std::int32_t CUBE_MAX_SIZE = 256;  ///< elements of a fractal of 16-bit elements
constexpr std::int32_t MAX_REPEAT_TIMES = 255;
constexpr std::uint32_t TOTAL_UB_SIZE = 192 * 1024;
constexpr std::uint32_t TOTAL_L1_SIZE = 512 * 1024;
constexpr std::uint32_t TOTAL_L0A_SIZE = 64 * 1024;
constexpr std::uint32_t TOTAL_L0B_SIZE = 64 * 1024;
constexpr std::uint32_t TOTAL_L0C_SIZE = 128 * 1024;
/// What kernels count on of UB; the rest behind it is the vendor's library's, davsim's needs none.
constexpr std::int32_t TOTAL_VEC_LOCAL_SIZE = 184 * 1024;
constexpr std::uint32_t TMP_UB_OFFSET = TOTAL_VEC_LOCAL_SIZE;
constexpr std::uint32_t TMP_UB_SIZE = TOTAL_UB_SIZE - TMP_UB_OFFSET;

/// Bytes of an element, bits of a byte.
constexpr std::uint8_t B8_BYTE_SIZE = 1;
constexpr std::uint8_t B16_BYTE_SIZE = 2;
constexpr std::uint8_t B32_BYTE_SIZE = 4;
constexpr std::uint8_t B64_BYTE_SIZE = 8;
constexpr std::int32_t ONE_BYTE_BIT_SIZE = 8;
/// A mask word with every element in it, and how many elements a mask word has.
constexpr std::uint64_t FULL_MASK = 0xffffffffffffffff;
constexpr std::int32_t MAX_HALF_MASK_LEN = 64;
/// Lanes of a repeat of 16-bit and of 32-bit elements.
constexpr std::int32_t FULL_MASK_LEN = 128;
constexpr std::int32_t HLAF_MASK_LEN = 64;
/// Elements of a DataBlock, of a repeat and of as many repeats as an instruction takes.
constexpr std::uint32_t ONE_BLK_HALF_NUM = ONE_BLK_SIZE / B16_BYTE_SIZE;
constexpr std::uint32_t ONE_BLK_FLOAT_NUM = ONE_BLK_SIZE / B32_BYTE_SIZE;
constexpr std::uint32_t ONE_REPEAT_HALF_SIZE = ONE_REPEAT_BYTE_SIZE / B16_BYTE_SIZE;
constexpr std::uint32_t ONE_REPEAT_FLOAT_SIZE = ONE_REPEAT_BYTE_SIZE / B32_BYTE_SIZE;
constexpr std::uint32_t MAX_REPEAT_HALF_SIZE = ONE_REPEAT_HALF_SIZE * MAX_REPEAT_TIMES;
constexpr std::uint32_t MAX_REPEAT_FLOAT_SIZE = ONE_REPEAT_FLOAT_SIZE * MAX_REPEAT_TIMES;
constexpr std::uint8_t B16_DATA_NUM_PER_BLOCK = ONE_BLK_HALF_NUM;
constexpr std::uint8_t B32_DATA_NUM_PER_BLOCK = ONE_BLK_FLOAT_NUM;
constexpr std::int32_t B16_DATA_NUM_PER_REPEAT = ONE_REPEAT_HALF_SIZE;
constexpr std::int32_t B32_DATA_NUM_PER_REPEAT = ONE_REPEAT_FLOAT_SIZE;
constexpr std::uint64_t CONST_MASK_VALUE = 0x8000000000000000;
/// Elements of half the width fit twice.
constexpr std::int32_t HALF_FACTOR = 2;
/// Stride of the results of a reduction that lie one behind the other.
constexpr std::int32_t DEFAULT_REDUCE_DST_REP_SRIDE = 1;
/// Repeat strides of an operand half as wide as the other's, and of one a quarter as wide.
constexpr std::uint8_t HALF_DEFAULT_REPEAT_STRIDE = 4;
constexpr std::uint8_t ONE_FOURTH_DEFAULT_REPEAT_STRIDE = 2;
/// Kernels of geometry take it from here.
constexpr float PI = 3.14159265358979f;
/// DataBlocks that Brcb makes in a repeat.
constexpr std::int32_t BRCB_BROADCAST_NUMBER = 8;

/// Passed as the only mask word, it leaves the mask register as it is.
constexpr std::uint64_t MASK_PLACEHOLDER = 0;
constexpr std::uint32_t MASK_PLACEHOLDER_LIST_LEN = 2;
/// The same for calls that take both mask words.
constexpr std::uint64_t MASK_PLACEHOLDER_LIST[MASK_PLACEHOLDER_LIST_LEN] = {MASK_PLACEHOLDER,
                                                                            MASK_PLACEHOLDER};

}  // namespace AscendC

/// What the API's types and enumerators are to the machine.
namespace davsim::api {

/// The elements of a tensor of T: T, unless it is a TensorTrait.
template <class T>
struct ElementOfType {
  using type = T;
};
template <class T>
using ElementType = typename ElementOfType<std::remove_cv_t<T>>::type;

/// Bytes of an element of a tensor of T, which is less than sizeof(T) where T holds a layout too.
template <class T>
inline constexpr std::size_t kElementBytes = sizeof(ElementType<T>);

template <class T>
constexpr isa::DType dtype_of() {
  using U = ElementType<T>;
  if constexpr (std::is_same_v<U, isa::half>)
    return isa::DType::kF16;
  else if constexpr (std::is_same_v<U, isa::bfloat16_t>)
    return isa::DType::kBF16;
  else if constexpr (std::is_same_v<U, float>)
    return isa::DType::kF32;
  else if constexpr (std::is_same_v<U, std::int8_t>)
    return isa::DType::kI8;
  else if constexpr (std::is_same_v<U, isa::int4b_t>)
    return isa::DType::kI4;
  else if constexpr (std::is_same_v<U, std::uint8_t>)
    return isa::DType::kU8;
  else if constexpr (std::is_same_v<U, std::int16_t>)
    return isa::DType::kI16;
  else if constexpr (std::is_same_v<U, std::uint16_t>)
    return isa::DType::kU16;
  else if constexpr (std::is_same_v<U, std::int32_t>)
    return isa::DType::kI32;
  else if constexpr (std::is_same_v<U, std::uint32_t>)
    return isa::DType::kU32;
  else if constexpr (std::is_same_v<U, std::int64_t>)
    return isa::DType::kI64;
  else if constexpr (std::is_same_v<U, std::uint64_t>)
    return isa::DType::kU64;
  else if constexpr (std::is_same_v<U, bool>)
    return isa::DType::kBool;
  else if constexpr (std::is_same_v<U, double>)
    return isa::DType::kF64;
  else
    return isa::DType::kNone;
}

constexpr isa::Space space_of(AscendC::TPosition position) {
  using P = AscendC::TPosition;
  switch (position) {
    case P::A1:
    case P::B1:
    case P::C1:
    case P::TSCM:
      return isa::Space::kL1;
    case P::A2:
      return isa::Space::kL0A;
    case P::B2:
      return isa::Space::kL0B;
    case P::C2:
      return isa::Space::kBt;
    case P::CO1:
      return isa::Space::kL0C;
    case P::C2PIPE2GM:
      return isa::Space::kFb;
    case P::VECIN:
    case P::VECOUT:
    case P::VECCALC:
    case P::LCM:
      return isa::Space::kUb;
    case P::GM:
    case P::CO2:
      return isa::Space::kGm;
    default:
      return isa::Space::kNone;
  }
}

constexpr isa::Pipe pipe_of(pipe_t pipe) {
  return static_cast<isa::Pipe>(pipe);
}

struct PipePair {
  isa::Pipe set, wait;
};

/// The pipes of an event; the first sets, the second waits. ALL twice for HardEvent::MAX.
constexpr PipePair pipes_of(AscendC::HardEvent event) {
  using enum isa::Pipe;
  // In the order of the enumerators of HardEvent.
  constexpr PipePair kPipes[] = {
      {MTE2, MTE1}, {MTE1, MTE2}, {MTE1, M}, {M, MTE1},   {MTE2, V},    {V, MTE2},    {MTE3, V},
      {V, MTE3},    {M, V},       {V, M},    {V, V},      {MTE3, MTE1}, {MTE1, MTE3}, {MTE1, V},
      {MTE2, M},    {M, MTE2},    {V, MTE1}, {M, FIX},    {FIX, M},     {MTE3, MTE2}, {MTE2, MTE3},
      {S, V},       {V, S},       {S, MTE2}, {MTE2, S},   {S, MTE3},    {MTE3, S},    {MTE2, FIX},
      {FIX, MTE2},  {FIX, S},     {M, S},    {FIX, MTE3}, {MTE1, FIX},  {FIX, MTE1},  {FIX, FIX}};
  static_assert(std::size(kPipes) == static_cast<std::size_t>(AscendC::HardEvent::MAX));
  const auto index = static_cast<std::size_t>(event);
  return index < std::size(kPipes) ? kPipes[index] : PipePair{ALL, ALL};
}

}  // namespace davsim::api
