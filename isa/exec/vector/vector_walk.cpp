#include "isa/exec/vector/vector_walk.hpp"

#include "isa/exec/vector/vector_stage.hpp"

namespace davsim::isa {
namespace {

/// Byte ranges [a, a + a_bytes) and [b, b + b_bytes) have nothing in common.
bool disjoint(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes) {
  return a + a_bytes <= b || b + b_bytes <= a;
}

/// A lane function may run from `src` to `dst` over `lanes` packed lanes.
bool safe_in_place(const VectorOperandShape& dst, std::uint64_t dst_addr,
                   const VectorOperandShape& src, std::uint64_t src_addr, std::uint64_t lanes) {
  if (!src.used()) return true;
  if (src_addr == dst_addr && src.element_bytes == dst.element_bytes) return true;
  return disjoint(dst_addr, dst.bytes_of(lanes), src_addr, src.bytes_of(lanes));
}

/// The lanes of all repeats lie one behind the other.
bool packed(const VectorShape& shape, const VectorOperandShape& operand) {
  if (!operand.used()) return true;
  const bool blocks =
      operand.block_pitch == operand.block_bytes || shape.blocks_of(operand, 0) <= 1;
  const std::uint64_t repeat_bytes = operand.bytes_of(shape.lanes_per_repeat);
  return blocks && (shape.repeats == 1 || operand.repeat_pitch == repeat_bytes);
}

}  // namespace

bool is_dense(const VectorShape& shape) {
  return shape.prefix() && packed(shape, shape.dst) && packed(shape, shape.src0) &&
         packed(shape, shape.src1) &&
         safe_in_place(shape.dst, shape.dst.addr, shape.src0, shape.src0.addr, shape.lanes()) &&
         safe_in_place(shape.dst, shape.dst.addr, shape.src1, shape.src1.addr, shape.lanes());
}

namespace {

std::byte* host(const VectorWork& work, const VectorOperandShape& operand) {
  return operand.used() ? work.ub + operand.addr : nullptr;
}

/// Computes packed lanes and makes them what the control register asks for.
void compute(const VectorWork& work, std::byte* dst, const std::byte* src0, const std::byte* src1,
             std::uint64_t lanes) {
  work.lanes(dst, src0, src1 == nullptr ? work.table : src1, work.scalar, lanes);
  if (work.saturate != nullptr) work.saturate(dst, lanes);
}

/// First byte of an operand and the one behind its last.
struct Extent {
  Extent(const VectorShape& shape, const VectorOperandShape& operand)
      : begin(operand.addr),
        end(operand.block_addr(shape.repeats - 1, shape.blocks_of(operand, 0) - 1) +
            operand.block_bytes) {}

  std::uint64_t begin, end;
};

/// Repeats whose sources are packed at one go. A host's wide loads have to wait for the narrow
/// stores that just packed what they read; by the time of the next few repeats they are done.
constexpr std::uint32_t kPackedAhead = 16;

/// A source and, where its lanes do not lie packed, room to pack them.
class StepSource {
 public:
  StepSource(const VectorWork& work, const VectorOperandShape& operand, bool one_step_a_repeat)
      : work_(work), operand_(operand) {
    const VectorShape& shape = work.shape;
    if (!operand.used() || !one_step_a_repeat) return;
    if (contiguous(operand, {0, 0, shape.lanes_per_repeat})) return;
    const Extent mine(shape, operand), written(shape, shape.dst);
    packs_ahead_ = mine.end <= written.begin || written.end <= mine.begin;
    const std::uint64_t bytes = operand.bytes_of(shape.lanes_per_repeat);
    if (bytes % kBlockBytes == 0) room_ = bytes;
  }

  /// Repeats [first, first + count) are next; at most kPackedAhead.
  void enter(std::uint32_t first, std::uint32_t count) {
    if (!packs_ahead_) return;
    if (operand_.repeat_pitch == 0) count = first == 0 ? 1 : 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      pack_lanes(work_.ub, operand_, {first + i, 0, work_.shape.lanes_of(first + i)},
                 at(first + i));
    }
  }

  /// Whether the repeats that are entered together can be read at one go: they lie one behind the
  /// other, and no result, which does likewise, lands on one that is still to be read.
  bool whole() const {
    const VectorShape& shape = work_.shape;
    if (!operand_.used()) return true;
    if (packs_ahead_) {
      return operand_.repeat_pitch != 0 && room_ == operand_.bytes_of(shape.lanes_per_repeat);
    }
    return packed(shape, operand_) &&
           safe_in_place(shape.dst, shape.dst.addr, operand_, operand_.addr, shape.lanes());
  }

