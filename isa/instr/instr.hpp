// The instruction record: what every kernel API call builds and every sink consumes.
#pragma once

#include <cstdint>
#include <variant>

#include "isa/instr/opcode.hpp"
#include "isa/instr/operand.hpp"
#include "isa/instr/params.hpp"
#include "isa/instr/source_location.hpp"

namespace davsim::isa {

using Params =
    std::variant<std::monostate, VectorParams, TransposeParams, SortParams, MoveParams,
                 Nd2NzMoveParams, Load2dParams, Load3dParams, MmadInstrParams, FixpipeInstrParams,
                 FlagParams, BarrierParams, CrossCoreFlagParams, ScalarParams, PreloadParams>;

struct Instr {
  Opcode op = Opcode::kScalarOp;
  Pipe pipe = Pipe::S;  ///< queue it goes to
  Operand dst, src0, src1;
  Params params;
  SourceLocation where;  ///< the API call in the kernel's source

  const OpcodeInfo& opcode_info() const { return info(op); }
};

}  // namespace davsim::isa
