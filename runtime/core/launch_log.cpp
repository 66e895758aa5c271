#include "runtime/core/launch_log.hpp"

#include <boost/json.hpp>
#include <utility>

namespace davsim::runtime {

namespace json = boost::json;

void LaunchLog::begin() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
  queued_ = 0;
  on_ = true;
}

LaunchLog::Launch LaunchLog::launch_of(const observe::LaunchReport& report) {
  Launch launch{report.kernel, report.block_dim, report.frequency_mhz, {}, {}};
  for (const observe::CoreCounters& core : report.cores) {
    Cores& cores = core.type == isa::CoreType::AIC ? launch.cube : launch.vector;
    ++cores.count;
    cores.cycles += core.end - core.start;
    for (std::size_t i = 0; i < isa::kPipeCount; ++i) {
      cores.in_flight[i] += core.pipes[i].in_flight;
    }
  }
  return launch;
}

void LaunchLog::add(const LaunchPlace& place, Launch launch, MomentPtr end) {
  if (!on_) return;
  const std::lock_guard lock(mutex_);
  entries_.push_back({place, std::move(launch), std::move(end)});
}

json::object LaunchLog::cores_json(const Cores& cores) {
  json::object pipes;
  for (std::size_t i = 0; i < isa::kPipeCount; ++i) {
    const std::string_view name = isa::pipe_name(static_cast<isa::Pipe>(i));
    pipes[{name.data(), name.size()}] = cores.in_flight[i];
  }
  return {{"cores", cores.count}, {"cycles", cores.cycles}, {"in_flight_cycles", std::move(pipes)}};
}

json::array LaunchLog::launches(Timeline& timeline) const {
  const std::lock_guard lock(mutex_);
  json::array list;
  for (const Entry& entry : entries_) {
    const Microseconds end = timeline.at(*entry.end);
    list.push_back({{"kernel", entry.launch.kernel},
                    {"device", entry.place.device},
                    {"stream", entry.place.stream},
                    {"blocks", entry.launch.blocks},
                    {"start_us", entry.end->started.value_or(end)},
                    {"end_us", end},
                    {"frequency_mhz", entry.launch.frequency_mhz},
                    {"AIC", cores_json(entry.launch.cube)},
                    {"AIV", cores_json(entry.launch.vector)}});
  }
  return list;
}

}  // namespace davsim::runtime
