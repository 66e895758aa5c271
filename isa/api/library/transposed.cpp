// What transposes: matrices, fractals, and running sums along rows.
#include <algorithm>

#include "ascendc/data_copy.h"
#include "ascendc/library_rows.h"
#include "ascendc/vector.h"
#include "isa/api/library/code.hpp"
#include "isa/api/library/typed.hpp"

namespace davsim::api::lib {

namespace {

constexpr std::uint32_t kSide = 16;  ///< DataBlocks of TransDataTo5HD

using Blocks = std::uint64_t[kSide];

/// A tile: DataBlock i of the source to DataBlock i of the destination, transposed. In 32 bits two
/// DataBlocks of the destination are one column.
template <typename T>
void tile(Blocks& dst, Blocks& src, Location where) {
  AscendC::TransDataTo5HDParams params;
  params.repeatTimes = 1;
  AscendC::TransDataTo5HD<T>(dst, src, params, where);
}

std::uint64_t address(const Tensor& tensor, std::uint32_t element) {
  return tensor.at.addr + tensor.bytes_of(element);
}

/// dst, columns of sixteen elements `dst_pitch` apart, = sixteen rows of src, `src_pitch` apart, of
/// so many columns, a multiple of those of a DataBlock.
template <typename T>
void turn_rows(const Tensor& dst, std::uint32_t dst_pitch, const Tensor& src,
               std::uint32_t src_pitch, std::uint32_t columns, Location where) {
  constexpr std::uint32_t kColumns = 32 / sizeof(T);
  constexpr std::uint32_t kPerColumn = kSide / kColumns;  // DataBlocks
  for (std::uint32_t first = 0; first < columns; first += kColumns) {
    Blocks from, to;
    for (std::uint32_t i = 0; i < kSide; ++i) {
      from[i] = address(src, i * src_pitch + first);
      to[i] = address(dst, (first + i / kPerColumn) * dst_pitch + i % kPerColumn * kColumns);
    }
    tile<T>(to, from, where);
  }
}

template <typename T>
void transpose_of(const Tensor& dst, const Tensor& src, std::uint32_t rows, std::uint32_t width,
                  Location where) {
  for (std::uint32_t row = 0; row < rows; row += kSide) {
    turn_rows<T>(dst.from(row), rows, src.from(row * width), width, width, where);
  }
}

/// Running sums of sixteen rows at a time, in columns as long as the temporary buffer allows.
class RowSums {
 public:
  RowSums(const Call& call, const Tensor& scratch, std::uint32_t width)
      : code_(call), arena_(call, scratch) {
    const std::uint32_t tiles = fitting(arena_, (width + kSide - 1) / kSide, 1,
                                        [](auto n) { return sizes::running_sums(kSide * n); });
    once_ = tiles * kSide;
    rows_ = arena_.floats(kSide * once_);
    turned_ = arena_.floats(kSide * once_);
    carry_ = arena_.floats(kSide);
  }

  /// `count` rows, at most sixteen.
  void run(const Tensor& dst, const Tensor& src, std::uint32_t count, std::uint32_t width) {
    for (std::uint32_t first = 0; first < width; first += once_) {
      const std::uint32_t n = std::min(once_, width - first), whole = round_up(n, kSide);
      const View rows = matrix(rows_, whole);
      if (count < kSide || n < whole) code_.fill(rows_, 0, kSide * whole);
      code_.load_rows(rows, matrix(src.from(first), width), count, n);
      turn_rows<float>(turned_, kSide, rows_, whole, whole, code_.call().where);
      code_.barrier();
      if (first > 0) code_.add(turned_, turned_, carry_, kSide);
      for (std::uint32_t i = 1; i < n; ++i) {
        const Tensor column = turned_.from(i * kSide);
        code_.add(column, column, turned_.from((i - 1) * kSide), kSide);
      }
      code_.copy(carry_, turned_.from((n - 1) * kSide), kSide);
      // Back again, eight of the sixteen rows at a time.
      for (std::uint32_t at = 0; at < whole; at += kSide) {
        for (const std::uint32_t half : {0u, 8u}) turn_back(at, half, whole);
      }
      code_.barrier();
      code_.store_rows(matrix(dst.from(first), width), rows, count, n);
    }
  }
  const Code& code() const { return code_; }

 private:
  void turn_back(std::uint32_t first, std::uint32_t half, std::uint32_t whole) {
    Blocks from, to;
    for (std::uint32_t i = 0; i < kSide; ++i) {
      from[i] = address(turned_, (first + i) * kSide + half);
      to[i] = address(rows_, (half + i / 2) * whole + first + i % 2 * 8);
    }
    tile<float>(to, from, code_.call().where);
  }

