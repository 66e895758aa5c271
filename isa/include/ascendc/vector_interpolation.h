// BilinearInterpolation: weighted sums of gathered DataBlocks. The machine has no such instruction:
// Gatherb and Brcb put the DataBlocks and their weights into the temporary space, Mul and Add do
// the rest.
#pragma once

#include "ascendc/vector_gather.h"
#include "isa/numeric/min_max.hpp"

namespace davsim::api {

/// One interpolation under way. A step takes eight DataBlocks; the steps of a row add up.
class Interpolation {
 public:
  using Tensor = AscendC::LocalTensor<isa::half>;

  /// Steps of a row, rows, weights a step (1 or 8), and where a row's eight DataBlocks go.
  struct Form {
    std::uint32_t steps, rows, weights;
    std::uint16_t dst_block;   ///< DataBlocks between two of a row
    std::uint32_t dst_offset;  ///< elements between two rows
  };

  Interpolation(const Tensor& dst, const Tensor& src,
                const AscendC::LocalTensor<std::uint32_t>& offsets, const Form& form,
                Location where)
      : dst_(dst), src_(src), offsets_(offsets), form_(form), where_(where) {}

  /// `mask` is a number of lanes or a pointer to mask bits.
  template <typename Mask>
  void run(const Tensor& weights, const AscendC::LocalTensor<std::uint8_t>& tmp, Mask mask) {
    const std::uint32_t numbers = form_.steps * form_.rows * form_.weights;
    const std::uint32_t eights = (numbers + kBlocks - 1) / kBlocks;
    const auto needed = std::int64_t{eights + 1} * isa::kRepeatBytes;
    require_range(kName, "bytes of sharedTmpBuffer", tmp.GetLength(), needed, UINT32_MAX, where_);
    const InNormalMode masks;
    const Tensor space = tmp.template ReinterpretCast<isa::half>();
    spread_ = space;
    products_ = space[eights * kLanes];
    at_once_ = std::min(tmp.GetLength() / isa::kRepeatBytes - eights, kMostRepeats);
    for (std::uint32_t done = 0; done < eights; done += kMostRepeats) {
      AscendC::Brcb(spread_[done * kLanes], weights[done * kBlocks],
                    std::min(kMostRepeats, eights - done), {1, 8}, where_);
    }
    for (std::uint32_t row = 0; row < form_.rows; ++row) {
      for (std::uint32_t step = 0; step < form_.steps; step += at_once_) {
        add_steps(row, step, std::min(at_once_, form_.steps - step), mask);
      }
    }
  }

  static constexpr const char* kName = "BilinearInterpolation";

 private:
  static constexpr std::uint32_t kBlocks = isa::kBlocksPerRepeat, kMostRepeats = 255;
  static constexpr std::uint32_t kLanes = isa::kRepeatBytes / sizeof(isa::half);

  void barrier() const { AscendC::PipeBarrier<PIPE_V>(where_); }

  /// Steps [first, first + count) of a row. The first step of a row is its first sum.
  template <typename Mask>
  void add_steps(std::uint32_t row, std::uint32_t first, std::uint32_t count, Mask mask) {
    const std::uint32_t before = row * form_.steps + first;
    const Tensor to = dst_[row * form_.dst_offset];
    AscendC::Gatherb(products_, src_, offsets_[before * kBlocks], count, {1, 8}, where_);
    barrier();
    // One weight for a step is a DataBlock for all eight.
    const isa::BlockStride weights = {static_cast<std::uint16_t>(form_.weights == 1 ? 0 : 1),
                                      static_cast<std::uint16_t>(form_.weights)};
    const Tensor scale = spread_[before * form_.weights * (kLanes / kBlocks)];
    const isa::BlockStride sums = {form_.dst_block, 0};
    const std::uint32_t done = first == 0 ? 1 : 0;
    if (first == 0) emit(isa::Opcode::kMul, to, products_, scale, sums, weights, 1, mask);
    if (count == done) return barrier();
    const Tensor products = products_[done * kLanes];
    emit(isa::Opcode::kMul, products, products, scale[done * form_.weights * (kLanes / kBlocks)],
         {1, 8}, weights, count - done, mask);
    barrier();
    // The destination is the second source of every repeat: documented to add up.
    emit(isa::Opcode::kAdd, to, products, to, sums, sums, count - done, mask);
    barrier();
  }

