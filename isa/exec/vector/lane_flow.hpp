// Which results of a vector instruction depend on given bytes of a source, for instructions whose
// results depend on lanes of their own alone.
#pragma once

#include <cstdint>
#include <functional>

#include "isa/instr/decoded_instr.hpp"

namespace davsim::isa {

/// Whether each result of `instr` depends on its own lane of `operand` alone, or on its own group
/// of lanes. `operand` is one of those of `instr`, or null for what has no tensor.
bool flows_by_lanes(const DecodedInstr& instr, const Operand* operand);

/// Bytes [from, to) of UB that an instruction reads through an operand.
struct SourceBytes {
  const Operand* operand;
  std::uint64_t from, to;
};

/// Calls visit(space, addr, bytes) for the bytes of UB and of registers that an instruction of this
/// kind computes from these bytes. A byte of bits counts if all of its lanes are among them.
void for_each_result_of(
    const DecodedInstr& instr, const SourceBytes& source,
    const std::function<void(Space space, std::uint64_t addr, std::uint64_t bytes)>& visit);

}  // namespace davsim::isa
