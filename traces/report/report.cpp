#include "traces/report/report.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

#include "traces/analysis/scalar_bound.hpp"
#include "traces/analysis/stall_report.hpp"

namespace davsim::traces {
namespace {

namespace json = boost::json;
using isa::CoreType;
using isa::Pipe;

json::string_view name_of(std::string_view text) {
  return {text.data(), text.size()};
}

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

/// A pipe that a core does not have never counts anything.
bool exists(const PipeCounters& pipe) {
  return pipe.instructions > 0 ||
         std::any_of(pipe.cycles.begin(), pipe.cycles.end(), [](Cycle c) { return c > 0; });
}

void add(PipeCounters& sum, const PipeCounters& pipe) {
  sum.instructions += pipe.instructions;
  sum.in_flight += pipe.in_flight;
  for (std::size_t i = 0; i < kCycleClassCount; ++i) sum.cycles[i] += pipe.cycles[i];
}

/// What the cores of one type did together.
struct Totals {
  std::uint64_t cores = 0;
  std::array<PipeCounters, isa::kPipeCount> pipes{};
  std::array<std::uint64_t, kPathCount> path_bytes{};
  std::uint64_t cube_macs = 0, vector_elements = 0;

  void add_core(const CoreCounters& core) {
    ++cores;
    for (std::size_t i = 0; i < isa::kPipeCount; ++i) add(pipes[i], core.pipes[i]);
    for (std::size_t i = 0; i < kPathCount; ++i) path_bytes[i] += core.path_bytes[i];
    cube_macs += core.cube_macs;
    vector_elements += core.vector_elements;
  }
};

Totals totals_of(const LaunchReport& report, CoreType type) {
  Totals totals;
  for (const CoreCounters& core : report.cores) {
    if (core.type == type) totals.add_core(core);
  }
  return totals;
}

Totals totals_of(const LaunchReport& report) {
  Totals totals;
  for (const CoreCounters& core : report.cores) totals.add_core(core);
  return totals;
}

/// `cycles`: those in which the pipe could have been busy.
json::object pipe_json(const PipeCounters& pipe, double cycles) {
  json::object stalls;
  for (std::size_t i = 0; i < kCycleClassCount; ++i) {
    const auto cycle_class = static_cast<CycleClass>(i);
    if (cycle_class == CycleClass::kBusy) continue;
    stalls[name_of(cycle_class_name(cycle_class))] = pipe.cycles[i];
  }
  return {{"instructions", pipe.instructions},
          {"in_flight_cycles", pipe.in_flight},
          {"utilization", ratio(static_cast<double>(pipe.in_flight), cycles)},
          {"busy_cycles", pipe.busy()},
          {"busy_share", ratio(static_cast<double>(pipe.busy()), cycles)},
          {"stall_cycles", std::move(stalls)}};
}

json::object pipes_json(const std::array<PipeCounters, isa::kPipeCount>& pipes, double cycles) {
  json::object result;
  for (std::size_t i = 0; i < isa::kPipeCount; ++i) {
    if (!exists(pipes[i])) continue;
    result[name_of(isa::pipe_name(static_cast<Pipe>(i)))] = pipe_json(pipes[i], cycles);
  }
  return result;
}

json::object bytes_json(const std::array<std::uint64_t, kPathCount>& bytes) {
  json::object result;
  for (std::size_t i = 0; i < kPathCount; ++i) {
    if (bytes[i] > 0) result[name_of(path_name(static_cast<Path>(i)))] = bytes[i];
  }
  return result;
}

json::object core_json(const CoreCounters& core, const LaunchReport& report) {
  return {{"name", core.name},
          {"type", name_of(isa::core_type_name(core.type))},
          {"start_cycle", core.start},
          {"end_cycle", core.end},
          {"pipes", pipes_json(core.pipes, static_cast<double>(report.cycles))},
          {"bytes", bytes_json(core.path_bytes)},
          {"cube_macs", core.cube_macs},
          {"vector_elements", core.vector_elements}};
}

json::object totals_json(const LaunchReport& report, CoreType type) {
  const Totals totals = totals_of(report, type);
  const double cycles = static_cast<double>(report.cycles) * static_cast<double>(totals.cores);
  return {{"cores", totals.cores}, {"pipes", pipes_json(totals.pipes, cycles)}};
}

std::uint64_t hits(const MemoryCounters& memory) {
  return memory.l2_read_hits + memory.l2_write_hits;
}
std::uint64_t misses(const MemoryCounters& memory) {
  return memory.l2_read_misses + memory.l2_write_misses;
}
double hit_rate(const MemoryCounters& memory) {
  return ratio(static_cast<double>(hits(memory)),
               static_cast<double>(hits(memory) + misses(memory)));
}

/// GB/s over the launch.
double bandwidth(std::uint64_t bytes, const LaunchReport& report) {
  return ratio(static_cast<double>(bytes), report.time_us()) * 1e-3;
}

json::object l2_json(const LaunchReport& report) {
  const MemoryCounters& memory = report.memory;
  return {{"read_hits", memory.l2_read_hits},
          {"read_misses", memory.l2_read_misses},
          {"write_hits", memory.l2_write_hits},
          {"write_misses", memory.l2_write_misses},
          {"hits", hits(memory)},
          {"misses", misses(memory)},
          {"hit_rate", hit_rate(memory)},
          {"bytes", memory.l2_bytes},
          {"gb_per_s", bandwidth(memory.l2_bytes, report)}};
}

json::object hbm_json(const LaunchReport& report) {
  const MemoryCounters& memory = report.memory;
  const std::uint64_t bytes = memory.hbm_read_bytes + memory.hbm_write_bytes;
  return {{"read_bytes", memory.hbm_read_bytes},
          {"write_bytes", memory.hbm_write_bytes},
          {"bytes", bytes},
          {"gb_per_s", bandwidth(bytes, report)}};
}

/// printf into a string. Tables need widths, and GCC 12 has no <format>.
[[gnu::format(printf, 2, 3)]] void print(std::string& text, const char* format, ...) {
  std::array<char, 256> line;
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line.data(), line.size(), format, arguments);
  va_end(arguments);
  if (length > 0) text.append(line.data(), std::min<std::size_t>(length, line.size() - 1));
}

/// Classes in which any of these pipes has cycles. Other classes would only widen the table.
std::vector<CycleClass> classes_of(const std::vector<Totals>& types) {
  std::vector<CycleClass> classes;
  for (std::size_t i = 0; i < kCycleClassCount; ++i) {
    const bool any = std::any_of(types.begin(), types.end(), [&](const Totals& totals) {
      return std::any_of(totals.pipes.begin(), totals.pipes.end(),
                         [&](const PipeCounters& pipe) { return pipe.cycles[i] > 0; });
    });
    if (any) classes.push_back(static_cast<CycleClass>(i));
  }
  return classes;
}

void print_pipes(std::string& text, CoreType type, const Totals& totals, double launch,
                 const std::vector<CycleClass>& classes) {
  const double cycles = launch * static_cast<double>(totals.cores);
  for (std::size_t i = 0; i < isa::kPipeCount; ++i) {
    const PipeCounters& pipe = totals.pipes[i];
    if (!exists(pipe)) continue;
    print(text, "%s %-5s %5" PRIu64 " %12" PRIu64 " %8.1f%%", isa::core_type_name(type).data(),
          isa::pipe_name(static_cast<Pipe>(i)).data(), totals.cores, pipe.instructions,
          100 * ratio(static_cast<double>(pipe.in_flight), cycles));
    for (const CycleClass c : classes) {
      print(text, " %*.1f%%", static_cast<int>(cycle_class_name(c).size()) + 1,
            100 * ratio(static_cast<double>(pipe.of(c)), cycles));
    }
    text += '\n';
  }
}

/// A table of the pipes' time by class. From "busy" on, a row adds up to 100 %.
void print_breakdown(std::string& text, const LaunchReport& report) {
  const std::vector<Totals> types = {totals_of(report, CoreType::AIC),
                                     totals_of(report, CoreType::AIV)};
  const std::vector<CycleClass> classes = classes_of(types);
  text += "\npipe      cores instructions in_flight";
  for (const CycleClass c : classes) {
    print(text, " %*s", static_cast<int>(cycle_class_name(c).size()) + 2,
          cycle_class_name(c).data());
  }
  text += '\n';
  const auto launch = static_cast<double>(report.cycles);
  print_pipes(text, CoreType::AIC, types[0], launch, classes);
  print_pipes(text, CoreType::AIV, types[1], launch, classes);
}

void print_memory(std::string& text, const LaunchReport& report) {
  const Totals totals = totals_of(report);
  for (std::size_t i = 0; i < kPathCount; ++i) {
    if (totals.path_bytes[i] == 0) continue;
    print(text, "%-8s %10.3f MB\n", path_name(static_cast<Path>(i)).data(),
          static_cast<double>(totals.path_bytes[i]) * 1e-6);
  }
  const MemoryCounters& memory = report.memory;
  print(text, "L2       %10.3f MB, %.1f GB/s, %.1f%% of %" PRIu64 " lines hit\n",
        static_cast<double>(memory.l2_bytes) * 1e-6, bandwidth(memory.l2_bytes, report),
        100 * hit_rate(memory), hits(memory) + misses(memory));
  print(text, "HBM      %10.3f MB read, %.3f MB written, %.1f GB/s\n",
        static_cast<double>(memory.hbm_read_bytes) * 1e-6,
        static_cast<double>(memory.hbm_write_bytes) * 1e-6,
        bandwidth(memory.hbm_read_bytes + memory.hbm_write_bytes, report));
}

}  // namespace

