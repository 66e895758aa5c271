// Elements and DataBlocks from anywhere in UB, and elements picked out by a pattern of bits.
#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "isa/core/registers.hpp"
#include "isa/exec/exec_table.hpp"
#include "isa/exec/vector/gather_lanes.hpp"
#include "isa/exec/vector/keep_pattern.hpp"
#include "isa/exec/vector/vector_check.hpp"
#include "isa/exec/vector/vector_stage.hpp"
#include "isa/instr/place_name.hpp"
#include "isa/instr/vector_types.hpp"

namespace davsim::isa {
namespace {

[[noreturn]] void refuse_gather_types(const Instr& instr) {
  refuse_vector(instr, FaultClass::kParameter,
                "there is no such instruction for " + std::string(dtype_name(instr.dst.type)) +
                    " from " + std::string(dtype_name(instr.src1.type)) + " with " +
                    std::string(dtype_name(instr.src0.type)));
}

// --- Gather, Gatherb -----------------------------------------------------------------------------

void decode_gather(DecodedInstr& instr, const CoreMemory& memory) {
  vector_params(instr);
  if (!types_exist(instr.op, instr.dst.type, instr.src1.type) || instr.src0.type != DType::kU32) {
    refuse_gather_types(instr);
  }
  decode_shape(instr, memory);
}

/// Byte of UB where `bytes` bytes at `offset` from the table begin; offsets come from memory, so
/// that only now is known whether they are legal.
std::uint64_t gathered(const Instr& instr, std::uint64_t ub_bytes, std::uint32_t offset,
                       std::uint32_t bytes) {
  const std::uint64_t addr = instr.src1.addr + offset;
  if (addr % bytes != 0) {
    refuse_vector(instr, FaultClass::kAlignment,
                  "offset " + std::to_string(offset) + " leads to byte " + std::to_string(addr) +
                      " of UB, allowed are multiples of " + std::to_string(bytes));
  }
  if (addr > ub_bytes - bytes) {
    refuse_vector(instr, FaultClass::kAddress,
                  "offset " + std::to_string(offset) + " leads to byte " + std::to_string(addr) +
                      " of UB, which has " + std::to_string(ub_bytes));
  }
  return addr;
}

/// Whether `n` offsets, whose range is `found`, lead to aligned places of `bytes` bytes inside UB.
bool all_legal(const Instr& instr, std::uint64_t ub_bytes, const OffsetRange& found,
               std::uint32_t bytes) {
  return (instr.src1.addr | found.bits) % bytes == 0 &&
         instr.src1.addr + found.most <= ub_bytes - bytes;
}

template <class Bits>
void gather_elements(const DecodedInstr& instr, const CoreMemory& memory) {
  const VectorShape& shape = instr.shape;
  const LaneMask& mask = vector_params(instr).mask;
  constexpr std::uint32_t kLanes = kRepeatBytes / sizeof(Bits);
  const GatherTable& table = gather_table();
  const auto elements = sizeof(Bits) == 2 ? table.elements_16 : table.elements_32;
  std::byte* ub = memory.host(Space::kUb, 0);
  const std::uint64_t ub_bytes = memory.size(Space::kUb);
  alignas(64) std::array<Bits, kLanes> results;
  alignas(64) std::array<std::uint32_t, kLanes> offsets;
  for (std::uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
    const std::uint32_t lanes = shape.lanes_of(repeat);
    std::memcpy(offsets.data(), ub + shape.src0.block_addr(repeat, 0),
                lanes * sizeof(std::uint32_t));
    const OffsetRange found = table.range(offsets.data(), lanes);
    // Four bytes are read of an element of two: not of the last one of UB.
    if (shape.prefix() && all_legal(instr, ub_bytes, found, sizeof(Bits)) &&
        instr.src1.addr + found.most <= ub_bytes - sizeof(std::uint32_t)) {
      elements(ub + instr.src1.addr, offsets.data(), results.data(), lanes);
    } else {
      for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        if (!shape.lane_active(mask, lane)) continue;
        std::memcpy(&results[lane], ub + gathered(instr, ub_bytes, offsets[lane], sizeof(Bits)),
                    sizeof(Bits));
      }
    }
    unpack_lanes(ub, shape, mask, {repeat, 0, lanes},
                 reinterpret_cast<const std::byte*>(results.data()));
  }
}

void execute_gather(const DecodedInstr& instr, const CoreMemory& memory) {
  if (dtype_bytes(instr.dst.type) == 2) {
    gather_elements<std::uint16_t>(instr, memory);
  } else {
    gather_elements<std::uint32_t>(instr, memory);
  }
}

/// Repeats [first, first + repeats) of a Gatherb, of whose offsets none is written meanwhile.
void gather_blocks(const DecodedInstr& instr, const CoreMemory& memory, std::uint32_t first,
                   std::uint32_t repeats) {
  const VectorShape& shape = instr.shape;
  std::byte* ub = memory.host(Space::kUb, 0);
  const std::uint64_t ub_bytes = memory.size(Space::kUb);
  const std::uint32_t count = repeats * kBlocksPerRepeat;
  const auto* offsets =
      reinterpret_cast<const std::uint32_t*>(ub + shape.src0.block_addr(first, 0));
  if (!all_legal(instr, ub_bytes, gather_table().range(offsets, count), kBlockBytes)) {
    for (std::uint32_t i = 0; i < count; ++i) gathered(instr, ub_bytes, offsets[i], kBlockBytes);
  }
  // Whatever the mask says, all eight are written.
  const BlockRows to{ub + shape.dst.block_addr(first, 0), shape.dst.block_pitch,
                     shape.dst.repeat_pitch};
  gather_table().blocks(ub + instr.src1.addr, offsets, to, repeats);
}

void execute_gatherb(const DecodedInstr& instr, const CoreMemory& memory) {
  const VectorShape& shape = instr.shape;
  if (shape.repeats == 0) return;
  const std::uint64_t offsets = shape.src0.addr, dst = shape.dst.addr;
  const std::uint64_t offsets_end =
      offsets + std::uint64_t{shape.repeats} * shape.src0.repeat_pitch;
  const std::uint64_t dst_end =
      dst + shape.dst.offset(shape.repeats - 1, kBlocksPerRepeat - 1) + kBlockBytes;
  if (dst_end <= offsets || offsets_end <= dst) {
    return gather_blocks(instr, memory, 0, shape.repeats);
  }
  for (std::uint32_t r = 0; r < shape.repeats; ++r) gather_blocks(instr, memory, r, 1);
}

// --- GatherMask ----------------------------------------------------------------------------------

void check_gather_mask(const Instr& instr) {
  const VectorParams& params = vector_params(instr);
  if (params.pattern > kPatterns) {
    refuse_vector(
        instr, FaultClass::kParameter,
        "src1Pattern is " + std::to_string(params.pattern) + ", allowed are 1 to 7 or a tensor");
  }
  const DType bits = dtype_bytes(instr.dst.type) == 2 ? DType::kU16 : DType::kU32;
  const bool pattern = params.pattern != 0 || instr.src1.type == bits;
  if (!types_exist(instr.op, instr.dst.type, instr.src0.type) || !pattern) {
    refuse_gather_types(instr);
  }
}

/// Throws where `elements` results leave UB.
void check_results(const Instr& instr, std::uint64_t elements, std::uint64_t ub_bytes) {
  const std::uint64_t bytes = elements * dtype_bytes(instr.dst.type);
  if (instr.dst.space != Space::kUb || instr.dst.addr % kBlockBytes != 0) {
    refuse_vector(instr, FaultClass::kAlignment,
                  "dst is at byte " + std::to_string(instr.dst.addr) + " of " +
                      std::string(place_name(instr.dst.space)) +
                      ", allowed are multiples of 32 in UB");
  }
  if (instr.dst.addr > ub_bytes || bytes > ub_bytes - instr.dst.addr) {
    refuse_vector(instr, FaultClass::kAddress,
                  "dst reaches from byte " + std::to_string(instr.dst.addr) + " to " +
                      std::to_string(instr.dst.addr + bytes) + " of UB, which has " +
                      std::to_string(ub_bytes));
  }
}

void decode_gather_mask(DecodedInstr& instr, const CoreMemory& memory) {
  check_gather_mask(instr);
  decode_shape(instr, memory);
  const VectorShape& shape = instr.shape;
  const std::uint8_t pattern = vector_params(instr).pattern;
  // What a tensor of bits keeps is known when the instruction runs.
  const std::uint64_t kept =
      pattern == 0 || shape.repeats == 0
          ? 0
          : std::uint64_t{shape.repeats} * pattern_of(pattern).kept(shape.lanes_of(0));
  check_results(instr, kept, memory.size(Space::kUb));
}

/// Picks elements repeat by repeat; the results follow each other without gaps.
template <class Bits>
class MaskGather {
 public:
  MaskGather(const DecodedInstr& instr, const CoreMemory& memory)
      : instr_(instr),
        shape_(instr.shape),
        pattern_(vector_params(instr).pattern),
        ub_(memory.host(Space::kUb, 0)),
        ub_bytes_(memory.size(Space::kUb)) {}

