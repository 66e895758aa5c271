#include "isa/exec/vector/sort.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "isa/core/registers.hpp"
#include "isa/exec/exec_table.hpp"
#include "isa/exec/list_accesses.hpp"
#include "isa/exec/vector/merge_keys.hpp"
#include "isa/instr/place_name.hpp"
#include "isa/instr/vector_types.hpp"

namespace davsim::isa {
namespace {

[[noreturn]] void refuse(const Instr& instr, FaultClass cls, const std::string& what) {
  throw Fault(cls, std::string(instr.opcode_info().mnemonic) + ": " + what);
}

const SortParams& params_of(const Instr& instr) {
  const auto* params = std::get_if<SortParams>(&instr.params);
  if (params == nullptr || !types_exist(instr.op, instr.dst.type, instr.src0.type)) {
    refuse(instr, FaultClass::kParameter,
           "there is no such instruction for " + std::string(dtype_name(instr.dst.type)) +
               " from " + std::string(dtype_name(instr.src0.type)));
  }
  return *params;
}

void require_place(const Instr& instr, const std::string& name, const Operand& operand,
                   std::uint64_t alignment) {
  if (operand.space != Space::kUb) {
    refuse(instr, FaultClass::kParameter,
           name + " lies in " + std::string(place_name(operand.space)) + ", allowed is UB");
  }
  if (operand.addr % alignment != 0) {
    refuse(instr, FaultClass::kAlignment,
           name + " is at byte " + std::to_string(operand.addr) +
               " of UB, allowed are multiples of " + std::to_string(alignment));
  }
}

/// The name of the tensor of an access. A queue of MrgSort is known by its address.
std::string name_of(const Instr& instr, const SortParams& params, const Access& access) {
  if (access.operand == &instr.dst) return "dst";
  if (access.operand == &instr.src0) return "src0";
  if (access.operand == &instr.src1) return "src1";
  std::uint32_t queue = 0;
  while (params.lengths[queue] == 0 || params.queue_addr[queue] != access.addr) ++queue;
  return "src" + std::to_string(queue + 1);
}

/// Checks that all that the instruction touches lies in UB.
void require_in_ub(const Instr& instr, const CoreMemory& memory, const SortParams& params,
                   const AccessList& list) {
  for (const Access& access : list) {
    if (access.space != Space::kUb) continue;
    if (memory.contains(Space::kUb, access.low(), access.high() - access.low())) continue;
    refuse(instr, FaultClass::kAddress,
           name_of(instr, params, access) + " reaches from byte " + std::to_string(access.low()) +
               " to " + std::to_string(access.high()) + " of UB, which has " +
               std::to_string(memory.size(Space::kUb)));
  }
}

/// The list holds until the next call.
const AccessList& accesses_of(const Instr& instr, const SortParams& params) {
  static thread_local AccessList list;
  list.clear();
  list_sort(instr, params, list);
  return list;
}

/// A number above 0 whose order is that of scores: NaN is the largest, NaN with a sign the
/// smallest, both zeros are alike. Without branches, because loops over it are to be vectorised.
template <class Bits>
std::uint32_t rank_of(Bits score) {
  constexpr std::uint32_t kSign = 0x80000000u;
  constexpr std::uint32_t kInfinity = sizeof(Bits) == 2 ? 0x7c000000u : 0x7f800000u;
  const std::uint32_t bits = std::uint32_t{score} << (32 - sizeof(Bits) * 8);
  const std::uint32_t magnitude = bits & ~kSign;
  const std::uint32_t number = magnitude == 0 ? 0 : bits;
  const auto flipped = static_cast<std::uint32_t>(static_cast<std::int32_t>(number) >> 31);
  const std::uint32_t of_nan = flipped != 0 ? 1 : UINT32_MAX;
  return magnitude > kInfinity ? of_nan : number ^ (flipped | kSign);
}

/// A pair as it lies in memory.
struct Pair {
  std::uint32_t score;  ///< bits; of a half score the upper two bytes are not looked at
  std::uint32_t index;
};
static_assert(sizeof(Pair) == kSortPairBytes);

// --- Sort32 ------------------------------------------------------------------------------------

void decode_sort32(DecodedInstr& instr, const CoreMemory& memory) {
  const SortParams& params = params_of(instr);
  if (instr.src1.type != DType::kU32) {
    refuse(instr, FaultClass::kParameter,
           "src1 has " + std::string(dtype_name(instr.src1.type)) + ", allowed is uint32");
  }
  require_place(instr, "dst", instr.dst, kBlockBytes);
  require_place(instr, "src0", instr.src0, kBlockBytes);
  require_place(instr, "src1", instr.src1, kBlockBytes);
  require_in_ub(instr, memory, params, accesses_of(instr, params));
}

template <class Bits>
void sort_repeat(const std::byte* scores, const std::byte* indices, std::byte* to) {
  std::uint64_t keys[kSortedPerRepeat];
  Bits score[kSortedPerRepeat];
  std::uint32_t index[kSortedPerRepeat];
  std::memcpy(score, scores, sizeof(score));
  std::memcpy(index, indices, sizeof(index));
  // Of equal scores the first one comes first: places count downwards.
  for (std::uint32_t i = 0; i < kSortedPerRepeat; ++i) {
    keys[i] = std::uint64_t{rank_of(score[i])} << 32 | (kSortedPerRepeat - 1 - i);
  }
  std::sort(keys, keys + kSortedPerRepeat, std::greater<>());
  Pair sorted[kSortedPerRepeat];
  for (std::uint32_t i = 0; i < kSortedPerRepeat; ++i) {
    const std::uint32_t from = kSortedPerRepeat - 1 - static_cast<std::uint32_t>(keys[i]);
    sorted[i] = {score[from], index[from]};
  }
  std::memcpy(to, sorted, sizeof(sorted));
}

template <class Bits>
void sort_repeats(const Instr& instr, std::uint32_t repeats, std::byte* ub) {
  const std::byte* scores = ub + instr.src0.addr;
  const std::byte* indices = ub + instr.src1.addr;
  std::byte* to = ub + instr.dst.addr;
  for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
    sort_repeat<Bits>(scores, indices, to);
    scores += kSortedPerRepeat * sizeof(Bits);
    indices += kSortedPerRepeat * sizeof(std::uint32_t);
    to += kSortedPerRepeat * kSortPairBytes;
  }
}

void execute_sort32(const DecodedInstr& instr, const CoreMemory& memory) {
  const std::uint32_t repeats = params_of(instr).repeats;
  std::byte* ub = memory.host(Space::kUb, 0);
  if (instr.src0.type == DType::kF16) return sort_repeats<std::uint16_t>(instr, repeats, ub);
  sort_repeats<std::uint32_t>(instr, repeats, ub);
}

// --- MrgSort -----------------------------------------------------------------------------------

}  // namespace

