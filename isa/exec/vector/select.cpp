// Select, and the moves between UB and CMPMASK that it needs.
#include <array>
#include <cstring>
#include <string>

#include "isa/core/registers.hpp"
#include "isa/exec/exec_table.hpp"
#include "isa/exec/vector/compare_lanes.hpp"
#include "isa/exec/vector/vector_check.hpp"
#include "isa/exec/vector/vector_splat.hpp"
#include "isa/exec/vector/vector_stage.hpp"
#include "isa/exec/vector/vector_walk.hpp"
#include "isa/instr/vector_types.hpp"

namespace davsim::isa {
namespace {

using CmpMask = std::array<std::uint8_t, kCmpMaskBytes>;

CmpMask cmp_mask(const CoreMemory& memory) {
  CmpMask mask;
  std::memcpy(mask.data(), memory.at(Space::kSpr, kSprCmpMask, kCmpMaskBytes), kCmpMaskBytes);
  return mask;
}

void decode_select(DecodedInstr& instr, const CoreMemory& memory) {
  const VectorParams& params = vector_params(instr);
  if (params.select > SelectMode::kTensorTensor) {
    refuse_vector(
        instr, FaultClass::kParameter,
        "selMode is " + std::to_string(static_cast<int>(params.select)) + ", allowed are 0 to 2");
  }
  const bool scalar = params.select == SelectMode::kTensorScalar;
  const bool src1 = scalar ? is_select_mask(instr.src1.type) : instr.src1.type == instr.dst.type;
  if (!types_exist(instr.op, instr.dst.type, instr.src0.type) || !src1) {
    refuse_vector(instr, FaultClass::kParameter,
                  "there is no such instruction for " + std::string(dtype_name(instr.dst.type)) +
                      " from " + std::string(dtype_name(instr.src0.type)) + " and " +
                      std::string(dtype_name(instr.src1.type)));
  }
  decode_shape(instr, memory);
}

/// Where the bits of a tensor of bits begin; the instruction needs `lanes` of them.
std::uint64_t bits_addr(const Instr& instr, const CmpMask& mask, std::uint64_t bytes,
                        std::uint64_t ub_bytes) {
  if (vector_params(instr).select == SelectMode::kTensorScalar) return instr.src1.addr;
  std::uint32_t addr = 0;
  std::memcpy(&addr, mask.data(), sizeof addr);
  if (addr % kBlockBytes != 0 || addr > ub_bytes || bytes > ub_bytes - addr) {
    refuse_vector(instr, FaultClass::kAddress,
                  "CMPMASK says that the bits lie at byte " + std::to_string(addr) +
                      " of UB, allowed are multiples of 32 with " + std::to_string(bytes) +
                      " bytes behind them; SetCmpMask takes the address of the bits in this mode");
  }
  return addr;
}

/// One VSEL: bits, and sources by repeat.
class Selection {
 public:
  Selection(const DecodedInstr& instr, const CoreMemory& memory)
      : shape_(instr.shape),
        lane_mask_(vector_params(instr).mask),
        mask_(cmp_mask(memory)),
        ub_(memory.host(Space::kUb, 0)),
        select_(compare_table().select(shape_.dst.element_bytes)),
        repeat_bits_(kRepeatBytes / shape_.dst.element_bytes / 8),
        scalar_(first_word(), shape_.dst.element_bytes) {
    if (vector_params(instr).select == SelectMode::kTensorScalar) shape_.src1 = {};
    if (vector_params(instr).select == SelectMode::kMaskRegister) return;
    const std::uint64_t bytes = std::uint64_t{shape_.repeats} * repeat_bits_;
    const std::uint64_t addr = bits_addr(instr, mask_, bytes, memory.size(Space::kUb));
    bits_ = reinterpret_cast<const std::uint8_t*>(ub_ + addr);
    bits_end_ = bits_ + bytes;
  }

