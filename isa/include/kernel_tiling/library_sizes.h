// Bytes of temporary buffer that the code of the high-level API takes, for the code itself and for
// the host's functions that size buffers. C++17, because sources of op_host include it.
#pragma once

#include <cstdint>

#include "kernel_tiling/library_structs.h"

namespace davsim::sizes {

constexpr std::uint32_t up(std::uint32_t value, std::uint32_t to) {
  return (value + to - 1) / to * to;
}

/// Floats of work of a reduction of `rows` rows of `width` floats (Code::reduce_rows).
constexpr std::uint32_t reduce_work(std::uint32_t rows, std::uint32_t width) {
  if (width <= 64) return 0;
  const std::uint32_t parts = up((width + 63) / 64, 8);
  if (rows >= width / 64) return rows * (2 * parts > 64 ? 2 * parts : 64);
  return rows * parts + reduce_work(rows, (width + 63) / 64);
}

/// Floats of work of the softmax family: also sixteen a row, where rows are columns of fractals.
constexpr std::uint32_t softmax_work(std::uint32_t rows, std::uint32_t width) {
  const std::uint32_t reduction = reduce_work(rows, width);
  return reduction > rows * 16 ? reduction : rows * 16;
}

/// Bytes of the softmax family for `rows` rows of `width` elements at a time: the rows as float,
/// the work of a reduction, a value a row twice, and four tensors of a DataBlock a row.
constexpr std::uint64_t softmax(std::uint32_t rows, std::uint32_t width) {
  const std::uint64_t eights = up(rows, 8);
  return 4ull * rows * up(width, 16) + 4ull * softmax_work(rows, width) +
         eights * (2 * 4 + 4 * 32) + 32;
}

/// The gradients hold the rows of a second source.
constexpr std::uint64_t softmax_grad(std::uint32_t rows, std::uint32_t width) {
  return softmax(rows, width) + 4ull * rows * up(width, 16);
}
/// The third flash version has four more tensors of a DataBlock a row.
constexpr std::uint64_t softmax_v3(std::uint32_t rows, std::uint32_t width) {
  return softmax(rows, width) + 4ull * 32 * up(rows, 8);
}

/// Bytes of a reduction of rows to values; half rows are held as floats.
constexpr std::uint64_t reduce(std::uint32_t rows, std::uint32_t width, bool is_half) {
  return (is_half ? 4ull * rows * up(width, 16) : 0) + 4ull * reduce_work(rows, width) +
         4ull * up(rows, 8);
}
/// Bytes of a norm: gamma and beta and the rows as floats, once more for the squares, and values.
constexpr std::uint64_t norm(std::uint32_t rows, std::uint32_t width) {
  return 2 * 4ull * up(width, 16) + 2 * 4ull * rows * up(width, 16) +
         4ull * reduce_work(rows, width) + up(rows, 8) * (4ull * 4 + 2 * 32);
}
/// Bytes of a group norm of `groups` groups, `once` of them at a time, each of `wide` floats:
/// values of channels and groups, the elements twice.
constexpr std::uint64_t group_norm(std::uint32_t groups, std::uint32_t channels, std::uint32_t once,
                                   std::uint32_t wide) {
  return 2 * up(channels, 8) * (4ull + 32) + 2 * 4ull * up(groups, 8) + 2 * 4ull * once * wide +
         4ull * reduce_work(once, wide) + up(once, 8) * (3 * 4ull + 32) + 32;
}
/// Bytes of a batch norm of `rows` rows, `once` columns at a time.
constexpr std::uint64_t batch_norm(std::uint32_t rows, std::uint32_t once) {
  return 2 * up(rows, 8) * (4ull + 32) + 4 * 4ull * once;
}
/// Bytes of the gradient of a norm: rows of floats three times, gamma, and values.
constexpr std::uint64_t norm_grad(std::uint32_t rows, std::uint32_t width) {
  return 4ull * up(width, 16) + 3 * 4ull * rows * up(width, 16) + 4ull * reduce_work(rows, width) +
         up(rows, 8) * (5 * 4ull + 32) + 32;
}
constexpr std::uint64_t norm_grad_beta(std::uint32_t once) {
  return 4 * 4ull * once;
}
constexpr std::uint64_t welford_finalize(std::uint32_t count) {
  return 2 * 4ull * count + 4ull * reduce_work(1, count) + 32 + 4ull * (8 + 64);
}
/// Bytes of the products of `rows` rows.
constexpr std::uint64_t product(std::uint32_t rows) {
  return 4ull * (rows * 64 + up(rows * 8, 64) + up(rows * 4, 64));
}
/// Bytes of the sum of an exclusive or, so many elements at a time: integers twice, floats, two
/// sums.
constexpr std::uint64_t xor_sum(std::uint32_t count) {
  return 2 * 2ull * up(count, 64) + 4ull * up(count, 64) + 4ull * reduce_work(1, up(count, 64)) +
         2 * 32;
}
/// Bytes of reductions of bytes: rows as half and as float, and the results.
constexpr std::uint64_t byte_reduction(std::uint32_t rows, std::uint32_t wide, std::uint32_t held) {
  const std::uint32_t halves = held > rows * wide ? held : rows * wide;
  return 4ull * up(held, 16) + 2ull * up(halves, 16) + 4ull * rows * wide +
         4ull * reduce_work(rows, wide) + 32;
}
/// Bytes of running sums along rows, so many columns at a time: sixteen rows twice.
constexpr std::uint64_t running_sums(std::uint32_t columns) {
  return 2 * 4ull * 16 * columns + 4ull * 16;
}
/// Bytes of a choice by a mask of `count` elements: numbers and bits.
constexpr std::uint64_t byte_mask(std::uint32_t count, bool wide) {
  return up(count, 128) * (wide ? 4ull : 2ull) + up(up(count, 128) / 8, 32);
}
/// Bytes of TransData: a DataBlock of zeros, and a square that takes what belongs nowhere.
constexpr std::uint64_t formats() {
  return 17 * 32;
}
/// Bytes of padding of rows of so many elements: an offset each.
constexpr std::uint64_t pad(std::uint32_t columns) {
  return 4ull * up(columns, 8);
}

/// Tensors of floats that a step of Welford's algorithm works on.
constexpr std::uint32_t kWelfordTensors = 2;

/// Bytes of a top-k of rows of `inner` elements: pairs twice, values and indices.
constexpr std::uint64_t top_k(std::uint32_t inner) {
  return inner * (2ull * 8 + 4 + 4);
}
/// Bytes of a top-k of `rows` rows of 32 elements at once: pairs, values and indices.
constexpr std::uint64_t small_top_k(std::uint32_t rows) {
  return rows * 32 * (8ull + 4 + 4);
}
/// So many rows of any k elements fill whole DataBlocks.
constexpr std::uint32_t kSmallTopKRows = 16;
/// Bytes of a broadcast of values to rows: the values, and a DataBlock for each; for 8-bit types
/// also the rows as half; rows that are not whole DataBlocks are made padded first.
constexpr std::uint64_t broadcast(std::uint32_t rows, std::uint32_t width, std::uint32_t bytes) {
  const std::uint32_t wide = bytes == 1 ? 2 : bytes;
  const bool padded = rows > 1 && width * wide % 32 != 0;
  return up(rows, 16) * (4ull + 32) + (bytes == 1 ? 2ull * up(rows * width, 16) : 0) +
         (padded ? std::uint64_t{wide} * rows * up(width, 16) : 0);
}
/// Bytes of a quantisation: scales, offsets and rows as float twice.
constexpr std::uint64_t quantisation(std::uint32_t rows, std::uint32_t columns) {
  return (2ull * up(columns, 16) + 2ull * rows * up(columns, 16)) * 4 +
         up(rows, 8) * (3ull * 4 + 2 * 32);
}

/// The largest number of rows, at most `most`, with bytes(rows) <= `room`; from eight on a multiple
/// of eight, unless it is `most`. 0 if there is none.
template <class Bytes>
constexpr std::uint32_t most_rows(std::uint32_t most, std::uint64_t room, Bytes bytes) {
  std::uint32_t low = 0, high = most;
  while (low < high) {
    const std::uint32_t middle = low + (high - low + 1) / 2;
    if (bytes(middle) <= room) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low == most || low < 8 ? low : low / 8 * 8;
}

/// How a softmax of `rows` x `width` elements is split where there are `room` bytes. `value_bytes`
/// is the size of an element of the maxima and sums, `bytes` one of the functions above.
template <class Tiling>
constexpr void softmax_tiling(Tiling& tiling, std::uint32_t rows, std::uint32_t width,
                              std::uint32_t value_bytes, std::uint64_t room,
                              std::uint64_t (*bytes)(std::uint32_t, std::uint32_t) = softmax) {
  const std::uint32_t split =
      most_rows(rows, room, [=](std::uint32_t n) { return bytes(n, width); });
  tiling.srcM = rows;
  tiling.srcK = width;
  tiling.srcSize = rows * width;
  tiling.outMaxM = rows;
  tiling.outMaxK = 32 / value_bytes;
  tiling.outMaxSize = rows * tiling.outMaxK;
  tiling.splitM = split;
  tiling.splitK = width;
  tiling.splitSize = split * width;
  tiling.reduceM = split;
  tiling.reduceK = tiling.outMaxK;
  tiling.reduceSize = split * tiling.outMaxK;
  tiling.rangeM = split == 0 ? 0 : rows / split;
  tiling.tailM = split == 0 ? 0 : rows % split;
  tiling.tailSplitSize = tiling.tailM * width;
  tiling.tailReduceSize = tiling.tailM * tiling.outMaxK;
}

/// Whether isBasicBlock may be said of these rows.
constexpr bool is_basic_block(std::uint32_t rows, std::uint32_t width) {
  return rows % 8 == 0 && width % 64 == 0 && width >= 64 && width < 2048;
}

}  // namespace davsim::sizes
