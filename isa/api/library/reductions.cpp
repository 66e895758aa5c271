// Reductions of rows and columns, and broadcasts.
#include <algorithm>

#include "ascendc/library_rows.h"
#include "ascendc/sync.h"
#include "isa/api/library/code.hpp"

namespace davsim::api::lib {

namespace {

isa::Opcode along_row(RowOperation operation) {
  return operation == RowOperation::kSum   ? op::kSumOfRow
         : operation == RowOperation::kMax ? op::kMaxOfRow
                                           : op::kMinOfRow;
}
isa::Opcode of_two(RowOperation operation) {
  return operation == RowOperation::kSum       ? op::kAdd
         : operation == RowOperation::kProduct ? op::kMul
         : operation == RowOperation::kMax     ? op::kMax
                                               : op::kMin;
}

void require_pitch(const Call& call, const Tensor& tensor, std::uint32_t rows, std::uint32_t width,
                   std::uint32_t pitch) {
  require_range(call.name, "elements that count of a row", width, 1, pitch, call.where);
  if (rows > 1 && tensor.bytes_of(pitch) % isa::kBlockBytes != 0) {
    refuse(call.name, "bytes of a row", tensor.bytes_of(pitch), "multiples of 32", call.where);
  }
}

/// Sums of rows of halves as halves: each repeat pair by pair, then the sums of the repeats. `work`
/// takes those.
void sum_halves(const Code& code, const Tensor& dst, const Tensor& src, std::uint32_t rows,
                std::uint32_t width, std::uint32_t pitch, const Tensor& work) {
  constexpr std::uint32_t kLanes = 128;
  if (width <= kLanes) {
    code.reduce_repeats(op::kSumOfRow, dst, src, width, rows, 1, pitch);
    code.barrier();
    return;
  }
  const std::uint32_t whole = width / kLanes, rest = width % kLanes,
                      parts = whole + (rest != 0 ? 1 : 0), step = round_up(parts, 16);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const Tensor from = src.from(row * pitch), to = work.from(row * step);
    code.reduce_repeats(op::kSumOfRow, to, from, kLanes, whole, 1, kLanes);
    if (rest == 0) continue;
    code.reduce_repeats(op::kSumOfRow, to.from(whole), from.from(whole * kLanes), rest, 1, 1,
                        kLanes);
  }
  code.barrier();
  sum_halves(code, dst, work, rows, parts, step, work.from(rows * step));
}

}  // namespace

void reduce_to_values(const Call& call, RowOperation operation, const Tensor& dst,
                      const Tensor& src, const Tensor& scratch, std::uint32_t rows,
                      std::uint32_t width, std::uint32_t pitch, double scale, bool in_half) {
  if (!core_has(isa::Pipe::V) || rows == 0) return;
  require_pitch(call, src, rows, width, pitch);
  require_elements(call, "elements of src", src, std::uint64_t{rows - 1} * pitch + width);
  require_elements(call, "elements of dst", dst, rows);
  const Code code(call);
  const bool is_half = src.type() == isa::DType::kF16;
  Arena arena(call, scratch);
  const std::uint32_t once = fitting(arena, rows, 16, [&](std::uint32_t n) {
    return sizes::reduce(n, is_half ? pitch : width, is_half);
  });
  if (once < rows && once % 16 != 0) {
    arena.need(sizes::reduce(std::min(rows, 16u), is_half ? pitch : width, is_half));
  }
  const Tensor wide = is_half ? arena.floats(once * round_up(pitch, 16)) : Tensor{};
  const Tensor work = arena.floats(sizes::reduce_work(once, width));
  const Tensor values = arena.floats(round_up(once, 8));
  for (std::uint32_t first = 0; first < rows; first += once) {
    const std::uint32_t now = std::min(once, rows - first);
    View x = matrix(src.from(first * pitch), pitch);
    if (is_half && in_half) {
      const Tensor halves = wide.as(isa::DType::kF16);
      const Tensor sums = scale == 1 ? dst.from(first) : halves.from(once * round_up(pitch, 16));
      sum_halves(code, sums, x.at, now, width, pitch, halves);
      if (scale == 1) continue;
      code.cast(values, sums, isa::RoundMode::kNone, now);
      code.muls(values, values, scale, now);
      code.cast(dst.from(first), values, isa::RoundMode::kRint, now);
      continue;
    }
    if (is_half) {
      const View floats = matrix(wide, round_up(pitch, 16));
      code.cast_rows(now, width, floats, x, isa::RoundMode::kNone);
      x = floats;
    }
    code.reduce_rows(along_row(operation), values, now, width, x, work);
    if (scale != 1) code.muls(values, values, scale, now);
    if (is_half) {
      code.cast(dst.from(first), values, isa::RoundMode::kRint, now);
    } else {
      code.copy(dst.from(first), values, now);
    }
  }
}

