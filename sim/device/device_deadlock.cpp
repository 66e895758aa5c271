// A launch in which nothing can move any more, or that takes too long: where its cores are, who
// waits for what, and what that says.
#include <algorithm>
#include <map>
#include <string>

#include "sim/device/device_impl.hpp"
#include "sim/sync/wait_causes.hpp"
#include "sim/sync/wait_graph.hpp"

namespace davsim::sim {
namespace {

/// Places of kernels that a message names.
constexpr std::size_t kMostLines = 4;

}  // namespace

void Device::Impl::core_polled(std::uint32_t core, bool found, isa::SourceLocation where) {
  polls_.polled(core, found, where);
  if (found) return;
  // Nobody here knows what the cores of another process still write.
  if (options_.group != nullptr) return polls_.look_anew();
  // What travels between dies, and the servers of collective operations, may end a wait.
  if (collectives_ && collectives_->busy()) return polls_.look_anew();
  const auto waits = [this](const Core& other) {
    return !other.running() || polls_.waits(other.index()) || other.at_rest();
  };
  if (!all_cores(waits)) return polls_.look_anew();
  const auto in_vain = [this](const Core& other) {
    return !other.running() || !polls_.waits(other.index()) || polls_.in_vain(other.index());
  };
  if (all_cores(in_vain) && !stall(Stall::kCertain)) throw deadlock();
}

void Device::Impl::core_loops() {
  // As in core_polled(): who may still write is in another process, or is the server.
  if (options_.group != nullptr) return;
  if (collectives_ && collectives_->busy()) return polls_.something_happened();
  const auto all_wait = [this](std::uint32_t rounds) {
    return all_cores([&](const Core& core) {
      return !core.running() || polls_.loops(core.index(), rounds) || polls_.waits(core.index()) ||
             core.at_rest();
    });
  };
  if ((others_write() || others_launch()) && all_wait(PollWatch::kFewRounds)) {
    effects_.settle();  // the others may wait for what these cores wrote
    stall(Stall::kLikely);
    if (others_write()) return outside_->await();
  }
  if (all_wait(PollWatch::kManyRounds) && !stall(Stall::kCertain)) throw deadlock();
}

std::vector<WaitPoint> Device::Impl::wait_points() const {
  std::vector<WaitPoint> points;
  for (const auto& die : dies_) {
    if (die == nullptr) continue;
    for (const auto& core : die->cores()) {
      if (!core->running()) continue;
      if (polls_.waits(core->index())) {
        points.push_back(core->poll_point(polls_.where(core->index())));
        continue;
      }
      if (polls_.loops(core->index())) {
        points.push_back(core->poll_point(polls_.loop_at(core->index())));
        continue;
      }
      for (WaitPoint& point : core->waits()) points.push_back(std::move(point));
    }
  }
  return points;
}

/// Why the flag that this waits for was not raised.
std::string Device::Impl::cause_of(const WaitPoint& point) const {
  const Core& waiting = core(point.core);
  if (point.what == WaitPoint::For::kFlag && !point.flag.inserted) {
    return explain_event(point, waiting.raised_flags());
  }
  if (point.what != WaitPoint::For::kCrossCoreFlag) return "";
  Die& die = die_of_core(point.core);
  return explain_cross_core(
      point, die.flags(), waiting.index_on_die(),
      [&die](std::uint32_t place) { return die.cores()[place]->report_name(); });
}

isa::Fault Device::Impl::deadlock() const {
  // A kernel that went wrong and whose pipes wait for what it can no longer do.
  const isa::Fault* stopped_by = nullptr;
  all_cores([&](const Core& core) { return (stopped_by = core.stopped_by()) == nullptr; });
  if (stopped_by != nullptr) return *stopped_by;
  const std::vector<WaitPoint> points = wait_points();
  std::string message = "deadlock: nothing can move any more";
  for (const std::uint32_t number : running_) {
    const BlockSchedule& schedule = dies_[number]->schedule();
    const std::uint32_t waiting = schedule.blocks() - schedule.started();
    if (waiting == 0) continue;
    message += "; " + std::to_string(waiting) + " of " + std::to_string(schedule.blocks()) +
               " blocks never got a core";
  }
  message += list_waits(points);
  const SetQueued set_queued = [this](std::uint32_t number, const isa::FlagParams& flag) {
    return core(number).set_queued(flag);
  };
  const SettersFor setters_for = [this](std::uint32_t number, std::uint8_t flag) {
    return die_of_core(number).setters_for(number, flag);
  };
  message += explain_waits(points, set_queued, setters_for);
  const std::size_t last = last_of_waits(points, set_queued, setters_for);
  if (last < points.size()) message += cause_of(points[last]);
  for (const auto& die : dies_) {
    if (die == nullptr) continue;
    message += explain_half_set(die->flags().half_set(), [&die](std::uint32_t place) {
      return die->cores()[place]->report_name();
    });
  }
  if (collectives_) message += collectives_->explain_waits();
  if (last < points.size() && points[last].where.line() != 0) {
    return isa::Fault(isa::FaultClass::kDeadlock, std::move(message), points[last].where);
  }
  // A kernel's end has no line.
  const auto first = std::find_if(points.begin(), points.end(),
                                  [](const WaitPoint& point) { return point.where.line() != 0; });
  return isa::Fault(isa::FaultClass::kDeadlock, std::move(message),
                    first == points.end() ? isa::SourceLocation() : first->where);
}

isa::Fault Device::Impl::over_limit() const {
  const Core* first = nullptr;
  std::size_t running = 0;
  std::map<std::string, std::size_t> by_line;
  for (const auto& die : dies_) {
    if (die == nullptr) continue;
    for (const auto& core : die->cores()) {
      if (!core->running()) continue;
      ++running;
      if (core->last_call().line() == 0) continue;
      if (first == nullptr) first = core.get();
      ++by_line[observe::short_line(core->last_call())];
    }
  }
  std::string message = "the launch is not over after " + std::to_string(options_.max_cycles) +
                        " cycles, the limit of this run; " + std::to_string(running) +
                        " cores still run their kernels";
  std::size_t told = 0;
  for (const auto& [line, cores] : by_line) {
    if (++told > kMostLines) break;
    message += (told == 1 ? ": " : ", ") + std::to_string(cores) + " behind the call at " + line;
  }
  isa::Fault fault(isa::FaultClass::kLimit, std::move(message));
  if (first != nullptr) {
    fault.core = first->report_name();
    fault.where = first->last_call();
  }
  return fault;
}

}  // namespace davsim::sim
