// Fixpipe moves results from L0C to global memory or L1, and converts and rearranges them.
//
// A row of C is gathered from its fractals (32 bits an element), converted, and stored: as a row of
// a row-major matrix, or in pieces of one C0 into the columns of fractals of an Nz matrix.
#include <algorithm>
#include <cstring>
#include <vector>

#include "isa/exec/accesses.hpp"
#include "isa/exec/cube/fixpipe_quant.hpp"
#include "isa/exec/exec_table.hpp"
#include "isa/exec/move/move_atomic.hpp"
#include "isa/exec/move/move_operands.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

constexpr std::uint64_t kResultRowBytes = 64;  // 16 elements of 32 bits: a row of a fractal of L0C

const FixpipeInstrParams& fixpipe_of(const Instr& instr) {
  return std::get<FixpipeInstrParams>(instr.params);
}

/// Distances in bytes.
struct Layout {
  explicit Layout(const Instr& instr)
      : fixpipe(fixpipe_of(instr)),
        element(dtype_bytes(instr.dst.type)),
        src_columns(ceil_div(fixpipe.n, 16)),
        src_column_pitch(fixpipe.src_stride * kResultRowBytes),
        matrices(fixpipe.nz2nd ? fixpipe.nd_num : 1),
        src_matrix_pitch(fixpipe.src_nd_stride * std::uint64_t{kResultFractalBytes}),
        dst_matrix_pitch(fixpipe.dst_nd_stride * element),
        c0(fixpipe_c0(instr.dst.type, fixpipe.channel_split)),
        dst_pitch(fixpipe.nz2nd ? fixpipe.dst_stride * element
                                : fixpipe.dst_stride * std::uint64_t{kBlockBytes}) {}

  const FixpipeInstrParams& fixpipe;
  std::uint64_t element;
  std::uint64_t src_columns, src_column_pitch;
  std::uint64_t matrices, src_matrix_pitch, dst_matrix_pitch;
  std::uint64_t c0, dst_pitch;
};

struct Ends {
  std::byte* dst;
  const std::byte* src;
};

Ends matrix_ends(const Instr& instr, const CoreMemory& memory, const Layout& layout,
                 std::uint64_t matrix) {
  return {host_of(memory, instr.dst) + matrix * layout.dst_matrix_pitch,
          host_of(memory, instr.src0) + matrix * layout.src_matrix_pitch};
}

void require_sizes(const FixpipeInstrParams& fixpipe) {
  require_within("nSize", fixpipe.n, 1, 4095);
  if (fixpipe.dst_stride == 0) refuse_operand("dstStride is 0, it must be at least 1");
  if (fixpipe.nz2nd) {
    require_within("mSize", fixpipe.m, 1, 8192);
    return;
  }
  const int unit = fixpipe.channel_split ? 8 : 16;
  if (fixpipe.n % unit != 0) {
    refuse_operand("nSize is " + std::to_string(fixpipe.n) +
                   ", for fractals it must be a multiple of " + std::to_string(unit));
  }
}

void require_channel_split(const Instr& instr) {
  const FixpipeInstrParams& fixpipe = fixpipe_of(instr);
  const bool legal = instr.dst.space == Space::kGm && instr.dst.type == DType::kF32 &&
                     !fixpipe.nz2nd && fixpipe.unit_flag == UnitFlag::kOff;
  if (fixpipe.channel_split && !legal) {
    refuse_operand("channel split is set, it is for float32 fractals to GM without unitFlag only");
  }
}

template <Space kTo>
void decode_fixpipe(DecodedInstr& instr, const CoreMemory& memory) {
  const FixpipeInstrParams& fixpipe = fixpipe_of(instr);
  require_space("src", instr.src0, Space::kL0C);
  require_space("dst", instr.dst, kTo);
  require_quant_types(fixpipe.quant, instr.src0.type, instr.dst.type);
  if (kTo == Space::kL1 && fixpipe.quant == QuantMode::kNoQuant) {
    refuse_operand("quantPre is 0, results of 32 bits cannot go to L1");
  }
  require_sizes(fixpipe);
  require_channel_split(instr);
  require_aligned("src address", instr.src0.addr, kResultRowBytes);
  if (!fixpipe.nz2nd) require_aligned("dst address", instr.dst.addr, kBlockBytes);
  if (takes_one_word(fixpipe.quant)) require_scale(fixpipe.quant_scalar);
  if (takes_words_per_column(fixpipe.quant)) {
    require_aligned("quantPre address", fixpipe.quant_fb_addr, 128);
  }
  require_inside(instr, memory);
}

