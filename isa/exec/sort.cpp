#include "isa/exec/sort.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "isa/core/registers.hpp"
#include "isa/exec/exec_table.hpp"

namespace davsim::isa {
namespace {

[[noreturn]] void refuse(const Instr& instr, FaultClass cls, const std::string& what) {
  throw Fault(cls, std::string(instr.opcode_info().mnemonic) + ": " + what);
}

const SortParams& params_of(const Instr& instr) {
  const auto* params = std::get_if<SortParams>(&instr.params);
  if (params == nullptr || !sort_exists(instr.dst.type) || instr.dst.type != instr.src0.type) {
    refuse(instr, FaultClass::kParameter,
           "there is no such instruction for " + std::string(dtype_name(instr.dst.type)) +
               " from " + std::string(dtype_name(instr.src0.type)));
  }
  return *params;
}

/// Checks that `bytes` bytes at `operand` lie in UB.
void check_operand(const Instr& instr, const CoreMemory& memory, const std::string& name,
                   const Operand& operand, std::uint64_t bytes, std::uint64_t alignment) {
  if (operand.space != Space::kUb) {
    refuse(instr, FaultClass::kParameter,
           name + " lies in " + std::string(space_name(operand.space)) + ", allowed is UB");
  }
  if (operand.addr % alignment != 0) {
    refuse(instr, FaultClass::kAlignment,
           name + " is at byte " + std::to_string(operand.addr) +
               " of UB, allowed are multiples of " + std::to_string(alignment));
  }
  if (!memory.contains(Space::kUb, operand.addr, bytes)) {
    refuse(instr, FaultClass::kAddress,
           name + " reaches from byte " + std::to_string(operand.addr) + " to " +
               std::to_string(operand.addr + bytes) + " of UB, which has " +
               std::to_string(memory.size(Space::kUb)));
  }
}

/// A number whose order is that of scores: NaN is the largest, both zeros are alike.
template <class Bits>
std::uint32_t rank_of(Bits score) {
  constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
  constexpr Bits kInfinity = sizeof(Bits) == 2 ? Bits(0x7c00) : Bits(0x7f800000);
  const Bits magnitude = score & static_cast<Bits>(~kSign);
  if (magnitude > kInfinity) return UINT32_MAX;
  if (magnitude == 0) return kSign;
  return (score & kSign) != 0 ? static_cast<Bits>(~score) : static_cast<Bits>(score | kSign);
}

/// A pair as it lies in memory.
struct Pair {
  std::uint32_t score;  ///< bits; of a half score the upper two bytes are not looked at
  std::uint32_t index;
};
static_assert(sizeof(Pair) == kSortPairBytes);

// --- Sort32 ------------------------------------------------------------------------------------

void validate_sort32(const Instr& instr, const CoreMemory& memory) {
  const SortParams& params = params_of(instr);
  if (instr.src1.type != DType::kU32) {
    refuse(instr, FaultClass::kParameter,
           "src1 has " + std::string(dtype_name(instr.src1.type)) + ", allowed is uint32");
  }
  const std::uint64_t scores = std::uint64_t{params.repeats} * kSortedPerRepeat;
  check_operand(instr, memory, "dst", instr.dst, scores * kSortPairBytes, kBlockBytes);
  check_operand(instr, memory, "src0", instr.src0, scores * dtype_bytes(instr.src0.type),
                kBlockBytes);
  check_operand(instr, memory, "src1", instr.src1, scores * sizeof(std::uint32_t), kBlockBytes);
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

void execute_sort32(const Instr& instr, const CoreMemory& memory) {
  validate_sort32(instr, memory);
  const std::uint32_t repeats = params_of(instr).repeats;
  std::byte* ub = memory.at(Space::kUb, 0, 0);
  if (instr.src0.type == DType::kF16) return sort_repeats<std::uint16_t>(instr, repeats, ub);
  sort_repeats<std::uint32_t>(instr, repeats, ub);
}

// --- MrgSort -----------------------------------------------------------------------------------

/// Repeats skip the four queues, so that these must lie one behind the other and be alike.
std::uint32_t effective_repeats(const Instr& instr) {
  const SortParams& params = params_of(instr);
  if (params.repeats <= 1) return params.repeats;
  bool repeats = params.queues == 4 && !params.stop_when_empty;
  for (std::uint32_t q = 1; q < params.queues; ++q) {
    repeats = repeats && params.lengths[q] == params.lengths[0] &&
              params.queue_addr[q] == params.queue_addr[0] + q * params.lengths[0] * kSortPairBytes;
  }
  return repeats ? params.repeats : 1;
}

void check_overlap(const Instr& instr, std::uint32_t q, std::uint64_t from, std::uint64_t bytes,
                   std::uint64_t dst_bytes) {
  const bool apart = bytes == 0 || dst_bytes == 0 || from + bytes <= instr.dst.addr ||
                     instr.dst.addr + dst_bytes <= from;
  if (apart) return;
  refuse(instr, FaultClass::kParameter,
         "dst, bytes " + std::to_string(instr.dst.addr) + " to " +
             std::to_string(instr.dst.addr + dst_bytes) + " of UB, overlaps src" +
             std::to_string(q + 1) + ", bytes " + std::to_string(from) + " to " +
             std::to_string(from + bytes));
}

void validate_merge(const Instr& instr, const CoreMemory& memory) {
  const SortParams& params = params_of(instr);
  if (params.queues < 2 || params.queues > 4) {
    refuse(instr, FaultClass::kParameter,
           std::to_string(params.queues) + " queues, allowed are 2 to 4");
  }
  const std::uint64_t repeats = effective_repeats(instr);
  const std::uint64_t dst_bytes = repeats * merged_pairs(params) * kSortPairBytes;
  check_operand(instr, memory, "dst", instr.dst, dst_bytes, kBlockBytes);
  for (std::uint32_t q = 0; q < params.queues; ++q) {
    if (params.lengths[q] > kMaxQueueLength) {
      refuse(instr, FaultClass::kParameter,
             "elementLengths[" + std::to_string(q) + "] is " + std::to_string(params.lengths[q]) +
                 ", allowed are 0 to " + std::to_string(kMaxQueueLength));
    }
    Operand queue = instr.src0;
    queue.addr = params.queue_addr[q];
    // From repeat to repeat a queue moves on by all four.
    const std::uint64_t skipped =
        repeats > 1 ? (repeats - 1) * merged_pairs(params) * kSortPairBytes : 0;
    const std::uint64_t bytes =
        repeats == 0 ? 0 : skipped + std::uint64_t{params.lengths[q]} * kSortPairBytes;
    check_operand(instr, memory, "src" + std::to_string(q + 1), queue, bytes, kSortPairBytes);
    check_overlap(instr, q, queue.addr, bytes, dst_bytes);
  }
}

/// A sorted queue and how far it is read. One pair behind its end is a sentinel.
struct Queue {
  std::vector<Pair> pairs;
  std::vector<std::uint64_t> ranks;  ///< above 0; of the sentinel 0, below all others
  std::size_t taken = 0;

  std::size_t length() const { return pairs.size() - 1; }
  bool empty() const { return taken == length(); }
};

Queue load(const std::byte* from, std::uint32_t length, bool half) {
  Queue queue;
  queue.pairs.resize(length + 1);
  if (length > 0) std::memcpy(queue.pairs.data(), from, std::size_t{length} * kSortPairBytes);
  queue.ranks.resize(length + 1);
  for (std::uint32_t i = 0; i < length; ++i) {
    const std::uint32_t score = queue.pairs[i].score;
    queue.ranks[i] =
        std::uint64_t{half ? rank_of(static_cast<std::uint16_t>(score)) : rank_of(score)} + 1;
  }
  return queue;
}

using Queues = std::array<Queue, 4>;

bool any_empty(const Queues& queues, std::uint32_t count) {
  return std::any_of(queues.begin(), queues.begin() + count,
                     [](const Queue& queue) { return queue.empty(); });
}

/// The queue whose next pair is the largest; of equal ones the first. Without branches: which queue
/// comes next cannot be foretold.
std::size_t largest(const Queues& queues) {
  const auto rank = [&](std::size_t q) { return queues[q].ranks[queues[q].taken]; };
  const std::size_t low = rank(1) > rank(0) ? 1 : 0;
  const std::size_t high = rank(3) > rank(2) ? 3 : 2;
  return rank(high) > rank(low) ? high : low;
}

void merge(Queues& queues, const SortParams& params, std::byte* to) {
  std::uint32_t left = merged_pairs(params);
  if (params.stop_when_empty && any_empty(queues, params.queues)) left = 0;
  for (; left > 0; --left) {
    Queue& from = queues[largest(queues)];
    std::memcpy(to, &from.pairs[from.taken], kSortPairBytes);
    to += kSortPairBytes;
    ++from.taken;
    if (params.stop_when_empty && from.empty()) return;
  }
}

/// The register that GetMrgSortResult reads: pairs taken of each queue, 16 bits each.
void write_counts(const Queues& queues, const CoreMemory& memory) {
  std::array<std::uint16_t, 4> counts;
  for (std::uint32_t q = 0; q < 4; ++q) counts[q] = static_cast<std::uint16_t>(queues[q].taken);
  std::memcpy(memory.at(Space::kSpr, kSprMergeCounts, sizeof(counts)), counts.data(),
              sizeof(counts));
}

void execute_merge(const Instr& instr, const CoreMemory& memory) {
  validate_merge(instr, memory);
  const SortParams& params = params_of(instr);
  const std::uint64_t step = std::uint64_t{merged_pairs(params)} * kSortPairBytes;
  const std::uint32_t repeats = effective_repeats(instr);
  std::byte* ub = memory.at(Space::kUb, 0, 0);
  for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
    Queues queues;
    for (std::uint32_t q = 0; q < 4; ++q) {
      // Queues that there are not are empty.
      const bool valid = q < params.queues;
      queues[q] = load(valid ? ub + params.queue_addr[q] + repeat * step : ub,
                       valid ? params.lengths[q] : 0, instr.dst.type == DType::kF16);
    }
    merge(queues, params, ub + instr.dst.addr + repeat * step);
    write_counts(queues, memory);
  }
}

}  // namespace

void add_sort_rows(ExecTable& table) {
  table.set(Opcode::kSort32, {&validate_sort32, &execute_sort32});
  table.set(Opcode::kMergeSort, {&validate_merge, &execute_merge});
}

}  // namespace davsim::isa