  /// The lanes of the entered repeats, which are whole() and begin with `first`.
  const std::byte* repeats(std::uint32_t first) {
    if (!operand_.used()) return nullptr;
    return packs_ahead_ ? at(first) : work_.ub + operand_.block_addr(first, 0);
  }

  /// The packed lanes of a step; null if the instruction has no such source. `into_dst`: the result
  /// goes straight to the destination, and so must not meet what is still to be read.
  const std::byte* lanes(const LaneStep& step, bool into_dst) {
    if (!operand_.used()) return nullptr;
    if (packs_ahead_) return at(step.repeat);
    const std::uint64_t addr = step_addr(operand_, step);
    const VectorOperandShape& dst = work_.shape.dst;
    if (contiguous(operand_, step) &&
        (!into_dst || safe_in_place(dst, step_addr(dst, step), operand_, addr, step.lanes))) {
      return work_.ub + addr;
    }
    pack_lanes(work_.ub, operand_, step, stage_);
    return stage_;
  }

 private:
  std::byte* at(std::uint32_t repeat) {
    return stage_ + (operand_.repeat_pitch == 0 ? 0 : repeat % kPackedAhead * room_);
  }

  const VectorWork& work_;
  const VectorOperandShape& operand_;
  std::uint64_t room_ = kRepeatBytes;  ///< from a packed repeat to the next one
  bool packs_ahead_ = false;           ///< nothing that the instruction writes is part of it
  alignas(64) std::byte stage_[kPackedAhead * kRepeatBytes];
};

/// One step after the other, with room for results that are not to lie packed.
class StepRunner {
 public:
  StepRunner(const VectorWork& work, bool one_step_a_repeat)
      : work_(work),
        src0_(work, work.shape.src0, one_step_a_repeat),
        src1_(work, work.shape.src1, one_step_a_repeat),
        whole_(one_step_a_repeat && work.shape.prefix() && packed(work.shape, work.shape.dst) &&
               src0_.whole() && src1_.whole()) {}

  /// Repeats [first, first + count) of one step each.
  void run_repeats(std::uint32_t first, std::uint32_t count) {
    src0_.enter(first, count);
    src1_.enter(first, count);
    const VectorShape& shape = work_.shape;
    if (whole_) {
      const std::uint64_t lanes =
          std::uint64_t{count - 1} * shape.lanes_per_repeat + shape.lanes_of(first + count - 1);
      compute(work_, work_.ub + shape.dst.block_addr(first, 0), src0_.repeats(first),
              src1_.repeats(first), lanes);
      return;
    }
    for (std::uint32_t repeat = first; repeat < first + count; ++repeat) {
      run({repeat, 0, shape.lanes_of(repeat)});
    }
  }

  void run(const LaneStep& step) {
    const VectorShape& shape = work_.shape;
    const bool direct = shape.prefix() && contiguous(shape.dst, step);
    std::byte* to = direct ? work_.ub + step_addr(shape.dst, step) : dst_stage_;
    if (!direct && work_.reads_dst) pack_lanes(work_.ub, shape.dst, step, dst_stage_);
    const std::byte* src0 = src0_.lanes(step, direct);
    const std::byte* src1 = src1_.lanes(step, direct);
    compute(work_, to, src0, src1, step.lanes);
    if (!direct) unpack_lanes(work_.ub, shape, work_.mask, step, dst_stage_);
  }

 private:
  const VectorWork& work_;
  StepSource src0_, src1_;
  bool whole_;
  alignas(64) std::byte dst_stage_[kRepeatBytes];
};

}  // namespace

void run_vector(const VectorWork& work) {
  const VectorShape& shape = work.shape;
  if (shape.repeats == 0) return;
  if (is_dense(shape)) {
    compute(work, host(work, shape.dst), host(work, shape.src0), host(work, shape.src1),
            shape.lanes());
    return;
  }
  const std::uint32_t step_lanes = shape.step_lanes();
  const bool one_step_a_repeat = shape.lanes_per_repeat <= step_lanes;
  StepRunner runner(work, one_step_a_repeat);
  if (one_step_a_repeat) {
    for (std::uint32_t repeat = 0; repeat < shape.repeats; repeat += kPackedAhead) {
      runner.run_repeats(repeat, std::min(kPackedAhead, shape.repeats - repeat));
    }
    return;
  }
  // Longer than 256 bytes only in a Copy in counter mode.
  for (std::uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
    const std::uint32_t lanes = shape.lanes_of(repeat);
    for (std::uint32_t first = 0; first < lanes; first += step_lanes) {
      runner.run({repeat, first, std::min(step_lanes, lanes - first)});
    }
  }
}

}  // namespace davsim::isa