  void run() {
    if (bits_ != nullptr && shape_.src1.used() && is_dense(shape_) && bits_stay()) {
      select_(ub_ + shape_.dst.addr, ub_ + shape_.src0.addr, ub_ + shape_.src1.addr, bits_,
              shape_.lanes());
      return;
    }
    for (std::uint32_t repeat = 0; repeat < shape_.repeats; ++repeat) run_repeat(repeat);
  }

 private:
  /// A repeat reads everything before it writes.
  void run_repeat(std::uint32_t repeat) {
    const LaneStep step{repeat, 0, shape_.lanes_of(repeat)};
    const std::byte* a = packed_lanes(ub_, shape_.src0, step, stage0_.data());
    const std::byte* b =
        shape_.src1.used() ? packed_lanes(ub_, shape_.src1, step, stage1_.data()) : scalar_.lanes();
    const std::uint8_t* bits =
        bits_ != nullptr ? bits_ + std::size_t{repeat} * repeat_bits_ : mask_.data();
    std::byte* to = ub_ + step_addr(shape_.dst, step);
    if (shape_.prefix() && contiguous(shape_.dst, step) && apart(to, a) && apart(to, b) &&
        apart(to, reinterpret_cast<const std::byte*>(bits))) {
      select_(to, a, b, bits, step.lanes);
      return;
    }
    select_(result_.data(), a, b, bits, step.lanes);
    unpack_lanes(ub_, shape_, lane_mask_, step, result_.data());
  }

  /// A repeat that is written at `to` may be read at `from` while that is done.
  static bool apart(const std::byte* to, const std::byte* from) {
    return to == from || to + kRepeatBytes <= from || from + kRepeatBytes <= to;
  }

  bool bits_stay() const {
    const auto* dst = reinterpret_cast<const std::uint8_t*>(ub_ + shape_.dst.addr);
    return bits_end_ <= dst || dst + shape_.lanes() * shape_.dst.element_bytes <= bits_;
  }

  std::uint64_t first_word() const {
    std::uint64_t word = 0;
    std::memcpy(&word, mask_.data(), sizeof word);
    return word;
  }

  VectorShape shape_;
  const LaneMask& lane_mask_;
  CmpMask mask_;
  std::byte* ub_;
  SelectFn select_;
  std::size_t repeat_bits_;  ///< bytes of bits a repeat takes
  Splat scalar_;
  const std::uint8_t* bits_ = nullptr;  ///< null where CMPMASK has those of every repeat
  const std::uint8_t* bits_end_ = nullptr;
  alignas(64) std::array<std::byte, kRepeatBytes> stage0_, stage1_, result_;
};

void execute_select(const DecodedInstr& instr, const CoreMemory& memory) {
  if (instr.shape.repeats != 0) Selection(instr, memory).run();
}

void decode_cmp_mask(DecodedInstr& instr, const CoreMemory& memory) {
  vector_params(instr);
  decode_shape(instr, memory);
}

void execute_set_cmp_mask(const DecodedInstr& instr, const CoreMemory& memory) {
  std::memcpy(memory.at(Space::kSpr, kSprCmpMask, kCmpMaskBytes),
              memory.at(Space::kUb, instr.src0.addr, kCmpMaskBytes), kCmpMaskBytes);
}

void execute_get_cmp_mask(const DecodedInstr& instr, const CoreMemory& memory) {
  std::memcpy(memory.at(Space::kUb, instr.dst.addr, kCmpMaskBytes),
              memory.at(Space::kSpr, kSprCmpMask, kCmpMaskBytes), kCmpMaskBytes);
}

}  // namespace

void add_select_rows(ExecTable& table) {
  table.set(Opcode::kSelect, {&decode_select, &execute_select});
  table.set(Opcode::kSetCmpMask, {&decode_cmp_mask, &execute_set_cmp_mask});
  table.set(Opcode::kGetCmpMask, {&decode_cmp_mask, &execute_get_cmp_mask});
}

}  // namespace davsim::isa
