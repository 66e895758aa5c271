#include "sim/system/collective_plan.hpp"

#include <algorithm>

#include "isa/core/collective_steps.hpp"
#include "sim/system/collective_levels.hpp"

namespace davsim::sim {
namespace {

using isa::Collective;
using isa::CollectiveKind;

class Planner {
 public:
  Planner(const std::vector<RankCollective>& ranks, std::uint32_t round,
          const CollectiveTiming& timing, const PlanWindows& windows)
      : ranks_(ranks),
        count_(static_cast<std::uint32_t>(ranks.size())),
        round_(round),
        timing_(timing),
        windows_(windows),
        size_(bytes_of_type(ranks.front().what.type)),
        bytes_(ranks.front().what.count * size_) {}

  CollectivePlan make() {
    const std::uint64_t p = count_;
    switch (ranks_.front().what.kind) {
      case CollectiveKind::kAllReduce:
        staged(1, 1, [this] { all_reduce(); });
        break;
      case CollectiveKind::kAllGather:
        staged(1, p, [this] { gather(); });
        break;
      case CollectiveKind::kReduceScatter:
        staged(p, 1, [this] { scatter_reduced(); });
        break;
      case CollectiveKind::kAllToAll:
        staged(p, p, [this] { all_to_all(); });
        break;
      case CollectiveKind::kAllToAllV:
      case CollectiveKind::kReduceScatterV:  // sums are made where the copies arrive
        all_to_all_v();
        break;
      case CollectiveKind::kBatchWrite:  // its copies are its items
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
  /// Bytes of a block of this round, as far as they fit into the windows, and those before them.
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t moved() const { return round_ * of(0).count * size_ + done_; }
  /// A place in the rank's window for what is at `offset`.
  std::uint64_t window(std::uint32_t rank, std::uint64_t offset) const {
    return windows_.start[rank] + offset % std::max<std::uint64_t>(windows_.bytes / 2, 1);
  }
  /// What is larger than `one_shot` goes through windows: a copy from the buffer before, and one to
  /// the buffer behind. What does not fit into the windows goes piece by piece. A rank sends `sent`
  /// blocks and receives `received`.
  template <class Exchange>
  void staged(std::uint64_t sent, std::uint64_t received, Exchange exchange) {
    const std::uint64_t block = of(0).count * size_, most = std::max(sent, received);
    if (most * block <= timing_.one_shot) {
      bytes_ = block;
      return exchange();
    }
    const std::uint64_t fits = std::max<std::uint64_t>(windows_.bytes / most / 512 * 512, 512);
    for (done_ = 0; done_ < block; done_ += bytes_) {
      bytes_ = std::min(block - done_, fits);
      stage(sent, true);
      exchange();
      stage(received, false);
    }
  }
  /// Blocks between the buffer and the window of each rank.
  void stage(std::uint64_t blocks, bool in) {
    new_step();
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      const std::uint64_t buffer = in ? of(rank).send : of(rank).recv;
      const std::uint64_t window = windows_.start[rank] + (in ? 0 : windows_.bytes);
      const bool one_copy = blocks == 1 || stride(rank) == bytes_;
      for (std::uint64_t i = 0; i < (one_copy ? 1 : blocks); ++i) {
        const std::uint64_t outside = buffer + i * stride(rank) + moved();
        const std::uint64_t inside = window + i * bytes_;
        add(rank, rank, in ? outside : inside, in ? inside : outside,
            one_copy ? blocks * bytes_ : bytes_);
      }
    }
  }
  /// The steps of two levels, if the ranks are whole servers and the data pass through windows.
  template <class Steps>
  bool in_levels(std::uint64_t most, Steps steps) {
    if (windows_.server_ranks == 0 || most * of(0).count * size_ <= timing_.one_shot) return false;
    const Levels levels{count_, windows_.server_ranks, timing_.reduction,
                        [this](std::uint32_t rank, std::uint64_t at) { return window(rank, at); }};
    for (auto& step : steps(levels, bytes_)) plan_.steps.push_back(std::move(step));
    return true;
  }
  /// Peers in an order in which no two ranks begin with the same one.
  std::uint32_t peer(std::uint32_t rank, std::uint32_t turn) const {
    return (rank + turn) % count_;
  }

  void all_reduce() {
    if (in_levels(1, all_reduce_in_levels)) return;
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
    if (in_levels(count_, all_gather_in_levels)) return;
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
    if (in_levels(count_, reduce_scatter_in_levels)) return;
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
        if (!isa::meet_in(of(0), round_, count_, rank, to)) continue;
        const std::uint64_t n = ranks_[rank].send_counts[to] * size_;
        const std::uint64_t moved = round_ / isa::steps_of(of(0)) * n;
        add(rank, to, of(rank).send + ranks_[rank].send_offsets[to] * size_ + moved,
            of(to).recv + ranks_[to].recv_offsets[rank] * size_ + moved, n);
      }
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
  std::uint64_t size_, bytes_, done_ = 0;
  CollectivePlan plan_;
};

}  // namespace

Part part_of(std::uint64_t bytes, std::uint64_t parts, std::uint64_t index) {
  const std::uint64_t each = (bytes / parts + 511) / 512 * 512;
  const std::uint64_t offset = std::min(bytes, each * index);
  const std::uint64_t end = index + 1 == parts ? bytes : std::min(bytes, offset + each);
  return {offset, end - offset};
}

std::uint64_t bytes_of_type(std::uint32_t type) {
  constexpr std::uint64_t kBytes[] = {1, 2, 4, 2, 4, 8, 8, 1, 2, 4, 8, 2, 16, 0, 1, 1, 1, 1};
  return type < std::size(kBytes) ? kBytes[type] : 0;
}

CollectivePlan plan_of(const std::vector<RankCollective>& ranks, std::uint32_t round,
                       const CollectiveTiming& timing, const PlanWindows& windows) {
  return Planner(ranks, round, timing, windows).make();
}

}  // namespace davsim::sim