/// Repeats skip the four queues, so that these must lie one behind the other and be alike.
std::uint32_t merge_repeats(const Instr& instr) {
  const SortParams& params = params_of(instr);
  if (params.repeats <= 1) return params.repeats;
  bool repeats = params.queues == 4 && !params.stop_when_empty;
  for (std::uint32_t q = 1; q < params.queues; ++q) {
    repeats = repeats && params.lengths[q] == params.lengths[0] &&
              params.queue_addr[q] == params.queue_addr[0] + q * params.lengths[0] * kSortPairBytes;
  }
  return repeats ? params.repeats : 1;
}

namespace {

void require_apart(const Instr& instr, const SortParams& params, const AccessList& list) {
  const auto is_dst = [&](const Access& access) { return access.operand == &instr.dst; };
  const auto dst = std::find_if(list.begin(), list.end(), is_dst);
  if (dst == list.end()) return;
  for (const Access& queue : list) {
    if (queue.space != Space::kUb || queue.writes()) continue;
    if (queue.high() <= dst->low() || dst->high() <= queue.low()) continue;
    refuse(instr, FaultClass::kParameter,
           "dst, bytes " + std::to_string(dst->low()) + " to " + std::to_string(dst->high()) +
               " of UB, overlaps " + name_of(instr, params, queue) + ", bytes " +
               std::to_string(queue.low()) + " to " + std::to_string(queue.high()));
  }
}

void decode_merge(DecodedInstr& instr, const CoreMemory& memory) {
  const SortParams& params = params_of(instr);
  if (params.queues < 2 || params.queues > 4) {
    refuse(instr, FaultClass::kParameter,
           std::to_string(params.queues) + " queues, allowed are 2 to 4");
  }
  require_place(instr, "dst", instr.dst, kBlockBytes);
  for (std::uint32_t q = 0; q < params.queues; ++q) {
    if (params.lengths[q] > kMaxQueueLength) {
      refuse(instr, FaultClass::kParameter,
             "elementLengths[" + std::to_string(q) + "] is " + std::to_string(params.lengths[q]) +
                 ", allowed are 0 to " + std::to_string(kMaxQueueLength));
    }
    Operand queue = instr.src0;
    queue.addr = params.queue_addr[q];
    require_place(instr, "src" + std::to_string(q + 1), queue, kSortPairBytes);
  }
  const AccessList& list = accesses_of(instr, params);
  require_in_ub(instr, memory, params, list);
  require_apart(instr, params, list);
}

/// A pair's key: its rank, and where it lies, so that of equal scores the one of the first queue,
/// and in a queue the first, has the largest key.
struct PairPlace {
  static constexpr std::uint32_t kQueueShift = 24;

  static SortKey key(std::uint32_t rank, std::uint32_t queue, std::uint32_t addr) {
    const std::uint32_t place = queue << kQueueShift | addr / kSortPairBytes;
    return SortKey{rank} << 32 | static_cast<std::uint32_t>(~place);
  }
  explicit PairPlace(SortKey key)
      : queue(static_cast<std::uint32_t>(~key) >> kQueueShift),
        addr((static_cast<std::uint32_t>(~key) & ((1u << kQueueShift) - 1)) * kSortPairBytes) {}

