#include "tests/isa/exec/access_check.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>

namespace davsim::test {

namespace {

/// For each byte of a buffer: whether it is written, or read.
std::vector<char> touched_bytes(const isa::AccessList& accesses, isa::Space space, bool writes,
                                std::size_t size) {
  std::vector<char> bytes(size);
  for (const isa::Access& access : accesses) {
    if (access.space != space || access.writes() != writes) continue;
    access.for_each_touched([&](std::uint64_t addr, std::uint64_t count) {
      for (std::uint64_t i = addr; i < addr + count && i < size; ++i) bytes[i] = 1;
    });
  }
  return bytes;
}

}  // namespace

AccessCheck::AccessCheck(const isa::DecodedInstr& instr, const isa::CoreMemory& memory,
                         Buffers& buffers)
    : instr_(instr), memory_(memory), buffers_(buffers) {
  isa::list_accesses(instr, memory, accesses_);
  isa::list_possible_accesses(instr, memory.size(isa::Space::kUb), possible_);
}

/// Carries the instruction out, twice: with other bytes where it does not read, and for good.
void AccessCheck::run() {
  const Buffers before = of_interest();
  for (const auto& [space, bytes] : before) expect_possible(space, bytes.size());
  disturb(before);
  const bool ran = carries_out();
  const Buffers disturbed = of_interest();
  for (const auto& [space, bytes] : before) put(space, bytes);
  isa::execute(instr_, memory_);
  if (!ran) return;
  for (const auto& [space, old] : before) compare(space, old, disturbed.at(space));
}

/// Buffers that the instruction can have to do with.
AccessCheck::Buffers AccessCheck::of_interest() const {
  Buffers some;
  for (const auto& [space, bytes] : buffers_) {
    const bool of_vectors = space == isa::Space::kUb || space == isa::Space::kSpr;
    const bool vector = instr_.opcode_info().unit == isa::Unit::Vector;
    if (of_vectors == vector || instr_.dst.space == space) some[space] = bytes;
  }
  return some;
}

bool AccessCheck::carries_out() {
  try {
    isa::execute(instr_, memory_);
    return true;
  } catch (const isa::Fault&) {
    return false;
  }
}

/// The vectors stay where they are: views of them are in use.
void AccessCheck::put(isa::Space space, const std::vector<std::byte>& bytes) {
  std::memcpy(buffers_.at(space).data(), bytes.data(), bytes.size());
}

void AccessCheck::disturb(const Buffers& before) {
  for (const auto& [space, bytes] : before) {
    const std::vector<char> reads = touched(space, false, bytes.size());
    auto& now = buffers_.at(space);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (!reads[i]) now[i] ^= std::byte{0x15};
    }
  }
}

void AccessCheck::compare(isa::Space space, const std::vector<std::byte>& old,
                          const std::vector<std::byte>& disturbed) const {
  const auto& bytes = buffers_.at(space);
  const std::vector<char> writes = touched(space, true, bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!writes[i] && bytes[i] != old[i]) return fail("writes", space, i);
    if (writes[i] && bytes[i] != disturbed[i] && !may_keep_some()) {
      return fail("reads what decides", space, i);
    }
  }
}

/// Padding without a value is written to, as far as anybody can rely on it, and not defined; a
/// merge that stops early writes less than it may.
bool AccessCheck::may_keep_some() const {
  const auto* sort = std::get_if<isa::SortParams>(&instr_.params);
  if (sort != nullptr) return sort->stop_when_empty;
  const auto* move = std::get_if<isa::MoveParams>(&instr_.params);
  return move != nullptr && !move->pad && move->left_pad + move->right_pad > 0;
}

/// What is touched is among what may be.
void AccessCheck::expect_possible(isa::Space space, std::size_t size) const {
  for (const bool writes : {false, true}) {
    const std::vector<char> is = touched(space, writes, size);
    const std::vector<char> may = touched_bytes(possible_, space, writes, size);
    for (std::size_t i = 0; i < size; ++i) {
      if (is[i] && !may[i]) return fail("touches what it should not be able to,", space, i);
    }
  }
}

std::vector<char> AccessCheck::touched(isa::Space space, bool writes, std::size_t size) const {
  return touched_bytes(accesses_, space, writes, size);
}

void AccessCheck::fail(const char* what, isa::Space space, std::size_t byte) const {
  ADD_FAILURE() << instr_.opcode_info().mnemonic << " at line " << instr_.where.line() << " "
                << what << " byte " << byte << " of " << isa::space_name(space)
                << ", which is not in its list of accesses";
}

}  // namespace davsim::test
