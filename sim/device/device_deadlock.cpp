// A launch in which nothing can move any more: who waits for what, and what that says.
#include <algorithm>
#include <string>

#include "sim/device/device_impl.hpp"
#include "sim/sync/wait_graph.hpp"

namespace davsim::sim {

void Device::Impl::core_polled(std::uint32_t core, bool found, isa::SourceLocation where) {
  polls_.polled(core, found, where);
  if (found) return;
  const auto waits = [this](const auto& other) {
    return !other->running() || polls_.waits(other->index()) || other->at_rest();
  };
  if (!std::all_of(cores_.begin(), cores_.end(), waits)) return polls_.look_anew();
  const auto in_vain = [this](const auto& other) {
    return !other->running() || !polls_.waits(other->index()) || polls_.in_vain(other->index());
  };
  if (std::all_of(cores_.begin(), cores_.end(), in_vain)) throw deadlock();
}

std::vector<WaitPoint> Device::Impl::wait_points() const {
  std::vector<WaitPoint> points;
  for (const auto& core : cores_) {
    if (!core->running()) continue;
    if (polls_.waits(core->index())) {
      points.push_back(core->poll_point(polls_.where(core->index())));
      continue;
    }
    for (WaitPoint& point : core->waits()) points.push_back(std::move(point));
  }
  return points;
}

isa::Fault Device::Impl::deadlock() const {
  // A kernel that went wrong and whose pipes wait for what it can no longer do.
  for (const auto& core : cores_) {
    if (const isa::Fault* fault = core->stopped_by()) return *fault;
  }
  const std::vector<WaitPoint> points = wait_points();
  std::string message = "deadlock: nothing can move any more";
  const std::uint32_t waiting = schedule_.blocks() - schedule_.started();
  if (waiting > 0) {
    message += "; " + std::to_string(waiting) + " of " + std::to_string(schedule_.blocks()) +
               " blocks never got a core";
  }
  message += list_waits(points);
  message += explain_waits(
      points,
      [this](std::uint32_t core, const isa::FlagParams& flag) {
        return cores_[core]->set_queued(flag);
      },
      [this](std::uint32_t core, std::uint8_t flag) { return setters_for(core, flag); });
  message += explain_half_set(flags_.half_set(),
                              [this](std::uint32_t core) { return cores_[core]->report_name(); });
  // A kernel's end has no line.
  const auto first = std::find_if(points.begin(), points.end(),
                                  [](const WaitPoint& point) { return point.where.line() != 0; });
  return isa::Fault(isa::FaultClass::kDeadlock, std::move(message),
                    first == points.end() ? isa::SourceLocation() : first->where);
}

/// Running cores that `core` waits for in order to see its cross-core flag raised.
std::vector<std::uint32_t> Device::Impl::setters_for(std::uint32_t core, std::uint8_t flag) const {
  std::vector<std::uint32_t> setters = flags_.setters_for(core, flag);
  std::erase_if(setters, [this](std::uint32_t setter) { return !cores_[setter]->running(); });
  return setters;
}

}  // namespace davsim::sim
