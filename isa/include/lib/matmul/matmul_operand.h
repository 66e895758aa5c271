// One operand of a Matmul object on a cube core: from where it lies to L1 in chunks, and from there
// to L0A or L0B.
//
// The "side" of an operand is m of A and n of B. A chunk lies in L1 as columns of fractals (NZ) of
// the matrix as it is stored. If k runs along its rows, the loads to L0 transpose.
#pragma once

#include <optional>

#include "lib/matmul/matmul_ring.h"

namespace davsim::api {

constexpr std::uint32_t matmul_up(std::uint32_t value, std::uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}
constexpr std::uint32_t matmul_parts(std::uint32_t value, std::uint32_t unit) {
  return (value + unit - 1) / unit;
}

/// A piece of an operand: from element `start` on `side` and `k_start` on k.
struct MatmulPiece {
  std::uint32_t start = 0, k_start = 0, length = 0, k_length = 0;
};

/// For loads of a feature map: the padding value is set once.
inline constexpr AscendC::IsResetLoad3dConfig kMatmulKeepPadding = {true, false};

template <class Type, bool kIsA>
class MatmulOperand {
 public:
  using T = typename Type::T;
  static constexpr std::uint32_t kBits = isa::dtype_bits(dtype_of<T>());
  static constexpr std::uint32_t kC0 = 256 / kBits;
  static constexpr bool kFromL1 = space_of(Type::pos) == isa::Space::kL1;
  static constexpr bool kNz = Type::format == AscendC::CubeFormat::NZ || kFromL1;
  static_assert(Type::format == AscendC::CubeFormat::ND ||
                    Type::format == AscendC::CubeFormat::NZ ||
                    Type::format == AscendC::CubeFormat::ND_ALIGN ||
                    (kIsA && Type::format == AscendC::CubeFormat::VECTOR),
                "Matmul: on architecture 2201 the CubeFormat of A is ND, NZ or VECTOR, that of B "
                "ND or NZ");
  static constexpr bool kSparse = kMatmulSparse<Type>;
  static_assert(!kSparse || (!kIsA && std::is_same_v<T, std::int8_t> && Type::isTrans && !kFromL1),
                "Matmul: a sparse operand is a transposed B of int8_t in global memory");

  // The matrix, set by the calls of the object.
  AscendC::GlobalTensor<T> gm;
  AscendC::LocalTensor<T> l1;
  std::uint64_t index = 0;  ///< address of the indices of a sparse matrix, in fractals of 16 rows
  std::optional<T> number;  ///< all elements, instead of a matrix
  bool transposed = false;
  std::uint32_t side_size = 0, k_size = 0;  ///< of the whole matrix
  std::uint64_t pitch = 0;  ///< elements between rows of an ND matrix; 0: as wide as the matrix

  static constexpr bool kMayBeNumber = kMatmulNumber<Type>;

  bool k_in_columns() const { return kIsA != transposed; }
  /// Rows of L1 fractals are whole, and whole squares where loads transpose.
  std::uint32_t row_unit() const { return k_in_columns() || kBits >= 16 ? 16 : kC0; }

  /// Bytes of a chunk of at most this size, however calls may transpose it.
  static std::uint32_t chunk_bytes(std::uint32_t side, std::uint32_t k) {
    return matrix_bytes(side, k) / 4 * (kSparse ? 5 : 4);
  }
  /// Those of its elements; the indices of sparse ones lie behind, two bits for each.
  static std::uint32_t matrix_bytes(std::uint32_t side, std::uint32_t k) {
    constexpr bool kNeverSquare = kBits >= 16 || (kIsA && !Type::isTrans);
    const std::uint32_t unit = kBits >= 16 ? 16 : kC0;
    return matmul_up(side, kNeverSquare ? 16 : kC0) * matmul_up(k, unit) * kBits / 8;
  }

  /// GM to L1: `piece` to byte `address`.
  void load_chunk(std::uint32_t address, const MatmulPiece& piece, Location where) const {
    const bool columns = k_in_columns();
    const std::uint32_t row = columns ? piece.start : piece.k_start;
    const std::uint32_t col = columns ? piece.k_start : piece.start;
    const std::uint32_t rows = columns ? piece.length : piece.k_length;
    const std::uint32_t cols = columns ? piece.k_length : piece.length;
    const std::uint32_t matrix_rows = columns ? side_size : k_size;
    const std::uint64_t matrix_cols = pitch > 0 ? pitch : columns ? k_size : side_size;
    const AscendC::LocalTensor<T> to = tensor(address, piece);
    if (number) {
      fill(to, where);
    } else if constexpr (kNz) {
      load_nz(to, row, col, rows, cols, matrix_rows, where);
    } else {
      load_nd(to, row, col, rows, cols, matrix_cols, where);
    }
    if constexpr (kSparse) load_index(index_of(to), piece, where);
  }

