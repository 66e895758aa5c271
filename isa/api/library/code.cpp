#include "isa/api/library/code.hpp"

#include <algorithm>
#include <bit>

#include "ascendc/pipe_order.h"
#include "ascendc/vector_emit.h"
#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"

namespace davsim::api::lib {

namespace {

constexpr std::uint32_t kMostRepeats = 255;
/// The largest repeat stride of the instructions on two tensors, in DataBlocks.
constexpr std::uint32_t kMostStride = 255;

std::uint32_t lanes_of(const Tensor& y, const Tensor& a) {
  const auto bits = [](const Tensor& t) { return isa::dtype_bits(t.type()); };
  const auto widest = static_cast<std::uint32_t>(std::max(bits(y), bits(a)));
  return static_cast<std::uint32_t>(isa::kRepeatBytes * 8) / std::max(widest, 16u);
}

isa::BlockStride dense_stride(const Tensor& t, std::uint32_t lanes) {
  return {1, static_cast<std::uint16_t>(t.bytes_of(lanes) / isa::kBlockBytes)};
}

Tensor at_row(const View& view, std::uint32_t row, std::uint32_t column) {
  switch (view.kind) {
    case View::Kind::kMatrix:
      return view.at.from(row * view.pitch + column);
    case View::Kind::kVector:
      return view.at.from(column);
    case View::Kind::kBlocks: {
      Tensor block = view.at;
      block.at.addr += std::uint64_t{row} * isa::kBlockBytes;
      return block;
    }
    default:
      return view.at;
  }
}

/// DataBlocks from a row to the next.
std::uint32_t row_stride(const View& view) {
  switch (view.kind) {
    case View::Kind::kMatrix:
      return static_cast<std::uint32_t>(view.at.bytes_of(view.pitch) / isa::kBlockBytes);
    case View::Kind::kBlocks:
      return 1;
    default:
      return 0;
  }
}

bool is_of_blocks(const View& view) {
  return view.kind == View::Kind::kBlocks || view.kind == View::Kind::kBlock;
}

/// Strides where the repeats of an instruction are rows.
isa::BlockStride stride_of_rows(const View& view) {
  return {static_cast<std::uint16_t>(is_of_blocks(view) ? 0 : 1),
          static_cast<std::uint16_t>(row_stride(view))};
}

/// Strides where they are parts of one row.
isa::BlockStride stride_of_parts(const View& view, std::uint32_t lanes) {
  if (is_of_blocks(view)) return {0, 0};
  return dense_stride(view.at, lanes);
}

bool is_dense(const View& view, std::uint32_t rows, std::uint32_t width) {
  return view.kind == View::Kind::kAbsent ||
         (view.kind == View::Kind::kMatrix && (view.pitch == width || rows == 1)) ||
         (view.kind == View::Kind::kVector && rows == 1);
}

/// Elements before the second level of a reduction by parts, a whole number of DataBlocks.
std::uint32_t parts_pitch(std::uint32_t width) {
  return round_up((width + 63) / 64, 8);
}

bool folds(std::uint32_t rows, std::uint32_t width, std::uint32_t pitch) {
  return pitch / 8 <= kMostStride && rows >= width / 64;
}

isa::Opcode lane_op(isa::Opcode code) {
  return code == op::kSumOfRow ? op::kAdd : code == op::kMaxOfRow ? op::kMax : op::kMin;
}

}  // namespace

std::uint64_t scalar_bits(isa::DType type, double value) {
  switch (type) {
    case isa::DType::kF16:
      return std::bit_cast<std::uint16_t>(isa::half(value));
    case isa::DType::kBF16:
      return std::bit_cast<std::uint16_t>(isa::bfloat16_t(value));
    case isa::DType::kF32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case isa::DType::kI16:
    case isa::DType::kU16:
      return static_cast<std::uint16_t>(static_cast<std::int64_t>(value));
    default:
      return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  }
}

Code::Code(const Call& call) : call_(call) {
  barrier();
}

void Code::barrier() const {
  emit_barrier(isa::Pipe::V, call_.where);
}
void Code::vector_to_scalar() const {
  order_pipes<AscendC::HardEvent::V_S>(call_.where);
}
void Code::scalar_to_vector() const {
  order_pipes<AscendC::HardEvent::S_V>(call_.where);
}

void Code::emit(Op code, const isa::Operand& y, const isa::Operand& a, const isa::Operand& b,
                isa::VectorParams params) const {
  params.overflow = registers().overflow();
  // As on the device the calls leave normal mode and a full mask behind.
  registers().mask_mode = isa::MaskMode::kNormal;
  registers().mask = first_lanes(128);
  emit_vector({call_.name, code, call_.where}, y, a, b, params);
}

isa::VectorParams Code::counted(std::uint32_t count) const {
  isa::VectorParams params;
  params.mask_mode = isa::MaskMode::kCounter;
  params.mask = {count, 0};
  return params;
}

void Code::dense(Op code, const Tensor& y, const Tensor& a, const Tensor& b, std::uint32_t count,
                 const Extra& extra) const {
  if (count == 0) return;
  const std::uint32_t lanes = lanes_of(y, a);
  isa::VectorParams params = counted(count);
  params.scalar = extra.scalar;
  params.round = extra.round;
  params.dst = dense_stride(y, lanes);
  params.src0 = dense_stride(a, lanes);
  params.src1 = dense_stride(b, lanes);
  emit(code, y.at, a.at, b.at, params);
  barrier();
}

void Code::unary(Op code, const Tensor& y, const Tensor& x, std::uint32_t count) const {
  dense(code, y, x, {}, count, {});
}
void Code::binary(Op code, const Tensor& y, const Tensor& a, const Tensor& b,
                  std::uint32_t count) const {
  dense(code, y, a, b, count, {});
}
void Code::scalar(Op code, const Tensor& y, const Tensor& x, double value,
                  std::uint32_t count) const {
  dense(code, y, x, {}, count, {.scalar = scalar_bits(x.type(), value)});
}
void Code::cast(const Tensor& y, const Tensor& x, isa::RoundMode mode, std::uint32_t count) const {
  dense(op::kCast, y, x, {}, count, {.round = mode});
}
void Code::fill(const Tensor& y, double value, std::uint32_t count) const {
  dense(op::kDuplicate, y, {}, {}, count, {.scalar = scalar_bits(y.type(), value)});
}
void Code::shift_right(const Tensor& y, const Tensor& x, std::uint32_t bits,
                       std::uint32_t count) const {
  dense(op::kShiftRight, y, x, {}, count, {.scalar = bits});
}

void Code::copy(const Tensor& y, const Tensor& x, std::uint32_t count) const {
  over_rows(op::kCopy, 1, count, matrix(y, 0), matrix(x, 0));
}

void Code::over_rows(Op code, std::uint32_t rows, std::uint32_t width, const View& y, const View& a,
                     const View& b, const Extra& extra) const {
  if (rows == 0 || width == 0) return;
  if (code != op::kCopy && is_dense(y, rows, width) && is_dense(a, rows, width) &&
      is_dense(b, rows, width)) {
    return dense(code, y.at, a.at, b.at, rows * width, extra);
  }
  const std::uint32_t lanes = lanes_of(y.at, a.kind == View::Kind::kAbsent ? y.at : a.at);
  const auto go = [&](std::uint32_t row, std::uint32_t column, std::uint32_t now,
                      std::uint32_t repeats, bool by_rows) {
    isa::VectorParams params;
    params.scalar = extra.scalar;
    params.round = extra.round;
    params.mask = first_lanes(now);
    params.repeats = static_cast<std::uint16_t>(repeats);
    const auto stride = [&](const View& view) {
      return by_rows ? stride_of_rows(view) : stride_of_parts(view, lanes);
    };
    params.dst = stride(y);
    params.src0 = stride(a);
    params.src1 = stride(b);
    emit(code, at_row(y, row, column).at, at_row(a, row, column).at, at_row(b, row, column).at,
         params);
  };
  const std::uint32_t stride = std::max({row_stride(y), row_stride(a), row_stride(b)});
  if (stride <= kMostStride && rows >= width / lanes) {
    for (std::uint32_t column = 0; column < width; column += lanes) {
      for (std::uint32_t row = 0; row < rows; row += kMostRepeats) {
        go(row, column, std::min(lanes, width - column), std::min(kMostRepeats, rows - row), true);
      }
    }
  } else {
    const std::uint32_t whole = width / lanes;
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t part = 0; part < whole; part += kMostRepeats) {
        go(row, part * lanes, lanes, std::min(kMostRepeats, whole - part), false);
      }
      if (width % lanes != 0) go(row, whole * lanes, width % lanes, 1, false);
    }
  }
  barrier();
}

