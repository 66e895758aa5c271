#include "isa/exec/vector/carried_bytes.hpp"

#include <cstring>
#include <vector>

#include "isa/core/registers.hpp"
#include "isa/exec/accesses.hpp"
#include "isa/exec/execute.hpp"
#include "isa/instr/opcode_facts.hpp"

namespace davsim::isa {
namespace {

/// A UB of zeros. The instruction is carried out there on bytes that are marked: what is not zero
/// afterwards has come from them.
class Board {
 public:
  explicit Board(std::uint64_t ub_bytes) : ub_(ub_bytes), registers_(kSprBytes) {
    view_.attach(Space::kUb, ub_);
    view_.attach(Space::kSpr, registers_);
  }
  void copy(const Access& access, const CoreMemory& memory) {
    access.for_each_touched([&](std::uint64_t addr, std::uint64_t bytes) {
      std::memcpy(&ub_[addr], memory.at(Space::kUb, addr, bytes), bytes);
    });
  }
  void mark(std::uint64_t from, std::uint64_t to) { std::memset(&ub_[from], 0xff, to - from); }
  const CoreMemory& view() const { return view_; }
  template <class Visit>
  void for_each_marked(const Access& access, Visit visit) const {
    access.for_each_touched([&](std::uint64_t addr, std::uint64_t bytes) {
      const std::uint64_t end = addr + bytes;
      for (std::uint64_t from = addr; from < end;) {
        std::uint64_t to = from;
        while (to < end && ub_[to] != std::byte{0}) ++to;
        if (to > from) visit(from, to - from);
        from = to + 1;
      }
    });
  }

 private:
  std::vector<std::byte> ub_, registers_;
  CoreMemory view_;
};

bool moves_tiles(const DecodedInstr& instr) {
  return facts(instr.op).src0 == Form::kTiles;
}

}  // namespace

bool carries(const DecodedInstr& instr, const Operand* operand) {
  const OpcodeFacts& row = facts(instr.op);
  if (moves_tiles(instr)) return operand == nullptr || operand == &instr.src0;
  if (row.src1 == Form::kGathered) return operand == &instr.src1;
  return row.dst == Form::kKept && operand == &instr.src0;
}

void for_each_carried(const DecodedInstr& instr, const CoreMemory& memory,
                      std::pair<std::uint64_t, std::uint64_t> from_to,
                      const std::function<void(std::uint64_t, std::uint64_t)>& visit) {
  AccessList accesses;
  list_accesses(instr, memory, accesses);
  Board board(memory.size(Space::kUb));
  for (const Access& access : accesses) {
    const bool steers =
        !access.writes() && access.space == Space::kUb && !carries(instr, access.operand);
    if (steers) board.copy(access, memory);
  }
  board.mark(from_to.first, from_to.second);
  try {
    execute(instr, board.view());
  } catch (const Fault&) {
    return;  // it is told when the instruction is carried out
  }
  for (const Access& access : accesses) {
    if (access.writes() && access.space == Space::kUb) board.for_each_marked(access, visit);
  }
}

}  // namespace davsim::isa
