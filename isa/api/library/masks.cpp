// Choices by masks of elements or bits, and padding.
#include <algorithm>

#include "ascendc/data_copy.h"
#include "ascendc/library_rows.h"
#include "ascendc/vector.h"
#include "isa/api/library/code.hpp"
#include "isa/api/library/typed.hpp"

namespace davsim::api::lib {

namespace {

constexpr std::uint32_t kCompared = 256;  ///< bytes that CompareScalar takes at a time

/// `count` elements of a mask of any integers as numbers that can be compared with 0.
void to_numbers(const Code& code, const View& to, const View& mask, std::uint32_t rows,
                std::uint32_t width) {
  View from = mask;
  if (mask.at.type() == isa::DType::kU16) from.at.at.type = isa::DType::kI16;
  if (mask.at.type() == isa::DType::kU32) from.at.at.type = isa::DType::kI32;
  code.cast_rows(rows, width, to, from, isa::RoundMode::kNone);
}

template <typename T, typename N>
void select_numbers(const Code& code, const Tensor& dst, const Tensor& src, const Tensor& numbers,
                    const Tensor& bits, const MaskShape& s, std::uint32_t count) {
  const Location where = code.call().where;
  const std::uint32_t whole = round_up(count, kCompared / sizeof(N));
  AscendC::CompareScalar(typed<std::uint8_t>(bits), typed<N>(numbers), N(0.0f),
                         s.where_set ? AscendC::CMPMODE::NE : AscendC::CMPMODE::EQ, whole, where);
  code.barrier();
  AscendC::Select(typed<T>(dst), typed<std::uint8_t>(bits), typed<T>(src),
                  T(static_cast<float>(s.scalar)), AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count,
                  where);
  code.barrier();
}

template <typename T>
void select_bits(const Code& code, const Tensor& dst, const Tensor& src, const Tensor& mask,
                 std::uint32_t count) {
  AscendC::Select(typed<T>(dst), typed<std::uint8_t>(mask), typed<T>(src), T(0.0f),
                  AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count, code.call().where);
  code.barrier();
}

/// Elements `from` to `to` of a row become a value.
template <typename T>
void fill_part(const Code& code, const Tensor& row, std::uint32_t from, std::uint32_t to,
               double value) {
  constexpr std::uint32_t kLanes = 256 / sizeof(T);
  for (std::uint32_t at = from / kLanes * kLanes; at < to; at += kLanes) {
    const auto before = first_lanes(from > at ? from - at : 0);
    const auto until = first_lanes(std::min(kLanes, to - at));
    isa::VectorParams params;
    params.mask = {until[0] & ~before[0], until[1] & ~before[1]};
    params.scalar = scalar_bits(row.type(), value);
    params.dst = {1, 8};
    code.emit(op::kDuplicate, row.from(at).at, {}, {}, params);
  }
}

template <typename T>
void pad_of(const Code& code, const Tensor& dst, const Tensor& src, const Tensor& offsets,
            const PadShape& s) {
  const Location where = code.call().where;
  const auto wide = round_up(s.pitch, 32 / sizeof(T));
  // Column c comes from column c - left; where there is none, from some other.
  const Tensor signs = offsets.as(isa::DType::kI32);
  AscendC::CreateVecIndex(typed<std::int32_t>(signs), std::int32_t{0}, wide, where);
  code.barrier();
  code.adds(signs, signs, -static_cast<double>(s.left), wide);
  code.maxs(signs, signs, 0, wide);
  code.mins(signs, signs, s.width - 1.0, wide);
  code.muls(signs, signs, sizeof(T), wide);
  for (std::uint32_t row = 0; row < s.rows; ++row) {
    const Tensor to = dst.from(row * wide);
    AscendC::Gather(typed<T>(to), typed<T>(src), typed<std::uint32_t>(offsets),
                    row * s.pitch * static_cast<std::uint32_t>(sizeof(T)), wide, where);
    code.barrier();
    fill_part<T>(code, to, 0, s.left, s.value);
    fill_part<T>(code, to, s.left + s.width, wide, s.value);
  }
  code.barrier();
}

}  // namespace

void select_by_mask(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& mask,
                    const Tensor& scratch, const MaskShape& s) {
  if (!core_has(isa::Pipe::V) || s.rows == 0) return;
  const auto aligned = [&](const char* name, std::uint32_t bytes) {
    if (bytes == 0 || bytes % isa::kBlockBytes != 0) {
      refuse(call.name, name, bytes, "multiples of 32", call.where);
    }
  };
  aligned("bytes of a row of src", src.bytes_of(s.width));
  aligned("bytes of a row of the mask", mask.bytes_of(s.mask_pitch));
  require_range(call.name, "srcLastAxis", s.width, 1, s.mask_pitch, call.where);
  require_elements(call, "elements of src", src, std::uint64_t{s.rows} * s.width);
  require_elements(call, "elements of dst", dst, std::uint64_t{s.rows} * s.width);
  require_elements(call, "elements of the mask", mask,
                   std::uint64_t{s.rows - 1} * s.mask_pitch + s.width);
  const Code code(call);
  Arena arena(call, scratch);
  const bool wide = mask.bytes_of(1) == 4;
  const isa::DType type = wide ? isa::DType::kF32 : isa::DType::kF16;
  // Numbers of several rows lie densely where a row of them fills DataBlocks.
  const bool dense = s.width % 16 == 0;
  const std::uint32_t most = dense ? s.rows : 1;
  const std::uint32_t once =
      fitting(arena, most, 1, [&](std::uint32_t n) { return sizes::byte_mask(n * s.width, wide); });
  const std::uint32_t room = round_up(once * s.width, 128);
  const Tensor numbers = arena.take(type, room), bits = arena.take(isa::DType::kU8, room / 8);
  for (std::uint32_t row = 0; row < s.rows; row += once) {
    const std::uint32_t n = std::min(once, s.rows - row), count = n * s.width;
    if (count % 128 != 0) code.fill(numbers, 0, round_up(count, 128));
    to_numbers(code, matrix(numbers, dense ? s.width : room),
               matrix(mask.from(row * s.mask_pitch), s.mask_pitch), n, s.width);
    const Tensor to = dst.from(row * s.width), from = src.from(row * s.width);
    if (src.type() == isa::DType::kF16) {
      wide ? select_numbers<half, float>(code, to, from, numbers, bits, s, count)
           : select_numbers<half, half>(code, to, from, numbers, bits, s, count);
    } else {
      wide ? select_numbers<float, float>(code, to, from, numbers, bits, s, count)
           : select_numbers<float, half>(code, to, from, numbers, bits, s, count);
    }
  }
}

void select_by_bits(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& mask,
                    const MaskShape& s) {
  if (!core_has(isa::Pipe::V) || s.rows == 0) return;
  const std::uint32_t pitch = s.mask_pitch;
  if (pitch % isa::kBlockBytes != 0) {
    refuse(call.name, "maskLastAxis", pitch, "multiples of 32 bytes", call.where);
  }
  const std::uint64_t all = std::uint64_t{s.rows} * s.width;
  require_elements(call, "elements of srcLocal", src, all);
  require_elements(call, "elements of dstLocal", dst, all);
  require_elements(call, "bytes of maskLocal", mask,
                   pitch == 0 ? (all + 7) / 8 : std::uint64_t{s.rows - 1} * pitch + s.width / 8);
  const Code code(call);
  const std::uint32_t rows = pitch == 0 ? 1 : s.rows;
  const auto count = static_cast<std::uint32_t>(all / rows);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const Tensor to = dst.from(row * count), from = src.from(row * count),
                 bits = mask.from(row * pitch);
    if (src.type() == isa::DType::kF16) {
      select_bits<half>(code, to, from, bits, count);
    } else {
      select_bits<float>(code, to, from, bits, count);
    }
  }
}

