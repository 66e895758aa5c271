#include "sim/core/auto_sync.hpp"

#include <algorithm>

namespace davsim::sim {

namespace {

bool covers_block(std::uint64_t addr, std::uint64_t bytes, std::uint64_t block) {
  return addr <= block * isa::kBlockBytes && addr + bytes >= (block + 1) * isa::kBlockBytes;
}

}  // namespace

void AutoSync::begin_block() {
  blocks_.assign((memory_.size(isa::Space::kUb) + kBlockBytes - 1) / kBlockBytes, Block{});
  last_ = {};
  known_ = {};
  flags_.clear();
}

AutoSync::Agent AutoSync::agent_of(isa::Pipe pipe) {
  switch (pipe) {
    case isa::Pipe::S:
      return kScalar;
    case isa::Pipe::V:
      return kVector;
    case isa::Pipe::MTE2:
      return kMte2;
    case isa::Pipe::MTE3:
      return kMte3;
    default:
      return kAgents;
  }
}

isa::Pipe AutoSync::pipe_of(Agent agent) {
  constexpr isa::Pipe kPipes[kAgents] = {isa::Pipe::S, isa::Pipe::V, isa::Pipe::MTE2,
                                         isa::Pipe::MTE3};
  return kPipes[agent];
}

bool AutoSync::covers(Agent earlier, Agent later) {
  // The scalar unit is in order by itself.
  if (earlier == later) return later == kVector;
  return earlier == kScalar || later == kScalar;
}

void AutoSync::merge(Numbers& into, const Numbers& from) {
  for (std::size_t i = 0; i < kAgents; ++i) into[i] = std::max(into[i], from[i]);
}

/// What flags and barriers of the kernel say about the order of accesses.
void AutoSync::note_order(const isa::DecodedInstr& instr) {
  const Agent agent = agent_of(instr.pipe);
  if (instr.op == isa::Opcode::kPipeBarrier) {
    if (instr.pipe == isa::Pipe::ALL) {
      known_.fill(last_);
    } else if (agent != kAgents) {
      known_[agent][agent] = last_[agent];
    }
    return;
  }
  if (instr.op == isa::Opcode::kSetFlag) {
    if (agent == kAgents) return;
    Numbers known = known_[agent];
    known[agent] = last_[agent];
    flags_.push_back({std::get<isa::FlagParams>(instr.params), known});
    return;
  }
  if (instr.op != isa::Opcode::kWaitFlag) return;
  const auto& flag = std::get<isa::FlagParams>(instr.params);
  const auto set = std::find_if(flags_.begin(), flags_.end(), [&](const FlagSet& candidate) {
    return candidate.flag.same_event(flag);
  });
  if (set == flags_.end()) return;  // set by a pipe without access to UB, or later in the kernel
  if (agent != kAgents) merge(known_[agent], set->known);
  flags_.erase(set);
}

template <class ForEachRun>
void AutoSync::look_at(Agent agent, bool writes, bool exact, ForEachRun for_each_run) {
  const Numbers& known = known_[agent];
  // Of nearly every block: all that has touched it is known to be over.
  const auto is_over = [&known, writes](const Block& block) {
    if (block.written > known[block.writer]) return false;
    if (!writes) return true;
    for (std::size_t reader = 0; reader < kAgents; ++reader) {
      if (block.read[reader] > known[reader]) return false;
    }
    return true;
  };
  for_each_run([&](std::uint64_t addr, std::uint64_t bytes) {
    const std::uint64_t end =
        std::min<std::uint64_t>((addr + bytes - 1) / kBlockBytes + 1, blocks_.size());
    for (std::uint64_t i = addr / kBlockBytes; i < end; ++i) {
      const Block& block = blocks_[i];
      if (is_over(block)) continue;
      const bool whole = exact && covers_block(addr, bytes, i);
      const std::uint64_t at = i * kBlockBytes;
      depends_on(block.writer, block.written, agent, whole && block.whole_written, at);
      if (!writes) continue;
      for (std::uint8_t reader = 0; reader < kAgents; ++reader) {
        depends_on(static_cast<Agent>(reader), block.read[reader], agent,
                   whole && block.whole_read[reader], at);
      }
    }
  });
}

void AutoSync::depends_on(Agent earlier, Number number, Agent later, bool same_bytes,
                          std::uint64_t addr) {
  if (number <= known_[later][earlier]) return;
  if (covers(earlier, later)) {
    needed_ |= static_cast<std::uint8_t>(1u << earlier);
  } else if (same_bytes && earlier != later && !unordered_) {
    unordered_ = {pipe_of(earlier), pipe_of(later), addr, {}};
  }
}

template <class ForEachRun>
void AutoSync::note(Agent agent, bool writes, bool exact, ForEachRun for_each_run) {
  const Number number = last_[agent];
  for_each_run([&](std::uint64_t addr, std::uint64_t bytes) {
    const std::uint64_t end =
        std::min<std::uint64_t>((addr + bytes - 1) / kBlockBytes + 1, blocks_.size());
    const std::uint64_t first = addr / kBlockBytes;
    for (std::uint64_t i = first; i < end; ++i) {
      if (writes) {
        blocks_[i].writer = agent;
        blocks_[i].written = number;
        blocks_[i].whole_written = exact;
      } else {
        blocks_[i].read[agent] = number;
        blocks_[i].whole_read[agent] = exact;
      }
    }
    // Only the first and the last one may be touched in part.
    for (const std::uint64_t edge : {first, end - 1}) {
      if (!exact || edge < first || edge >= end || covers_block(addr, bytes, edge)) continue;
      (writes ? blocks_[edge].whole_written : blocks_[edge].whole_read[agent]) = false;
    }
  });
}

/// Puts what `needed_` asks for into `inserted_`.
void AutoSync::insert(Agent later, isa::SourceLocation where) {
  for (std::uint8_t i = 0; i < kAgents; ++i) {
    if ((needed_ >> i & 1u) == 0) continue;
    const auto earlier = static_cast<Agent>(i);
    if (earlier == later) {
      inserted_.push_back(
          {isa::Opcode::kPipeBarrier, pipe_of(later), {}, {}, {}, isa::BarrierParams{true}, where});
      known_[later][later] = last_[later];
      continue;
    }
    isa::FlagParams flag{pipe_of(earlier), pipe_of(later)};
    flag.inserted = true;
    inserted_.push_back({isa::Opcode::kSetFlag, flag.set_pipe, {}, {}, {}, flag, where});
    inserted_.push_back({isa::Opcode::kWaitFlag, flag.wait_pipe, {}, {}, {}, flag, where});
    merge(known_[later], known_[earlier]);
    known_[later][earlier] = last_[earlier];
  }
}

const std::vector<isa::Instr>& AutoSync::before(const isa::DecodedInstr& instr) {
  inserted_.clear();
  const Agent agent = agent_of(instr.pipe);
  // The pipes' own instructions are dispatched behind what the scalar unit has waited for.
  if (agent != kAgents && agent != kScalar) {
    merge(known_[agent], known_[kScalar]);
  }
  if (instr.opcode_info().unit == isa::Unit::Sync) {
    note_order(instr);
    return inserted_;
  }
  if (agent == kAgents) return inserted_;
  isa::list_possible_accesses(instr, memory_.size(isa::Space::kUb), accesses_);
  needed_ = 0;
  const auto each_in_ub = [&](auto visit) {
    for (const isa::Access& access : accesses_) {
      if (access.space == isa::Space::kUb) visit(access);
    }
  };
  const bool known = !isa::accesses_depend_on_contents(instr);
  const auto exact = [known](const isa::Access& access) {
    return known && access.kind != isa::Access::Kind::kReadAround && !access.has_holes();
  };
  const bool found = unordered_.has_value();
  each_in_ub([&](const isa::Access& access) {
    look_at(agent, access.writes(), exact(access), [&](auto run) { access.for_each_run(run); });
  });
  if (unordered_ && !found) unordered_->where = instr.where;
  insert(agent, instr.where);
  ++last_[agent];
  each_in_ub([&](const isa::Access& access) {
    note(agent, access.writes(), exact(access), [&](auto run) { access.for_each_run(run); });
  });
  return inserted_;
}

const std::vector<isa::Instr>& AutoSync::before_scalar(const isa::Operand& operand,
                                                       std::uint64_t bytes, bool writes,
                                                       isa::SourceLocation where) {
  inserted_.clear();
  if (operand.space != isa::Space::kUb || bytes == 0) return inserted_;
  needed_ = 0;
  const auto run = [&](auto visit) { visit(operand.addr, bytes); };
  look_at(kScalar, writes, false, run);
  if (needed_ != 0) insert(kScalar, where);
  ++last_[kScalar];
  note(kScalar, writes, false, run);
  return inserted_;
}

}  // namespace davsim::sim