  std::uint32_t queue, addr;
};

/// A merge, one repeat after the other.
class Merge {
 public:
  using Counts = std::array<std::uint16_t, 4>;  ///< pairs of each queue

  Merge(const Instr& instr, const CoreMemory& memory)
      : params_(params_of(instr)),
        half_(instr.dst.type == DType::kF16),
        ub_(memory.host(Space::kUb, 0)),
        room_(std::make_unique_for_overwrite<SortKey[]>(2 * keys_of_a_round())) {}

  /// Merges queues that begin `skipped` bytes behind the addresses of the record. Writes the pairs
  /// to `to` and returns how many were taken.
  Counts run(std::uint32_t skipped, std::byte* to) {
    load(skipped);
    const std::uint32_t left = length_[0] + length_[1], right = length_[2] + length_[3];
    SortKey* const high = room_.get() + keys_of_a_round();
    SortKey* const low = high + left + 1;
    merge_keys(queue_[0], length_[0], queue_[1], length_[1], high);
    merge_keys(queue_[2], length_[2], queue_[3], length_[3], low);
    SortKey* const keys = room_.get();
    merge_keys(high, left, low, right, keys);
    const Counts counts = params_.stop_when_empty ? counts_at_stop(keys) : length_;
    const std::size_t pairs = std::size_t{counts[0]} + counts[1] + counts[2] + counts[3];
    for (std::size_t i = 0; i < pairs; ++i) {
      std::memcpy(to + i * kSortPairBytes, ub_ + PairPlace(keys[i]).addr, kSortPairBytes);
    }
    return counts;
  }

 private:
  /// All keys, and a 0 behind those of each queue.
  std::size_t keys_of_a_round() const { return std::size_t{merged_pairs(params_)} + 4; }

  void load(std::uint32_t skipped) {
    SortKey* end = room_.get();
    for (std::uint32_t q = 0; q < 4; ++q) {
      queue_[q] = end;
      // Queues that there are not are empty.
      length_[q] = q < params_.queues ? params_.lengths[q] : std::uint16_t{0};
      if (half_) {
        load_queue<std::uint16_t>(q, params_.queue_addr[q] + skipped);
      } else {
        load_queue<std::uint32_t>(q, params_.queue_addr[q] + skipped);
      }
      end += length_[q];
      *end++ = 0;
    }
  }

  template <class Bits>
  void load_queue(std::uint32_t queue, std::uint32_t addr) {
    SortKey* const to = queue_[queue];
    const std::byte* const from = ub_ + addr;
    for (std::uint32_t i = 0; i < length_[queue]; ++i) {
      Pair pair;
      std::memcpy(&pair, from + std::size_t{i} * kSortPairBytes, kSortPairBytes);
      const std::uint32_t rank = rank_of(static_cast<Bits>(pair.score));
      to[i] = PairPlace::key(rank, queue, addr + i * kSortPairBytes);
    }
  }

  /// Up to the pair with which a queue has nothing left.
  Counts counts_at_stop(const SortKey* keys) const {
    Counts counts{};
    const auto lengths = length_.begin();
    if (std::find(lengths, lengths + params_.queues, 0u) != lengths + params_.queues) return counts;
    for (; *keys != 0; ++keys) {
      const std::uint32_t queue = PairPlace(*keys).queue;
      if (++counts[queue] == length_[queue]) break;
    }
    return counts;
  }

  const SortParams& params_;
  bool half_;
  std::byte* ub_;
  std::unique_ptr<SortKey[]> room_;  ///< keys of the queues or of the result, and in between
  std::array<SortKey*, 4> queue_{};
  Counts length_{};
};

void execute_merge(const DecodedInstr& instr, const CoreMemory& memory) {
  const std::uint32_t step = merged_pairs(params_of(instr)) * kSortPairBytes;
  const std::uint32_t repeats = merge_repeats(instr);
  Merge merge(instr, memory);
  for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
    const std::uint32_t skipped = repeat * step;
    const Merge::Counts counts =
        merge.run(skipped, memory.at(Space::kUb, instr.dst.addr + skipped, step));
    // The register that GetMrgSortResult reads: 16 bits each.
    std::memcpy(memory.at(Space::kSpr, kSprMergeCounts, sizeof(counts)), counts.data(),
                sizeof(counts));
  }
}

}  // namespace

void add_sort_rows(ExecTable& table) {
  table.set(Opcode::kSort32, {&decode_sort32, &execute_sort32});
  table.set(Opcode::kMergeSort, {&decode_merge, &execute_merge});
}

std::uint64_t sorted_pairs(const Instr& instr) {
  const auto& params = std::get<SortParams>(instr.params);
  const std::uint32_t per_repeat =
      instr.op == Opcode::kSort32 ? kSortedPerRepeat : merged_pairs(params);
  return std::uint64_t{params.repeats} * per_repeat;
}

}  // namespace davsim::isa
