// The exact bytes that an instruction reads and writes, for the checker. gm_footprint() is the DMA
// engines' view: it has only the bytes of global memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "isa/core/core_memory.hpp"
#include "isa/instr/instr.hpp"

namespace davsim::isa {

/// `groups` times `rows` runs of `bytes` bytes, at fixed pitches from start to start.
struct Access {
  enum class Kind : std::uint8_t {
    kRead,
    kWrite,
    /// A read of whole units, of which a part may be all that is used: the rest may have been
    /// written by nobody.
    kReadAround,
  };
  Space space = Space::kNone;
  Kind kind = Kind::kRead;
  const Operand* operand = nullptr;  ///< the tensor; nullptr for tables and registers
  std::uint64_t addr = 0;
  std::uint64_t bytes = 0;
  std::uint64_t rows = 1, groups = 1;
  std::int64_t pitch = 0, group_pitch = 0;
  std::uint64_t unit = 1;  ///< kReadAround: bytes of a fractal, a square, a DataBlock
  bool again = false;      ///< there were more runs, at pitch 0
  /// Bytes of each DataBlock that are touched, a bit a byte: a mask with holes. If not all are, the
  /// runs are whole DataBlocks at addresses of DataBlocks.
  std::uint32_t block_mask = kWholeBlocks;
  static constexpr std::uint32_t kWholeBlocks = ~std::uint32_t{0};

  bool writes() const { return kind == Kind::kWrite; }
  bool has_holes() const { return block_mask != kWholeBlocks; }
  /// The first byte that is touched, and the one behind the last.
  std::uint64_t low() const {
    return std::min(addr, at(groups - 1, rows - 1)) +
           static_cast<std::uint64_t>(std::countr_zero(block_mask));
  }
  std::uint64_t high() const {
    return std::max(addr, at(groups - 1, rows - 1)) + bytes -
           static_cast<std::uint64_t>(std::countl_zero(block_mask));
  }

  /// Calls visit(addr, bytes) for every run of bytes that are touched.
  template <class Visit>
  void for_each_touched(Visit visit) const {
    for_each_run([&](std::uint64_t start, std::uint64_t count) {
      if (!has_holes()) return visit(start, count);
      for (std::uint64_t block = start; block < start + count; block += 32) {
        for_each_ones(block_mask, [&](unsigned bit, unsigned ones) { visit(block + bit, ones); });
      }
    });
  }
  /// Calls visit(bit, ones) for every run of ones of `mask`.
  template <class Visit>
  static void for_each_ones(std::uint32_t mask, Visit visit) {
    for (unsigned bit = 0; bit < 32;) {
      const std::uint32_t rest = mask >> bit;
      if (rest == 0) return;
      bit += static_cast<unsigned>(std::countr_zero(rest));
      const auto ones = static_cast<unsigned>(std::countr_one(mask >> bit));
      visit(bit, ones);
      bit += ones;
    }
  }

  /// Calls visit(addr, bytes) for every run, holes and all; runs that touch each other are one.
  template <class Visit>
  void for_each_run(Visit visit) const {
    if (rows == 1 || pitch == static_cast<std::int64_t>(bytes)) {
      const std::uint64_t run = bytes * rows;
      if (groups == 1 || group_pitch == static_cast<std::int64_t>(run)) {
        visit(addr, run * groups);
        return;
      }
      for (std::uint64_t g = 0; g < groups; ++g) visit(at(g, 0), run);
      return;
    }
    for (std::uint64_t g = 0; g < groups; ++g) {
      for (std::uint64_t r = 0; r < rows; ++r) visit(at(g, r), bytes);
    }
  }
  std::uint64_t at(std::uint64_t group, std::uint64_t row) const {
    return addr + group * static_cast<std::uint64_t>(group_pitch) +
           row * static_cast<std::uint64_t>(pitch);
  }
};

/// A list that grows once and is used again for every instruction.
class AccessList {
 public:
  void clear() { list_.clear(); }
  /// Keeps nothing of an access without bytes; runs at pitch 0 are the same one.
  void add(Access access) {
    if (access.bytes == 0 || access.rows == 0 || access.groups == 0) return;
    access.again =
        (access.pitch == 0 && access.rows > 1) || (access.group_pitch == 0 && access.groups > 1);
    if (access.pitch == 0) access.rows = 1;
    if (access.group_pitch == 0) access.groups = 1;
    list_.push_back(access);
  }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<Access> list_;
};

/// Puts the accesses of `instr`, which validate() has accepted, into `list`. Where addresses come
/// from memory (Gather, Select by the address in CMPMASK) it is read now.
void list_accesses(const Instr& instr, const CoreMemory& memory, AccessList& list);

/// Whether list_accesses() reads memory for this instruction.
bool accesses_depend_on_contents(const Instr& instr);

// By unit; list_accesses() calls them.
void list_vector_accesses(const Instr& instr, const CoreMemory& memory, AccessList& list);
void list_move_accesses(const Instr& instr, AccessList& list);
void list_cube_accesses(const Instr& instr, AccessList& list);
void list_load_3d_accesses(const Instr& instr, AccessList& list);

}  // namespace davsim::isa
