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

namespace {

/// Rows of int8_t made numbers: offset and scale are values of the call, of each column, or of each
/// row.
class AntiQuantisation {
 public:
  struct Size {
    std::uint32_t rows, columns, rows_a_scale;  ///< rows_a_scale 0: all
    bool by_row;
  };

  AntiQuantisation(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
                   const Size& size)
      : call_(call), dst_(dst), src_(src), size_(size), code_(call), arena_(call, scratch) {
    const std::uint32_t groups = size.rows_a_scale == 0 ? 1 : size.rows / size.rows_a_scale;
    held_ = size.by_row ? size.rows : groups * size.columns;
    const auto bytes = [&](std::uint32_t n) {
      return sizes::quantisation(n, size_.columns) + 8ull * round_up(held_, 16) +
             (size_.by_row ? 2ull * 32 * round_up(size_.rows, 16) : 0);
    };
    once_ = fitting(arena_, size.rows, size.by_row ? 8 : 1, bytes);
  }

  void run(const Scales& scales) {
    const Tensor offset = load(scales.offset), scale = load(scales.scale);
    const Tensor halves = arena_.take(isa::DType::kF16, once_ * size_.columns);
    const Tensor floats = wide_ ? arena_.floats(once_ * size_.columns) : halves;
    for (std::uint32_t first = 0; first < size_.rows;) {
      std::uint32_t now = std::min(once_, size_.rows - first);
      if (size_.rows_a_scale != 0) {
        now = std::min(now, size_.rows_a_scale - first % size_.rows_a_scale);
      }
      const std::uint32_t n = now * size_.columns;
      code_.cast(halves, src_.from(first * size_.columns), isa::RoundMode::kNone, n);
      if (wide_) code_.cast(floats, halves, isa::RoundMode::kNone, n);
      apply(op::kAdd, op::kAdds, floats, {offset, scales.offset_value}, first, now);
      if (wide_ || scale.present()) {
        apply(op::kMul, op::kMuls, floats, {scale, scales.scale_value}, first, now);
      } else {
        code_.muls(floats, floats, scales.scale_value, n);
      }
      const Tensor to = dst_.from(first * size_.columns);
      if (wide_) {
        code_.cast(to, floats, isa::RoundMode::kRint, n);
      } else {
        code_.copy(to, floats, n);
      }
      first += now;
    }
  }

 private:
  /// An offset or a scale.
  struct Factor {
    const Tensor& values;  ///< none: one value
    double value;
  };

  /// Values of rows are copied to where eight at a time can be read.
  Tensor load(const Tensor& from) {
    if (!from.present()) return Tensor{};
    require_elements(call_, "elements of scale or offset", from, held_);
    const isa::DType type = wide_ ? isa::DType::kF32 : isa::DType::kF16;
    const Tensor values = arena_.take(type, round_up(held_, 16));
    code_.fill(values, 0, round_up(held_, 16));
    if (from.type() == type) {
      code_.copy(values, from, held_);
    } else {
      code_.cast(values, from, isa::RoundMode::kNone, held_);
    }
    if (!size_.by_row) return values;
    const Tensor blocks = arena_.take(isa::DType::kU8, round_up(size_.rows, 16) * 32).as(type);
    code_.spread(blocks, values, size_.rows);
    return blocks;
  }

  /// Applies a factor to the rows [first, first + now), which are in `x`.
  void apply(isa::Opcode by_values, isa::Opcode by_value, const Tensor& x, const Factor& factor,
             std::uint32_t first, std::uint32_t now) {
    if (!factor.values.present()) {
      code_.scalar(by_value, x, x, factor.value, now * size_.columns);
      return;
    }
    Tensor blocks = factor.values;
    blocks.at.addr += std::uint64_t{first} * isa::kBlockBytes;
    const std::uint32_t group = size_.rows_a_scale == 0 ? 0 : first / size_.rows_a_scale;
    const View rows = matrix(x, size_.columns);
    code_.over_rows(
        by_values, now, size_.columns, rows, rows,
        size_.by_row ? row_blocks(blocks) : every_row(factor.values.from(group * size_.columns)));
  }

  const Call& call_;
  const Tensor& dst_;
  const Tensor& src_;
  Size size_;
  Code code_;
  Arena arena_;
  bool wide_ = dst_.type() != isa::DType::kF16;
  std::uint32_t held_ = 0;  ///< values of an offset or a scale
  std::uint32_t once_ = 0;  ///< rows at a time
};

}  // namespace

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
  AntiQuantisation(call, dst, src, scratch, {rows, columns, rows_a_scale, by_row}).run(scales);
}

}  // namespace davsim::api::lib