void Code::cast_rows(std::uint32_t rows, std::uint32_t width, const View& y, const View& x,
                     isa::RoundMode mode) const {
  over_rows(op::kCast, rows, width, y, x, {}, {.round = mode});
}
void Code::scale_rows(Op code, std::uint32_t rows, std::uint32_t width, const View& y,
                      const View& x, double value) const {
  over_rows(code, rows, width, y, x, {}, {.scalar = scalar_bits(x.at.type(), value)});
}
void Code::fill_rows(std::uint32_t rows, std::uint32_t width, const View& y, double value) const {
  over_rows(op::kDuplicate, rows, width, y, {}, {}, {.scalar = scalar_bits(y.at.type(), value)});
}

void Code::load_rows(const View& floats, const View& user, std::uint32_t rows,
                     std::uint32_t width) const {
  if (user.at.type() == isa::DType::kF32) {
    over_rows(op::kCopy, rows, width, floats, user);
  } else {
    cast_rows(rows, width, floats, user, isa::RoundMode::kNone);
  }
}
void Code::store_rows(const View& user, const View& floats, std::uint32_t rows,
                      std::uint32_t width) const {
  if (user.at.type() == isa::DType::kF32) {
    over_rows(op::kCopy, rows, width, user, floats);
  } else {
    cast_rows(rows, width, user, floats, isa::RoundMode::kRint);
  }
}

