// Row-major matrices in global memory to fractals in L1.
#include <algorithm>
#include <cstring>

#include "isa/exec/accesses.hpp"
#include "isa/exec/move/move.hpp"
#include "isa/exec/move/move_operands.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

/// The move in bytes.
struct Nd2Nz {
  explicit Nd2Nz(const Instr& instr)
      : params(std::get<Nd2NzMoveParams>(instr.params)), element(dtype_bytes(instr.dst.type)) {
    row_bytes = params.cols * element;
    src_row_pitch = params.src_row_stride * element;
    src_matrix_pitch = params.src_matrix_stride * element;
    columns = ceil_div(row_bytes, kBlockBytes);
    dst_row_pitch = params.dst_row_stride * std::size_t{kBlockBytes};
    dst_column_pitch = params.dst_c0_stride * std::size_t{kBlockBytes};
    dst_matrix_pitch = params.dst_matrix_stride * element;
  }

  const Nd2NzMoveParams& params;
  std::size_t element;
  std::size_t row_bytes, src_row_pitch, src_matrix_pitch;
  std::size_t columns, dst_row_pitch, dst_column_pitch, dst_matrix_pitch;
};

/// Asks for rows that are copied next: they lie far apart, the host does not foresee them.
void fetch_rows(const std::byte* src, const Nd2Nz& move, std::size_t rows) {
  constexpr std::size_t kLine = 64;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t at = 0; at < move.row_bytes; at += kLine) __builtin_prefetch(src + at);
    src += move.src_row_pitch;
  }
}

/// Rows of whole DataBlocks, `rows` of them, `columns` wide: a fractal at a time, so that the lines
/// of its 16 source rows are still at hand for the next fractal.
void copy_band(std::byte* dst, const std::byte* src, const Nd2Nz& move, std::size_t rows,
               std::size_t columns) {
  for (std::size_t column = 0; column < columns; ++column) {
    std::byte* to = dst + column * move.dst_column_pitch;
    const std::byte* from = src + column * kBlockBytes;
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(to, from, kBlockBytes);
      to += move.dst_row_pitch;
      from += move.src_row_pitch;
    }
  }
}

/// The last column where rows end within a DataBlock: filled up with 0.
void copy_tail(std::byte* dst, const std::byte* src, const Nd2Nz& move, std::size_t rows) {
  const std::size_t whole = move.row_bytes / kBlockBytes;
  const std::size_t rest = move.row_bytes % kBlockBytes;
  if (rest == 0) return;
  dst += whole * move.dst_column_pitch;
  src += whole * kBlockBytes;
  for (std::size_t row = 0; row < rows; ++row) {
    std::memcpy(dst, src, rest);
    std::memset(dst + rest, 0, kBlockBytes - rest);
    dst += move.dst_row_pitch;
    src += move.src_row_pitch;
  }
}

}  // namespace

void decode_nd2nz(DecodedInstr& instr, const CoreMemory& memory) {
  require_space("src", instr.src0, Space::kGm);
  require_space("dst", instr.dst, Space::kL1);
  require_aligned("dst address", instr.dst.addr, kBlockBytes);
  const Nd2Nz move(instr);
  if (move.element == 0) refuse_operand("ND2NZ takes elements of whole bytes");
  if (move.params.matrices > 1) {
    require_aligned("dstNzMatrixStride in bytes", move.dst_matrix_pitch, kBlockBytes);
  }
  if (move.row_bytes == 0 || move.params.rows == 0) return;
  require_inside(instr, memory);
}

void execute_nd2nz(const DecodedInstr& instr, const CoreMemory& memory) {
  const Nd2Nz move(instr);
  if (move.row_bytes == 0 || move.params.rows == 0 || move.params.matrices == 0) return;
  const std::byte* src = host_of(memory, instr.src0);
  std::byte* dst = host_of(memory, instr.dst);
  for (std::size_t matrix = 0; matrix < move.params.matrices; ++matrix) {
    for (std::size_t row = 0; row < move.params.rows; row += kFractalRows) {
      const std::size_t rows = std::min<std::size_t>(kFractalRows, move.params.rows - row);
      std::byte* to = dst + row * move.dst_row_pitch;
      const std::byte* from = src + row * move.src_row_pitch;
      fetch_rows(from + kFractalRows * move.src_row_pitch, move,
                 std::min<std::size_t>(kFractalRows, move.params.rows - row - rows));
      copy_band(to, from, move, rows, move.row_bytes / kBlockBytes);
      copy_tail(to, from, move, rows);
    }
    src += move.src_matrix_pitch;
    dst += move.dst_matrix_pitch;
  }
}

}  // namespace davsim::isa
