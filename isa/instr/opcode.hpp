// Opcodes, functional units and pipes; generated from the rows of opcodes.def. The other facts of a
// row are in isa/instr/opcode_facts.hpp, which only those include who ask for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace davsim::isa {

/// Functional unit that carries an instruction out; decides which model times it.
enum class Unit : std::uint8_t { Scalar, Vector, Cube, Load, Dma, Fixpipe, Sync };

enum class Opcode : std::uint8_t {
#define DAVSIM_OPCODE(id, mnemonic, unit, ...) id,
#include "isa/instr/opcodes.def"
#undef DAVSIM_OPCODE
};

struct OpcodeInfo {
  std::string_view mnemonic;
  Unit unit;
};

inline constexpr std::array kOpcodeInfo = {
#define DAVSIM_OPCODE(id, mnemonic, unit, ...) OpcodeInfo{mnemonic, Unit::unit},
#include "isa/instr/opcodes.def"
#undef DAVSIM_OPCODE
};

inline constexpr std::size_t kOpcodeCount = kOpcodeInfo.size();

constexpr const OpcodeInfo& info(Opcode op) {
  return kOpcodeInfo[static_cast<std::size_t>(op)];
}

/// The instruction queues of a core. ALL is a barrier's operand, never a queue.
enum class Pipe : std::uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX, ALL };
inline constexpr std::size_t kPipeCount = 7;

constexpr std::string_view pipe_name(Pipe pipe) {
  constexpr std::array<std::string_view, 8> kNames = {"S",    "V",    "M",   "MTE1",
                                                      "MTE2", "MTE3", "FIX", "ALL"};
  return kNames[static_cast<std::size_t>(pipe)];
}

/// The pipes of a core. Every core has S; ALL stands for all that it has.
class PipeMask {
 public:
  constexpr bool has(Pipe pipe) const { return (bits_ >> static_cast<unsigned>(pipe) & 1u) != 0; }
  constexpr void add(Pipe pipe) {
    bits_ = static_cast<std::uint8_t>(bits_ | 1u << static_cast<unsigned>(pipe));
  }

 private:
  std::uint8_t bits_ =
      1u << static_cast<unsigned>(Pipe::S) | 1u << static_cast<unsigned>(Pipe::ALL);
};

enum class CoreType : std::uint8_t { AIC, AIV };

constexpr std::string_view core_type_name(CoreType type) {
  return type == CoreType::AIC ? "AIC" : "AIV";
}

/// Memories an operand can lie in; the order is that of docs/architecture.md.
enum class Space : std::uint8_t {
  kNone,
  kGm,
  kL1,
  kL0A,
  kL0B,
  kL0C,
  kBt,
  kFb,
  kUb,
  kSparseIndex,  ///< beside L0B, a quarter of its size; only LoadDataWithSparse and Mmad reach it
  kSpr,          ///< registers that the vector unit writes, see isa/core/registers.hpp
};
inline constexpr std::size_t kSpaceCount = 11;

constexpr std::string_view space_name(Space space) {
  constexpr std::array<std::string_view, kSpaceCount> kNames = {
      "-", "GM", "L1", "L0A", "L0B", "L0C", "BT", "FB", "UB", "sparse index", "SPR"};
  return kNames[static_cast<std::size_t>(space)];
}

}  // namespace davsim::isa
