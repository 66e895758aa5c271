#include "checker/operand_overlap.hpp"

#include <cstdlib>
#include <vector>

#include "isa/instr/opcode_facts.hpp"

namespace davsim::checker {
namespace {

using isa::Access;
using isa::VectorOperandShape;
using isa::VectorShape;

/// Whether both have the same runs, as an operand that is computed in place.
bool same_runs(const Access& a, const Access& b) {
  return a.addr == b.addr && a.bytes == b.bytes && a.rows == b.rows && a.groups == b.groups &&
         a.pitch == b.pitch && a.group_pitch == b.group_pitch && a.block_mask == b.block_mask;
}

bool overlaps_in_part(const isa::AccessList& accesses) {
  for (const Access& write : accesses) {
    if (!write.writes() || write.space != isa::Space::kUb) continue;
    for (const Access& read : accesses) {
      if (read.writes() || read.space != isa::Space::kUb || same_runs(write, read)) continue;
      if (read.low() < write.high() && write.low() < read.high()) return true;
    }
  }
  return false;
}

/// Whether, by the documentation, a repeat may read through src1 what earlier repeats have written.
bool may_chain(const isa::Instr& instr, const VectorShape& shape) {
  const bool stays = shape.src1.repeat_pitch == 0 || shape.dst.repeat_pitch == 0;
  return stays && isa::contains(isa::facts(instr.op).chains, instr.dst.type);
}

/// Walks through the repeats of an instruction. Records the repeat that has written each DataBlock.
class Repeats {
 public:
  explicit Repeats(const VectorShape& shape) : shape_(shape) {}

  std::string find(const isa::Instr& instr) {
    for (std::uint32_t repeat = 0; repeat < shape_.repeats; ++repeat) {
      for (const VectorOperandShape* source : {&shape_.src0, &shape_.src1}) {
        if (!source->used()) continue;
        const bool exempt = source == &shape_.src1 && may_chain(instr, shape_);
        std::string wrong = exempt ? "" : read_behind(*source, repeat);
        if (wrong.empty()) wrong = meets_in_part(*source, repeat);
        if (!wrong.empty()) return wrong;
      }
      write(repeat);
    }
    return "";
  }

 private:
  static std::uint64_t block_at(const VectorOperandShape& operand, std::uint32_t repeat,
                                std::uint64_t block) {
    return operand.block_addr(repeat, block) / isa::kBlockBytes;
  }

  void write(std::uint32_t repeat) {
    for (std::uint64_t i = 0; i < shape_.blocks_of(shape_.dst, repeat); ++i) {
      const std::uint64_t at = block_at(shape_.dst, repeat, i);
      if (writer_.size() <= at) writer_.resize(at + 1);
      writer_[at] = repeat + 1;
    }
  }

  std::string read_behind(const VectorOperandShape& source, std::uint32_t repeat) const {
    for (std::uint64_t i = 0; i < shape_.blocks_of(source, repeat); ++i) {
      const std::uint64_t at = block_at(source, repeat, i);
      if (at >= writer_.size() || writer_[at] == 0) continue;
      return "repeat " + std::to_string(repeat) + " reads what repeat " +
             std::to_string(writer_[at] - 1) +
             " of the same instruction writes: it may read before that has written";
    }
    return "";
  }

  std::string meets_in_part(const VectorOperandShape& source, std::uint32_t repeat) const {
    if (source.element_bytes != shape_.dst.element_bytes) return "";
    const std::uint64_t blocks = shape_.blocks_of(source, repeat);
    for (std::uint64_t i = 0; i < blocks; ++i) {
      for (std::uint64_t j = 0; j < blocks; ++j) {
        if (i == j || block_at(source, repeat, i) != block_at(shape_.dst, repeat, j)) continue;
        return "source and destination overlap in part: within a repeat they must be the same "
               "bytes "
               "or lie apart";
      }
    }
    return "";
  }

  const VectorShape& shape_;
  std::vector<std::uint32_t> writer_;  ///< repeat + 1 that wrote a DataBlock of UB; 0: none
};

}  // namespace

bool meets_itself(const Access& access) {
  const auto bytes = static_cast<std::int64_t>(access.bytes);
  const auto last_row = static_cast<std::int64_t>(access.rows) - 1;
  if (access.again() || (last_row > 0 && std::abs(access.pitch) < bytes)) return true;
  // A run of one group and the run of another that is next to it.
  for (std::uint64_t group = 1; group < access.groups; ++group) {
    const std::int64_t apart = std::abs(static_cast<std::int64_t>(group) * access.group_pitch);
    const std::int64_t pitch = std::max<std::int64_t>(std::abs(access.pitch), 1);
    const std::int64_t below = std::min(apart / pitch, last_row);
    const std::int64_t above = std::min(below + 1, last_row);
    if (apart - below * pitch < bytes || std::abs(apart - above * pitch) < bytes) return true;
  }
  return false;
}

std::string operand_overlap(const isa::DecodedInstr& instr, const isa::AccessList& accesses) {
  if (!isa::works_lane_by_lane(instr.op) || !overlaps_in_part(accesses)) return "";
  return instr.shape.dst.used() ? Repeats(instr.shape).find(instr) : "";
}

}  // namespace davsim::checker
