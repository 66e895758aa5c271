// Bytes that an instruction touches, as runs at fixed distances. What an instruction touches is
// listed in isa/exec/accesses.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "isa/instr/operand.hpp"

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
  /// Bytes of each DataBlock that are touched, a bit a byte: a mask with holes. If not all are, the
  /// runs are whole DataBlocks at addresses of DataBlocks.
  std::uint32_t block_mask = kWholeBlocks;
  static constexpr std::uint32_t kWholeBlocks = ~std::uint32_t{0};

  bool writes() const { return kind == Kind::kWrite; }
  bool has_holes() const { return block_mask != kWholeBlocks; }
  bool empty() const { return bytes == 0 || rows == 0 || groups == 0; }
  /// Runs at pitch 0 are the same bytes again.
  std::uint64_t distinct_rows() const { return pitch == 0 ? 1 : rows; }
  std::uint64_t distinct_groups() const { return group_pitch == 0 ? 1 : groups; }
  bool again() const { return distinct_rows() < rows || distinct_groups() < groups; }
  /// Bytes that pass between memory and unit: those of all runs, also of the same bytes again.
  std::uint64_t moved() const {
    const std::uint64_t whole = bytes * rows * groups;
    return has_holes() ? whole / 32 * static_cast<unsigned>(std::popcount(block_mask)) : whole;
  }
  /// The first byte that is touched, and the one behind the last.
  std::uint64_t low() const {
    const std::int64_t back = std::min(reach(rows, pitch), std::int64_t{0}) +
                              std::min(reach(groups, group_pitch), std::int64_t{0});
    return addr + static_cast<std::uint64_t>(back) +
           static_cast<std::uint64_t>(std::countr_zero(block_mask));
  }
  std::uint64_t high() const {
    const std::int64_t forth = std::max(reach(rows, pitch), std::int64_t{0}) +
                               std::max(reach(groups, group_pitch), std::int64_t{0});
    return addr + static_cast<std::uint64_t>(forth) + bytes -
           static_cast<std::uint64_t>(std::countl_zero(block_mask));
  }

  /// Whether a byte of [from, end) is touched.
  bool touches(std::uint64_t from, std::uint64_t end) const;

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

  /// Calls visit(addr, bytes) for every run, holes and all, once; runs next to each other are one.
  template <class Visit>
  void for_each_run(Visit visit) const {
    const std::uint64_t each = distinct_rows(), all = distinct_groups();
    if (each == 1 || pitch == static_cast<std::int64_t>(bytes)) {
      const std::uint64_t run = bytes * each;
      if (all == 1 || group_pitch == static_cast<std::int64_t>(run)) {
        visit(addr, run * all);
        return;
      }
      for (std::uint64_t g = 0; g < all; ++g) visit(at(g, 0), run);
      return;
    }
    for (std::uint64_t g = 0; g < all; ++g) {
      for (std::uint64_t r = 0; r < each; ++r) visit(at(g, r), bytes);
    }
  }
  std::uint64_t at(std::uint64_t group, std::uint64_t row) const {
    return addr + group * static_cast<std::uint64_t>(group_pitch) +
           row * static_cast<std::uint64_t>(pitch);
  }

 private:
  /// Bytes from the first to the last of `count` starts.
  static std::int64_t reach(std::uint64_t count, std::int64_t pitch) {
    return static_cast<std::int64_t>(count - 1) * pitch;
  }
};

/// A list that grows once and is used again for every instruction.
class AccessList {
 public:
  void clear() { list_.clear(); }
  /// Keeps nothing of an access without bytes.
  void add(const Access& access) {
    if (!access.empty()) list_.push_back(access);
  }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<Access> list_;
};

/// Whether the two touch a byte in common.
bool meet(const Access& a, const Access& b);

/// What keeps two instructions in their order.
enum class Hazard : std::uint8_t {
  kNone,
  kReadAfterWrite,   ///< the later one reads what the earlier one wrote
  kWriteAfterWrite,  ///< it overwrites that
  kWriteAfterRead,   ///< it overwrites what the earlier one read
};

/// The first of these, in this order, that there is between what two instructions touch. Takes tens
/// of nanoseconds where their operands lie apart.
Hazard hazard(const AccessList& earlier, const AccessList& later);

}  // namespace davsim::isa