  /// Number of elements kept.
  std::uint64_t run() {
    constexpr std::uint32_t kStep = kRepeatBytes / sizeof(Bits);
    if (is_one_run()) return run_at_once();
    for (std::uint32_t repeat = 0; repeat < shape_.repeats; ++repeat) {
      const std::uint32_t lanes = shape_.lanes_of(repeat);
      for (std::uint32_t first = 0; first < lanes; first += kStep) {
        run_step({repeat, first, std::min(kStep, lanes - first)});
      }
    }
    return kept_;
  }

 private:
  /// A fixed pattern goes on from repeat to repeat of a source without gaps, and what it keeps does
  /// not come to lie on the source.
  bool is_one_run() const {
    const VectorOperandShape& src = shape_.src0;
    const std::uint64_t bytes = std::uint64_t{shape_.repeats} * src.repeat_pitch;
    const bool gapless = pattern_ != 0 && shape_.prefix() && src.block_pitch == kBlockBytes &&
                         src.repeat_pitch == shape_.lanes_per_repeat * sizeof(Bits);
    return gapless && shape_.lanes_per_repeat % pattern_of(pattern_).period == 0 &&
           (instr_.dst.addr + bytes <= src.addr || src.addr + bytes <= instr_.dst.addr);
  }

  std::uint64_t run_at_once() const {
    const Pattern pattern = pattern_of(pattern_);
    const auto lanes = static_cast<std::uint32_t>(shape_.lanes());
    check_results(instr_, pattern.kept(lanes), ub_bytes_);
    every()(ub_ + shape_.src0.addr, pattern.period, pattern.first, ub_ + instr_.dst.addr,
            pattern.kept(lanes));
    return pattern.kept(lanes);
  }

