#include "bench/silicon/quantity.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace davsim::silicon {
namespace {

using observe::CoreCounters;
using observe::LaunchReport;

std::size_t pipe_named(std::string_view name) {
  for (std::size_t i = 0; i < isa::kPipeCount; ++i) {
    if (isa::pipe_name(static_cast<isa::Pipe>(i)) == name) return i;
  }
  throw std::invalid_argument("no pipe is called " + std::string(name));
}

bool is_of(const CoreCounters& core, std::string_view type) {
  return type.empty() || (type == "AIC") == (core.type == isa::CoreType::AIC);
}

/// Over the cores of one type, or all of them for an empty name.
double mean_core_cycles(const LaunchReport& report, const std::string& type = "") {
  double sum = 0, cores = 0;
  for (const CoreCounters& core : report.cores) {
    if (!is_of(core, type)) continue;
    sum += static_cast<double>(core.end - core.start);
    cores += 1;
  }
  return cores > 0 ? sum / cores : 0;
}

/// Mean over the cores of the type that has the pipe; where both have, `type` says which.
double mean_busy_cycles(const LaunchReport& report, std::size_t pipe, std::string_view type = "") {
  double sum = 0, cores = 0;
  for (const CoreCounters& core : report.cores) {
    if (!core.present.has(static_cast<isa::Pipe>(pipe)) || !is_of(core, type)) continue;
    sum += static_cast<double>(core.pipes[pipe].in_flight);
    cores += 1;
  }
  return cores > 0 ? sum / cores : 0;
}

}  // namespace

double quantity_of(const LaunchReport& report, const std::string& quantity) {
  const double mhz = report.frequency_mhz;
  if (quantity == "latency_us") return report.task_time_us();
  if (quantity == "core_us") return mean_core_cycles(report) / mhz;
  if (quantity == "core_max_us") return report.time_us();
  if (quantity == "core_cycles_sum") {
    return mean_core_cycles(report) * static_cast<double>(report.cores.size());
  }
  if (quantity == "vector_cycles") return mean_busy_cycles(report, pipe_named("V"));
  if (quantity == "hbm_read_mb") return report.memory.hbm_read_bytes / 1e6;
  if (quantity == "hbm_write_mb") return report.memory.hbm_write_bytes / 1e6;
  const std::size_t colon = quantity.find(':');
  const std::string name = quantity.substr(0, colon);
  if (colon != std::string::npos) {
    if (name == "core_us") return mean_core_cycles(report, quantity.substr(colon + 1)) / mhz;
    // "busy_us:MTE2", or "busy_us:AIV:MTE2" where both types of core have the pipe.
    const std::size_t last = quantity.rfind(':');
    const std::string type = last == colon ? "" : quantity.substr(colon + 1, last - colon - 1);
    const double busy = mean_busy_cycles(report, pipe_named(quantity.substr(last + 1)), type);
    if (name == "busy_us") return busy / mhz;
    if (name == "busy_share") return busy / mean_core_cycles(report);
  }
  throw std::invalid_argument("no quantity is called " + quantity);
}

std::string quantity_class(const std::string& quantity) {
  if (quantity.starts_with("busy") || quantity == "vector_cycles") return "pipe busy";
  return quantity == "latency_us" ? "latency" : "core time";
}

}  // namespace davsim::silicon
