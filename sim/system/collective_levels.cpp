#include "sim/system/collective_levels.hpp"

#include <algorithm>

#include "sim/system/collective_plan.hpp"

namespace davsim::sim {
namespace {

/// Bytes of the data.
struct Span {
  std::uint64_t begin = 0, end = 0;
};
/// Ranks that exchange parts: rank ranks[i] has, or comes to have, the bytes of parts[i].
struct Group {
  std::vector<std::uint32_t> ranks;
  std::vector<std::vector<Span>> parts;

  std::uint32_t size() const { return static_cast<std::uint32_t>(ranks.size()); }
};

std::vector<Span> equal_parts(Span of, std::uint32_t count) {
  std::vector<Span> parts;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Part part = part_of(of.end - of.begin, count, i);
    parts.push_back({of.begin + part.offset, of.begin + part.offset + part.bytes});
  }
  return parts;
}

class Writer {
 public:
  Writer(const Levels& levels, std::size_t begin, PlanSteps& steps)
      : levels_(levels), begin_(begin), steps_(steps) {}

  /// Part `part` of the group goes from one of its ranks to another in step `step`; of it all, or
  /// the half that travels upwards (1) or downwards (2) around a ring.
  void send(const Group& group, std::uint32_t from, std::uint32_t to, std::uint32_t part,
            std::size_t step, int half = 0) {
    if (steps_.size() <= begin_ + step) steps_.resize(begin_ + step + 1);
    for (const Span& span : group.parts[part]) {
      const std::uint64_t middle = span.begin + (span.end - span.begin) / 2;
      const std::uint64_t begin = half == 2 ? middle : span.begin;
      const std::uint64_t end = half == 1 ? middle : span.end;
      if (begin == end) continue;
      const std::uint32_t source = group.ranks[from], target = group.ranks[to];
      steps_[begin_ + step].push_back({source, target, levels_.place(source, begin),
                                       levels_.place(target, begin), end - begin});
    }
  }

 private:
  const Levels& levels_;
  std::size_t begin_;
  PlanSteps& steps_;
};

/// One step: every rank sends each other one its part, or its own part to all.
void mesh(const Group& group, bool gathers, Writer& out) {
  const std::uint32_t n = group.size();
  for (std::uint32_t from = 0; from < n; ++from) {
    for (std::uint32_t turn = 1; turn < n; ++turn) {
      const std::uint32_t to = (from + turn) % n;
      out.send(group, from, to, gathers ? from : to, 0);
    }
  }
}

/// n - 1 steps, half of each part in each direction.
void ring(const Group& group, bool gathers, Writer& out) {
  const std::uint32_t n = group.size(), shift = gathers ? 0 : 1;
  for (std::uint32_t turn = 0; turn + 1 < n; ++turn) {
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      out.send(group, rank, (rank + 1) % n, (rank + 2 * n - turn - shift) % n, turn, 1);
      out.send(group, rank, (rank + n - 1) % n, (rank + turn + shift) % n, turn, 2);
    }
  }
}

/// log2(n) steps between ranks whose numbers differ in one bit; n is a power of two. A reduction
/// halves what it sends from step to step, a gather doubles it.
void halving(const Group& group, bool gathers, Writer& out) {
  const std::uint32_t n = group.size();
  std::size_t step = 0;
  for (std::uint32_t i = 1; i < n; i *= 2, ++step) {
    const std::uint32_t distance = gathers ? i : n / 2 / i;
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      const std::uint32_t peer = rank ^ distance;
      const std::uint32_t first = (gathers ? rank : peer) / distance * distance;
      for (std::uint32_t k = 0; k < distance; ++k) out.send(group, rank, peer, first + k, step);
    }
  }
}

class LevelPlanner {
 public:
  explicit LevelPlanner(const Levels& levels)
      : levels_(levels), servers_(levels.ranks / levels.server) {}

  /// All groups work beside each other, behind what there is.
  void within(const std::vector<Group>& groups, bool gathers) {
    Writer out(levels_, steps_.size(), steps_);
    for (const Group& group : groups) {
      if (levels_.within == "ring") {
        ring(group, gathers, out);
      } else {
        mesh(group, gathers, out);
      }
    }
  }
  /// Between servers: halving and doubling where their number is a power of two, or else a ring.
  void between(const std::vector<Group>& groups, bool gathers) {
    Writer out(levels_, steps_.size(), steps_);
    const bool power_of_two = (servers_ & (servers_ - 1)) == 0;
    for (const Group& group : groups) {
      if (power_of_two) {
        halving(group, gathers, out);
      } else {
        ring(group, gathers, out);
      }
    }
  }
  PlanSteps take() { return std::move(steps_); }

