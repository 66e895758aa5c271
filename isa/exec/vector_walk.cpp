#include "isa/exec/vector_walk.hpp"

#include <cstring>

namespace davsim::isa {
namespace {

/// Byte ranges [a, a + a_bytes) and [b, b + b_bytes) have nothing in common.
bool disjoint(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes) {
  return a + a_bytes <= b || b + b_bytes <= a;
}

/// A lane function may run from `src` to `dst` over `lanes` packed lanes.
bool safe_in_place(const VectorOperandShape& dst, std::uint64_t dst_addr,
                   const VectorOperandShape& src, std::uint64_t src_addr, std::uint64_t lanes) {
  if (!src.used) return true;
  if (src_addr == dst_addr && src.element_bytes == dst.element_bytes) return true;
  return disjoint(dst_addr, dst.bytes_of(lanes), src_addr, src.bytes_of(lanes));
}

/// The lanes of all repeats lie one behind the other.
bool packed(const VectorShape& shape, const VectorOperandShape& operand) {
  if (!operand.used) return true;
  const bool blocks =
      operand.block_pitch == operand.block_bytes || shape.blocks_of(operand, 0) <= 1;
  const std::uint64_t repeat_bytes = operand.bytes_of(shape.lanes_per_repeat);
  return blocks && (shape.repeats == 1 || operand.repeat_pitch == repeat_bytes);
}

bool is_dense(const VectorShape& shape) {
  return shape.prefix && packed(shape, shape.dst) && packed(shape, shape.src0) &&
         packed(shape, shape.src1) &&
         safe_in_place(shape.dst, shape.dst.addr, shape.src0, shape.src0.addr, shape.lanes) &&
         safe_in_place(shape.dst, shape.dst.addr, shape.src1, shape.src1.addr, shape.lanes);
}

std::byte* host(const VectorWork& work, const VectorOperandShape& operand) {
  return operand.used ? work.ub + operand.addr : nullptr;
}

/// 256 bytes of the widest operand at a time; more than a repeat has only in a Copy in counter
/// mode.
struct Step {
  std::uint32_t repeat = 0;
  std::uint32_t first_lane = 0;
  std::uint32_t lanes = 0;
};

std::uint64_t address(const VectorOperandShape& operand, const Step& step) {
  return operand.block_addr(step.repeat, operand.block_of(step.first_lane));
}

bool contiguous(const VectorOperandShape& operand, const Step& step) {
  return operand.block_pitch == operand.block_bytes || step.lanes <= operand.lanes_per_block;
}

/// Computes packed lanes and makes them what the control register asks for.
void compute(const VectorWork& work, std::byte* dst, const std::byte* src0, const std::byte* src1,
             std::uint64_t lanes) {
  work.lanes(dst, src0, src1 == nullptr ? work.table : src1, work.scalar, lanes);
  if (work.saturate != nullptr) work.saturate(dst, lanes);
}

/// Whole blocks, which lie inside UB because operands and UB are made of whole blocks.
void gather(const VectorWork& work, const VectorOperandShape& operand, const Step& step,
            std::byte* stage) {
  const std::byte* from = work.ub + address(operand, step);
  for (std::uint32_t lane = 0; lane < step.lanes; lane += operand.lanes_per_block) {
    std::memcpy(stage, from, operand.block_bytes);
    stage += operand.block_bytes;
    from += operand.block_pitch;
  }
}

/// One step, with room to pack operands that do not lie packed.
class StepRunner {
 public:
  explicit StepRunner(const VectorWork& work) : work_(work) {}

  void run(const Step& step) {
    const VectorShape& shape = work_.shape;
    const bool direct = shape.prefix && contiguous(shape.dst, step);
    std::byte* to = direct ? work_.ub + address(shape.dst, step) : dst_stage_;
    if (!direct && work_.reads_dst) gather(work_, shape.dst, step, dst_stage_);
    const std::byte* src0 = source(shape.src0, step, direct, src0_stage_);
    const std::byte* src1 = source(shape.src1, step, direct, src1_stage_);
    compute(work_, to, src0, src1, step.lanes);
    if (!direct) scatter(step);
  }

 private:
  const std::byte* source(const VectorOperandShape& src, const Step& step, bool into_dst,
                          std::byte* stage) {
    if (!src.used) return nullptr;
    const std::uint64_t addr = address(src, step);
    const VectorOperandShape& dst = work_.shape.dst;
    if (contiguous(src, step) &&
        (!into_dst || safe_in_place(dst, address(dst, step), src, addr, step.lanes))) {
      return work_.ub + addr;
    }
    gather(work_, src, step, stage);
    return stage;
  }

  void scatter(const Step& step) const {
    const VectorShape& shape = work_.shape;
    // Lanes that share a byte are computed together or not at all.
    const std::uint32_t unit = shape.dst.lanes_per_block > shape.dst.block_bytes ? 2 : 1;
    const std::byte* from = dst_stage_;
    std::byte* block = work_.ub + address(shape.dst, step);
    for (std::uint32_t first = 0; first < step.lanes; first += shape.dst.lanes_per_block) {
      const std::uint32_t here =
          std::min<std::uint32_t>(shape.dst.lanes_per_block, step.lanes - first);
      if (shape.prefix) {
        std::memcpy(block, from, shape.dst.bytes_of(here));
      } else {
        for (std::uint32_t i = 0; i < here; i += unit) {
          if (!shape.lane_active(first + i)) continue;
          const std::uint64_t at = shape.dst.bytes_of(i);
          std::memcpy(block + at, from + at, shape.dst.element_bytes);
        }
      }
      from += shape.dst.block_bytes;
      block += shape.dst.block_pitch;
    }
  }

  const VectorWork& work_;
  alignas(64) std::byte dst_stage_[kRepeatBytes];
  alignas(64) std::byte src0_stage_[kRepeatBytes];
  alignas(64) std::byte src1_stage_[kRepeatBytes];
};

}  // namespace

void run_vector(const VectorWork& work) {
  const VectorShape& shape = work.shape;
  if (shape.repeats == 0) return;
  if (is_dense(shape)) {
    compute(work, host(work, shape.dst), host(work, shape.src0), host(work, shape.src1),
            shape.lanes);
    return;
  }
  const std::uint32_t widest =
      std::max({shape.dst.element_bytes, shape.src0.element_bytes, shape.src1.element_bytes});
  const std::uint32_t step_lanes = kRepeatBytes >> std::countr_zero(widest);
  StepRunner runner(work);
  for (std::uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
    const std::uint32_t lanes = shape.lanes_of(repeat);
    for (std::uint32_t first = 0; first < lanes; first += step_lanes) {
      runner.run({repeat, first, std::min(step_lanes, lanes - first)});
    }
  }
}

}  // namespace davsim::isa
