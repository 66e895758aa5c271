#include "sim/system/collective_values.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "isa/core/collective_steps.hpp"
#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"

namespace davsim::sim {
namespace {

using isa::Collective;
using isa::CollectiveKind;

/// Integers wrap around.
template <class T>
T combined(T a, T b, ReduceOp op) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    const auto x = static_cast<std::uint64_t>(static_cast<Unsigned>(a)),
               y = static_cast<std::uint64_t>(static_cast<Unsigned>(b));
    if (op == ReduceOp::kSum) return static_cast<T>(x + y);
    if (op == ReduceOp::kProduct) return static_cast<T>(x * y);
  } else {
    if (op == ReduceOp::kSum) return static_cast<T>(a + b);
    if (op == ReduceOp::kProduct) return static_cast<T>(a * b);
  }
  const bool less = a < b;
  return less == (op == ReduceOp::kMin) ? a : b;
}

template <class T>
void reduce_as(std::byte* sum, const std::byte* more, std::uint64_t bytes, ReduceOp op) {
  for (std::uint64_t at = 0; at < bytes; at += sizeof(T)) {
    T a, b;
    std::memcpy(&a, sum + at, sizeof(T));
    std::memcpy(&b, more + at, sizeof(T));
    a = combined(a, b, op);
    std::memcpy(sum + at, &a, sizeof(T));
  }
}

using Reduce = void (*)(std::byte*, const std::byte*, std::uint64_t, ReduceOp);

Reduce reducer(std::uint32_t type) {
  switch (type) {
    case 0:
      return reduce_as<std::int8_t>;
    case 1:
      return reduce_as<std::int16_t>;
    case 2:
      return reduce_as<std::int32_t>;
    case 3:
      return reduce_as<isa::half>;
    case 4:
      return reduce_as<float>;
    case 5:
      return reduce_as<std::int64_t>;
    case 6:
      return reduce_as<std::uint64_t>;
    case 7:
      return reduce_as<std::uint8_t>;
    case 8:
      return reduce_as<std::uint16_t>;
    case 9:
      return reduce_as<std::uint32_t>;
    case 10:
      return reduce_as<double>;
    case 11:
      return reduce_as<isa::bfloat16_t>;
    default:
      return nullptr;
  }
}

const std::byte* at(std::uint64_t address) {
  return reinterpret_cast<const std::byte*>(address);
}

class Computation {
 public:
  Computation(const std::vector<RankCollective>& ranks, std::uint32_t round)
      : ranks_(ranks),
        count_(static_cast<std::uint32_t>(ranks.size())),
        round_(round),
        first_(ranks.front().what),
        size_(bytes_of_type(first_.type)),
        bytes_(first_.count * size_),
        moved_(round * bytes_) {}

  CollectiveResult compute(const std::vector<std::vector<BatchItem>>& items) {
    for (std::uint32_t rank = 0; rank < count_; ++rank) compute_for(rank, items);
    return std::move(result_);
  }

 private:
  const Collective& of(std::uint32_t rank) const { return ranks_[rank].what; }
  std::uint64_t stride(std::uint32_t rank) const {
    return (of(rank).stride != 0 ? of(rank).stride : of(rank).count * of(rank).rounds) * size_;
  }
  void copy(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) {
    if (bytes > 0) result_.pieces.push_back({to, {at(from), at(from) + bytes}});
  }
  template <class Input>
  void reduced(std::uint64_t to, std::uint64_t bytes, Input input) {
    if (bytes == 0) return;
    std::vector<std::byte> sum(at(input(0u)), at(input(0u)) + bytes);
    for (std::uint32_t rank = 1; rank < count_; ++rank) {
      reduce(sum.data(), at(input(rank)), bytes, first_.type, ReduceOp{first_.op});
    }
    result_.pieces.push_back({to, std::move(sum)});
  }