void reduce_to_row(const Call& call, RowOperation operation, const Tensor& dst, const Tensor& src,
                   std::uint32_t rows, std::uint32_t width, std::uint32_t pitch, double scale) {
  if (!core_has(isa::Pipe::V) || rows == 0) return;
  require_pitch(call, src, rows, width, pitch);
  require_elements(call, "elements of src", src, std::uint64_t{rows - 1} * pitch + width);
  require_elements(call, "elements of dst", dst, width);
  const Code code(call);
  code.copy(dst, src, width);
  for (std::uint32_t row = 1; row < rows; ++row) {
    code.binary(of_two(operation), dst, dst, src.from(row * pitch), width);
  }
  if (scale != 1) code.muls(dst, dst, scale, width);
}

namespace {

/// The elements of even, or of odd places of `count` floats.
void take_half(const Code& code, const Tensor& to, const Tensor& from, bool odd,
               std::uint32_t count) {
  isa::VectorParams params;
  params.mask_mode = isa::MaskMode::kCounter;
  params.mask = {count, 0};
  params.pattern = odd ? 2 : 1;
  params.src0 = {1, 8};
  code.emit(op::kGatherMask, to.at, from.at, {}, params);
  code.barrier();
}

}  // namespace

/// All columns onto the first 64, these onto the first 8, and these pair by pair.
void multiply_rows(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
                   std::uint32_t rows, std::uint32_t width, std::uint32_t pitch) {
  if (!core_has(isa::Pipe::V) || rows == 0) return;
  require_pitch(call, src, rows, width, pitch);
  require_elements(call, "elements of src", src, std::uint64_t{rows - 1} * pitch + width);
  require_elements(call, "elements of dst", dst, rows);
  const Code code(call);
  Arena arena(call, scratch);
  const std::uint32_t once =
      fitting(arena, rows, 8, [](std::uint32_t n) { return sizes::product(n); });
  if (once < rows && once % 8 != 0) arena.need(sizes::product(std::min(rows, 8u)));
  const Tensor folded = arena.floats(once * 64), even = arena.floats(round_up(once * 8, 64)),
               odd = arena.floats(round_up(once * 4, 64));
  for (std::uint32_t first = 0; first < rows; first += once) {
    const std::uint32_t n = std::min(once, rows - first);
    const View x = matrix(folded, 64);
    code.fill(folded, 1, n * 64);
    for (std::uint32_t column = 0; column < width; column += 64) {
      code.over_rows(op::kMul, n, std::min(64u, width - column), x, x,
                     matrix(src.from(first * pitch + column), pitch));
    }
    for (const std::uint32_t half : {32u, 16u}) {
      code.over_rows(op::kMul, n, half, x, x, matrix(folded.from(half), 64));
    }
    code.over_rows(op::kMul, n, 8, matrix(even, 8), x, matrix(folded.from(8), 64));
    for (std::uint32_t left = n * 8; left > n; left /= 2) {
      take_half(code, odd, even, true, left);
      take_half(code, folded, even, false, left);
      code.mul(even, folded, odd, left / 2);
    }
    code.copy(dst.from(first), even, n);
  }
}