json::object report_json(const LaunchReport& report) {
  const Totals totals = totals_of(report);
  json::array cores;
  for (const CoreCounters& core : report.cores) cores.push_back(core_json(core, report));
  return {{"soc", report.soc},
          {"kernel", report.kernel},
          {"timed", report.timed},
          {"block_dim", report.block_dim},
          {"frequency_mhz", report.frequency_mhz},
          {"start_cycle", report.start},
          {"cycles", report.cycles},
          {"time_us", report.time_us()},
          {"launch_overhead_us", report.launch_overhead_us},
          {"task_time_us", report.task_time_us()},
          {"cores", std::move(cores)},
          {"totals",
           {{"AIC", totals_json(report, CoreType::AIC)},
            {"AIV", totals_json(report, CoreType::AIV)},
            {"cube_macs", totals.cube_macs},
            {"vector_elements", totals.vector_elements}}},
          {"lines", stall_rows_json(report)},
          {"scalar_bound", scalar_bound_json(scalar_bound(report))},
          {"bytes", bytes_json(totals.path_bytes)},
          {"l2", l2_json(report)},
          {"hbm", hbm_json(report)}};
}

std::string report_text(const LaunchReport& report) {
  std::string text = report.kernel + " on " + report.soc;
  print(text, ", %u blocks on %zu cores\n", report.block_dim, report.cores.size());
  if (!report.timed) return text + "functional run: no times\n";
  print(text, "%" PRIu64 " cycles at %g MHz = %.3f us; task %.3f us with launch\n", report.cycles,
        report.frequency_mhz, report.time_us(), report.task_time_us());
  if (const auto bound = scalar_bound(report)) text += scalar_bound_text(*bound);
  print_breakdown(text, report);
  text += '\n';
  print_memory(text, report);
  return text;
}

}  // namespace davsim::traces