  void compute_for(std::uint32_t rank, const std::vector<std::vector<BatchItem>>& items) {
    const Collective& mine = of(rank);
    switch (first_.kind) {
      case CollectiveKind::kAllReduce:
        if (rank > 0) return repeat_first(mine.recv + moved_);
        return reduced(mine.recv + moved_, bytes_,
                       [&](std::uint32_t r) { return of(r).send + moved_; });
      case CollectiveKind::kReduce:
        if (rank != first_.root) return;
        return reduced(mine.recv, bytes_, [&](std::uint32_t r) { return of(r).send; });
      case CollectiveKind::kReduceScatter:
        return reduced(mine.recv + moved_, bytes_,
                       [&](std::uint32_t r) { return of(r).send + rank * stride(r) + moved_; });
      case CollectiveKind::kReduceScatterV:
        return reduced(mine.recv, ranks_[rank].recv_counts[rank] * size_, [&](std::uint32_t r) {
          return of(r).send + ranks_[r].send_offsets[rank] * size_;
        });
      case CollectiveKind::kAllGather:
        for (std::uint32_t r = 0; r < count_; ++r) {
          copy(of(r).send + moved_, mine.recv + r * stride(rank) + moved_, bytes_);
        }
        return;
      case CollectiveKind::kAllToAll:
        for (std::uint32_t r = 0; r < count_; ++r) {
          copy(of(r).send + rank * stride(r) + moved_, mine.recv + r * stride(rank) + moved_,
               bytes_);
        }
        return;
      case CollectiveKind::kAllToAllV:
        return all_to_all_v(rank);
      case CollectiveKind::kBroadcast:
        return copy(of(first_.root).send, mine.recv, rank == first_.root ? 0 : bytes_);
      case CollectiveKind::kScatter:
        return copy(of(first_.root).send + rank * bytes_, mine.recv, bytes_);
      case CollectiveKind::kBatchWrite:
        for (const BatchItem& item : items[rank]) copy(item.from, item.to, item.bytes);
        return;
    }
  }

  /// The result of all ranks is that of the first one.
  void repeat_first(std::uint64_t to) {
    if (bytes_ > 0) result_.pieces.push_back({to, result_.pieces.front().bytes});
  }

  void all_to_all_v(std::uint32_t rank) {
    for (std::uint32_t r = 0; r < count_; ++r) {
      if (!isa::meet_in(first_, static_cast<std::uint32_t>(round_), count_, r, rank)) continue;
      const std::uint64_t n = ranks_[r].send_counts[rank] * size_;
      const std::uint64_t moved = round_ / isa::steps_of(first_) * n;
      copy(of(r).send + ranks_[r].send_offsets[rank] * size_ + moved,
           of(rank).recv + ranks_[rank].recv_offsets[r] * size_ + moved, n);
    }
  }

  const std::vector<RankCollective>& ranks_;
  std::uint32_t count_;
  std::uint64_t round_;
  const Collective& first_;
  std::uint64_t size_, bytes_, moved_;
  CollectiveResult result_;
};

}  // namespace

void CollectiveResult::write() const {
  for (const Piece& piece : pieces) {
    std::memcpy(reinterpret_cast<void*>(piece.to), piece.bytes.data(), piece.bytes.size());
  }
}

bool can_reduce(std::uint32_t type, std::uint32_t op) {
  return op <= static_cast<std::uint32_t>(ReduceOp::kMin) && reducer(type) != nullptr;
}

void reduce(std::byte* sum, const std::byte* more, std::uint64_t bytes, std::uint32_t type,
            ReduceOp op) {
  reducer(type)(sum, more, bytes, op);
}

std::vector<CollectiveInput> inputs_of(const std::vector<RankCollective>& ranks, std::uint32_t rank,
                                       std::uint32_t round) {
  const Collective& what = ranks[rank].what;
  const std::uint64_t size = bytes_of_type(what.type), block = what.count * size;
  const std::uint64_t from = what.send + round * block;
  const std::uint64_t stride = what.stride != 0 ? what.stride * size : block * what.rounds;
  std::vector<CollectiveInput> inputs;
  switch (what.kind) {
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kAllGather:
      return {{from, block}};
    case CollectiveKind::kReduce:
      return {{what.send, block}};
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllToAll:
      for (std::size_t to = 0; to < ranks.size(); ++to)
        inputs.push_back({from + to * stride, block});
      return inputs;
    case CollectiveKind::kAllToAllV:
    case CollectiveKind::kReduceScatterV:
      for (std::uint32_t to = 0; to < ranks.size(); ++to) {
        if (!isa::meet_in(what, round, static_cast<std::uint32_t>(ranks.size()), rank, to))
          continue;
        const std::uint64_t bytes = ranks[rank].send_counts[to] * size;
        const std::uint64_t offset = ranks[rank].send_offsets[to] * size;
        inputs.push_back({what.send + offset + round / isa::steps_of(what) * bytes, bytes});
      }
      return inputs;
    case CollectiveKind::kBroadcast:
      if (rank == what.root) inputs.push_back({what.send, block});
      return inputs;
    case CollectiveKind::kScatter:
      if (rank == what.root) inputs.push_back({what.send, block * ranks.size()});
      return inputs;
    case CollectiveKind::kBatchWrite:
      return inputs;
  }
  return inputs;
}

CollectiveResult result_of(const std::vector<RankCollective>& ranks, std::uint32_t round,
                           const std::vector<std::vector<BatchItem>>& items) {
  return Computation(ranks, round).compute(items);
}

}  // namespace davsim::sim
