// TransData: sixteen rows of channels to rows of sixteen channels by TransDataTo5HD, and back.
#include <algorithm>

#include "ascendc/data_copy.h"
#include "ascendc/library_rows.h"
#include "ascendc/vector.h"
#include "isa/api/library/code.hpp"
#include "isa/api/library/typed.hpp"

namespace davsim::api::lib {

namespace {

constexpr std::uint32_t kSide = 16;  ///< DataBlocks of TransDataTo5HD, elements of a DataBlock
using Blocks = std::uint64_t[kSide];

class FormatMove {
 public:
  FormatMove(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
             const FormatShape& shape)
      : code_(call), arena_(call, scratch), dst_(dst), src_(src), shape_(shape) {
    arena_.need(sizes::formats());
    zero_ = arena_.take(isa::DType::kF16, kSide);
    nowhere_ = arena_.take(isa::DType::kF16, kSide * kSide);
    pitch_ = round_up(shape.hw, kSide);
    c1_ = (shape.c + kSide - 1) / kSide;
    all_n_ = round_up(shape.n, kSide);
  }

  void run() {
    code_.fill(zero_, 0, kSide);
    // What no row of the source fills in FRACTAL_Z_3D.
    if (shape_.fractal && !shape_.to_ncdhw && all_n_ != shape_.n) {
      code_.fill(dst_.as(isa::DType::kF16), 0, shape_.d * c1_ * shape_.hw * all_n_ * kSide);
    }
    code_.barrier();
    for (std::uint32_t n = 0; n < shape_.n; ++n) {
      for (std::uint32_t d = 0; d < shape_.d; ++d) {
        for (std::uint32_t c1 = 0; c1 < c1_; ++c1) move(n, d, c1);
      }
    }
    code_.barrier();
  }

 private:
  static std::uint64_t address(const Tensor& tensor, std::uint64_t element) {
    return tensor.at.addr + element * sizeof(std::uint16_t);
  }
  /// DataBlocks between two rows of sixteen channels.
  std::uint32_t step() const { return shape_.fractal ? all_n_ : 1; }
  std::uint64_t first_row(std::uint32_t n, std::uint32_t d, std::uint32_t c1) const {
    return shape_.fractal ? (std::uint64_t{d} * c1_ + c1) * shape_.hw * all_n_ + n
                          : ((std::uint64_t{n} * shape_.d + d) * c1_ + c1) * shape_.hw;
  }

  /// Sixteen channels: whole squares by one instruction, the last columns by another.
  void move(std::uint32_t n, std::uint32_t d, std::uint32_t c1) {
    constexpr std::uint32_t kMostRepeats = 255;
    const std::uint32_t whole = shape_.hw / kSide;
    for (std::uint32_t at = 0; at < whole; at += kMostRepeats) {
      squares(n, d, c1, at, std::min(kMostRepeats, whole - at));
    }
    if (shape_.hw % kSide != 0) {
      squares(n, d, c1, whole, 1);
      code_.barrier();
    }
  }

  void squares(std::uint32_t n, std::uint32_t d, std::uint32_t c1, std::uint32_t at,
               std::uint32_t repeats) {
    const Tensor& plain = shape_.to_ncdhw ? dst_ : src_;
    const Tensor& rows = shape_.to_ncdhw ? src_ : dst_;
    // Repeats would walk through what stands in for channels that are not there.
    if (repeats > 1 && (c1 + 1) * kSide > shape_.c) {
      for (std::uint32_t i = 0; i < repeats; ++i) squares(n, d, c1, at + i, 1);
      return;
    }
    Blocks channels, pixels;
    for (std::uint32_t i = 0; i < kSide; ++i) {
      const std::uint32_t c = c1 * kSide + i, pixel = at * kSide + i;
      const std::uint64_t channel = (std::uint64_t{n} * shape_.c + c) * shape_.d + d;
      channels[i] = c < shape_.c ? address(plain, channel * pitch_ + at * kSide) : spare(i);
      const std::uint64_t row = first_row(n, d, c1) + std::uint64_t{pixel} * step();
      pixels[i] = pixel < shape_.hw ? address(rows, row * kSide) : other_spare(i);
    }
    AscendC::TransDataTo5HDParams params;
    params.repeatTimes = static_cast<std::uint8_t>(repeats);
    const auto block_step = static_cast<std::uint16_t>(repeats > 1 ? kSide * step() : 0);
    const auto one = static_cast<std::uint16_t>(repeats > 1 ? 1 : 0);
    params.dstRepStride = shape_.to_ncdhw ? one : block_step;
    params.srcRepStride = shape_.to_ncdhw ? block_step : one;
    AscendC::TransDataTo5HD<half>(shape_.to_ncdhw ? channels : pixels,
                                  shape_.to_ncdhw ? pixels : channels, params, code_.call().where);
    // Several squares write what belongs nowhere to the same place.
    if (shape_.to_ncdhw && (c1 + 1) * kSide > shape_.c) code_.barrier();
  }
  /// For a channel that is not there: zeros as a source, a block that nobody reads otherwise.
  std::uint64_t spare(std::uint32_t i) const {
    return shape_.to_ncdhw ? address(nowhere_, i * kSide) : address(zero_, 0);
  }
  std::uint64_t other_spare(std::uint32_t i) const {
    return shape_.to_ncdhw ? address(zero_, 0) : address(nowhere_, i * kSide);
  }

  Code code_;
  Arena arena_;
  Tensor dst_, src_, zero_, nowhere_;
  FormatShape shape_;
  std::uint32_t pitch_ = 0, c1_ = 0, all_n_ = 0;
};

}  // namespace

void trans_data(const Call& call, const Tensor& dst, const Tensor& src, const Tensor& scratch,
                const FormatShape& shape) {
  if (!core_has(isa::Pipe::V)) return;
  const std::uint64_t plain =
      std::uint64_t{shape.n} * shape.c * shape.d * round_up(shape.hw, kSide);
  const std::uint64_t rows = std::uint64_t{shape.fractal ? round_up(shape.n, kSide) : shape.n} *
                             round_up(shape.c, kSide) * shape.d * shape.hw;
  require_elements(call, "elements of src", src, shape.to_ncdhw ? rows : plain);
  require_elements(call, "elements of dst", dst, shape.to_ncdhw ? plain : rows);
  FormatMove(call, dst, src, scratch, shape).run();
}

}  // namespace davsim::api::lib
