// The one memory operand of an x86-64 instruction.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace davsim::isa {

/// An instruction that loads or stores, as far as a copy of it with another address needs it.
struct X86Access {
  static constexpr std::size_t kMostBytes = 15;

  std::uint8_t length = 0;  ///< bytes of the instruction
  std::uint8_t bytes = 0;   ///< of memory that it accesses
  bool loads = false;
  bool stores = false;
  bool repeats_string = false;  ///< rep movs or rep stos; `bytes` are those of an element
  bool string_moves = false;    ///< movs; else, without a ModRM byte, stos

  /// A copy that accesses memory `distance` bytes further on; at most 4 bytes longer.
  std::array<std::uint8_t, kMostBytes + 4> moved(const std::uint8_t* code, std::int32_t distance,
                                                 std::uint8_t& moved_length) const;

  // Where its parts are.
  std::uint8_t modrm = 0;         ///< index of the ModRM byte; 0: movs or stos, which have none
  std::uint8_t displacement = 0;  ///< index behind ModRM and SIB
  std::uint8_t displacement_bytes = 0;
  bool without_base = false;  ///< the address is index and displacement alone
};

/// Nothing: an instruction that compilers do not make for such accesses.
std::optional<X86Access> decode_x86_access(const std::uint8_t* code);

}  // namespace davsim::isa