void Code::reduce_repeats(Op code, const Tensor& y, const Tensor& x, std::uint32_t lanes,
                          std::uint32_t repeats, std::uint32_t y_step,
                          std::uint32_t x_pitch) const {
  for (std::uint32_t first = 0; first < repeats; first += kMostRepeats) {
    isa::VectorParams params;
    params.mask = first_lanes(lanes);
    params.repeats = static_cast<std::uint16_t>(std::min(kMostRepeats, repeats - first));
    params.order = isa::ReduceOrder::kOnlyValue;
    params.dst = {1, static_cast<std::uint16_t>(y_step)};
    params.src0 = {1, static_cast<std::uint16_t>(x.bytes_of(x_pitch) / isa::kBlockBytes)};
    emit(code, y.from(first * y_step).at, x.from(first * x_pitch).at, {}, params);
  }
}

std::uint32_t Code::reduce_work(std::uint32_t rows, std::uint32_t width) {
  if (width <= 64) return 0;
  if (rows >= width / 64) return std::max(rows * 64, rows * parts_pitch(width) * 2);
  const std::uint32_t parts = parts_pitch(width);
  return rows * parts + reduce_work(rows, (width + 63) / 64);
}

void Code::reduce_rows(Op code, const Tensor& y, std::uint32_t rows, std::uint32_t width,
                       const View& x, const Tensor& work) const {
  if (width <= 64) {
    reduce_repeats(code, y, x.at, width, rows, 1, x.pitch);
    barrier();
  } else if (folds(rows, width, x.pitch)) {
    fold_rows(code, y, rows, width, x, work);
  } else {
    reduce_parts(code, y, rows, width, x, work);
  }
}

