#include "isa/exec/carried_bytes.hpp"

#include <array>
#include <cstring>

#include "isa/exec/accesses.hpp"
#include "isa/exec/execute.hpp"
#include "isa/instr/opcode_facts.hpp"

namespace davsim::isa {
namespace {

/// What a marked byte holds. Elements of such bytes are positive numbers near 1 in all types of
/// floats, and products of them neither vanish nor cancel in any type.
constexpr int kMark = 0x3f;

/// Memories of zeros. What the instruction leaves there that is not zero comes from marked bytes.
class Board {
 public:
  /// With the memories that the accesses name.
  Board(const CoreMemory& memory, const AccessList& accesses) {
    for (const Access& access : accesses) {
      std::vector<std::byte>& bytes = of(access.space);
      if (!bytes.empty()) continue;
      bytes.resize(memory.size(access.space));
      view_.attach(access.space, bytes);
    }
  }
  void copy(const Access& access, const CoreMemory& memory) {
    access.for_each_touched([&](std::uint64_t addr, std::uint64_t bytes) {
      std::memcpy(&of(access.space)[addr], memory.at(access.space, addr, bytes), bytes);
    });
  }
  void mark(const Access& access) {
    access.for_each_touched([&](std::uint64_t addr, std::uint64_t bytes) {
      std::memset(&of(access.space)[addr], kMark, bytes);
    });
  }
  void mark(Space space, const ByteRanges& ranges) {
    for (const auto& [from, to] : ranges) std::memset(&of(space)[from], kMark, to - from);
  }
  const CoreMemory& view() const { return view_; }
  template <class Visit>
  void for_each_marked(const Access& access, Visit visit) {
    const std::vector<std::byte>& memory = of(access.space);
    access.for_each_touched([&](std::uint64_t addr, std::uint64_t bytes) {
      const std::uint64_t end = addr + bytes;
      for (std::uint64_t from = addr; from < end;) {
        std::uint64_t to = from;
        while (to < end && memory[to] != std::byte{0}) ++to;
        if (to > from) visit(from, to - from);
        from = to + 1;
      }
    });
  }

 private:
  std::vector<std::byte>& of(Space space) { return memories_[static_cast<std::size_t>(space)]; }

  std::array<std::vector<std::byte>, kSpaceCount> memories_;
  CoreMemory view_;
};

bool multiplies(const DecodedInstr& instr) {
  return instr.op == Opcode::kMmad && !std::get<MmadInstrParams>(instr.params).sparse;
}

/// Fills what the instruction reads beside the source. The factor of a product is 1 or so, offsets
/// and bits are what they are.
void prepare(const DecodedInstr& instr, const CoreMemory& memory, const Operand* operand,
             const AccessList& accesses, Board& board) {
  for (const Access& access : accesses) {
    if (access.writes() || access.operand == operand) continue;
    if (multiplies(instr)) {
      const bool factor =
          access.operand != nullptr && operand != &instr.dst && access.operand != &instr.dst;
      if (factor) board.mark(access);
    } else if (!carries(instr, access.operand)) {
      board.copy(access, memory);
    }
  }
}

}  // namespace

bool carries(const DecodedInstr& instr, const Operand* operand) {
  if (multiplies(instr)) return operand != nullptr;
  const OpcodeFacts& row = facts(instr.op);
  switch (row.src0) {
    case Form::kTiles:
      return operand == nullptr || operand == &instr.src0;
    case Form::kFractals:
    case Form::kSquares:
      return instr.src0.space == Space::kL1 && row.src1 == Form::kAbsent && operand == &instr.src0;
    case Form::kFeatureMap:  // what lies outside the map is filled with the pad value
      return operand == &instr.src0 && std::get<Load3dParams>(instr.params).pad_value == 0;
    default:
      break;
  }
  if (row.src1 == Form::kGathered) return operand == &instr.src1;
  return row.dst == Form::kKept && operand == &instr.src0;
}

void for_each_carried(const DecodedInstr& instr, const CoreMemory& memory, const Operand* operand,
                      const ByteRanges& ranges,
                      const std::function<void(std::uint64_t, std::uint64_t)>& visit) {
  AccessList accesses;
  list_accesses(instr, memory, accesses);
  Board board(memory, accesses);
  prepare(instr, memory, operand, accesses, board);
  board.mark(operand == nullptr ? instr.src0.space : operand->space, ranges);
  try {
    execute(instr, board.view());
  } catch (const Fault&) {
    return;  // it is told when the instruction is carried out
  }
  for (const Access& access : accesses) {
    if (access.writes() && access.space == instr.dst.space) board.for_each_marked(access, visit);
  }
}

}  // namespace davsim::isa
