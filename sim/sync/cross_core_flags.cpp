#include "sim/sync/cross_core_flags.hpp"

#include <algorithm>

#include "isa/instr/fault.hpp"

namespace davsim::sim {

void CrossCoreFlags::begin(std::size_t cores, std::uint32_t aic_blocks, std::uint32_t aiv_blocks,
                           std::uint32_t aivs_per_ai_core, Notify notify) {
  cores_.assign(cores, {});
  aic_blocks_ = aic_blocks;
  aiv_blocks_ = aiv_blocks;
  aivs_per_ai_core_ = aivs_per_ai_core;
  notify_ = std::move(notify);
}

void CrossCoreFlags::join(const std::vector<Member>& members) {
  for (const Member& member : members) {
    CoreState& state = cores_.at(member.core);
    state.present = state.had_block = true;
    state.member = member;
    state.taken = {};
  }
}

void CrossCoreFlags::leave(std::uint32_t core) {
  cores_.at(core).present = false;
}

template <class Predicate>
std::vector<CrossCoreFlags::CoreState*> CrossCoreFlags::select(Predicate predicate) {
  std::vector<CoreState*> found;
  for (CoreState& state : cores_) {
    if (state.present && predicate(state.member)) found.push_back(&state);
  }
  return found;
}

bool CrossCoreFlags::complete(const std::vector<CoreState*>& members, std::size_t expected,
                              std::uint8_t mode, std::uint8_t id) {
  if (members.size() < expected) return false;
  const auto has_set = [&](const CoreState* state) { return state->waiting[mode][id] > 0; };
  if (!std::all_of(members.begin(), members.end(), has_set)) return false;
  for (CoreState* state : members) --state->waiting[mode][id];
  return true;
}

void CrossCoreFlags::set(std::uint32_t core, const isa::CrossCoreFlagParams& flag, Cycle now,
                         std::uint64_t flow, isa::SourceLocation where) {
  CoreState& setter = cores_.at(core);
  const Member me = setter.member;
  if (++setter.waiting[flag.mode][flag.id] > kMaxCount) {
    throw isa::Fault(isa::FaultClass::kFlag,
                     "CrossCoreSetFlag: flag " + std::to_string(flag.id) + " of mode " +
                         std::to_string(flag.mode) +
                         " is set more than 15 times ahead of the cores it "
                         "waits for",
                     where);
  }
  const auto count_up = [&](const std::vector<CoreState*>& setters,
                            const std::vector<CoreState*>& targets) {
    if (watcher_ != nullptr) tell_watcher(flag, setters, targets);
    for (CoreState* target : targets) arrive(*target, flag, now + latency_, flow, where);
  };
  const auto siblings = [&](isa::CoreType type) {
    return select([&](const Member& m) { return m.type == type && m.ai_core == me.ai_core; });
  };

  if (flag.mode == 0) {
    const auto peers = select([&](const Member& m) { return m.type == me.type; });
    const std::size_t all = me.type == isa::CoreType::AIC ? aic_blocks_ : aiv_blocks_;
    if (complete(peers, all, 0, flag.id)) count_up(peers, peers);
  } else if (flag.mode == 1) {
    const auto pair = siblings(isa::CoreType::AIV);
    if (complete(pair, aivs_per_ai_core_, 1, flag.id)) count_up(pair, pair);
  } else if (me.type == isa::CoreType::AIC) {
    --setter.waiting[flag.mode][flag.id];
    count_up({&setter}, siblings(isa::CoreType::AIV));
  } else {
    const auto vectors = siblings(isa::CoreType::AIV);
    if (complete(vectors, aivs_per_ai_core_, 2, flag.id)) {
      count_up(vectors, siblings(isa::CoreType::AIC));
    }
  }
}

void CrossCoreFlags::tell_watcher(const isa::CrossCoreFlagParams& flag,
                                  const std::vector<CoreState*>& setters,
                                  const std::vector<CoreState*>& raised) const {
  const auto cores = [this](const std::vector<CoreState*>& states) {
    std::vector<std::uint32_t> found;
    for (const CoreState* state : states) found.push_back(first_core_ + state->member.core);
    return found;
  };
  watcher_->flag_raised(flag, cores(setters), cores(raised));
}

void CrossCoreFlags::arrive(CoreState& state, const isa::CrossCoreFlagParams& flag, Cycle at,
                            std::uint64_t flow, isa::SourceLocation where) {
  auto& queue = state.arrived[flag.id];
  if (queue.size() >= kMaxCount) {
    throw isa::Fault(isa::FaultClass::kFlag,
                     "CrossCoreSetFlag: the counter of flag " + std::to_string(flag.id) +
                         " overflows: 15 sets are not awaited yet",
                     where);
  }
  queue.push_back({at, flow, where, flag.mode});
  notify_(state.member.core, at);
}

CrossCoreFlags::Take CrossCoreFlags::take(std::uint32_t core, std::uint8_t id, Cycle now,
                                          Cycle& arrival, std::uint64_t& flow,
                                          isa::SourceLocation& set_at) {
  CoreState& state = cores_.at(core);
  auto& queue = state.arrived[id];
  if (queue.empty()) return Take::kNothing;
  arrival = queue.front().at;
  if (arrival > now) return Take::kLater;
  flow = queue.front().flow;
  set_at = queue.front().where;
  queue.erase(queue.begin());
  ++state.taken[id];
  return Take::kTaken;
}

bool CrossCoreFlags::set_together(std::uint8_t mode, const Member& a, const Member& b) {
  return a.type == b.type && (mode == 0 || a.ai_core == b.ai_core);
}

bool CrossCoreFlags::raises(std::uint8_t mode, const Member& setter, const Member& target) {
  if (mode == 2) return setter.ai_core == target.ai_core && setter.type != target.type;
  return set_together(mode, setter, target);
}

std::size_t CrossCoreFlags::setters_of(std::uint8_t mode, const Member& member) const {
  if (mode != 0) return member.type == isa::CoreType::AIC ? 1 : aivs_per_ai_core_;
  return member.type == isa::CoreType::AIC ? aic_blocks_ : aiv_blocks_;
}

std::vector<CrossCoreFlags::HalfSet> CrossCoreFlags::half_set() const {
  std::vector<HalfSet> found;
  for (std::uint8_t mode = 0; mode < 3; ++mode) {
    for (std::uint8_t id = 0; id < kIds; ++id) {
      std::vector<bool> seen(cores_.size());
      for (const CoreState& first : cores_) {
        if (seen[first.member.core] || first.waiting[mode][id] == 0) continue;
        HalfSet set{mode, id, setters_of(mode, first.member), {}, {}};
        for (const CoreState& state : cores_) {
          if (!state.had_block || !set_together(mode, first.member, state.member)) continue;
          seen[state.member.core] = true;
          (state.waiting[mode][id] > 0 ? set.by : set.missing).push_back(state.member.core);
        }
        found.push_back(std::move(set));
      }
    }
  }
  return found;
}

std::vector<CrossCoreFlags::Raised> CrossCoreFlags::raised() const {
  std::vector<Raised> found;
  for (const CoreState& state : cores_) {
    for (std::uint8_t id = 0; id < kIds; ++id) {
      if (state.arrived[id].empty()) continue;
      const Arrival& first = state.arrived[id].front();
      found.push_back({state.member.core, id, first.mode, first.where});
    }
  }
  return found;
}

std::vector<std::uint32_t> CrossCoreFlags::setters(std::uint32_t core, std::uint8_t mode) const {
  const Member& target = cores_.at(core).member;
  std::vector<std::uint32_t> found;
  for (const CoreState& state : cores_) {
    if (state.had_block && raises(mode, state.member, target)) found.push_back(state.member.core);
  }
  return found;
}

std::vector<std::uint32_t> CrossCoreFlags::setters_for(std::uint32_t core, std::uint8_t id) const {
  const Member& target = cores_.at(core).member;
  for (const HalfSet& set : half_set()) {
    if (set.id == id && raises(set.mode, cores_.at(set.by.front()).member, target)) {
      return set.missing;
    }
  }
  std::vector<std::uint32_t> others;
  for (const CoreState& state : cores_) {
    if (state.present && raises(2, state.member, target)) others.push_back(state.member.core);
  }
  return others;
}

void CrossCoreFlags::require_none_left(std::uint32_t core, const std::string& core_name) const {
  const CoreState& state = cores_.at(core);
  for (std::size_t id = 0; id < kIds; ++id) {
    if (state.arrived[id].empty()) continue;
    isa::Fault fault(isa::FaultClass::kFlag,
                     "the kernel ends with cross-core flag " + std::to_string(id) + " raised " +
                         std::to_string(state.arrived[id].size()) + " time(s) and never awaited",
                     state.arrived[id].front().where);
    fault.core = core_name;
    throw fault;
  }
}

}  // namespace davsim::sim