  /// The chunk at byte `address` of L1 that holds `chunk` of the matrix.
  AscendC::LocalTensor<T> tensor(std::uint32_t address, const MatmulPiece& chunk) const {
    constexpr auto kPosition = kIsA ? AscendC::TPosition::A1 : AscendC::TPosition::B1;
    return AscendC::LocalTensor<T>(kPosition, address,
                                   matrix_bytes(chunk.length, chunk.k_length) * 8 / kBits);
  }

  /// L1 to L0: `piece`, counted from the start of the chunk.
  void load_l0(const AscendC::LocalTensor<T>& l0, const AscendC::LocalTensor<T>& chunk,
               std::uint32_t rows, const MatmulPiece& piece, Location where) const {
    if constexpr (kIsA) {
      if (k_in_columns()) return load_plain_a(l0, chunk, rows, piece, where);
      if constexpr (kBits == 8) return load_squares_a(l0, chunk, rows, piece, where);
    } else {
      if constexpr (kSparse) return load_sparse_b(l0, chunk, rows, piece, where);
      if (k_in_columns()) return load_plain_b(l0, chunk, rows, piece, where);
      if constexpr (kBits < 16) return load_squares_b(l0, chunk, rows, piece, where);
    }
    if constexpr (kBits >= 16) load_turned(l0, chunk, rows, piece, where);
  }

  /// Rows of a column of fractals of a chunk in L1.
  std::uint32_t rows_of(const MatmulPiece& chunk) const {
    return matmul_up(k_in_columns() ? chunk.length : chunk.k_length, row_unit());
  }

 private:
  /// Blocks of a panel in L1 begin with a square where loads transpose squares.
  static void require_square(const MatmulPiece& piece, Location where) {
    if (piece.start % kC0 == 0) return;
    refuse("Matmul::Iterate",
           kIsA ? "row of A in L1 where a base block begins"
                : "column of B in L1 where a base block begins",
           piece.start,
           {"multiples of ", kC0, ": loads of this type transpose squares of as many, so ",
            kIsA ? "baseM" : "baseN", " has to be a multiple"},
           where);
  }
  void fill(const AscendC::LocalTensor<T>& to, Location where) const {
    if constexpr (kMayBeNumber) {
      const std::uint64_t blocks = to.GetSize() * kElementBytes<T> / isa::kBlockBytes;
      AscendC::Fill(
          to, AscendC::InitConstValueParams<T>(1, static_cast<std::uint16_t>(blocks), 0, *number),
          where);
    }
  }

  void load_nz(const AscendC::LocalTensor<T>& to, std::uint32_t row, std::uint32_t col,
               std::uint32_t rows, std::uint32_t cols, std::uint32_t matrix_rows,
               Location where) const {
    const std::uint32_t moved = matmul_up(rows, 16);
    const std::uint32_t column = matmul_up(matrix_rows, 16), unit = row_unit();
    AscendC::DataCopyParams copy;
    copy.blockLen = static_cast<std::uint16_t>(moved);
    copy.srcGap = static_cast<std::uint16_t>(column - moved);
    copy.dstGap = static_cast<std::uint16_t>(matmul_up(rows, unit) - moved);
    copy.blockCount = static_cast<std::uint16_t>(matmul_up(cols, kC0) / kC0);
    const std::uint64_t at = std::uint64_t{col} * column + std::uint64_t{row} * kC0;
    if constexpr (kFromL1) {
      // An operand that lies in L1 is read where it lies, see MatmulEngine.
    } else {
      AscendC::DataCopy(to, gm[at], copy, where);
    }
  }

