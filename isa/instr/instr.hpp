// The instruction record: what every kernel API call builds and every sink consumes.
#pragma once

#include <cstdint>
#include <variant>

#include "isa/core/source_location.hpp"
#include "isa/instr/opcode.hpp"
#include "isa/instr/params.hpp"
#include "isa/numeric/dtype.hpp"

namespace davsim::isa {

/// A tensor operand: where it starts and what its elements are.
struct Operand {
  Space space = Space::kNone;
  DType type = DType::kNone;
  /// Byte offset in an on-chip buffer; for GM the pointer value (an address in the device's range).
  std::uint64_t addr = 0;
  /// Bytes from `addr` to the end of the tensor, as far as its length is known and fits.
  std::uint32_t room = kUnbounded;
  /// Number of the tensor's buffer where a checker watches, see isa/core/core_watcher.hpp; else 0.
  std::uint16_t buffer = 0;
  /// Global memory that L2 is not to keep: bit 0 what is read, bit 1 what is written.
  std::uint8_t past_l2 = 0;

  static constexpr std::uint32_t kUnbounded = UINT32_MAX;
};

using Params =
    std::variant<std::monostate, VectorParams, TransposeParams, SortParams, MoveParams,
                 Nd2NzMoveParams, Load2dParams, Load3dParams, MmadInstrParams, FixpipeInstrParams,
                 FlagParams, CrossCoreFlagParams, ScalarParams, PreloadParams>;

struct Instr {
  Opcode op = Opcode::kScalarOp;
  Pipe pipe = Pipe::S;  ///< queue it goes to
  Operand dst, src0, src1;
  Params params;
  SourceLocation where;  ///< the API call in the kernel's source

  const OpcodeInfo& opcode_info() const { return info(op); }
};

}  // namespace davsim::isa
