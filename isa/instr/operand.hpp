// Operands of instructions. Apart from the record, because the kernel API deals in operands and
// leaves the making of records to a source file.
#pragma once

#include <cstdint>

#include "isa/instr/opcode.hpp"
#include "isa/numeric/dtype.hpp"

namespace davsim::isa {

/// A tensor operand: where it starts and what its elements are. Records hold three of them, so they
/// are kept small.
struct Operand {
  static constexpr std::uint32_t kUnbounded = UINT32_MAX;

  constexpr Operand() = default;
  constexpr Operand(Space in, DType of, std::uint64_t at, std::uint32_t bytes = kUnbounded,
                    std::uint16_t number = 0, std::uint8_t no_lines = 0)
      : space(in), no_allocate(no_lines), type(of), buffer(number), room(bytes), addr(at) {}

  /// Whether this is a LocalTensor that no AllocTensor, DeQue or Get has given a place, or a part
  /// of one. An operand that an instruction has not, has no type either.
  constexpr bool placeless() const { return space == Space::kNone && type != DType::kNone; }

  Space space : 6 = Space::kNone;
  /// Global memory for which L2 allocates no lines: bit 0 what is read, bit 1 what is written.
  std::uint8_t no_allocate : 2 = 0;
  DType type = DType::kNone;
  /// Number of the tensor's buffer, or of the tensor in global memory that this was cut out of,
  /// where a checker watches, see isa/core/core_watcher.hpp; else 0.
  std::uint16_t buffer = 0;
  /// Bytes from `addr` to the end of the tensor, as far as its length is known and fits.
  std::uint32_t room = kUnbounded;
  /// Byte offset in an on-chip buffer; for GM the pointer value (an address in the device's range).
  std::uint64_t addr = 0;
};
static_assert(sizeof(Operand) == 16);

}  // namespace davsim::isa