void xor_sum(const Call& call, const Tensor& dst, const Tensor& a, const Tensor& b,
             const Tensor& scratch, std::uint32_t count) {
  if (!core_has(isa::Pipe::V) || count == 0) return;
  require_elements(call, "elements of src0", a, count);
  require_elements(call, "elements of src1", b, count);
  require_elements(call, "elements of dst", dst, 1);
  const Code code(call);
  Arena arena(call, scratch);
  const std::uint32_t once = fitting(arena, round_up(count, 64), 64, sizes::xor_sum);
  const Tensor both = arena.take(isa::DType::kI16, once),
               either = arena.take(isa::DType::kI16, once);
  const Tensor floats = arena.floats(once);
  const Tensor sum = arena.floats(8), part = arena.floats(8);
  const Tensor work = arena.floats(sizes::reduce_work(1, once));
  code.fill(sum, 0, 8);
  for (std::uint32_t first = 0; first < count; first += once) {
    const std::uint32_t n = std::min(once, count - first);
    const Tensor x = a.from(first), y = b.from(first);
    code.binary(op::kAnd, both, x, y, n);
    code.unary(op::kNot, both, both, n);
    code.binary(op::kOr, either, x, y, n);
    code.binary(op::kAnd, both, both, either, n);
    code.cast(floats, both, isa::RoundMode::kNone, n);
    code.reduce_rows(op::kSumOfRow, part, 1, n, matrix(floats, round_up(n, 8)), work);
    code.add(sum, sum, part, 1);
  }
  code.maxs(sum, sum, INT16_MIN, 1);
  code.mins(sum, sum, INT16_MAX, 1);
  code.cast(dst, sum, isa::RoundMode::kRint, 1);
}

/// Bytes are compared as floats.
void reduce_bytes(const Call& call, RowOperation operation, const Tensor& dst, const Tensor& src,
                  const Tensor& scratch, std::uint32_t rows, std::uint32_t width,
                  std::uint32_t pitch, bool columns) {
  if (!core_has(isa::Pipe::V) || rows == 0) return;
  require_pitch(call, src, rows, width, pitch);
  require_elements(call, "elements of src", src, std::uint64_t{rows - 1} * pitch + width);
  require_elements(call, "elements of dst", dst, columns ? width : rows);
  const Code code(call);
  Arena arena(call, scratch);
  const std::uint32_t held = columns ? width : rows, wide = round_up(pitch, 32);
  const std::uint32_t once = fitting(
      arena, rows, 1, [&](std::uint32_t n) { return sizes::byte_reduction(n, wide, held); });
  const Tensor result = arena.floats(round_up(held, 16)),
               half = arena.take(isa::DType::kF16, round_up(std::max(held, once * wide), 16)),
               floats = arena.floats(once * wide),
               work = arena.floats(sizes::reduce_work(once, wide));
  for (std::uint32_t first = 0; first < rows; first += once) {
    const std::uint32_t n = std::min(once, rows - first);
    const View halves = matrix(half, wide), x = matrix(floats, wide);
    code.cast_rows(n, width, halves, matrix(src.from(first * pitch), pitch), isa::RoundMode::kNone);
    code.cast_rows(n, width, x, halves, isa::RoundMode::kNone);
    if (!columns) {
      code.reduce_rows(along_row(operation), result.from(first), n, width, x, work);
      continue;
    }
    for (std::uint32_t row = 0; row < n; ++row) {
      const Tensor next = floats.from(row * wide);
      if (first + row == 0) {
        code.copy(result, next, width);
      } else {
        code.binary(of_two(operation), result, result, next, width);
      }
    }
  }
  code.cast(half, result, isa::RoundMode::kRint, held);
  code.cast(dst, half, isa::RoundMode::kRint, held);
}

