#include "memory/ub_banks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

namespace davsim::memory {
namespace {

/// The number of repeats that are examined one by one. Longer instructions repeat their pattern,
/// because every repeat pitch returns to the same bank groups after 16 repeats.
constexpr std::uint32_t kWindow = 16;

/// The DataBlocks that one operand touches in one repeat.
struct Blocks {
  std::array<std::uint64_t, isa::kBlocksPerRepeat> addr{};
  std::array<std::uint32_t, isa::kBlocksPerRepeat> group{};
  /// The part of a bank that is in the block's group, as a number of its own.
  std::array<std::uint64_t, isa::kBlocksPerRepeat> cell{};
  std::uint32_t count = 0;
};

/// Divides here, once for each block, because UB may have any number of groups.
Blocks blocks_of(const isa::VectorShape& shape, const isa::VectorOperandShape& operand,
                 std::uint32_t repeat, const UbBankTiming& timing) {
  Blocks blocks;
  if (!operand.used()) return blocks;
  blocks.count = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(shape.blocks_of(operand, repeat), isa::kBlocksPerRepeat));
  // Within `span` bytes, the blocks of a group are in one bank.
  const std::uint64_t span = std::uint64_t{timing.groups} * timing.bank_bytes;
  for (std::uint32_t b = 0; b < blocks.count; ++b) {
    const std::uint64_t addr = operand.block_addr(repeat, b);
    blocks.addr[b] = addr;
    blocks.group[b] = static_cast<std::uint32_t>(addr / isa::kBlockBytes % timing.groups);
    blocks.cell[b] = addr / span * timing.groups + blocks.group[b];
  }
  return blocks;
}

/// The beats that the busiest bank group needs for these blocks. Equal addresses are one access.
std::uint32_t beats(std::initializer_list<const Blocks*> operands) {
  std::array<std::uint8_t, kMostUbBankGroups> load{};
  std::uint32_t most = 1;
  for (const Blocks* blocks : operands) {
    for (std::uint32_t b = 0; b < blocks->count; ++b) {
      if (b > 0 && blocks->addr[b] == blocks->addr[b - 1]) continue;
      most = std::max<std::uint32_t>(most, ++load[blocks->group[b]]);
    }
  }
  return most;
}

bool share_bank(const Blocks& a, const Blocks& b) {
  for (std::uint32_t i = 0; i < a.count; ++i) {
    for (std::uint32_t j = 0; j < b.count; ++j) {
      if (a.cell[i] == b.cell[j]) return true;
    }
  }
  return false;
}

double counted_conflict_cycles(const isa::VectorShape& shape, double beat,
                               const UbBankTiming& timing) {
  const std::uint32_t window = std::min(shape.repeats, kWindow);
  if (window == 0) return 0;
  double extra = 0;
  Blocks written;  // the blocks that the repeat before writes
  for (std::uint32_t repeat = 0; repeat < window; ++repeat) {
    const Blocks dst = blocks_of(shape, shape.dst, repeat, timing);
    const Blocks src0 = blocks_of(shape, shape.src0, repeat, timing);
    const Blocks src1 = blocks_of(shape, shape.src1, repeat, timing);
    const std::uint32_t factor = std::max(beats({&src0, &src1}), beats({&dst}));
    extra += beat * (factor - 1);
    if (factor == 1 && (share_bank(written, src0) || share_bank(written, src1))) {
      extra += timing.read_write_conflict;
    }
    written = dst;
  }
  return extra * shape.repeats / window;
}

/// Everything that the conflicts of an instruction depend on, as words. The shape is taken as it
/// lies in memory: a host stalls when it reads in wide words what it has just written in narrow
/// ones.
struct ConflictKey {
  using ShapeWords = std::array<std::uint64_t, sizeof(isa::VectorShape) / 8>;
  static_assert(std::has_unique_object_representations_v<isa::VectorShape>);
  ShapeWords shape{};
  double beat = 0;
  UbBankTiming timing;

  /// An inline comparison, because that of std::array is a call.
  bool is(const ShapeWords& other, double other_beat, const UbBankTiming& other_timing) const {
    std::uint64_t differ = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) differ |= shape[i] ^ other[i];
    return differ == 0 && beat == other_beat && timing == other_timing;
  }
};

std::uint64_t hash_of(const ConflictKey::ShapeWords& shape, double beat) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
  std::uint64_t even = std::bit_cast<std::uint64_t>(beat), odd = 0;
  for (std::size_t i = 0; i < shape.size(); i += 2) {
    even = std::rotl(even, 7) + shape[i];
    odd = std::rotl(odd, 11) + shape[i + 1];
  }
  return (even ^ odd ^ (even + odd) >> 32) * kGolden;
}

/// Results of earlier calls. Kernels issue the same few instructions again and again. If two keys
/// have the same place, the later one replaces the earlier one.
struct ConflictMemo {
  static constexpr std::uint32_t kPlaceBits = 12;
  struct Place {
    ConflictKey key{};
    double cycles = 0;
  };
  std::array<Place, std::size_t{1} << kPlaceBits> places;
};

}  // namespace

double ub_conflict_cycles(const isa::VectorShape& shape, double beat, const UbBankTiming& timing) {
  static thread_local ConflictMemo memo;
  const auto words = std::bit_cast<ConflictKey::ShapeWords>(shape);
  ConflictMemo::Place& place = memo.places[hash_of(words, beat) >> (64 - ConflictMemo::kPlaceBits)];
  if (!place.key.is(words, beat, timing)) {
    place = {{words, beat, timing}, counted_conflict_cycles(shape, beat, timing)};
  }
  return place.cycles;
}

double ub_transpose_conflict_cycles(const isa::TransposeParams& params, std::uint32_t groups) {
  constexpr std::uint32_t kBeats = 2;
  // Each repeat accesses sixteen blocks in the same groups, so all repeats are like the first.
  const auto busiest = [&](const std::array<std::uint16_t, 16>& blocks) {
    std::array<std::uint8_t, kMostUbBankGroups> load{};
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const bool again =
          std::find(blocks.begin(), blocks.begin() + i, blocks[i]) != blocks.begin() + i;
      if (!again) most = std::max<std::uint32_t>(most, ++load[blocks[i] % groups]);
    }
    return most;
  };
  const std::uint32_t beats = std::max({busiest(params.dst), busiest(params.src), kBeats});
  return static_cast<double>(beats - kBeats) * params.repeats;
}

}  // namespace davsim::memory
