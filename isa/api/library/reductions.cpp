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
  return operation == RowOperation::kSum   ? op::kAdd
         : operation == RowOperation::kMax ? op::kMax
                                           : op::kMin;
}

void require_pitch(const Call& call, const Tensor& tensor, std::uint32_t rows, std::uint32_t width,
                   std::uint32_t pitch) {
  require_range(call.name, "elements that count of a row", width, 1, pitch, call.where);
  if (rows > 1 && tensor.bytes_of(pitch) % isa::kBlockBytes != 0) {
    refuse(call.name, "bytes of a row", tensor.bytes_of(pitch), "multiples of 32", call.where);
  }
}

void require_elements(const Call& call, const char* name, const Tensor& tensor,
                      std::uint64_t elements) {
  if (tensor.elements() < elements) {
    refuse(call.name, name, tensor.elements(), {static_cast<std::int64_t>(elements), " and more"},
           call.where);
  }
}

}  // namespace

void reduce_to_values(const Call& call, RowOperation operation, const Tensor& dst,
                      const Tensor& src, const Tensor& scratch, std::uint32_t rows,
                      std::uint32_t width, std::uint32_t pitch, double scale) {
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

void broadcast(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
               std::uint32_t rows, std::uint32_t width, bool along_rows) {
  if (!core_has(isa::Pipe::V) || rows == 0 || width == 0) return;
  require_pitch(call, dst, rows, width, width);
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
  code.over_rows(op::kCopy, rows, width, matrix(to, width), row_blocks(blocks));
  if (bytes) code.cast(dst, to, isa::RoundMode::kRint, rows * width);
}

}  // namespace davsim::api::lib