  Code code_;
  Arena arena_;
  std::uint32_t once_ = 0;
  Tensor rows_, turned_, carry_;
};

}  // namespace

void transpose(const Call& call, const Tensor& dst, const Tensor& src, std::uint32_t rows,
               std::uint32_t width) {
  if (!core_has(isa::Pipe::V) || rows == 0 || width == 0) return;
  const std::uint32_t bytes = src.bytes_of(1);
  if (rows % kSide != 0) {
    refuse(call.name, "height", rows, "multiples of 16", call.where);
  }
  if (width * bytes % isa::kBlockBytes != 0) {
    refuse(call.name, "bytes of a row", width * bytes, "multiples of 32", call.where);
  }
  require_elements(call, "elements of src", src, std::uint64_t{rows} * width);
  require_elements(call, "elements of dst", dst, std::uint64_t{rows} * width);
  const Code code(call);
  if (bytes == 2) {
    transpose_of<half>(dst, src, rows, width, call.where);
  } else {
    transpose_of<float>(dst, src, rows, width, call.where);
  }
  code.barrier();
}

/// A row of a fractal, sixteen elements, stays whole: all is moved by DataCopy within UB.
void move_fractals(const Call& call, const Tensor& dst, const Tensor& src, const FractalMove& m) {
  if (!core_has(isa::Pipe::V)) return;
  const auto require_side = [&](const char* name, std::uint32_t value) {
    if (value == 0 || value % kSide != 0) {
      refuse(call.name, name, value, "multiples of 16", call.where);
    }
  };
  require_side("s", m.s);
  require_side("h / n", m.d);
  if (m.swapped && m.dst_is_nz) require_side("n", m.n);
  const std::uint64_t all = std::uint64_t{m.b} * m.n * m.s * m.d;
  require_elements(call, "elements of src", src, all);
  require_elements(call, "elements of dst", dst, all);
  const Code code(call);
  const std::uint32_t columns = m.d / kSide, unit = src.bytes_of(kSide) / 32;
  // Rows of sixteen elements of a head's column of fractals: s of them, one behind the other in
  // both forms of the source.
  for (std::uint32_t b = 0; b < m.b; ++b) {
    for (std::uint32_t n = 0; n < m.n; ++n) {
      for (std::uint32_t c = 0; c < columns; ++c) {
        const std::uint32_t column = (b * m.n + n) * columns + c;
        std::uint32_t to = 0, step = kSide;  // the first row, and from a row to the next
        if (m.swapped) {                     // [b, s, n, d]
          to = b * m.s * m.n * m.d +
               (m.dst_is_nz ? c * m.n * kSide + n * kSide : n * m.d + c * kSide);
          step = m.n * m.d;
        } else if (m.dst_is_nz) {  // fractals of [s, n d] and of [n, s, d] are the same columns
          to = column * m.s * kSide;
        } else if (m.merged) {  // [b, s, n d]
          to = b * m.s * m.n * m.d + n * m.d + c * kSide;
          step = m.n * m.d;
        } else {  // [b, n, s, d]
          to = (b * m.n + n) * m.s * m.d + c * kSide;
          step = m.d;
        }
        AscendC::DataCopyParams copy;
        copy.blockCount = static_cast<std::uint16_t>(m.s);
        copy.blockLen = static_cast<std::uint16_t>(unit);
        copy.dstGap = static_cast<std::uint16_t>((step / kSide - 1) * unit);
        AscendC::DataCopy(typed<std::uint16_t>(dst.from(to)),
                          typed<std::uint16_t>(src.from(column * m.s * kSide)), copy, call.where);
      }
    }
  }
  code.barrier();
}

void sum_along_rows(const Call& call, const Tensor& dst, const Tensor& last, const Tensor& src,
                    const Tensor& scratch, std::uint32_t rows, std::uint32_t width) {
  if (!core_has(isa::Pipe::V) || rows == 0) return;
  const std::uint32_t bytes = src.bytes_of(width);
  if (bytes == 0 || bytes % isa::kBlockBytes != 0) {
    refuse(call.name, "bytes of a row", bytes, "multiples of 32", call.where);
  }
  require_elements(call, "elements of src", src, std::uint64_t{rows} * width);
  require_elements(call, "elements of dst", dst, std::uint64_t{rows} * width);
  RowSums sums(call, scratch, width);
  for (std::uint32_t row = 0; row < rows; row += kSide) {
    sums.run(dst.from(row * width), src.from(row * width), std::min(kSide, rows - row), width);
  }
  if (!last.present()) return;
  require_elements(call, "elements of lastRow", last, width);
  sums.code().copy(last, dst.from((rows - 1) * width), width);
}

}  // namespace davsim::api::lib
