// LoadData of a feature map: a piece of its img2col matrix, see img2col.hpp.
//
// The matrix is fetched 32 bytes of a row at a time - one C0 of one point - and stored as Zz (L0A),
// as Zz of its transpose (L0A transposed) or as Zn (L0B). An instruction may fetch several pieces,
// one behind the other.
#include <algorithm>
#include <cstring>
#include <vector>

#include "isa/exec/cube/img2col.hpp"
#include "isa/exec/cube/load.hpp"
#include "isa/exec/list_accesses.hpp"
#include "isa/exec/move/move_operands.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

/// A load whose elements have whole bytes.
struct Load {
  Load3dParams params;
  DType type;
};

/// A map of int4 is one of bytes with half the channels: no pair crosses a C0 block.
Load load_of(const Instr& instr) {
  Load load{std::get<Load3dParams>(instr.params), instr.src0.type};
  if (load.type != DType::kI4) return load;
  load.type = DType::kU8;
  load.params.channels = static_cast<std::uint16_t>(load.params.channels / 2);
  load.params.k_extension = static_cast<std::uint16_t>((load.params.k_extension + 1) / 2);
  load.params.k_start /= 2;
  load.params.repeat_k_step /= 2;
  load.params.pad_value = (load.params.pad_value & 0xfu) * 0x11u;
  return load;
}

Load3dParams piece_of(const Load3dParams& load, std::uint32_t index) {
  Load3dParams piece = load;
  piece.m_start += index * load.repeat_m_step;
  piece.k_start += index * load.repeat_k_step;
  return piece;
}

/// Fractals of the destination: for L0A [m, k], transposed [k, m], for L0B k = m of the matrix.
struct Shape {
  Shape(const Load3dParams& load, DType type, Space space)
      : c0(c0_elements(type)),
        row_blocks(ceil_div(load.m_extension, kFractalRows)),
        col_blocks(ceil_div(load.k_extension, c0)),
        turned(space == Space::kL0B || load.transpose) {
    if (!turned) {
      bytes = row_blocks * col_blocks * kFractalBytes;
    } else {
      const std::uint64_t k = ceil_align(load.k_extension, kFractalRows);
      bytes = row_blocks * kFractalRows * k * dtype_bytes(type);
    }
  }

  std::uint64_t c0, row_blocks, col_blocks;
  bool turned;
  std::uint64_t bytes;
};

/// A fractal of the matrix: 16 rows of one C0 block, in L1 itself or gathered in `tile`.
const std::byte* fractal(std::byte* tile, const Img2col& matrix, const Load3dParams& load,
                         const Shape& shape, std::uint64_t band, std::uint64_t block) {
  const auto column = static_cast<std::int64_t>(load.k_start + block * shape.c0);
  const auto row = static_cast<std::int64_t>(load.m_start + band * kFractalRows);
  const std::byte* dense = matrix.dense(row, column);
  if (dense != nullptr) return dense;
  for (std::uint32_t i = 0; i < kFractalRows; ++i) {
    matrix.fetch(row + i, column, tile + i * kBlockBytes);
  }
  return tile;
}

/// Zz: fractals of the matrix as they are.
void store_plain(std::byte* dst, const Img2col& matrix, const Load3dParams& load,
                 const Shape& shape) {
  alignas(64) std::byte tile[kFractalBytes];
  for (std::uint64_t band = 0; band < shape.row_blocks; ++band) {
    for (std::uint64_t block = 0; block < shape.col_blocks; ++block) {
      std::memcpy(dst, fractal(tile, matrix, load, shape, band, block), kFractalBytes);
      dst += kFractalBytes;
    }
  }
}

/// 16 bits: a fractal turns in itself; where it goes follows from the layout.
void store_turned_b16(std::byte* dst, const Img2col& matrix, const Load3dParams& load,
                      const Shape& shape, Space space) {
  alignas(64) std::byte tile[kFractalBytes];
  for (std::uint64_t band = 0; band < shape.row_blocks; ++band) {
    for (std::uint64_t block = 0; block < shape.col_blocks; ++block) {
      const std::byte* from = fractal(tile, matrix, load, shape, band, block);
      const std::uint64_t index =
          space == Space::kL0B ? band * shape.col_blocks + block : block * shape.row_blocks + band;
      transpose_fractal_b16(dst + index * kFractalBytes, from);
    }
  }
}

