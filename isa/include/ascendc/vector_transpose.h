// Transposition of sixteen DataBlocks at a time, and of whole tensors by this instruction.
#pragma once

#include "ascendc/vector_emit.h"
#include "isa/instr/params.hpp"

namespace AscendC {

constexpr std::int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;

struct TransDataTo5HDParams {
  TransDataTo5HDParams() = default;
  TransDataTo5HDParams(const bool dstHighHalfIn, const bool srcHighHalfIn,
                       const std::uint8_t repeatTimesIn, const std::uint16_t dstRepStrideIn,
                       const std::uint16_t srcRepStrideIn)
      : dstHighHalf(dstHighHalfIn),
        srcHighHalf(srcHighHalfIn),
        repeatTimes(repeatTimesIn),
        dstRepStride(dstRepStrideIn),
        srcRepStride(srcRepStrideIn) {}

  bool dstHighHalf = false;        ///< 8-bit types: write the upper halves of the DataBlocks
  bool srcHighHalf = false;        ///< 8-bit types: read the upper halves
  std::uint8_t repeatTimes = 1;    ///< 0 to 255
  std::uint16_t dstRepStride = 0;  ///< DataBlocks. A single repeat starts this far behind dst!
  std::uint16_t srcRepStride = 0;  ///< likewise
};

}  // namespace AscendC

namespace davsim::api {

/// Sixteen addresses in UB, as DataBlocks.
using TransposeBlocks = std::array<std::uint16_t, isa::kTransposeBlocks>;

inline std::uint16_t transpose_block(std::string_view call, const char* list, std::uint64_t addr,
                                     Location where) {
  if (addr % isa::kBlockBytes != 0 || addr / isa::kBlockBytes > UINT16_MAX) {
    fail(isa::FaultClass::kAlignment, call,
         {"an address of ", list, " is byte ", addr,
          " of UB, allowed are multiples of 32 inside UB"},
         where);
  }
  return static_cast<std::uint16_t>(addr / isa::kBlockBytes);
}

inline TransposeBlocks transpose_blocks(const char* list, const std::uint64_t* addresses,
                                        Location where) {
  TransposeBlocks blocks;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i] = transpose_block("TransDataTo5HD", list, addresses[i], where);
  }
  return blocks;
}

template <typename T>
TransposeBlocks transpose_blocks(
    const char* list, const AscendC::LocalTensor<T> (&tensors)[AscendC::NCHW_CONV_ADDR_LIST_SIZE],
    Location where) {
  std::uint64_t addresses[AscendC::NCHW_CONV_ADDR_LIST_SIZE];
  for (std::size_t i = 0; i < isa::kTransposeBlocks; ++i) {
    const isa::Space space = tensors[i].Operand().space;
    if (space != isa::Space::kUb) refuse_path("TransDataTo5HD", space, isa::Space::kUb, where);
    addresses[i] = tensors[i].GetPhyAddr();
  }
  return transpose_blocks(list, addresses, where);
}

/// Sixteen addresses that lie in UB themselves; the scalar unit fetches them.
inline TransposeBlocks transpose_blocks(const char* list,
                                        const AscendC::LocalTensor<std::uint64_t>& addresses,
                                        Location where) {
  std::uint64_t values[AscendC::NCHW_CONV_ADDR_LIST_SIZE];
  isa::current_core().scalar_load(addresses.Operand(), values, sizeof(values), where);
  return transpose_blocks(list, values, where);
}

/// Numbers of the buffers that destination and source lie in, for whoever checks; 0 where there is
/// more than one, or none is known.
struct TransposeBuffers {
  std::uint16_t dst = 0, src = 0;
};

template <typename T>
std::uint16_t common_buffer(
    const AscendC::LocalTensor<T> (&tensors)[AscendC::NCHW_CONV_ADDR_LIST_SIZE]) {
  const std::uint16_t first = tensors[0].Address().watched;
  for (const AscendC::LocalTensor<T>& tensor : tensors) {
    if (tensor.Address().watched != first) return 0;
  }
  return first;
}

