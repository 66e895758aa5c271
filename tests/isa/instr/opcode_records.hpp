// A record for any vector opcode, made from its row alone, and a core to carry it out on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "isa/instr/vector_types.hpp"
#include "tests/isa/test_core.hpp"

namespace davsim::test {

/// Every opcode, in the order of its rows.
inline std::vector<isa::Opcode> all_opcodes() {
  std::vector<isa::Opcode> all;
  for (std::size_t i = 0; i < isa::kOpcodeCount; ++i) all.push_back(static_cast<isa::Opcode>(i));
  return all;
}

inline std::vector<isa::DType> all_types() {
  std::vector<isa::DType> all;
  for (auto type = static_cast<int>(isa::DType::kNone); type <= static_cast<int>(isa::DType::kF64);
       ++type) {
    all.push_back(static_cast<isa::DType>(type));
  }
  return all;
}

/// Where record_of() puts the operands: far enough from each other for two repeats of anything.
inline constexpr std::uint64_t kDstAt = 0, kSrc0At = 16384, kSrc1At = 32768;
inline constexpr std::uint64_t kOperandBytes = 4096;

inline isa::Operand operand_of(isa::Form form, isa::DType type, std::uint64_t addr) {
  if (form == isa::Form::kAbsent || form == isa::Form::kQuantWords) return {};
  const bool offsets = form == isa::Form::kOffsets || form == isa::Form::kBlockOffsets ||
                       form == isa::Form::kIndices;
  return {isa::Space::kUb, offsets ? isa::DType::kU32 : type, addr};
}

/// A word for DEQSCALE: factor 1, no offset, signed where the results are.
inline std::uint64_t deq_word(isa::DType dst) {
  constexpr std::uint64_t kOne = 0x3f800000, kSigned = std::uint64_t{1} << 46;
  return kOne | (dst == isa::DType::kI8 ? kSigned : 0);
}

/// A rounding mode that Cast takes between these types; the first one.
inline isa::RoundMode round_mode_of(isa::DType dst, isa::DType src) {
  for (std::size_t mode = 0; mode < isa::kRoundModes; ++mode) {
    const auto round = static_cast<isa::RoundMode>(mode);
    if (isa::cast_mode_exists(dst, src, round)) return round;
  }
  return isa::RoundMode::kNone;
}

/// DataBlocks from repeat to repeat of elements of `type` that lie without gaps, where the types of
/// the instruction are `dst` and `src`.
inline std::uint16_t dense_repeat(isa::DType type, isa::DType dst, isa::DType src) {
  const std::size_t widest = std::max({isa::dtype_bits(dst), isa::dtype_bits(src), std::size_t{8}});
  return static_cast<std::uint16_t>(isa::kBlocksPerRepeat * isa::dtype_bits(type) / widest);
}

/// A record of a vector instruction with two full repeats, for results of `dst` from elements of
/// `src`. It is legal if these types exist for the opcode.
inline isa::Instr record_of(isa::Opcode op, isa::DType dst, isa::DType src) {
  using isa::Form;
  const isa::OpcodeFacts& row = isa::facts(op);
  isa::Instr instr;
  instr.op = op;
  instr.pipe = isa::Pipe::V;
  instr.dst = operand_of(row.dst, dst, kDstAt);
  instr.dst.type = dst;
  instr.src0 = operand_of(row.src0, src, kSrc0At);
  instr.src1 = operand_of(row.src1, src, kSrc1At);
  if (row.dst == Form::kTiles) {
    isa::TransposeParams params;
    for (std::uint16_t i = 0; i < 16; ++i) {
      params.dst[i] = static_cast<std::uint16_t>(kDstAt / 32 + i);
      params.src[i] = static_cast<std::uint16_t>(kSrc0At / 32 + i);
    }
    params.repeats = 2;
    params.dst_step = params.src_step = 16;
    instr.params = params;
    return instr;
  }
  if (row.dst == Form::kPairs) {
    isa::SortParams params;
    params.queues = 2;
    params.lengths = {4, 4, 0, 0};
    params.queue_addr = {kSrc0At, kSrc1At, 0, 0};
    instr.params = params;
    return instr;
  }
  isa::VectorParams params;
  params.repeats = row.writes == isa::VectorRegister::kCmpMask ? 1 : 2;
  params.compare = isa::CompareMode::kEqual;
  params.pattern = 1;
  params.order = isa::ReduceOrder::kOnlyValue;
  if (row.dst == Form::kResults) params.dst = {1, 1};
  if (isa::computes_lanes(op)) {
    params.dst.repeat = dense_repeat(dst, dst, src);
    params.src0.repeat = params.src1.repeat = dense_repeat(src, dst, src);
  }
  if (op == isa::Opcode::kCast) params.round = round_mode_of(dst, src);
  params.scalar = row.src1 == Form::kQuantWords ? deq_word(dst) : 1;
  instr.params = params;
  return instr;
}

/// UB of a test core as bytes.
inline std::span<std::byte> ub_of(TestCore& core) {
  return {core.buffer<std::byte>(isa::Space::kUb), std::size_t{65536}};
}

/// Random bytes, the same for the same seed.
inline const std::vector<std::byte>& random_bytes(std::uint32_t seed) {
  static std::map<std::uint32_t, std::vector<std::byte>> made;
  std::vector<std::byte>& bytes = made[seed];
  if (bytes.empty()) {
    std::mt19937 random(seed);
    bytes.resize(65536);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  }
  return bytes;
}

/// Fills UB with random_bytes(seed).
inline void fill_ub(TestCore& core, std::uint32_t seed) {
  std::memcpy(ub_of(core).data(), random_bytes(seed).data(), ub_of(core).size());
}

/// The destination after `instr` was carried out.
inline std::vector<std::byte> result_of(TestCore& core, const isa::Instr& instr) {
  isa::execute(instr, core.memory);
  const auto ub = ub_of(core).subspan(instr.dst.addr, kOperandBytes);
  return {ub.begin(), ub.end()};
}

}  // namespace davsim::test
