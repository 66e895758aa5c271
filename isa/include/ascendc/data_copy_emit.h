// Builds the instruction records of the data copies: paths between memories, lengths, registers.
#pragma once

#include <cstring>

#include "ascendc/data_copy_params.h"
#include "ascendc/emit.h"

namespace davsim::api {

/// Refuses a copy between two memories that no instruction of a core connects.
[[noreturn]] void refuse_path(const char* call, isa::Space from, isa::Space to, Location where);

/// Bytes that a copy of `count` elements moves: whole DataBlocks, as many as the elements fill.
std::uint32_t whole_blocks(const char* call, std::uint32_t count, isa::DType type, Location where);

/// A change of a special register costs the scalar unit an instruction.
inline void emit_set_register(Location where) {
  emit(isa::Opcode::kSetRegister, isa::Pipe::S, {}, {}, {}, isa::ScalarParams{1}, where);
}

/// What a copy between two memories is: its instruction, its queue and its units of length.
struct CopyPath {
  isa::Opcode op;
  isa::Pipe pipe;
  std::uint32_t length_unit = isa::kBlockBytes;  ///< of blockLen and dstGap
  bool gap_from_start = false;                   ///< gaps count from start to start
};

/// The path from `from` to `to`; refuses where there is none.
CopyPath copy_path(const char* call, isa::Space from, isa::Space to, Location where);

/// Hands a move over; one into global memory takes the atomic registers with it.
void emit_move(const CopyPath& path, isa::Operand dst, const isa::Operand& src,
               isa::MoveParams move, Location where);

/// DataCopy of `count` consecutive elements.
void emit_copy(const isa::Operand& dst, const isa::Operand& src, std::uint32_t count,
               Location where);

/// DataCopy of blocks with gaps.
void emit_copy(const isa::Operand& dst, const isa::Operand& src,
               const AscendC::DataCopyParams& params, Location where);

/// Documented limits of ND2NZ, into L1 or UB.
void check_nd2nz(const isa::Operand& dst, const isa::Operand& src,
                 const AscendC::Nd2NzParams& params, Location where);

/// Row-major to NZ on the way into L1.
void emit_nd2nz(const isa::Operand& dst, const isa::Operand& src,
                const AscendC::Nd2NzParams& params, Location where);

/// Row-major in UB to NZ in L1 of the cube core, by a message of a Matmul object.
void emit_nd2nz_to_cube(const isa::Operand& dst, const isa::Operand& src,
                        const AscendC::Nd2NzParams& params, Location where);

void emit_pad_nd2nz_to_cube(const isa::Operand& dst, const isa::Operand& src,
                            const AscendC::DataCopyExtParams& blocks,
                            const AscendC::Nd2NzParams& params, Location where);

/// What DataCopyPad is asked for, whichever struct says it.
struct PadRequest {
  bool is_pad = false;
  std::uint8_t left = 0, right = 0;
  std::uint64_t value = 0;  ///< bit pattern of one element
};

/// GM to UB, every block filled up to whole DataBlocks.
void emit_copy_pad_in(const isa::Operand& dst, const isa::Operand& src,
                      const AscendC::DataCopyExtParams& params, const PadRequest& pad,
                      Location where);

/// UB to GM, blocks of any length.
void emit_copy_pad_out(const isa::Operand& dst, const isa::Operand& src,
                       const AscendC::DataCopyExtParams& params, Location where);

/// The bit pattern of an element, in the low bytes of a word.
template <typename T>
std::uint64_t bits_of(const T& value) {
  const auto element = static_cast<ElementType<T>>(value);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &element, sizeof(element));
  return bits;
}

/// DataCopyParams of a DataCopyPad, whose blockLen is in bytes.
inline AscendC::DataCopyExtParams extended(const AscendC::DataCopyParams& params) {
  return {params.blockCount, params.blockLen, params.srcStride, params.dstStride, 0};
}

}  // namespace davsim::api