  auto every() const { return sizeof(Bits) == 2 ? table_.every_16 : table_.every_32; }

  /// 256 bytes of the source are read before what is kept of them is written.
  void run_step(const LaneStep& step) {
    const std::byte* from =
        packed_lanes(ub_, shape_.src0, step, reinterpret_cast<std::byte*>(stage_.data()));
    const std::uint32_t count =
        pattern_ != 0 ? pick_by_pattern(from, step) : pick_by_bits(from, step);
    check_results(instr_, kept_ + count, ub_bytes_);
    std::memcpy(ub_ + instr_.dst.addr + kept_ * sizeof(Bits), results_.data(),
                count * sizeof(Bits));
    kept_ += count;
  }

  /// A step begins where the pattern begins: its length is a multiple of every period.
  std::uint32_t pick_by_pattern(const std::byte* from, const LaneStep& step) {
    const Pattern pattern = pattern_of(pattern_);
    const std::uint32_t count = pattern.kept(step.lanes);
    every()(from, pattern.period, pattern.first, results_.data(), count);
    return count;
  }

  std::uint32_t pick_by_bits(const std::byte* from, const LaneStep& step) {
    constexpr std::size_t kReadBehind = 8;
    std::array<std::uint8_t, kRepeatBytes / 8 + kReadBehind> bits;
    const std::uint64_t at = shape_.src1.block_addr(step.repeat, 0) + step.first_lane / 8;
    std::memcpy(bits.data(), ub_ + at, (step.lanes + 7) / 8);
    return static_cast<std::uint32_t>((sizeof(Bits) == 2 ? table_.keep_16 : table_.keep_32)(
        from, bits.data(), results_.data(), step.lanes));
  }

  const Instr& instr_;
  const VectorShape& shape_;
  std::uint8_t pattern_;
  std::byte* ub_;
  std::uint64_t ub_bytes_;
  const GatherTable& table_ = gather_table();
  std::uint64_t kept_ = 0;
  alignas(64) std::array<Bits, kRepeatBytes / sizeof(Bits)> stage_;
  // More than a repeat: elements are put there before it is known whether they stay.
  alignas(64) std::array<Bits, 2 * kRepeatBytes / sizeof(Bits)> results_;
};

void execute_gather_mask(const DecodedInstr& instr, const CoreMemory& memory) {
  const std::uint64_t kept = dtype_bytes(instr.dst.type) == 2
                                 ? MaskGather<std::uint16_t>(instr, memory).run()
                                 : MaskGather<std::uint32_t>(instr, memory).run();
  std::memcpy(memory.at(Space::kSpr, kSprRsvdCnt, sizeof kept), &kept, sizeof kept);
}

}  // namespace

void add_gather_rows(ExecTable& table) {
  table.set(Opcode::kGather, {&decode_gather, &execute_gather});
  table.set(Opcode::kGatherb, {&decode_gather, &execute_gatherb});
  table.set(Opcode::kGatherMask, {&decode_gather_mask, &execute_gather_mask});
}

}  // namespace davsim::isa