  void load_nd(const AscendC::LocalTensor<T>& to, std::uint32_t row, std::uint32_t col,
               std::uint32_t rows, std::uint32_t cols, std::uint64_t matrix_cols,
               Location where) const {
    constexpr std::uint32_t kPerUnit = kBits == 4 ? 2 : 1;  // int4b_t is copied as bytes
    constexpr std::uint64_t kMostPitch = 65535;
    AscendC::Nd2NzParams copy;
    copy.ndNum = 1;
    copy.dValue = static_cast<std::uint16_t>(matmul_parts(cols, kPerUnit));
    copy.dstNzC0Stride = static_cast<std::uint16_t>(matmul_up(rows, row_unit()));
    copy.dstNzNStride = 1;
    const std::uint64_t at = std::uint64_t{row} * matrix_cols + col;
    if (matrix_cols / kPerUnit <= kMostPitch) {
      copy.nValue = static_cast<std::uint16_t>(rows);
      copy.srcDValue = static_cast<std::uint16_t>(matrix_cols / kPerUnit);
      AscendC::DataCopy(to, gm[at], copy, where);
      return;
    }
    // The rows lie farther apart than an instruction can say.
    copy.nValue = copy.srcDValue = 1;
    for (std::uint32_t i = 0; i < rows; ++i) {
      AscendC::DataCopy(to[i * kC0], gm[at + i * matrix_cols], copy, where);
    }
  }

  /// The chunk as a feature map of one row of pixels: with a filter of 1 x 1 its img2col matrix is
  /// the stored matrix.
  static AscendC::LoadData3DParamsV2<T> feature_map(std::uint32_t rows, std::uint32_t columns) {
    AscendC::LoadData3DParamsV2<T> load;
    load.l1H = 1;
    load.l1W = static_cast<std::uint16_t>(rows);
    load.channelSize = static_cast<std::uint16_t>(matmul_up(columns, kC0));
    return load;
  }

  void load_plain_a(const AscendC::LocalTensor<T>& l0, const AscendC::LocalTensor<T>& chunk,
                    std::uint32_t rows, const MatmulPiece& piece, Location where) const {
    AscendC::LoadData3DParamsV2<T> load = feature_map(rows, piece.k_start + piece.k_length);
    load.kExtension = static_cast<std::uint16_t>(matmul_up(piece.k_length, kC0));
    load.mExtension = static_cast<std::uint16_t>(matmul_up(piece.length, 16));
    load.kStartPt = static_cast<std::uint16_t>(piece.k_start);
    load.mStartPt = static_cast<std::uint16_t>(piece.start);
    AscendC::LoadData<T, kMatmulKeepPadding>(l0, chunk, load, where);
  }

  void load_turned(const AscendC::LocalTensor<T>& l0, const AscendC::LocalTensor<T>& chunk,
                   std::uint32_t rows, const MatmulPiece& piece, Location where) const {
    AscendC::LoadData3DParamsV2<T> load = feature_map(rows, piece.start + piece.length);
    load.kExtension = static_cast<std::uint16_t>(matmul_up(piece.length, kC0));
    load.mExtension = static_cast<std::uint16_t>(matmul_up(piece.k_length, 16));
    load.kStartPt = static_cast<std::uint16_t>(piece.start);
    load.mStartPt = static_cast<std::uint16_t>(piece.k_start);
    load.enTranspose = kIsA;
    AscendC::LoadData<T, kMatmulKeepPadding>(l0, chunk, load, where);
  }

  /// A of 8 bits: each 32 columns of m take an instruction for a row of squares.
  void load_squares_a(const AscendC::LocalTensor<T>& l0, const AscendC::LocalTensor<T>& chunk,
                      std::uint32_t rows, const MatmulPiece& piece, Location where) const {
    require_square(piece, where);
    const std::uint32_t deep = matmul_parts(piece.k_length, kC0);
    AscendC::LoadData2dTransposeParams load;
    load.repeatTimes = static_cast<std::uint8_t>(deep);
    load.srcStride = 1;
    load.dstFracGap = static_cast<std::uint16_t>(deep - 1);
    for (std::uint32_t column = 0; column < piece.length; column += kC0) {
      const std::uint32_t from = (piece.start + column) / kC0 * rows + piece.k_start;
      load.startIndex = static_cast<std::uint16_t>(from / kC0);
      AscendC::LoadDataWithTranspose(l0[column * deep * kC0], chunk, load, where);
    }
  }