/// 32 bits: a fractal of 16 x 8 spreads over two halves of fractals; rows of k beyond the last C0
/// block keep what they held.
void store_turned_b32(std::byte* dst, const Img2col& matrix, const Load3dParams& load,
                      const Shape& shape, Space space) {
  const std::uint64_t m_padded = shape.row_blocks * kFractalRows;
  const std::uint64_t k_padded = ceil_align(load.k_extension, kFractalRows);
  alignas(64) std::byte tile[kFractalBytes];
  for (std::uint64_t band = 0; band < shape.row_blocks; ++band) {
    for (std::uint64_t block = 0; block < shape.col_blocks; ++block) {
      const std::byte* from = fractal(tile, matrix, load, shape, band, block);
      for (std::uint64_t i = 0; i < kFractalRows * shape.c0; ++i) {
        const std::uint64_t m = band * kFractalRows + i / shape.c0;
        const std::uint64_t k = block * shape.c0 + i % shape.c0;
        const std::uint64_t to = space == Space::kL0B ? zn_offset(m, k, k_padded, shape.c0)
                                                      : zz_offset(k, m, m_padded, shape.c0);
        std::memcpy(dst + to * 4, from + i * 4, 4);
      }
    }
  }
}

/// A last block of channels has 4 elements, 8 up to 16 bits, 16 up to 8 bits; int4 twice as many.
void require_channels(std::uint32_t channels, DType type) {
  const std::size_t bits = dtype_bits(type);
  const std::uint32_t unit = bits == 4 ? 8 : 4, tail = channels % c0_elements(type);
  const bool legal = tail == 0 || tail == unit || (bits <= 16 && tail == 2 * unit) ||
                     (bits <= 8 && tail == 4 * unit);
  if (legal) return;
  refuse_operand(
      "channelSize is " + std::to_string(channels) +
      ", allowed are multiples of C0 = " + std::to_string(c0_elements(type)) +
      " and those plus 4 (and 8 for 16 bits, 8 and 16 for 8 bits; 8, 16 and 32 for int4)");
}

void require_types(const Instr& instr) {
  const std::size_t bits = dtype_bits(instr.src0.type);
  const bool to_b = instr.dst.space == Space::kL0B;
  if (bits == 0 || bits > 32) {
    refuse_operand("LoadData of a feature map takes types of 4, 8, 16 and 32 bits, not " +
                   std::string(dtype_name(instr.src0.type)));
  }
  if (bits <= 8 && (to_b || std::get<Load3dParams>(instr.params).transpose)) {
    refuse_operand(
        std::string("types of 4 and 8 bits cannot be transposed by LoadData of a feature map") +
        (to_b ? ", as all that goes to L0B is" : ""));
  }
}

/// Bytes of L1 that a piece may read.
std::uint64_t map_bytes(const Load3dParams& load, DType type) {
  const Img2col matrix(load, type, nullptr);
  const std::int64_t end = std::int64_t{load.k_start} + load.k_extension;
  return matrix.map_bytes(std::min(end, matrix.columns()) - 1);
}

/// Those bytes in one piece; where reads wrap around at the boundary, as a copy in `unwrapped`.
const std::byte* map_at(const Instr& instr, const CoreMemory& memory, std::uint32_t boundary,
                        std::uint64_t bytes, std::vector<std::byte>& unwrapped) {
  const std::uint64_t addr = instr.src0.addr;
  if (boundary == 0 || addr + bytes <= boundary) return memory.host(Space::kL1, addr);
  const std::byte* ring = memory.host(Space::kL1, 0);
  unwrapped.resize(bytes);
  for (std::uint64_t at = 0; at < bytes;) {
    const std::uint64_t from = (addr + at) % boundary;
    const std::uint64_t run = std::min(boundary - from, bytes - at);
    std::memcpy(unwrapped.data() + at, ring + from, run);
    at += run;
  }
  return unwrapped.data();
}

void require_columns(const Instr& instr, const Load3dParams& load, DType type) {
  const Img2col matrix(load, type, nullptr);
  if (load.k_start >= matrix.columns()) {
    const std::int64_t per_element = instr.src0.type == DType::kI4 ? 2 : 1;
    refuse_operand("kStartPt is " + std::to_string(load.k_start * per_element) +
                   ", the img2col matrix has " + std::to_string(matrix.columns() * per_element) +
                   " columns");
  }
}

void require_boundary(const Instr& instr, std::uint32_t boundary) {
  if (boundary == 0 || instr.src0.addr < boundary) return;
  refuse_operand("src starts at byte " + std::to_string(instr.src0.addr) +
                 " of L1, it must start before the boundary, " + std::to_string(boundary));
}

