#include "sim/system/collective_plan.hpp"

#include <algorithm>

namespace davsim::sim {
namespace {

using isa::Collective;
using isa::CollectiveKind;

/// The bytes of block `index` of `bytes` in `parts`.
struct Part {
  std::uint64_t offset, bytes;
};
Part part_of(std::uint64_t bytes, std::uint64_t parts, std::uint64_t index) {
  const std::uint64_t each = (bytes / parts + 511) / 512 * 512;
  const std::uint64_t offset = std::min(bytes, each * index);
  const std::uint64_t end = index + 1 == parts ? bytes : std::min(bytes, offset + each);
  return {offset, end - offset};
}

class Planner {
 public:
  Planner(const std::vector<RankCollective>& ranks, std::uint32_t round,
          const CollectiveTiming& timing, const PlanWindows& windows)
      : ranks_(ranks),
        count_(static_cast<std::uint32_t>(ranks.size())),
        round_(round),
        timing_(timing),
        windows_(windows),
        size_(bytes_of_type(ranks.front().what.type)) {}

  CollectivePlan make(const std::vector<std::vector<BatchItem>>& items) {
    const std::uint64_t p = count_, n = bytes();
    switch (ranks_.front().what.kind) {
      case CollectiveKind::kAllReduce:
        staged(n, n, [this] { all_reduce(); });
        break;
      case CollectiveKind::kAllGather:
        staged(n, p * n, [this] { gather(); });
        break;
      case CollectiveKind::kReduceScatter:
        staged(p * n, n, [this] { scatter_reduced(); });
        break;
      case CollectiveKind::kAllToAll:
        staged(p * n, p * n, [this] { all_to_all(); });
        break;
      case CollectiveKind::kAllToAllV:
        all_to_all_v();
        break;
      case CollectiveKind::kBatchWrite:
        batch_write(items);
        break;
      case CollectiveKind::kBroadcast:
      case CollectiveKind::kReduce:
      case CollectiveKind::kScatter:
        rooted();
        break;
    }
    return std::move(plan_);
  }

 private:
  void new_step() { plan_.steps.emplace_back(); }
  void add(std::uint32_t from, std::uint32_t to, std::uint64_t source, std::uint64_t destination,
           std::uint64_t bytes) {
    if (bytes > 0) plan_.steps.back().push_back({from, to, source, destination, bytes});
  }
  const Collective& of(std::uint32_t rank) const { return ranks_[rank].what; }
  /// From the block of one rank to that of the next, in bytes.
  std::uint64_t stride(std::uint32_t rank) const {
    return (of(rank).stride != 0 ? of(rank).stride : of(rank).count * of(rank).rounds) * size_;
  }
  std::uint64_t bytes() const { return of(0).count * size_; }
  std::uint64_t moved() const { return round_ * bytes(); }
  /// A place in the rank's window for what is at `offset`.
  std::uint64_t window(std::uint32_t rank, std::uint64_t offset) const {
    return windows_.start[rank] + offset % std::max<std::uint64_t>(windows_.bytes / 2, 1);
  }
  /// What is larger than a window's least goes through windows: a copy from the buffer before, and
  /// one to the buffer behind.
  template <class Exchange>
  void staged(std::uint64_t sent, std::uint64_t received, Exchange exchange) {
    const bool through = std::max(sent, received) > timing_.one_shot;
    if (through) {
      new_step();
      for (std::uint32_t rank = 0; rank < count_; ++rank) {
        add(rank, rank, of(rank).send + moved(), windows_.start[rank],
            std::min(sent, windows_.bytes));
      }
    }
    exchange();
    if (!through) return;
    new_step();
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      add(rank, rank, windows_.start[rank] + windows_.bytes, of(rank).recv + moved(),
          std::min(received, windows_.bytes));
    }
  }
  /// Peers in an order in which no two ranks begin with the same one.
  std::uint32_t peer(std::uint32_t rank, std::uint32_t turn) const {
    return (rank + turn) % count_;
  }