  /// B of 8 and 4 bits: each C0 rows of k take an instruction for a row of squares. The last square
  /// of a row may overlap the next row, which is loaded after it.
  void load_squares_b(const AscendC::LocalTensor<T>& l0, const AscendC::LocalTensor<T>& chunk,
                      std::uint32_t rows, const MatmulPiece& piece, Location where) const {
    require_square(piece, where);
    const std::uint32_t wide = matmul_up(piece.length, 16);
    AscendC::LoadData2dTransposeParams load;
    load.repeatTimes = static_cast<std::uint8_t>(matmul_parts(piece.length, kC0));
    load.srcStride = static_cast<std::uint16_t>(rows / kC0);
    load.dstGap = kC0 / 16 - 1;
    for (std::uint32_t row = 0; row < piece.k_length; row += kC0) {
      const std::uint32_t from = piece.start / kC0 * rows + piece.k_start + row;
      load.startIndex = static_cast<std::uint16_t>(from / kC0);
      if (row > 0 && wide % kC0 != 0) AscendC::PipeBarrier<PIPE_MTE1>(where);
      AscendC::LoadDataWithTranspose(l0[row * wide], chunk, load, where);
    }
  }

  // --- sparse matrices ---------------------------------------------------------------------------

  static constexpr std::uint32_t kElementsOfIndexByte = 4;

  AscendC::LocalTensor<std::uint8_t> index_of(const AscendC::LocalTensor<T>& chunk) const {
    const std::uint32_t size = chunk.GetSize();
    return AscendC::LocalTensor<std::uint8_t>(AscendC::TPosition::B1,
                                              static_cast<std::uint32_t>(chunk.GetPhyAddr()) + size,
                                              size / kElementsOfIndexByte);
  }
  /// The indices of a piece lie as its fractals do: a column of fractals is 8 bytes wide.
  void load_index(const AscendC::LocalTensor<std::uint8_t>& to, const MatmulPiece& piece,
                  Location where) const {
    constexpr std::uint32_t kWide = kC0 / kElementsOfIndexByte;
    if (index == 0) {
      fail(isa::FaultClass::kParameter, "Matmul::Iterate",
           {"B is sparse: SetSparseIndex comes first"}, where);
    }
    const std::uint32_t high = matmul_up(side_size, 16);
    AscendC::DataCopyParams copy;
    copy.blockCount = static_cast<std::uint16_t>(matmul_parts(piece.k_length, kC0));
    copy.blockLen =
        static_cast<std::uint16_t>(matmul_up(piece.length, 16) * kWide / isa::kBlockBytes);
    copy.srcGap = static_cast<std::uint16_t>(high * kWide / isa::kBlockBytes - copy.blockLen);
    AscendC::GlobalTensor<std::uint8_t> from;
    from.SetGlobalBuffer(reinterpret_cast<std::uint8_t*>(index) +
                         std::uint64_t{piece.k_start / kC0} * high * kWide + piece.start * kWide);
    AscendC::DataCopy(to, from, copy, where);
  }
  void load_sparse_b(const AscendC::LocalTensor<T>& l0, const AscendC::LocalTensor<T>& chunk,
                     std::uint32_t rows, const MatmulPiece& piece, Location where) const {
    const std::uint32_t high = matmul_up(piece.length, 16) / 16;
    AscendC::LoadData2DParams load;
    load.repeatTimes = static_cast<std::uint8_t>(high);
    for (std::uint32_t column = 0; column < matmul_parts(piece.k_length, kC0); ++column) {
      const std::uint32_t from = (piece.k_start + column * kC0) * rows + piece.start * kC0;
      AscendC::LoadDataWithSparse(l0[column * high * 16 * kC0], chunk[from],
                                  index_of(chunk)[from / kElementsOfIndexByte], load, where);
    }
  }

  /// B whose k runs along the columns: fractals stay as they are.
  void load_plain_b(const AscendC::LocalTensor<T>& l0, const AscendC::LocalTensor<T>& chunk,
                    std::uint32_t rows, const MatmulPiece& piece, Location where) const {
    constexpr std::uint32_t kMostRepeats = 255;
    const std::uint32_t high = matmul_up(piece.length, 16) / 16;
    const std::uint32_t columns = matmul_parts(piece.k_length, kC0);
    AscendC::LoadData2DParams load;
    load.srcStride = 1;
    if (high * 16 == rows && high * columns <= kMostRepeats) {
      load.repeatTimes = static_cast<std::uint8_t>(high * columns);
      AscendC::LoadData(l0, chunk[piece.k_start * rows], load, where);
      return;
    }
    load.repeatTimes = static_cast<std::uint8_t>(high);
    for (std::uint32_t column = 0; column < columns; ++column) {
      const std::uint32_t from = (piece.k_start + column * kC0) * rows + piece.start * kC0;
      AscendC::LoadData(l0[column * high * 16 * kC0], chunk[from], load, where);
    }
  }
};

}  // namespace davsim::api