/// Stores one converted row.
void store_row(std::byte* dst, const std::byte* row, std::uint64_t index, const Instr& instr,
               const Layout& layout) {
  const FixpipeInstrParams& fixpipe = layout.fixpipe;
  if (fixpipe.nz2nd) {
    combine(fixpipe.atomic, instr.dst.type, dst + index * layout.dst_pitch, row,
            fixpipe.n * layout.element);
    return;
  }
  dst += index * layout.c0 * layout.element;
  for (std::uint64_t column = 0; column < fixpipe.n; column += layout.c0) {
    const std::uint64_t columns = std::min<std::uint64_t>(layout.c0, fixpipe.n - column);
    combine(fixpipe.atomic, instr.dst.type, dst, row, columns * layout.element);
    row += columns * layout.element;
    dst += layout.dst_pitch;
  }
}

const std::byte* words_of(const Instr& instr, const CoreMemory& memory) {
  const FixpipeInstrParams& fixpipe = fixpipe_of(instr);
  if (takes_words_per_column(fixpipe.quant)) {
    return memory.host(Space::kFb, fixpipe.quant_fb_addr);
  }
  return reinterpret_cast<const std::byte*>(&fixpipe.quant_scalar);
}

/// Results that leave as they are, as rows: nothing to gather, convert or combine.
bool leaves_as_it_is(const FixpipeInstrParams& fixpipe) {
  return fixpipe.nz2nd && fixpipe.quant == QuantMode::kNoQuant && !fixpipe.relu &&
         fixpipe.atomic == AtomicOp::kNone;
}

void copy_rows(const Ends& ends, const Layout& layout) {
  const std::uint64_t whole = layout.fixpipe.n / 16;
  const std::uint64_t rest = layout.fixpipe.n * layout.element - whole * kResultRowBytes;
  for (std::uint64_t index = 0; index < layout.fixpipe.m; ++index) {
    const std::byte* src = ends.src + index * kResultRowBytes;
    std::byte* dst = ends.dst + index * layout.dst_pitch;
    for (std::uint64_t column = 0; column < whole; ++column) {
      std::memcpy(dst, src, kResultRowBytes);
      dst += kResultRowBytes;
      src += layout.src_column_pitch;
    }
    if (rest != 0) std::memcpy(dst, src, rest);
  }
}

void execute_fixpipe(const DecodedInstr& instr, const CoreMemory& memory) {
  const Layout layout(instr);
  if (layout.fixpipe.m == 0 || layout.fixpipe.n == 0) return;
  if (leaves_as_it_is(layout.fixpipe)) {
    for (std::uint64_t matrix = 0; matrix < layout.matrices; ++matrix) {
      copy_rows(matrix_ends(instr, memory, layout, matrix), layout);
    }
    return;
  }
  RowQuantiser quantiser(layout.fixpipe, instr.src0.type, words_of(instr, memory));
  static thread_local std::vector<std::uint32_t> gathered;
  gathered.resize(layout.src_columns * 16);
  auto* row = reinterpret_cast<std::byte*>(gathered.data());
  for (std::uint64_t matrix = 0; matrix < layout.matrices; ++matrix) {
    const Ends ends = matrix_ends(instr, memory, layout, matrix);
    for (std::uint64_t index = 0; index < layout.fixpipe.m; ++index) {
      const std::byte* src = ends.src + index * kResultRowBytes;
      for (std::uint64_t column = 0; column < layout.src_columns; ++column) {
        std::memcpy(row + column * kResultRowBytes, src, kResultRowBytes);
        src += layout.src_column_pitch;
      }
      store_row(ends.dst, quantiser.convert(row), index, instr, layout);
    }
  }
}

}  // namespace

void add_fixpipe_rows(ExecTable& table) {
  table.set(Opcode::kFixpipeToGm, {decode_fixpipe<Space::kGm>, execute_fixpipe});
  table.set(Opcode::kFixpipeToL1, {decode_fixpipe<Space::kL1>, execute_fixpipe});
}

}  // namespace davsim::isa
