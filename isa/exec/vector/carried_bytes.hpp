// Where vector instructions that only move elements put given bytes of their source: Gather,
// Gatherb, GatherMask and the transposes.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "isa/core/core_memory.hpp"
#include "isa/instr/decoded_instr.hpp"

namespace davsim::isa {

/// Whether `instr` only moves the elements that it reads through `operand`, which is one of its own
/// or null where its sixteen DataBlocks are of no tensor. Offsets and bits that say what is moved
/// are no such elements.
bool carries(const DecodedInstr& instr, const Operand* operand);

/// Calls visit(addr, bytes) for the bytes of UB to which such an instruction moves the source's
/// bytes [from, to) of UB. Offsets and bits are read in `memory`, which is not changed.
void for_each_carried(const DecodedInstr& instr, const CoreMemory& memory,
                      std::pair<std::uint64_t, std::uint64_t> from_to,
                      const std::function<void(std::uint64_t addr, std::uint64_t bytes)>& visit);

}  // namespace davsim::isa
