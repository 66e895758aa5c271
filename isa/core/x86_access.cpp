#include "isa/core/x86_access.hpp"

#include <cstring>

namespace davsim::isa {
namespace {

enum class Prefix : std::uint8_t { kNone, k66, kF3, kF2 };

/// What an instruction is, before its operand is read.
struct Opcode {
  std::uint8_t map = 0;  ///< 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A
  std::uint8_t code = 0;
  Prefix prefix = Prefix::kNone;
  bool wide = false;  ///< REX.W
  bool vex = false;
  bool long_vector = false;
};

/// What it does to memory, and the bytes of its immediate operand.
struct Effect {
  std::uint8_t bytes = 0;
  bool loads = true;
  bool stores = false;
  std::uint8_t immediate = 0;
};
constexpr Effect load(std::uint8_t bytes, std::uint8_t immediate = 0) {
  return {bytes, true, false, immediate};
}
constexpr Effect store(std::uint8_t bytes, std::uint8_t immediate = 0) {
  return {bytes, false, true, immediate};
}
constexpr Effect change(std::uint8_t bytes, std::uint8_t immediate = 0) {
  return {bytes, true, true, immediate};
}

std::uint8_t word_bytes(const Opcode& op) {
  return op.wide ? 8 : op.prefix == Prefix::k66 ? 2 : 4;
}
std::uint8_t vector_bytes(const Opcode& op) {
  return op.long_vector ? 32 : 16;
}
/// Of floating-point arithmetic: one float, one double, or a vector.
std::uint8_t number_bytes(const Opcode& op) {
  if (op.prefix == Prefix::kF3) return 4;
  return op.prefix == Prefix::kF2 ? 8 : vector_bytes(op);
}

std::optional<Effect> one_byte(const Opcode& op, unsigned reg) {
  const std::uint8_t code = op.code;
  const std::uint8_t bytes = (code & 1) == 0 ? 1 : word_bytes(op);
  const auto immediate = static_cast<std::uint8_t>(bytes == 8 ? 4 : bytes);
  if (code < 0x40 && (code & 7) < 4) {
    const bool compares = code >= 0x38;
    if ((code & 2) != 0 || compares) return load(bytes);
    return change(bytes);
  }
  switch (code) {
    case 0x63:
      return load(4);
    case 0x69:
      return load(word_bytes(op), word_bytes(op) == 2 ? 2 : 4);
    case 0x6b:
      return load(word_bytes(op), 1);
    case 0x80:
    case 0x81:
    case 0x83: {
      const std::uint8_t more = code == 0x81 ? immediate : 1;
      return reg == 7 ? load(bytes, more) : change(bytes, more);
    }
    case 0x84:
    case 0x85:
    case 0x8a:
    case 0x8b:
      return load(bytes);
    case 0x86:
    case 0x87:
      return change(bytes);
    case 0x88:
    case 0x89:
      return store(bytes);
    case 0xc0:
    case 0xc1:
      return change(bytes, 1);
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
      return change(bytes);
    case 0xc6:
    case 0xc7:
      return store(bytes, immediate);
    case 0xf6:
    case 0xf7:
      if (reg < 2) return load(bytes, immediate);
      return reg < 4 ? change(bytes) : load(bytes);
    case 0xfe:
    case 0xff:
      if (reg < 2) return change(bytes);
      return code == 0xff && reg == 6 ? std::optional(load(8)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// Of two bytes, with general registers.
std::optional<Effect> two_bytes_general(const Opcode& op) {
  const std::uint8_t code = op.code;
  if (code >= 0x40 && code <= 0x4f) return load(word_bytes(op));
  if (code >= 0x90 && code <= 0x9f) return store(1);
  switch (code) {
    case 0xaf:
    case 0xb8:
    case 0xbc:
    case 0xbd:
      return load(word_bytes(op));
    case 0xb0:
    case 0xc0:
      return change(1);
    case 0xb1:
    case 0xc1:
      return change(word_bytes(op));
    case 0xb6:
    case 0xbe:
      return load(1);
    case 0xb7:
    case 0xbf:
      return load(2);
    default:
      return std::nullopt;
  }
}

/// Of two bytes, with vector registers.
std::optional<Effect> two_bytes_vector(const Opcode& op) {
  const std::uint8_t code = op.code, vector = vector_bytes(op);
  const bool scalar = op.prefix == Prefix::kF3 || op.prefix == Prefix::kF2;
  if (code == 0x5a && op.prefix == Prefix::kNone)
    return load(static_cast<std::uint8_t>(vector / 2));
  if (code == 0x5b) return load(vector);
  if (code >= 0x51 && code <= 0x5f) return load(number_bytes(op));
  switch (code) {
    case 0x10:
      return load(number_bytes(op));
    case 0x11:
      return store(number_bytes(op));
    case 0x12:
    case 0x16:
      return load(scalar ? vector : 8);
    case 0x13:
    case 0x17:
      return store(8);
    case 0x28:
      return load(vector);
    case 0x29:
    case 0x2b:
    case 0xe7:
      return store(vector);
    case 0x2a:
      return load(op.wide || !scalar ? 8 : 4);
    case 0x2c:
    case 0x2d:
      return load(op.prefix == Prefix::kF3 ? 4 : 8);
    case 0x2e:
    case 0x2f:
      return load(op.prefix == Prefix::k66 ? 8 : 4);
    case 0x6e:
      return load(op.wide ? 8 : 4);
    case 0x7e:
      if (op.prefix == Prefix::kF3) return load(8);
      return store(op.wide ? 8 : 4);
    case 0x70:
    case 0xc6:
      return load(vector, 1);
    case 0x7f:
      return store(vector);
    case 0xc2:
      return load(number_bytes(op), 1);
    case 0xc4:
      return load(2, 1);
    case 0xd6:
      return store(8);
    case 0xe6:
      return load(op.prefix == Prefix::kF3 ? 8 : vector);
    default:
      break;
  }
  const bool integers = (code >= 0x60 && code <= 0x76) || code >= 0xd0;
  if (integers || code == 0x14 || code == 0x15 || code == 0x7c || code == 0x7d) return load(vector);
  return std::nullopt;
}

std::optional<Effect> two_bytes(const Opcode& op) {
  const std::optional<Effect> general = two_bytes_general(op);
  return general ? general : two_bytes_vector(op);
}

std::optional<Effect> three_bytes_38(const Opcode& op) {
  const std::uint8_t code = op.code, vector = vector_bytes(op);
  if (code >= 0xf0) return op.vex ? std::optional(load(op.wide ? 8 : 4)) : std::nullopt;
  // Integers made wider: of 8 to 16, 32, 64 bits, of 16 to 32, 64, of 32 to 64.
  constexpr std::uint8_t kParts[] = {2, 4, 8, 2, 4, 2};
  const unsigned low = code & 15u;
  if ((code >> 4 == 2 || code >> 4 == 3) && low < 6) {
    return load(static_cast<std::uint8_t>(vector / kParts[low]));
  }
  if (code == 0x18 || code == 0x58) return load(4);
  if (code == 0x19 || code == 0x59) return load(8);
  if (code == 0x78) return load(1);
  if (code == 0x79) return load(2);
  if (code == 0x1a || code == 0x5a) return load(16);
  return load(vector);
}

std::optional<Effect> three_bytes_3a(const Opcode& op) {
  switch (op.code) {
    case 0x0a:
    case 0x17:
    case 0x21:
      return op.code == 0x17 ? store(4, 1) : load(4, 1);
    case 0x0b:
      return load(8, 1);
    case 0x14:
      return store(1, 1);
    case 0x15:
      return store(2, 1);
    case 0x16:
      return store(op.wide ? 8 : 4, 1);
    case 0x18:
    case 0x38:
      return load(16, 1);
    case 0x19:
    case 0x39:
      return store(16, 1);
    case 0x20:
      return load(1, 1);
    case 0x22:
      return load(op.wide ? 8 : 4, 1);
    default:
      return load(vector_bytes(op), 1);
  }
}

std::optional<Effect> effect_of(const Opcode& op, unsigned reg) {
  switch (op.map) {
    case 0:
      return one_byte(op, reg);
    case 1:
      return two_bytes(op);
    case 2:
      return three_bytes_38(op);
    case 3:
      return three_bytes_3a(op);
    default:
      return std::nullopt;
  }
}

/// Reads prefixes and opcode; `at` is behind them then. False for what is not read.
bool read_opcode(const std::uint8_t* code, std::uint8_t& at, Opcode& op, bool& repeats) {
  for (;; ++at) {
    if (code[at] == 0x66) {
      if (op.prefix == Prefix::kNone) op.prefix = Prefix::k66;
    } else if (code[at] == 0xf3 || code[at] == 0xf2) {
      op.prefix = code[at] == 0xf3 ? Prefix::kF3 : Prefix::kF2;
      repeats = true;
    } else if (code[at] != 0x67) {  // addresses of 32 bits, in which the window lies too
      break;
    }
  }
  // EVEX and segments.
  if (code[at] == 0x62 || code[at] == 0x64 || code[at] == 0x65) return false;
  if (code[at] == 0xc5 || code[at] == 0xc4) {
    op.vex = true;
    const bool longer = code[at] == 0xc4;
    const std::uint8_t last = code[at + (longer ? 2 : 1)];
    op.map = longer ? code[at + 1] & 31 : 1;
    op.wide = longer && (last & 0x80) != 0;
    op.long_vector = (last & 4) != 0;
    constexpr Prefix kPrefixes[] = {Prefix::kNone, Prefix::k66, Prefix::kF3, Prefix::kF2};
    op.prefix = kPrefixes[last & 3];
    at = static_cast<std::uint8_t>(at + (longer ? 3 : 2));
    op.code = code[at++];
    return true;
  }
  if ((code[at] & 0xf0) == 0x40) op.wide = (code[at++] & 8) != 0;
  op.code = code[at++];
  if (op.code != 0x0f) return true;
  op.map = 1;
  op.code = code[at++];
  if (op.code != 0x38 && op.code != 0x3a) return true;
  op.map = op.code == 0x38 ? 2 : 3;
  op.code = code[at++];
  return true;
}

}  // namespace

std::optional<X86Access> decode_x86_access(const std::uint8_t* code) {
  Opcode op;
  bool repeats = false;
  std::uint8_t at = 0;
  if (!read_opcode(code, at, op, repeats)) return std::nullopt;
  X86Access access;
  if (op.map == 0 && (op.code == 0xa4 || op.code == 0xa5)) {
    access = {at, (op.code & 1) == 0 ? std::uint8_t{1} : word_bytes(op), true, true, repeats, true};
    return access;
  }
  if (op.map == 0 && (op.code == 0xaa || op.code == 0xab)) {
    access = {at, op.code == 0xaa ? std::uint8_t{1} : word_bytes(op), false, true, repeats, false};
    return access;
  }
  access.modrm = at;
  const unsigned mode = code[at] >> 6, reg = code[at] >> 3 & 7, base = code[at] & 7;
  ++at;
  if (mode == 3) return std::nullopt;
  bool no_base = mode == 0 && base == 5;
  if (no_base) return std::nullopt;  // relative to the instruction
  if (base == 4) {
    no_base = mode == 0 && (code[at] & 7) == 5;
    ++at;
  }
  access.without_base = no_base;
  access.displacement = at;
  access.displacement_bytes = static_cast<std::uint8_t>(mode == 1              ? 1
                                                        : mode == 2 || no_base ? 4
                                                                               : 0);
  const auto effect = effect_of(op, reg);
  if (!effect) return std::nullopt;
  access.bytes = effect->bytes;
  access.loads = effect->loads;
  access.stores = effect->stores;
  access.length = static_cast<std::uint8_t>(at + access.displacement_bytes + effect->immediate);
  return access;
}

std::array<std::uint8_t, X86Access::kMostBytes + 4> X86Access::moved(
    const std::uint8_t* code, std::int32_t distance, std::uint8_t& moved_length) const {
  std::array<std::uint8_t, kMostBytes + 4> copy{};
  std::int32_t offset = 0;
  if (displacement_bytes == 1) {
    offset = static_cast<std::int8_t>(code[displacement]);
  } else if (displacement_bytes == 4) {
    std::memcpy(&offset, code + displacement, 4);
  }
  offset += distance;
  std::memcpy(copy.data(), code, displacement);
  // A displacement of 32 bits; without a base it has them already.
  if (!without_base) copy[modrm] = static_cast<std::uint8_t>((copy[modrm] & 0x3f) | 0x80);
  std::memcpy(copy.data() + displacement, &offset, 4);
  const std::uint8_t rest = displacement + displacement_bytes;
  std::memcpy(copy.data() + displacement + 4, code + rest, length - rest);
  moved_length = static_cast<std::uint8_t>(displacement + 4 + length - rest);
  return copy;
}

}  // namespace davsim::isa
