#include "isa/exec/vector_walk.hpp"

#include "isa/exec/vector_stage.hpp"

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

}  // namespace

bool is_dense(const VectorShape& shape) {
  return shape.prefix && packed(shape, shape.dst) && packed(shape, shape.src0) &&
         packed(shape, shape.src1) &&
         safe_in_place(shape.dst, shape.dst.addr, shape.src0, shape.src0.addr, shape.lanes) &&
         safe_in_place(shape.dst, shape.dst.addr, shape.src1, shape.src1.addr, shape.lanes);
}

namespace {

std::byte* host(const VectorWork& work, const VectorOperandShape& operand) {
  return operand.used ? work.ub + operand.addr : nullptr;
}

/// Computes packed lanes and makes them what the control register asks for.
void compute(const VectorWork& work, std::byte* dst, const std::byte* src0, const std::byte* src1,
             std::uint64_t lanes) {
  work.lanes(dst, src0, src1 == nullptr ? work.table : src1, work.scalar, lanes);
  if (work.saturate != nullptr) work.saturate(dst, lanes);
}

/// One step, with room to pack operands that do not lie packed.
class StepRunner {
 public:
  explicit StepRunner(const VectorWork& work) : work_(work) {}

  void run(const LaneStep& step) {
    const VectorShape& shape = work_.shape;
    const bool direct = shape.prefix && contiguous(shape.dst, step);
    std::byte* to = direct ? work_.ub + step_addr(shape.dst, step) : dst_stage_;
    if (!direct && work_.reads_dst) pack_lanes(work_.ub, shape.dst, step, dst_stage_);
    const std::byte* src0 = source(shape.src0, step, direct, src0_stage_);
    const std::byte* src1 = source(shape.src1, step, direct, src1_stage_);
    compute(work_, to, src0, src1, step.lanes);
    if (!direct) unpack_lanes(work_.ub, shape, step, dst_stage_);
  }

 private:
  const std::byte* source(const VectorOperandShape& src, const LaneStep& step, bool into_dst,
                          std::byte* stage) {
    if (!src.used) return nullptr;
    const std::uint64_t addr = step_addr(src, step);
    const VectorOperandShape& dst = work_.shape.dst;
    if (contiguous(src, step) &&
        (!into_dst || safe_in_place(dst, step_addr(dst, step), src, addr, step.lanes))) {
      return work_.ub + addr;
    }
    pack_lanes(work_.ub, src, step, stage);
    return stage;
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
    // Longer than 256 bytes only in a Copy in counter mode.
    for (std::uint32_t first = 0; first < lanes; first += step_lanes) {
      runner.run({repeat, first, std::min(step_lanes, lanes - first)});
    }
  }
}

}  // namespace davsim::isa
