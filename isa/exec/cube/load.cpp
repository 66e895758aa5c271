// Loads in fractals: L1 to L0A and L0B, as they are or transposed; L1 to the tables of bias and
// quantisation words.
#include "isa/exec/cube/load.hpp"

#include <algorithm>
#include <cstring>

#include "isa/exec/accesses.hpp"
#include "isa/exec/exec_table.hpp"
#include "isa/exec/move/move.hpp"
#include "isa/exec/move/move_operands.hpp"
#include "isa/instr/place_name.hpp"
#include "isa/numeric/half.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

const Load2dParams& load_of(const Instr& instr) {
  return std::get<Load2dParams>(instr.params);
}

struct Ends {
  std::byte* dst;
  const std::byte* src;
  std::int64_t dst_pitch, src_pitch;
};

/// Both ends of a load, which was accepted, that takes `fractals` fractals at a time.
Ends ends_of(const Instr& instr, const CoreMemory& memory, std::uint32_t fractals) {
  const Load2dParams& load = load_of(instr);
  const std::uint64_t bytes = std::uint64_t{fractals} * kFractalBytes;
  const auto pitch = static_cast<std::int64_t>(load.src_stride * bytes);
  return {host_of(memory, instr.dst), memory.host(Space::kL1, instr.src0.addr + load.start * bytes),
          (load.dst_gap + 1) * std::int64_t{kFractalBytes}, load.decrease ? -pitch : pitch};
}

/// Tables take whole units at addresses that fit them.
template <Space kTo>
void decode_table(DecodedInstr& instr, const CoreMemory& memory) {
  const auto& move = std::get<MoveParams>(instr.params);
  constexpr std::uint64_t kUnit = kTo == Space::kBt ? 64 : 128;
  require_space("src", instr.src0, Space::kL1);
  require_space("dst", instr.dst, kTo);
  require_aligned("src address", instr.src0.addr, kBlockBytes);
  require_aligned("dst address", instr.dst.addr, kUnit);
  require_aligned("the length of a block", move.burst_bytes, kBlockBytes);
  require_inside(instr, memory);
}

void decode_bias(DecodedInstr& instr, const CoreMemory& memory) {
  const DType from = instr.src0.type, to = instr.dst.type;
  const bool legal = (to == DType::kF32 && (from == DType::kF32 || from == DType::kF16)) ||
                     (to == DType::kI32 && from == DType::kI32);
  if (!legal) {
    refuse_operand("a bias is float32, int32, or float16 that becomes float32; it is " +
                   std::string(dtype_name(from)) + " in L1 and " + std::string(dtype_name(to)) +
                   " in BT");
  }
  decode_table<Space::kBt>(instr, memory);
}

/// half in L1 becomes float in the bias table.
void widen_runs(std::byte* dst, const std::byte* src, const MoveParams& move) {
  for (std::uint32_t i = 0; i < move.bursts; ++i) {
    for (std::size_t at = 0; at < move.burst_bytes / 4; ++at) {
      std::uint16_t bits;
      std::memcpy(&bits, src + 2 * at, sizeof bits);
      const float value = float_from_half_bits(bits);
      std::memcpy(dst + 4 * at, &value, sizeof value);
    }
    src += move.src_pitch;
    dst += move.dst_pitch;
  }
}

void execute_table(const DecodedInstr& instr, const CoreMemory& memory) {
  const auto& move = std::get<MoveParams>(instr.params);
  const std::byte* src = host_of(memory, instr.src0);
  std::byte* dst = host_of(memory, instr.dst);
  if (widens(instr)) {
    widen_runs(dst, src, move);
  } else {
    copy_runs(dst, src, move);
  }
}

}  // namespace

void require_load_operands(const Instr& instr) {
  require_space("src", instr.src0, Space::kL1);
  if (instr.dst.space != Space::kL0A && instr.dst.space != Space::kL0B) {
    refuse_operand("dst lies in " + std::string(place_name(instr.dst.space)) +
                   ", it must lie in L0A or L0B");
  }
  require_aligned("src address", instr.src0.addr, kBlockBytes);
  require_aligned("dst address", instr.dst.addr, kFractalBytes);
}