void scale(const Call& call, const Tensor& dst, double factor, std::uint32_t count) {
  if (core_has(isa::Pipe::V)) Code(call).muls(dst, dst, factor, count);
}

void pad_rows(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
              const PadShape& s) {
  if (!core_has(isa::Pipe::V) || s.rows == 0) return;
  const std::uint32_t bytes = src.bytes_of(1), wide = round_up(s.pitch, 32 / bytes);
  require_range(call.name, "srcOriWidth", s.width, 1, s.pitch, call.where);
  require_range(call.name, "leftPad + rightPad", std::int64_t{s.left} + s.right, 0, wide - s.width,
                call.where);
  if (s.pitch == wide) require_range(call.name, "leftPad", s.left, 0, 0, call.where);
  require_elements(call, "elements of src", src, std::uint64_t{s.rows - 1} * s.pitch + s.width);
  require_elements(call, "elements of dst", dst, std::uint64_t{s.rows} * wide);
  const Code code(call);
  Arena arena(call, scratch);
  arena.need(sizes::pad(wide));
  const Tensor offsets = arena.take(isa::DType::kU32, wide);
  if (bytes == 2) {
    pad_of<half>(code, dst, src, offsets, s);
  } else {
    pad_of<float>(code, dst, src, offsets, s);
  }
}

void unpad_rows(const Call& call, const Tensor& dst, const Tensor& src, std::uint32_t rows,
                std::uint32_t pitch, std::uint32_t width) {
  if (!core_has(isa::Pipe::V) || rows == 0) return;
  const std::uint32_t bytes = src.bytes_of(pitch);
  if (bytes == 0 || bytes % isa::kBlockBytes != 0) {
    refuse(call.name, "bytes of a row of src", bytes, "multiples of 32", call.where);
  }
  require_range(call.name, "elements that stay of a row", width, 1, pitch, call.where);
  require_elements(call, "elements of src", src, std::uint64_t{rows - 1} * pitch + width);
  require_elements(call, "elements of dst", dst, std::uint64_t{rows} * width);
  const Code code(call);
  constexpr std::uint8_t kEach = 7;
  constexpr std::uint32_t kMostRows = 255;
  isa::VectorParams params;
  params.mask_mode = isa::MaskMode::kCounter;
  params.mask = {width, 0};
  params.pattern = kEach;
  params.src0 = {1, static_cast<std::uint16_t>(bytes / isa::kBlockBytes)};
  // Results of a call follow each other densely; a call begins on a DataBlock.
  const std::uint32_t once = std::min(kMostRows, rows) == rows ? rows : kMostRows / 32 * 32;
  for (std::uint32_t row = 0; row < rows; row += once) {
    params.repeats = static_cast<std::uint16_t>(std::min(once, rows - row));
    code.emit(op::kGatherMask, dst.from(row * width).at, src.from(row * pitch).at, {}, params);
  }
  code.barrier();
}

}  // namespace davsim::api::lib
