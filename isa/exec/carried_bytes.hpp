// Which results come from given bytes of a source, found by carrying the instruction out on bytes
// that are marked. For instructions that only move elements (Gather, Gatherb, GatherMask, the
// transposes, loads from L1) and for Mmad.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "isa/core/core_memory.hpp"
#include "isa/instr/decoded_instr.hpp"

namespace davsim::isa {

/// Whether `instr` is such an instruction and reads elements through `operand`, which is one of its
/// own or null where sixteen DataBlocks are of no tensor. Offsets and bits that say what is moved
/// are no such elements.
bool carries(const DecodedInstr& instr, const Operand* operand);

/// Ranges of addresses of one memory, each from and to.
using ByteRanges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// Calls visit(addr, bytes) for the bytes of the destination that such an instruction makes of
/// these ranges of what it reads through `operand`. Offsets and bits are read in `memory`, which is
/// not changed.
void for_each_carried(const DecodedInstr& instr, const CoreMemory& memory, const Operand* operand,
                      const ByteRanges& ranges,
                      const std::function<void(std::uint64_t addr, std::uint64_t bytes)>& visit);

}  // namespace davsim::isa