  /// A repeat of `a` has eight DataBlocks one behind the other.
  template <typename Mask>
  void emit(isa::Opcode op, const Tensor& to, const Tensor& a, const Tensor& b,
            isa::BlockStride to_stride, isa::BlockStride b_stride, std::uint32_t repeats,
            Mask mask) const {
    const VectorCall call{kName, op, where_};
    isa::VectorParams params = repeated<true>(call, mask, kLanes, repeats);
    params.dst = to_stride;
    params.src1 = b_stride;
    emit_vector(call, to.Operand(), a.Operand(), b.Operand(), params);
  }

  Tensor dst_, src_, spread_, products_;
  AscendC::LocalTensor<std::uint32_t> offsets_;
  Form form_;
  Location where_;
  std::uint32_t at_once_ = 1;  ///< steps whose products the temporary space takes
};

template <typename T, typename Mask>
void interpolate(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src0,
                 const AscendC::LocalTensor<std::uint32_t>& offsets,
                 const AscendC::LocalTensor<T>& src1, Mask mask, std::int64_t steps, bool eights,
                 std::uint16_t dst_block, std::int64_t dst_offset, std::int64_t rows,
                 const AscendC::LocalTensor<std::uint8_t>& tmp, Location where) {
  static_assert(std::is_same_v<T, isa::half>, "BilinearInterpolation takes half");
  constexpr const char* kName = Interpolation::kName;
  require_range(kName, "hRepeat", steps, 1, 255, where);
  require_range(kName, "vRepeat", rows, 1, 255, where);
  require_range(kName, "vROffset", dst_offset, 128, 65534, where);
  constexpr std::int64_t kBlock = isa::kBlockBytes / sizeof(T);
  if (dst_offset % kBlock != 0) refuse(kName, "vROffset", dst_offset, "multiples of 16", where);
  if (!core_has(isa::Pipe::V)) return;
  Interpolation(
      dst, src0, offsets,
      {static_cast<std::uint32_t>(steps), static_cast<std::uint32_t>(rows),
       eights ? isa::kBlocksPerRepeat : 1u, dst_block, static_cast<std::uint32_t>(dst_offset)},
      where)
      .run(src1, tmp, mask);
}

}  // namespace davsim::api

namespace AscendC {

/// Of each of vRepeat rows, eight DataBlocks, vROffset elements from row to row: the sum of hRepeat
/// times eight DataBlocks of src0, which lie at the bytes that src0Offset says, each times a number
/// of src1. repeatMode: each of the eight DataBlocks has a number of its own, else all have one.
/// half. `mask` are lanes of the 128 of a row. sharedTmpBuffer has 256 bytes, and as many for each
/// eight numbers of src1; more is quicker. The documentation asks for 32 bytes an element of src0
/// and of src1.
template <typename T>
void BilinearInterpolation(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                           const LocalTensor<std::uint32_t>& src0Offset, const LocalTensor<T>& src1,
                           std::uint64_t mask, const davsim::api::RepeatTime hRepeat,
                           bool repeatMode, std::uint16_t dstBlkStride, std::uint16_t vROffset,
                           const davsim::api::RepeatTime vRepeat,
                           const LocalTensor<std::uint8_t>& sharedTmpBuffer,
                           davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::interpolate(dst, src0, src0Offset, src1, mask, hRepeat, repeatMode, dstBlkStride,
                           vROffset, vRepeat, sharedTmpBuffer, where);
}
template <typename T>
void BilinearInterpolation(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                           const LocalTensor<std::uint32_t>& src0Offset, const LocalTensor<T>& src1,
                           const std::uint64_t mask[], const davsim::api::RepeatTime hRepeat,
                           bool repeatMode, std::uint16_t dstBlkStride, std::uint16_t vROffset,
                           const davsim::api::RepeatTime vRepeat,
                           const LocalTensor<std::uint8_t>& sharedTmpBuffer,
                           davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::interpolate(dst, src0, src0Offset, src1, mask, hRepeat, repeatMode, dstBlkStride,
                           vROffset, vRepeat, sharedTmpBuffer, where);
}

}  // namespace AscendC