template <isa::Opcode op, typename T>
void emit_transpose(const isa::TransposeParams& params, TransposeBuffers buffers, Location where) {
  static_assert(isa::type_exists(op, dtype_of<T>()),
                "Transpose: 16-bit types but bfloat16_t; TransDataTo5HD: also 8- and 32-bit types");
  const auto operand = [](std::uint16_t block, std::uint16_t buffer) {
    return isa::Operand{isa::Space::kUb, dtype_of<T>(), std::uint64_t{block} * isa::kBlockBytes,
                        isa::Operand::kUnbounded, buffer};
  };
  emit(op, isa::Pipe::V, operand(params.dst[0], buffers.dst), operand(params.src[0], buffers.src),
       {}, params, where);
}

template <typename T>
void emit_trans_data(const TransposeBlocks& dst, const TransposeBlocks& src,
                     const AscendC::TransDataTo5HDParams& params, TransposeBuffers buffers,
                     Location where) {
  constexpr bool kByte = kElementBytes<T> == 1;
  emit_transpose<isa::Opcode::kTransDataTo5hd, T>(
      {dst, src, params.repeatTimes, params.dstRepStride, params.srcRepStride,
       kByte && params.dstHighHalf, kByte && params.srcHighHalf},
      buffers, where);
}

}  // namespace davsim::api

namespace AscendC {

/// Row j of a tile lies at srcList[j], one DataBlock of UB; column i becomes dstList[i]. 16-bit
/// types: 16 x 16 elements. 32-bit types: 8 columns, each two DataBlocks, dstList[2i] and [2i + 1].
/// 8-bit types: 16 columns of the chosen halves of the DataBlocks. int8_t, uint8_t, int16_t,
/// uint16_t, half, int32_t, uint32_t, float.
template <typename T>
void TransDataTo5HD(std::uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE],
                    std::uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                    const TransDataTo5HDParams& nchwconvParams,
                    davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  davsim::api::emit_trans_data<T>(davsim::api::transpose_blocks("dstList", dstList, where),
                                  davsim::api::transpose_blocks("srcList", srcList, where),
                                  nchwconvParams, {}, where);
}

/// The same with tensors for addresses.
template <typename T>
void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                    const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                    const TransDataTo5HDParams& nchwconvParams,
                    davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  davsim::api::emit_trans_data<T>(
      davsim::api::transpose_blocks("dstList", dstList, where),
      davsim::api::transpose_blocks("srcList", srcList, where), nchwconvParams,
      {davsim::api::common_buffer(dstList), davsim::api::common_buffer(srcList)}, where);
}

/// The same with the addresses in UB, sixteen in each tensor.
template <typename T>
void TransDataTo5HD(const LocalTensor<std::uint64_t>& dst, const LocalTensor<std::uint64_t>& src,
                    const TransDataTo5HDParams& nchwconvParams,
                    davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  davsim::api::emit_trans_data<T>(davsim::api::transpose_blocks("dst", dst, where),
                                  davsim::api::transpose_blocks("src", src, where), nchwconvParams,
                                  {}, where);
}

/// dst = src transposed, 16 x 16 elements each; dst may be src. int16_t, uint16_t, half.
template <typename T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  davsim::isa::TransposeParams params;
  for (std::uint32_t i = 0; i < davsim::isa::kTransposeBlocks; ++i) {
    const std::uint32_t bytes = i * davsim::isa::kBlockBytes;
    params.dst[i] =
        davsim::api::transpose_block("Transpose", "dst", dst.GetPhyAddr() + bytes, where);
    params.src[i] =
        davsim::api::transpose_block("Transpose", "src", src.GetPhyAddr() + bytes, where);
  }
  davsim::api::emit_transpose<davsim::isa::Opcode::kTranspose, T>(
      params, {dst.Address().watched, src.Address().watched}, where);
}

}  // namespace AscendC