void store_piece(std::byte* dst, const Img2col& matrix, const Load3dParams& load, DType type,
                 Space space) {
  const Shape shape(load, type, space);
  if (!shape.turned) {
    store_plain(dst, matrix, load, shape);
  } else if (dtype_bytes(type) == 2) {
    store_turned_b16(dst, matrix, load, shape, space);
  } else {
    store_turned_b32(dst, matrix, load, shape, space);
  }
}

}  // namespace

std::int64_t filter_places_per_row(const Load3dParams& load) {
  return Img2col::places_per_row(load);
}

void decode_load_3d(DecodedInstr& instr, const CoreMemory& memory) {
  const auto& asked = std::get<Load3dParams>(instr.params);
  require_load_operands(instr);
  require_types(instr);
  require_channels(asked.channels, instr.src0.type);
  require_boundary(instr, asked.boundary);
  const std::uint32_t c0 = c0_elements(instr.src0.type);
  if (asked.k_start % c0 != 0) {
    refuse_operand("kStartPt is " + std::to_string(asked.k_start) + ", allowed are multiples of " +
                   std::to_string(c0));
  }
  const auto [load, type] = load_of(instr);
  if (Img2col(load, type, nullptr).rows() == 0) {
    refuse_operand("the filter of " + std::to_string(load.filter_h) + " x " +
                   std::to_string(load.filter_w) + " does not fit into the padded feature map of " +
                   std::to_string(load.l1_h + load.pad[2] + load.pad[3]) + " x " +
                   std::to_string(load.l1_w + load.pad[0] + load.pad[1]));
  }
  for (std::uint32_t i = 0; i < load.repeats; ++i) {
    require_columns(instr, piece_of(load, i), type);
  }
  require_inside(instr, memory);
}

void execute_load_3d(const DecodedInstr& instr, const CoreMemory& memory) {
  const auto [load, type] = load_of(instr);
  const std::uint64_t bytes = Shape(load, type, instr.dst.space).bytes;
  std::byte* dst = host_of(memory, instr.dst);
  std::vector<std::byte> unwrapped;
  for (std::uint32_t i = 0; i < load.repeats; ++i) {
    const Load3dParams piece = piece_of(load, i);
    const std::byte* map = map_at(instr, memory, piece.boundary, map_bytes(piece, type), unwrapped);
    store_piece(dst + i * bytes, Img2col(piece, type, map), piece, type, instr.dst.space);
  }
}

namespace {

/// A piece of a 1 x 1 filter takes rows of each of its C0 blocks, any other one may take anything
/// of its part of the map.
Access piece_source(const Instr& instr, const Load3dParams& piece, DType type) {
  const Img2col matrix(piece, type, nullptr);
  Access read = runs_of(instr.src0, Access::Kind::kReadAround, 1, map_bytes(piece, type), 0);
  read.unit = kFractalBytes;
  if (piece.boundary != 0 && read.addr + read.bytes > piece.boundary) {
    read.addr = 0;
    read.bytes = piece.boundary;
  } else if (matrix.is_plain()) {
    const std::uint64_t c0 = c0_elements(type), rows = static_cast<std::uint64_t>(matrix.rows());
    const std::uint64_t first = std::min<std::uint64_t>(piece.m_start, rows);
    // Fractals are fetched as a whole, as far as there are rows; there is nothing behind the map.
    const std::uint64_t end =
        std::min<std::uint64_t>(first + ceil_align(piece.m_extension, kFractalRows), rows);
    const std::uint64_t block = piece.k_start / c0;
    const std::uint64_t blocks = static_cast<std::uint64_t>(matrix.columns()) / c0 - block;
    read.addr += (block * rows + first) * kBlockBytes;
    read.bytes = (end - first) * kBlockBytes;
    read.rows = std::min(ceil_div(piece.k_extension, c0), blocks);
    read.pitch = static_cast<std::int64_t>(rows * kBlockBytes);
  }
  return read;
}

}  // namespace

void list_load_3d(const Instr& instr, const Load3dParams&, AccessList& list) {
  const auto [load, type] = load_of(instr);
  for (std::uint32_t i = 0; i < load.repeats; ++i) {
    list.add(piece_source(instr, piece_of(load, i), type));
  }
  list.add(runs_of(instr.dst, Access::Kind::kWrite, 1,
                   load.repeats * Shape(load, type, instr.dst.space).bytes, 0));
}

}  // namespace davsim::isa
