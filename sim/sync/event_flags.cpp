#include "sim/sync/event_flags.hpp"

#include "isa/instr/fault.hpp"

namespace davsim::sim {

std::string EventFlags::name(const isa::FlagParams& flag) {
  const std::string pair = std::string(isa::pipe_name(flag.set_pipe)) + "_" +
                           std::string(isa::pipe_name(flag.wait_pipe));
  return flag.inserted ? pair + " inserted" : pair + " event " + std::to_string(flag.id);
}

void EventFlags::Flag::add(const Set& set) {
  if (!is_set()) {
    oldest = set;
    return;
  }
  if (later == nullptr) later = std::make_unique<std::vector<Set>>();
  later->push_back(set);
}

void EventFlags::Flag::take_oldest() {
  if (sets() == 1) {
    oldest.flow = kNoFlow;
    return;
  }
  oldest = later->front();
  later->erase(later->begin());
}

void EventFlags::set(const isa::FlagParams& params, std::uint64_t flow, isa::SourceLocation where) {
  Flag& flag = at(params);
  if (flag.sets() == kMost) {
    throw isa::Fault(isa::FaultClass::kFlag,
                     "SetFlag of " + name(params) + ", of which " + std::to_string(kMost) +
                         " sets (the last at line " + std::to_string(flag.newest().where.line()) +
                         ") are not awaited yet",
                     where);
  }
  flag.add({flow, where});
  ++sets_;
}

bool EventFlags::take(const isa::FlagParams& params, std::uint64_t& flow,
                      isa::SourceLocation& set_at) {
  Flag& flag = at(params);
  if (!flag.is_set()) return false;
  flow = flag.oldest.flow;
  set_at = flag.oldest.where;
  flag.take_oldest();
  --sets_;
  return true;
}

void EventFlags::clear() {
  if (sets_ == 0) return;
  sets_ = 0;
  for (Flag& flag : flags_) flag = {};
}

isa::FlagParams EventFlags::params_at(std::size_t index) const {
  const std::size_t pair = index / (ids_ + 1), id = index % (ids_ + 1);
  return {static_cast<isa::Pipe>(pair / isa::kPipeCount),
          static_cast<isa::Pipe>(pair % isa::kPipeCount), static_cast<std::uint8_t>(id),
          id == ids_};
}

void EventFlags::require_none_set() const {
  if (sets_ == 0) return;
  for (std::size_t i = 0; i < flags_.size(); ++i) {
    if (!flags_[i].is_set()) continue;
    throw isa::Fault(isa::FaultClass::kFlag,
                     "the kernel ends with " + name(params_at(i)) + " set and never awaited",
                     flags_[i].oldest.where);
  }
}

std::vector<EventFlags::Raised> EventFlags::raised() const {
  std::vector<Raised> found;
  for (std::size_t i = 0; i < flags_.size(); ++i) {
    if (!flags_[i].is_set() || params_at(i).inserted) continue;
    found.push_back({params_at(i), flags_[i].oldest.where});
  }
  return found;
}

void EventFlags::no_such_id(const isa::FlagParams& flag) const {
  throw isa::Fault(isa::FaultClass::kFlag, "there is no flag " + name(flag) + ": this core has " +
                                               std::to_string(ids_) + " of each pair of pipes");
}

}  // namespace davsim::sim
