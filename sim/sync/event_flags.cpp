#include "sim/sync/event_flags.hpp"

#include "isa/instr/fault.hpp"

namespace davsim::sim {

std::string EventFlags::name(const isa::FlagParams& flag) {
  return std::string(isa::pipe_name(flag.set_pipe)) + "_" +
         std::string(isa::pipe_name(flag.wait_pipe)) + " event " + std::to_string(flag.id);
}

void EventFlags::set(const isa::FlagParams& params, std::uint64_t flow, isa::SourceLocation where) {
  Flag& flag = at(params);
  if (!flag.empty() && (!params.counts || flag.size() == kMost)) {
    throw isa::Fault(isa::FaultClass::kFlag,
                     "SetFlag of " + name(params) + ", which is set already (at line " +
                         std::to_string(flag.back().where.line()) + ") and not awaited yet",
                     where);
  }
  flag.push_back({flow, where});
}

bool EventFlags::take(const isa::FlagParams& params, std::uint64_t& flow,
                      isa::SourceLocation& set_at) {
  Flag& flag = at(params);
  if (flag.empty()) return false;
  flow = flag.front().flow;
  set_at = flag.front().where;
  flag.erase(flag.begin());
  return true;
}

void EventFlags::clear() {
  for (auto& from : flags_) {
    for (auto& to : from) {
      for (Flag& flag : to) flag.clear();
    }
  }
}

void EventFlags::require_none_set() const {
  for (std::size_t from = 0; from < isa::kPipeCount; ++from) {
    for (std::size_t to = 0; to < isa::kPipeCount; ++to) {
      for (std::size_t id = 0; id < kIds; ++id) {
        const Flag& flag = flags_[from][to][id];
        if (flag.empty()) continue;
        const isa::FlagParams params{static_cast<isa::Pipe>(from), static_cast<isa::Pipe>(to),
                                     static_cast<std::uint8_t>(id)};
        throw isa::Fault(isa::FaultClass::kFlag,
                         "the kernel ends with " + name(params) + " set and never awaited",
                         flag.front().where);
      }
    }
  }
}

}  // namespace davsim::sim