void sum_rows_up(const Call& call, const Tensor& dst, const Tensor& last, const Tensor& src,
                 const Tensor& scratch, std::uint32_t rows, std::uint32_t width) {
  if (!core_has(isa::Pipe::V) || rows == 0) return;
  require_pitch(call, src, rows, width, width);
  require_elements(call, "elements of src", src, std::uint64_t{rows} * width);
  require_elements(call, "elements of dst", dst, std::uint64_t{rows} * width);
  const Code code(call);
  // The sums of half are kept as floats.
  const bool is_half = src.type() == isa::DType::kF16;
  Arena arena = is_half ? Arena(call, scratch) : Arena(call, dst);
  const Tensor sum = is_half ? arena.floats(round_up(width, 16)) : Tensor{};
  const Tensor x = is_half ? arena.floats(round_up(width, 16)) : Tensor{};
  for (std::uint32_t row = 0; row < rows; ++row) {
    const Tensor from = src.from(row * width), to = dst.from(row * width);
    if (is_half) {
      code.cast(row == 0 ? sum : x, from, isa::RoundMode::kNone, width);
      if (row > 0) code.add(sum, sum, x, width);
      code.cast(to, sum, isa::RoundMode::kRint, width);
    } else if (row == 0) {
      code.copy(to, from, width);
    } else {
      code.add(to, from, dst.from((row - 1) * width), width);
    }
  }
  if (!last.present()) return;
  require_elements(call, "elements of lastRow", last, width);
  code.copy(last, dst.from((rows - 1) * width), width);
}

namespace {

/// The first `width` elements of rows that begin `pitch` apart, one row behind the other.
void join_rows(const Code& code, const Tensor& to, const Tensor& from, std::uint32_t rows,
               std::uint32_t width, std::uint32_t pitch) {
  constexpr std::uint32_t kMostRows = 240;  // so many rows of any width fill whole DataBlocks
  constexpr std::uint8_t kAll = 7;
  for (std::uint32_t first = 0; first < rows; first += kMostRows) {
    isa::VectorParams params;
    params.mask_mode = isa::MaskMode::kCounter;
    params.mask = {width, 0};
    params.repeats = static_cast<std::uint16_t>(std::min(kMostRows, rows - first));
    params.pattern = kAll;
    params.src0 = {1, static_cast<std::uint16_t>(from.bytes_of(pitch) / isa::kBlockBytes)};
    code.emit(op::kGatherMask, to.from(first * width).at, from.from(first * pitch).at, {}, params);
  }
  code.barrier();
}

}  // namespace

void broadcast(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
               std::uint32_t rows, std::uint32_t width, bool along_rows) {
  if (!core_has(isa::Pipe::V) || rows == 0 || width == 0) return;
  if (along_rows) require_pitch(call, dst, rows, width, width);
  require_elements(call, "elements of dst", dst, std::uint64_t{rows} * width);
  require_elements(call, "elements of src", src, along_rows ? width : rows);
  const Code code(call);
  const bool bytes = dst.bytes_of(1) == 1;
  if (along_rows) {
    // Bytes are moved in pairs.
    const Tensor to = bytes ? dst.as(isa::DType::kU16) : dst;
    const Tensor from = bytes ? src.as(isa::DType::kU16) : src;
    const std::uint32_t columns = bytes ? (width + 1) / 2 : width;
    code.over_rows(op::kCopy, rows, columns, matrix(to, columns), every_row(from));
    return;
  }
  Arena arena(call, scratch);
  arena.need(sizes::broadcast(rows, width, dst.bytes_of(1)));
  const isa::DType type = bytes ? isa::DType::kF16 : dst.type();
  const std::uint32_t padded = round_up(rows, 16);
  const Tensor values = arena.take(type, padded);
  const Tensor blocks = arena.take(isa::DType::kU8, padded * 32).as(type);
  code.fill(values, 0, padded);
  if (bytes) {
    code.cast(values, src, isa::RoundMode::kNone, rows);
  } else {
    code.copy(values, src, rows);
  }
  code.spread(blocks, values, rows);
  const Tensor to = bytes ? arena.take(type, rows * width) : dst;
  if (rows == 1 || to.bytes_of(width) % isa::kBlockBytes == 0) {
    code.over_rows(op::kCopy, rows, width, matrix(to, width), row_blocks(blocks));
  } else {
    const std::uint32_t pitch = round_up(width, 16);
    const Tensor padded_rows = arena.take(type, rows * pitch);
    code.over_rows(op::kCopy, rows, pitch, matrix(padded_rows, pitch), row_blocks(blocks));
    join_rows(code, to, padded_rows, rows, width, pitch);
  }
  if (bytes) code.cast(dst, to, isa::RoundMode::kRint, rows * width);
}

}  // namespace davsim::api::lib