  void all_reduce() {
    const std::uint64_t n = bytes();
    if (n <= timing_.one_shot) {  // every rank reads all inputs
      new_step();
      for (std::uint32_t rank = 0; rank < count_; ++rank) {
        for (std::uint32_t turn = 1; turn < count_; ++turn) {
          const std::uint32_t from = peer(rank, turn);
          add(from, rank, of(from).send + moved(), window(rank, from * n), n);
        }
      }
      return;
    }
    if (timing_.reduction == "ring") {
      ring(
          n, [&](std::uint32_t rank) { return of(rank).send + moved(); }, 1);
      ring(
          n, [&](std::uint32_t rank) { return of(rank).recv + moved(); }, 0);
      return;
    }
    new_step();  // each rank gets its part of all inputs
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      const Part part = part_of(n, count_, rank);
      for (std::uint32_t turn = 0; turn < count_; ++turn) {
        const std::uint32_t from = peer(rank, turn);
        add(from, rank, of(from).send + moved() + part.offset, window(rank, part.offset),
            part.bytes);
      }
    }
    new_step();  // and the sums of the others
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      for (std::uint32_t turn = 0; turn < count_; ++turn) {
        const std::uint32_t from = peer(rank, turn);
        const Part part = part_of(n, count_, from);
        add(from, rank, window(from, part.offset), of(rank).recv + moved() + part.offset,
            part.bytes);
      }
    }
  }

  /// count - 1 steps around the ring, half of each part in each direction. `shift` chooses which
  /// part a rank begins with.
  template <class Buffer>
  void ring(std::uint64_t n, Buffer buffer, std::uint32_t shift) {
    for (std::uint32_t turn = 0; turn + 1 < count_; ++turn) {
      new_step();
      for (std::uint32_t rank = 0; rank < count_; ++rank) {
        const std::uint32_t right = peer(rank, 1), left = peer(rank, count_ - 1);
        const Part up = part_of(n, count_, (rank + 2 * count_ - turn - shift) % count_);
        const Part down = part_of(n, count_, (rank + turn + shift) % count_);
        const std::uint64_t half_up = up.bytes / 2, half_down = down.bytes - down.bytes / 2;
        add(rank, right, buffer(rank) + up.offset, window(right, up.offset), half_up);
        add(rank, left, buffer(rank) + down.offset + down.bytes / 2,
            window(left, down.offset + down.bytes / 2), half_down);
      }
    }
  }

  void gather() {
    if (timing_.reduction == "ring" && bytes() > timing_.one_shot) {
      new_step();
      for (std::uint32_t rank = 0; rank < count_; ++rank) {
        add(rank, rank, of(rank).send + moved(), of(rank).recv + rank * stride(rank) + moved(),
            bytes());
      }
      ring(
          bytes() * count_, [&](std::uint32_t rank) { return of(rank).recv; }, 0);
      return;
    }
    new_step();
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      for (std::uint32_t turn = 0; turn < count_; ++turn) {
        const std::uint32_t from = peer(rank, turn);
        add(from, rank, of(from).send + moved(), of(rank).recv + from * stride(rank) + moved(),
            bytes());
      }
    }
  }

  void scatter_reduced() {
    if (timing_.reduction == "ring" && bytes() * count_ > timing_.one_shot) {
      ring(
          bytes() * count_, [&](std::uint32_t rank) { return of(rank).send; }, 1);
      return;
    }
    new_step();
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      for (std::uint32_t turn = 0; turn < count_; ++turn) {
        const std::uint32_t from = peer(rank, turn);
        add(from, rank, of(from).send + rank * stride(from) + moved(), of(rank).recv + moved(),
            bytes());
      }
    }
  }

  void all_to_all() {
    new_step();
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      for (std::uint32_t turn = 0; turn < count_; ++turn) {
        const std::uint32_t to = peer(rank, turn);
        add(rank, to, of(rank).send + to * stride(rank) + moved(),
            of(to).recv + rank * stride(to) + moved(), bytes());
      }
    }
  }

  void all_to_all_v() {
    new_step();
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      for (std::uint32_t turn = 0; turn < count_; ++turn) {
        const std::uint32_t to = peer(rank, turn);
        const std::uint64_t n = ranks_[rank].send_counts[to] * size_;
        add(rank, to, of(rank).send + ranks_[rank].send_offsets[to] * size_ + round_ * n,
            of(to).recv + ranks_[to].recv_offsets[rank] * size_ + round_ * n, n);
      }
    }
  }

  void batch_write(const std::vector<std::vector<BatchItem>>& items) {
    new_step();
    // Whose memory it is, the caller knows by the address.
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      for (const BatchItem& item : items[rank]) add(rank, rank, item.from, item.to, item.bytes);
    }
  }

  void rooted() {
    const std::uint32_t root = of(0).root;
    const CollectiveKind kind = of(0).kind;
    new_step();
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      if (kind == CollectiveKind::kReduce) {
        add(rank, root, of(rank).send, of(root).recv, bytes());
      } else if (kind == CollectiveKind::kScatter) {
        add(root, rank, of(root).send + rank * bytes(), of(rank).recv, bytes());
      } else if (rank != root) {
        add(root, rank, of(root).send, of(rank).recv, bytes());
      }
    }
  }

  const std::vector<RankCollective>& ranks_;
  std::uint32_t count_, round_;
  const CollectiveTiming& timing_;
  const PlanWindows& windows_;
  std::uint64_t size_;
  CollectivePlan plan_;
};

}  // namespace

std::uint64_t bytes_of_type(std::uint32_t type) {
  constexpr std::uint64_t kBytes[] = {1, 2, 4, 2, 4, 8, 8, 1, 2, 4, 8, 2, 16, 0, 1, 1, 1, 1};
  return type < std::size(kBytes) ? kBytes[type] : 0;
}

CollectivePlan plan_of(const std::vector<RankCollective>& ranks, std::uint32_t round,
                       const CollectiveTiming& timing, const PlanWindows& windows,
                       const std::vector<std::vector<BatchItem>>& items) {
  return Planner(ranks, round, timing, windows).make(items);
}

}  // namespace davsim::sim
