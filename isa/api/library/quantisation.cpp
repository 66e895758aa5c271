// Quantisation to int8_t and back.
#include <algorithm>

#include "ascendc/library_rows.h"
#include "ascendc/sync.h"
#include "isa/api/library/code.hpp"

namespace davsim::api::lib {

namespace {

/// `columns` numbers of a kernel's tensor as elements of another type.
Tensor converted(const Code& code, Arena& arena, const Tensor& from, isa::DType type,
                 std::uint32_t columns) {
  const Tensor to = arena.take(type, round_up(columns, 16));
  if (from.type() == isa::DType::kU64) {
    // The low words are floats: every other one of 32 bits.
    isa::VectorParams params;
    params.mask_mode = isa::MaskMode::kCounter;
    params.mask = {2ull * columns, 0};
    params.pattern = 1;
    params.src0 = {1, 8};
    code.emit(op::kGatherMask, to.at, from.as(isa::DType::kF32).at, {}, params);
    code.barrier();
  } else if (from.type() == type) {
    code.copy(to, from, columns);
  } else {
    code.cast(to, from, type == isa::DType::kF16 ? isa::RoundMode::kRint : isa::RoundMode::kNone,
              columns);
  }
  return to;
}

}  // namespace

void quantise(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
              const Scales& scales, std::uint32_t columns, std::uint32_t count) {
  if (!core_has(isa::Pipe::V) || count == 0) return;
  require_elements(call, "elements of src", src, count);
  require_elements(call, "elements of dst", dst, count);
  const bool by_column = scales.scale.present();
  if (!by_column) columns = 32;
  if (columns == 0 || columns % 32 != 0) {
    refuse(call.name, "the number of scales", columns, "multiples of 32", call.where);
  }
  if (by_column && count % columns != 0) {
    refuse(call.name, "calCount", count, {"multiples of ", columns, ", the number of scales"},
           call.where);
  }
  if (by_column) require_elements(call, "elements of scale", scales.scale, columns);
  if (scales.offset.present()) {
    require_elements(call, "elements of offset", scales.offset, columns);
  }
  const Code code(call);
  Arena arena(call, scratch);
  const std::uint32_t rows = (count + columns - 1) / columns;
  const std::uint32_t once =
      fitting(arena, rows, 1, [&](std::uint32_t n) { return sizes::quantisation(n, columns); });
  const Tensor scale =
      by_column ? converted(code, arena, scales.scale, isa::DType::kF16, columns) : Tensor{};
  const Tensor offset = scales.offset.present()
                            ? converted(code, arena, scales.offset, isa::DType::kF16, columns)
                            : Tensor{};
  const Tensor x = arena.take(isa::DType::kF16, once * columns);
  for (std::uint32_t first = 0; first < count; first += once * columns) {
    const std::uint32_t n = std::min(once * columns, count - first), now = n / columns;
    Tensor from = src.from(first);
    if (from.type() == isa::DType::kF32) {
      code.cast(x, from, isa::RoundMode::kRint, n);
      from = x;
    }
    if (by_column) {
      code.over_rows(op::kMul, now, columns, matrix(x, columns), matrix(from, columns),
                     every_row(scale));
    } else {
      code.muls(x, from, scales.scale_value, n);
    }
    if (scales.offset.present()) {
      code.over_rows(op::kAdd, now, columns, matrix(x, columns), matrix(x, columns),
                     every_row(offset));
    } else {
      code.adds(x, x, scales.offset_value, n);
    }
    code.cast(dst.from(first), x, isa::RoundMode::kRint, n);
  }
}

void dequantise(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
                const Scales& scales, std::uint32_t rows, std::uint32_t n, std::uint32_t width) {
  if (!core_has(isa::Pipe::V) || rows == 0) return;
  if (n % 8 != 0 || n == 0) refuse(call.name, "n", n, "multiples of 8", call.where);
  require_range(call.name, "calCount", width, 1, n, call.where);
  const std::uint32_t pitch =
      round_up(n, static_cast<std::uint32_t>(isa::kBlockBytes) / dst.bytes_of(1));
  require_elements(call, "elements of src", src, std::uint64_t{rows} * n);
  require_elements(call, "elements of dst", dst, std::uint64_t{rows - 1} * pitch + width);
  const bool by_column = scales.scale.present();
  if (by_column) require_elements(call, "elements of deqScale", scales.scale, width);
  const Code code(call);
  Arena arena(call, scratch);
  const std::uint32_t once =
      fitting(arena, rows, 1, [&](std::uint32_t m) { return sizes::quantisation(m, n); });
  const Tensor scale =
      by_column ? converted(code, arena, scales.scale, isa::DType::kF32, width) : Tensor{};
  const View x = matrix(arena.floats(once * round_up(n, 16)), round_up(n, 16));
  for (std::uint32_t first = 0; first < rows; first += once) {
    const std::uint32_t now = std::min(once, rows - first);
    const View to = matrix(dst.from(first * pitch), pitch);
    const View result = dst.type() == isa::DType::kF32 ? to : x;
    code.cast_rows(now, width, x, matrix(src.from(first * n), n), isa::RoundMode::kRint);
    if (by_column) {
      code.over_rows(op::kMul, now, width, result, x, every_row(scale));
    } else {
      code.scale_rows(op::kMuls, now, width, result, x, scales.scale_value);
    }
    if (dst.type() != isa::DType::kF32) {
      code.cast_rows(now, width, to, x, isa::RoundMode::kRint);
    }
  }
}

void antiquantise(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
                  const Scales& scales, std::uint32_t rows, std::uint32_t columns,
                  std::uint32_t rows_a_scale, bool by_row) {
  if (!core_has(isa::Pipe::V) || rows == 0) return;
  if (columns == 0 || columns % 32 != 0) {
    refuse(call.name, "elements of a row", columns, "multiples of 32", call.where);
  }
  const std::uint64_t count = std::uint64_t{rows} * columns;
  require_elements(call, "elements of src", src, count);
  require_elements(call, "elements of dst", dst, count);
  const std::uint32_t groups = rows_a_scale == 0 ? 1 : rows / rows_a_scale;
  const std::uint64_t wanted = by_row ? rows : std::uint64_t{groups} * columns;
  const Code code(call);
  Arena arena(call, scratch);
  // Values of rows are copied to where eight at a time can be read.
  const std::uint32_t held = by_row ? rows : static_cast<std::uint32_t>(wanted);
  const auto bytes = [&](std::uint32_t n) {
    return sizes::quantisation(n, columns) + 8ull * round_up(held, 16) +
           (by_row ? 2ull * 32 * round_up(rows, 16) : 0);
  };
  const std::uint32_t once = fitting(arena, rows, by_row ? 8 : 1, bytes);
  const bool wide = dst.type() != isa::DType::kF16;
  const isa::DType type = wide ? isa::DType::kF32 : isa::DType::kF16;
  const auto load = [&](const Tensor& from) {
    if (!from.present()) return Tensor{};
    require_elements(call, "elements of scale or offset", from, wanted);
    const Tensor values = arena.take(type, round_up(held, 16));
    code.fill(values, 0, round_up(held, 16));
    if (from.type() == type) {
      code.copy(values, from, held);
    } else {
      code.cast(values, from, isa::RoundMode::kNone, held);
    }
    if (!by_row) return values;
    const Tensor blocks = arena.take(isa::DType::kU8, round_up(rows, 16) * 32).as(type);
    code.spread(blocks, values, rows);
    return blocks;
  };
  const Tensor offset = load(scales.offset), scale = load(scales.scale);
  const Tensor halves = arena.take(isa::DType::kF16, once * columns);
  const Tensor floats = wide ? arena.floats(once * columns) : halves;
  for (std::uint32_t first = 0; first < rows;) {
    std::uint32_t now = std::min(once, rows - first);
    if (rows_a_scale != 0) now = std::min(now, rows_a_scale - first % rows_a_scale);
    const std::uint32_t n = now * columns;
    const View x = matrix(floats, columns);
    const auto apply = [&](isa::Opcode code_of, const Tensor& values, double value) {
      if (!values.present()) {
        code.scalar(code_of == op::kAdd ? op::kAdds : op::kMuls, floats, floats, value, n);
        return;
      }
      Tensor blocks = values;
      blocks.at.addr += std::uint64_t{first} * isa::kBlockBytes;
      const std::uint32_t group = rows_a_scale == 0 ? 0 : first / rows_a_scale;
      code.over_rows(code_of, now, columns, x, x,
                     by_row ? row_blocks(blocks) : every_row(values.from(group * columns)));
    };
    code.cast(halves, src.from(first * columns), isa::RoundMode::kNone, n);
    if (wide) code.cast(floats, halves, isa::RoundMode::kNone, n);
    apply(op::kAdd, offset, scales.offset_value);
    if (wide || scale.present()) {
      apply(op::kMul, scale, scales.scale_value);
    } else {
      code.muls(floats, floats, scales.scale_value, n);
    }
    const Tensor to = dst.from(first * columns);
    if (wide) {
      code.cast(to, floats, isa::RoundMode::kRint, n);
    } else {
      code.copy(to, floats, n);
    }
    first += now;
  }
}

}  // namespace davsim::api::lib