/// All rows at once: 64 columns after the other are combined lane by lane, then each row's 64.
void Code::fold_rows(Op code, const Tensor& y, std::uint32_t rows, std::uint32_t width,
                     const View& x, const Tensor& work) const {
  const View folded = matrix(work, 64);
  const auto columns = [&](std::uint32_t from) { return matrix(x.at.from(from), x.pitch); };
  std::uint32_t done = 64;
  if (width >= 128) {
    over_rows(lane_op(code), rows, 64, folded, columns(0), columns(64));
    done = 128;
  } else {
    over_rows(op::kCopy, rows, 64, folded, columns(0));
  }
  for (; done < width; done += 64) {
    over_rows(lane_op(code), rows, std::min(64u, width - done), folded, folded, columns(done));
  }
  reduce_repeats(code, y, work, 64, rows, 1, 64);
  barrier();
}

/// Each row's 64 elements to one, then the results of the rows likewise.
void Code::reduce_parts(Op code, const Tensor& y, std::uint32_t rows, std::uint32_t width,
                        const View& x, const Tensor& work) const {
  const std::uint32_t whole = width / 64, rest = width % 64, pitch = parts_pitch(width);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const Tensor from = x.at.from(row * x.pitch), to = work.from(row * pitch);
    reduce_repeats(code, to, from, 64, whole, 1, 64);
    if (rest != 0) reduce_repeats(code, to.from(whole), from.from(whole * 64), rest, 1, 1, 64);
  }
  barrier();
  reduce_rows(code, y, rows, whole + (rest != 0 ? 1 : 0), matrix(work, pitch),
              work.from(rows * pitch));
}

void Code::spread(const Tensor& y, const Tensor& x, std::uint32_t rows) const {
  const std::uint32_t all = (rows + 7) / 8;
  for (std::uint32_t first = 0; first < all; first += kMostRepeats) {
    isa::VectorParams params;
    params.repeats = static_cast<std::uint16_t>(std::min(kMostRepeats, all - first));
    params.dst = {1, 8};
    Tensor to = y;
    to.at.addr += std::uint64_t{first} * 8 * isa::kBlockBytes;
    emit(op::kSpread, to.at, x.from(first * 8).at, {}, params);
  }
  barrier();
}

void require_elements(const Call& call, const char* name, const Tensor& tensor,
                      std::uint64_t elements) {
  if (tensor.elements() < elements) {
    refuse(call.name, name, tensor.elements(), {static_cast<std::int64_t>(elements), " and more"},
           call.where);
  }
}

Arena::Arena(const Call& call, const Tensor& scratch) : call_(call) {
  if (scratch.present()) {
    all_ = scratch.as(isa::DType::kU8);
    return;
  }
  AscendC::LocalTensor<std::uint8_t> rest;
  if (!AscendC::PopStackBuffer<std::uint8_t, AscendC::TPosition::LCM>(rest, call.where)) {
    queue_fault(call.name, AscendC::TPosition::MAX, "nothing is left of UB for its scratch",
                call.where);
  }
  all_ = rest;
}

void Arena::need(std::uint64_t bytes) const {
  if (all_.bytes < bytes) {
    refuse(call_.name, "bytes of sharedTmpBuffer", all_.bytes,
           {static_cast<std::int64_t>(bytes), " and more"}, call_.where);
  }
}

Tensor Arena::take(isa::DType type, std::uint32_t elements) {
  Tensor taken = all_.from(used_).as(type);
  const std::uint32_t bytes =
      round_up(taken.bytes_of(elements), static_cast<std::uint32_t>(isa::kBlockBytes));
  need(std::uint64_t{used_} + bytes);
  used_ += bytes;
  taken.bytes = bytes;
  return taken;
}

}  // namespace davsim::api::lib