void decode_load_2d(DecodedInstr& instr, const CoreMemory& memory) {
  require_load_operands(instr);
  if (load_of(instr).transpose && dtype_bytes(instr.src0.type) != 2) {
    refuse_operand("ifTranspose takes types of 16 bits, not " +
                   std::string(dtype_name(instr.src0.type)) + "; see LoadDataWithTranspose");
  }
  require_inside(instr, memory);
}

void execute_load_2d(const DecodedInstr& instr, const CoreMemory& memory) {
  const Load2dParams& load = load_of(instr);
  Ends ends = ends_of(instr, memory, 1);
  for (std::uint32_t i = 0; i < load.repeats; ++i) {
    if (load.transpose) {
      transpose_fractal_b16(ends.dst, ends.src);
    } else {
      std::memcpy(ends.dst, ends.src, kFractalBytes);
    }
    ends.dst += ends.dst_pitch;
    ends.src += ends.src_pitch;
  }
}

/// Squares of fractals one above the other: what was column i becomes row i.
void turn_stack(std::byte* dst, const std::byte* src, std::size_t gap, DType type) {
  const std::size_t fractals = fractals_per_square(type);
  std::byte square[4 * kFractalBytes];
  if (type == DType::kI4) {
    transpose_square_int4(square, src);
  } else {
    transpose_square_b8(square, src);
  }
  for (std::size_t i = 0; i < fractals; ++i) {
    std::memcpy(dst + i * gap, square + i * kFractalBytes, kFractalBytes);
  }
}

/// Two fractals side by side are 16 x 16 of 32 bits: a column of the one becomes half a row of
/// both.
void turn_pair_b32(std::byte* dst, const std::byte* src, std::size_t gap) {
  for (std::size_t col = 0; col < 16; ++col) {
    for (std::size_t row = 0; row < 16; ++row) {
      std::memcpy(dst + row / 8 * gap + (col * 8 + row % 8) * 4,
                  src + col / 8 * kFractalBytes + (row * 8 + col % 8) * 4, 4);
    }
  }
}

void decode_load_transpose(DecodedInstr& instr, const CoreMemory& memory) {
  require_load_operands(instr);
  const std::size_t bits = dtype_bits(instr.src0.type);
  if (bits == 0 || bits > 32) {
    refuse_operand("LoadDataWithTranspose takes types of 4, 8, 16 and 32 bits, not " +
                   std::string(dtype_name(instr.src0.type)));
  }
  if (bits == 4 && instr.dst.space != Space::kL0B) {
    refuse_operand("LoadDataWithTranspose takes int4 to L0B only, not to " +
                   std::string(space_name(instr.dst.space)));
  }
  require_inside(instr, memory);
}

void execute_load_transpose(const DecodedInstr& instr, const CoreMemory& memory) {
  const Load2dParams& load = load_of(instr);
  const std::size_t element = dtype_bytes(instr.src0.type);
  const std::size_t gap = (load.dst_frac_gap + std::size_t{1}) * kFractalBytes;
  Ends ends = ends_of(instr, memory, fractals_per_square(instr.src0.type));
  for (std::uint32_t i = 0; i < load.repeats; ++i) {
    if (element == 2) {
      transpose_fractal_b16(ends.dst, ends.src);
    } else if (element == 4) {
      turn_pair_b32(ends.dst, ends.src, gap);
    } else {
      turn_stack(ends.dst, ends.src, gap, instr.src0.type);
    }
    ends.dst += ends.dst_pitch;
    ends.src += ends.src_pitch;
  }
}

void add_load_rows(ExecTable& table) {
  table.set(Opcode::kLoadData2d, {decode_load_2d, execute_load_2d});
  table.set(Opcode::kLoadDataTranspose, {decode_load_transpose, execute_load_transpose});
  table.set(Opcode::kLoadData3d, {decode_load_3d, execute_load_3d});
  table.set(Opcode::kLoadDataSparse, {decode_load_sparse, execute_load_sparse});
  table.set(Opcode::kFillL0, {decode_fill_l0, execute_fill});
  table.set(Opcode::kFillL1, {decode_fill_l1, execute_fill});
  table.set(Opcode::kMoveL1ToBt, {decode_bias, execute_table});
  table.set(Opcode::kMoveL1ToFb, {decode_table<Space::kFb>, execute_table});
}

}  // namespace davsim::isa
