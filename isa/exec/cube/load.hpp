// Parts of the loads from L1 that several files share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/core/core_memory.hpp"
#include "isa/instr/decoded_instr.hpp"

namespace davsim::isa {

/// Transposes a fractal of 16 x 16 elements of 16 bits; both are dense, aligned to their elements
/// and apart from each other.
void transpose_fractal_b16(std::byte* dst, const std::byte* src);

/// The same for a dense square of 32 x 32 bytes.
void transpose_square_b8(std::byte* dst, const std::byte* src);

/// The same for a dense square of 64 x 64 packed int4.
void transpose_square_int4(std::byte* dst, const std::byte* src);

/// Throws unless the operands of a load are L1 and a 512-byte aligned place in L0A or L0B.
void require_load_operands(const Instr& instr);

void decode_load_2d(DecodedInstr& instr, const CoreMemory& memory);
void execute_load_2d(const DecodedInstr& instr, const CoreMemory& memory);
void decode_load_transpose(DecodedInstr& instr, const CoreMemory& memory);
void execute_load_transpose(const DecodedInstr& instr, const CoreMemory& memory);
/// Rows of the img2col matrix for one row of the feature map, that is how often the filter fits
/// into it.
std::int64_t filter_places_per_row(const Load3dParams& load);
void decode_load_3d(DecodedInstr& instr, const CoreMemory& memory);
void execute_load_3d(const DecodedInstr& instr, const CoreMemory& memory);

/// Dense fractals with a quarter of their size in indices; see load_sparse.cpp.
void decode_load_sparse(DecodedInstr& instr, const CoreMemory& memory);
void execute_load_sparse(const DecodedInstr& instr, const CoreMemory& memory);

/// Fills with one value; see fill.cpp.
void decode_fill_l0(DecodedInstr& instr, const CoreMemory& memory);
void decode_fill_l1(DecodedInstr& instr, const CoreMemory& memory);
void execute_fill(const DecodedInstr& instr, const CoreMemory& memory);

}  // namespace davsim::isa