  std::uint32_t servers() const { return servers_; }
  std::uint32_t server() const { return levels_.server; }

 private:
  const Levels& levels_;
  std::uint32_t servers_;
  PlanSteps steps_;
};

/// Rank i of a server has `parts(server, i)`.
template <class Parts>
std::vector<Group> groups_of(const LevelPlanner& plan, bool by_server, Parts parts) {
  std::vector<Group> groups(by_server ? plan.servers() : plan.server());
  for (std::uint32_t server = 0; server < plan.servers(); ++server) {
    for (std::uint32_t i = 0; i < plan.server(); ++i) {
      Group& group = groups[by_server ? server : i];
      group.ranks.push_back(server * plan.server() + i);
      group.parts.push_back(parts(server, i));
    }
  }
  return groups;
}
/// The ranks of each server.
template <class Parts>
std::vector<Group> servers_of(const LevelPlanner& plan, Parts parts) {
  return groups_of(plan, true, parts);
}
/// The ranks with the same place in their servers.
template <class Parts>
std::vector<Group> places_of(const LevelPlanner& plan, Parts parts) {
  return groups_of(plan, false, parts);
}

}  // namespace

std::uint32_t ranks_of_server(const std::vector<std::uint32_t>& dies, std::uint32_t server) {
  if (server == 0 || dies.empty()) return 0;
  const std::uint32_t of_first = dies.front() / server;
  const auto differs = [&](std::uint32_t die) { return die / server != of_first; };
  const auto size =
      static_cast<std::uint32_t>(std::find_if(dies.begin(), dies.end(), differs) - dies.begin());
  if (size == dies.size() || dies.size() % size != 0) return 0;
  std::vector<std::uint32_t> seen;
  for (std::size_t first = 0; first < dies.size(); first += size) {
    const std::uint32_t number = dies[first] / server;
    if (std::find(seen.begin(), seen.end(), number) != seen.end()) return 0;
    seen.push_back(number);
    for (std::size_t i = first; i < first + size; ++i) {
      if (dies[i] / server != number) return 0;
    }
  }
  return size;
}

PlanSteps all_reduce_in_levels(const Levels& levels, std::uint64_t bytes) {
  LevelPlanner plan(levels);
  const std::vector<Span> parts = equal_parts({0, bytes}, plan.server());
  const auto inner =
      servers_of(plan, [&](std::uint32_t, std::uint32_t i) { return std::vector<Span>{parts[i]}; });
  const auto outer = places_of(plan, [&](std::uint32_t server, std::uint32_t i) {
    return std::vector<Span>{equal_parts(parts[i], plan.servers())[server]};
  });
  plan.within(inner, false);
  plan.between(outer, false);
  plan.between(outer, true);
  plan.within(inner, true);
  return plan.take();
}

PlanSteps reduce_scatter_in_levels(const Levels& levels, std::uint64_t block) {
  LevelPlanner plan(levels);
  const auto block_of = [&](std::uint32_t server, std::uint32_t i) {
    const std::uint64_t begin = (std::uint64_t{server} * plan.server() + i) * block;
    return Span{begin, begin + block};
  };
  // A rank sums up the blocks of its place in all servers.
  plan.within(servers_of(plan,
                         [&](std::uint32_t, std::uint32_t i) {
                           std::vector<Span> blocks;
                           for (std::uint32_t s = 0; s < plan.servers(); ++s) {
                             blocks.push_back(block_of(s, i));
                           }
                           return blocks;
                         }),
              false);
  plan.between(
      places_of(plan, [&](std::uint32_t server,
                          std::uint32_t i) { return std::vector<Span>{block_of(server, i)}; }),
      false);
  return plan.take();
}

PlanSteps all_gather_in_levels(const Levels& levels, std::uint64_t block) {
  LevelPlanner plan(levels);
  const auto block_of = [&](std::uint32_t server, std::uint32_t i) {
    const std::uint64_t begin = (std::uint64_t{server} * plan.server() + i) * block;
    return Span{begin, begin + block};
  };
  plan.between(
      places_of(plan, [&](std::uint32_t server,
                          std::uint32_t i) { return std::vector<Span>{block_of(server, i)}; }),
      true);
  plan.within(servers_of(plan,
                         [&](std::uint32_t, std::uint32_t i) {
                           std::vector<Span> blocks;
                           for (std::uint32_t s = 0; s < plan.servers(); ++s) {
                             blocks.push_back(block_of(s, i));
                           }
                           return blocks;
                         }),
              true);
  return plan.take();
}

}  // namespace davsim::sim
