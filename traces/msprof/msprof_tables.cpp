#include "traces/msprof/msprof_tables.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <set>

#include "traces/output/csv.hpp"

namespace davsim::traces {
namespace {

using isa::CoreType;
using isa::Pipe;

constexpr double kKilobyte = 1024;

/// A core with its counters and its launch.
struct Row {
  const MsprofCore& core;
  const CoreCounters& counters;
  const LaunchDescription& launch;

  bool cube() const { return counters.type == CoreType::AIC; }
  const PipeCounters& pipe(Pipe id) const { return counters.pipes[static_cast<std::size_t>(id)]; }
  double cycles() const { return static_cast<double>(counters.end - counters.start); }
  double us(double cycles) const { return cycles / launch.frequency_mhz; }
  double ratio(double part) const { return cycles() > 0 ? part / cycles() : 0; }
  double in_flight(Pipe id) const { return static_cast<double>(pipe(id).in_flight); }
  const L2Counters& l2() const { return counters.l2; }
  double bytes(const std::vector<Path>& paths) const {
    std::uint64_t sum = 0;
    for (const Path path : paths) sum += counters.path_bytes[static_cast<std::size_t>(path)];
    return static_cast<double>(sum);
  }
  /// GB/s over the time of the core, or over `cycles` of it.
  double bandwidth(double bytes) const { return bandwidth(bytes, cycles()); }
  double bandwidth(double bytes, double cycles) const {
    return cycles > 0 ? bytes / us(cycles) * 1e-3 : 0;
  }
  /// Percent of what the core's port could move in that time.
  double usage(Path path) const {
    const double most = launch.path_bytes_per_cycle[static_cast<std::size_t>(path)] * cycles();
    return most > 0 ? 100 * bytes({path}) / most : 0;
  }
  /// Cycles in which a pipe had something at the head of its queue and waited.
  double waits(Pipe id) const {
    return static_cast<double>(pipe(id).of(CycleClass::kWaitFlag) +
                               pipe(id).of(CycleClass::kWaitCrossCore) +
                               pipe(id).of(CycleClass::kUnitFlag));
  }
  /// Cycles in which the scalar unit found the queue of `id` full; 0 unless lines are kept.
  double queue_full(Pipe id) const {
    Cycle sum = 0;
    for (const LineCycles& line : pipe(Pipe::S).lines) {
      if (line.cycle_class == CycleClass::kQueueFull && line.from == id) sum += line.cycles;
    }
    return static_cast<double>(sum);
  }
};

using Value = std::optional<double>;  ///< nothing: not modelled

/// On which cores a column means something.
enum class Of : std::uint8_t { kCube, kVector, kBoth };

struct Column {
  Of of;
  std::string name;
  std::function<Value(const Row&)> value;
};

/// The columns of a table, one after the other.
class Columns {
 public:
  using Get = std::function<Value(const Row&)>;

  /// Begins the columns of a core type: `prefix` is "aic" or "aiv".
  Columns& begin(Of of, std::string prefix) {
    of_ = of;
    prefix_ = std::move(prefix) + "_";
    add("time(us)", [](const Row& r) { return r.us(r.cycles()); });
    return add("total_cycles", [](const Row& r) { return r.cycles(); });
  }
  Columns& add(const std::string& name, Get get) {
    columns_.push_back({of_, prefix_ + name, std::move(get)});
    return *this;
  }
  Columns& not_modelled(const std::string& name) {
    return add(name, [](const Row&) { return std::nullopt; });
  }
  /// A column that belongs to one core type, or to both, and has no prefix.
  Columns& plain(Of of, const std::string& name, Get get) {
    columns_.push_back({of, name, std::move(get)});
    return *this;
  }
  /// Time and ratio of a pipe.
  Columns& pipe(const std::string& name, Pipe id) {
    add(name + "_time(us)", [=](const Row& r) { return r.us(r.in_flight(id)); });
    return ratio(name, id);
  }
  Columns& ratio(const std::string& name, Pipe id) {
    return add(name + "_ratio", [=](const Row& r) { return r.ratio(r.in_flight(id)); });
  }
  Columns& count(const std::string& name, Pipe id) {
    add(name + "_instructions", [=](const Row& r) { return r.pipe(id).instructions; });
    return ratio(name, id);
  }
  Columns& waits(const std::string& name, Pipe id) {
    return add(name + "_wait_ratio", [=](const Row& r) { return r.ratio(r.waits(id)); });
  }
  /// The time in which the scalar unit found the queue of a pipe full.
  Columns& stall(const std::string& name, Pipe id) {
    return add("scalar_" + name + "_stall_time(us)",
               [=](const Row& r) { return r.us(r.queue_full(id)); });
  }
  /// GB/s over the time in which a pipe was at work.
  Columns& active(const std::string& name, Pipe id, std::initializer_list<Path> paths) {
    return add(name + "_active_bw(GB/s)", [id, paths = std::vector<Path>(paths)](const Row& r) {
      return r.bandwidth(r.bytes(paths), r.in_flight(id));
    });
  }
  /// GB/s over the time of the core.
  Columns& bandwidth(const std::string& name, std::initializer_list<Path> paths) {
    return add(name + "_bw(GB/s)", [paths = std::vector<Path>(paths)](const Row& r) {
      return r.bandwidth(r.bytes(paths));
    });
  }
  Columns& bandwidth(const std::string& name, std::uint64_t MsprofCore::*bytes) {
    return add(name + "(GB/s)",
               [=](const Row& r) { return r.bandwidth(static_cast<double>(r.core.*bytes)); });
  }
  /// Kilobytes along a path, with what the vendor puts behind the unit.
  Columns& kilobytes(Of of, const std::string& name, std::vector<Path> paths,
                     const std::string& suffix = "") {
    return plain(of, name + "_datas(KB)" + suffix,
                 [paths = std::move(paths)](const Row& r) { return r.bytes(paths) / kKilobyte; });
  }
  Columns& usage(Of of, const std::string& name, Path path, const std::string& suffix = "") {
    return plain(of, name + "_bw_usage_rate(%)" + suffix,
                 [=](const Row& r) { return r.usage(path); });
  }

  const std::vector<Column>& all() const { return columns_; }

 private:
  Of of_ = Of::kBoth;
  std::string prefix_;
  std::vector<Column> columns_;
};

std::string text(double value) {
  char digits[40];
  const bool whole = value == static_cast<double>(static_cast<std::int64_t>(value));
  std::snprintf(digits, sizeof digits, whole ? "%.0f" : "%.6f", value);
  return digits;
}

constexpr std::initializer_list<Path> kMainMemoryReads = {Path::kGmToUb, Path::kGmToL1,
                                                          Path::kGmToL0A, Path::kGmToL0B};
constexpr std::initializer_list<Path> kMainMemoryWrites = {Path::kUbToGm, Path::kL1ToGm,
                                                           Path::kL0CToGm};

Columns pipe_utilization() {
  const auto waits = [](const Row& r) {
    return r.us(static_cast<double>(r.pipe(Pipe::S).of(CycleClass::kWaitFlag)));
  };
  const auto icache_misses = [](const Row& r) {
    const CodeCounters& code = r.counters.code;
    return code.reads > 0 ? static_cast<double>(code.misses) / static_cast<double>(code.reads) : 0;
  };
  Columns c;
  c.begin(Of::kCube, "aic").pipe("cube", Pipe::M).pipe("scalar", Pipe::S);
  c.add("scalar_wait_time(us)", waits);
  c.stall("mte1", Pipe::MTE1).stall("mte2", Pipe::MTE2).stall("mte3", Pipe::MTE3);
  c.stall("cube", Pipe::M).pipe("mte1", Pipe::MTE1).pipe("mte2", Pipe::MTE2);
  c.pipe("mte3", Pipe::MTE3).pipe("fixpipe", Pipe::FIX);
  c.add("icache_miss_rate", icache_misses);
  c.active("mte1", Pipe::MTE1, {Path::kL1ToL0A, Path::kL1ToL0B});
  c.active("mte2", Pipe::MTE2, kMainMemoryReads).active("mte3", Pipe::MTE3, {Path::kL1ToGm});
  c.active("fixpipe", Pipe::FIX, {Path::kL0CToGm, Path::kL0CToL1});
  c.begin(Of::kVector, "aiv").pipe("vec", Pipe::V).pipe("scalar", Pipe::S);
  c.add("scalar_wait_time(us)", waits);
  c.stall("mte2", Pipe::MTE2).stall("mte3", Pipe::MTE3).stall("vector", Pipe::V);
  c.pipe("mte2", Pipe::MTE2).pipe("mte3", Pipe::MTE3);
  c.add("icache_miss_rate", icache_misses);
  c.active("mte2", Pipe::MTE2, {Path::kGmToUb}).active("mte3", Pipe::MTE3, {Path::kUbToGm});
  return c;
}

Columns arithmetic_utilization() {
  const auto vector_share = [](MsprofCore::VectorKind kind) {
    return [=](const Row& r) { return r.ratio(static_cast<double>(r.core.vector_cycles[kind])); };
  };
  Columns c;
  c.begin(Of::kCube, "aic").ratio("cube", Pipe::M);
  c.add("cube_fp16_ratio",
        [](const Row& r) { return r.ratio(static_cast<double>(r.core.cube_fp16_cycles)); });
  c.add("cube_int8_ratio",
        [](const Row& r) { return r.ratio(static_cast<double>(r.core.cube_int8_cycles)); });
  c.add("cube_fops", [](const Row& r) { return 2.0 * static_cast<double>(r.counters.cube_macs); });
  c.add("cube_total_instr_number",
        [](const Row& r) { return r.core.cube_fp_instructions + r.core.cube_int_instructions; });
  c.add("cube_fp_instr_number", [](const Row& r) { return r.core.cube_fp_instructions; });
  c.add("cube_int_instr_number", [](const Row& r) { return r.core.cube_int_instructions; });
  c.begin(Of::kVector, "aiv").ratio("vec", Pipe::V);
  c.add("vec_fp32_ratio", vector_share(MsprofCore::kFp32));
  c.add("vec_fp16_ratio", vector_share(MsprofCore::kFp16));
  c.add("vec_int32_ratio", vector_share(MsprofCore::kInt32));
  c.add("vec_int16_ratio", vector_share(MsprofCore::kInt16));
  c.add("vec_misc_ratio", vector_share(MsprofCore::kMisc));
  c.add("vec_fops", [](const Row& r) { return r.core.vector_flops; });
  return c;
}

Columns memory() {
  Columns c;
  c.begin(Of::kCube, "aic");
  c.bandwidth("l1_read",
              {Path::kL1ToL0A, Path::kL1ToL0B, Path::kL1ToBt, Path::kL1ToFb, Path::kL1ToGm});
  c.bandwidth("l1_write", {Path::kGmToL1, Path::kL0CToL1});
  c.bandwidth("main_mem_read", kMainMemoryReads).bandwidth("main_mem_write", kMainMemoryWrites);
  c.count("mte1", Pipe::MTE1).count("mte2", Pipe::MTE2).count("mte3", Pipe::MTE3);
  c.begin(Of::kVector, "aiv");
  c.bandwidth("gm_to_ub", {Path::kGmToUb}).bandwidth("ub_to_gm", {Path::kUbToGm});
  c.bandwidth("main_mem_read", kMainMemoryReads).bandwidth("main_mem_write", kMainMemoryWrites);
  c.count("mte2", Pipe::MTE2).count("mte3", Pipe::MTE3);
  c.kilobytes(Of::kBoth, "read_main_memory", kMainMemoryReads);
  c.kilobytes(Of::kBoth, "write_main_memory", kMainMemoryWrites);
  c.kilobytes(Of::kCube, "GM_to_L1", {Path::kGmToL1});
  c.kilobytes(Of::kCube, "L1_to_GM", {Path::kL1ToGm}, "(estimate)");
  c.kilobytes(Of::kCube, "L0C_to_L1", {Path::kL0CToL1});
  c.kilobytes(Of::kCube, "L0C_to_GM", {Path::kL0CToGm});
  c.kilobytes(Of::kVector, "GM_to_UB", {Path::kGmToUb});
  c.kilobytes(Of::kVector, "UB_to_GM", {Path::kUbToGm});
  c.usage(Of::kCube, "GM_to_L1", Path::kGmToL1);
  c.usage(Of::kCube, "L1_to_GM", Path::kL1ToGm, "(estimate)");
  c.usage(Of::kCube, "L0C_to_L1", Path::kL0CToL1).usage(Of::kCube, "L0C_to_GM", Path::kL0CToGm);
  c.usage(Of::kVector, "GM_to_UB", Path::kGmToUb).usage(Of::kVector, "UB_to_GM", Path::kUbToGm);
  return c;
}

Columns memory_l0() {
  Columns c;
  c.begin(Of::kCube, "aic");
  c.bandwidth("l0a_read_bw", &MsprofCore::l0a_read);
  c.bandwidth("l0a_write", {Path::kL1ToL0A, Path::kGmToL0A});
  c.bandwidth("l0b_read_bw", &MsprofCore::l0b_read);
  c.bandwidth("l0b_write", {Path::kL1ToL0B, Path::kGmToL0B});
  c.bandwidth("l0c_read_bw_cube", &MsprofCore::l0c_read);
  c.bandwidth("l0c_write_bw_cube", &MsprofCore::l0c_write);
  c.begin(Of::kVector, "aiv");
  return c;
}

Columns memory_ub() {
  Columns c;
  c.begin(Of::kCube, "aic").begin(Of::kVector, "aiv");
  c.bandwidth("ub_read_bw_vector", &MsprofCore::ub_read_vector);
  c.bandwidth("ub_write_bw_vector", &MsprofCore::ub_write_vector);
  c.bandwidth("ub_read_bw_scalar", &MsprofCore::ub_read_scalar);
  c.bandwidth("ub_write_bw_scalar", &MsprofCore::ub_write_scalar);
  return c;
}

double percent(std::uint64_t hits, std::uint64_t misses) {
  const auto all = static_cast<double>(hits + misses);
  return all > 0 ? 100 * static_cast<double>(hits) / all : 0;
}

/// L2 has one read channel here. The vendor counts two; the second stays 0.
Columns l2_cache() {
  Columns c;
  for (const bool cube : {true, false}) {
    c.begin(cube ? Of::kCube : Of::kVector, cube ? "aic" : "aiv");
    c.add("write_cache_hit", [](const Row& r) { return r.l2().write_hits; });
    c.add("write_cache_miss_allocate", [](const Row& r) { return r.l2().write_misses; });
    c.add("r0_read_cache_hit", [](const Row& r) { return r.l2().read_hits; });
    c.add("r0_read_cache_miss_allocate", [](const Row& r) { return r.l2().read_misses; });
    c.add("r1_read_cache_hit", [](const Row&) { return 0; });
    c.add("r1_read_cache_miss_allocate", [](const Row&) { return 0; });
    c.add("write_hit_rate(%)",
          [](const Row& r) { return percent(r.l2().write_hits, r.l2().write_misses); });
    c.add("read_hit_rate(%)",
          [](const Row& r) { return percent(r.l2().read_hits, r.l2().read_misses); });
    c.add("total_hit_rate(%)", [](const Row& r) {
      return percent(r.l2().write_hits + r.l2().read_hits,
                     r.l2().write_misses + r.l2().read_misses);
    });
  }
  return c;
}

/// All modelled conflicts in UB are conflicts of bank groups.
Columns resource_conflict_ratio() {
  const auto conflicts = [](const Row& r) {
    return r.ratio(static_cast<double>(r.pipe(Pipe::V).of(CycleClass::kBankConflict)));
  };
  Columns c;
  c.begin(Of::kCube, "aic").waits("cube", Pipe::M).waits("mte1", Pipe::MTE1);
  c.waits("mte2", Pipe::MTE2).waits("mte3", Pipe::MTE3);
  c.begin(Of::kVector, "aiv");
  c.add("vec_total_cflt_ratio", conflicts).add("vec_bankgroup_cflt_ratio", conflicts);
  c.not_modelled("vec_bank_cflt_ratio").not_modelled("vec_resc_cflt_ratio");
  c.not_modelled("vec_mte_cflt_ratio").waits("vec", Pipe::V);
  c.waits("mte2", Pipe::MTE2).waits("mte3", Pipe::MTE3);
  return c;
}

std::string field(const Column& column, const Row& row) {
  const bool applies = column.of == Of::kBoth || (column.of == Of::kCube) == row.cube();
  const Value value = applies ? column.value(row) : std::nullopt;
  return value ? text(*value) : "NA";
}

/// "cube0", "vector1"; a core of a kernel without cubes is always vector0 of its block.
std::string sub_block(const Row& row, bool mixed) {
  if (row.cube()) return "cube0";
  return "vector" + std::to_string(mixed ? row.core.description.sub_block : 0);
}

void write_table(std::ostream& out, const std::vector<Column>& columns,
                 const std::vector<Row>& rows, bool mixed) {
  out << "block_id,sub_block_id";
  for (const Column& column : columns) out << ',' << column.name;
  out << '\n';
  for (const Row& row : rows) {
    out << row.core.block << ',' << sub_block(row, mixed);
    for (const Column& column : columns) out << ',' << field(column, row);
    out << '\n';
  }
}

void write_basic_info(std::ostream& out, const LaunchReport& report,
                      const std::set<CoreType>& types, std::size_t vector_cores) {
  const bool mixed = types.size() > 1;
  const char* type = mixed ? "mix" : types.contains(CoreType::AIC) ? "cube" : "vector";
  out << "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device ID,PID,Current Freq,"
         "Rated Freq\n"
      << csv_field(report.kernel) << ',' << type << ',' << text(report.task_time_us()) << ','
      << report.block_dim << ',' << (mixed ? std::to_string(vector_cores) : "N/A") << ",0,NA,"
      << text(report.frequency_mhz) << ',' << text(report.frequency_mhz) << '\n';
}

}  // namespace

void write_msprof_tables(const LaunchDescription& launch, const LaunchReport& report,
                         const std::vector<MsprofCore>& cores, const OpenFile& open) {
  std::vector<Row> rows;
  std::set<CoreType> types;
  for (const CoreCounters& counters : report.cores) {
    const auto core = std::find_if(cores.begin(), cores.end(), [&](const MsprofCore& c) {
      return c.description.name == counters.name;
    });
    if (core == cores.end()) continue;
    rows.push_back({*core, counters, launch});
    types.insert(counters.type);
  }
  const auto vectors = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const Row& row) { return !row.cube(); }));
  const auto table = [&](const char* name, const Columns& columns) {
    write_table(open(name), columns.all(), rows, types.size() > 1);
  };
  table("ArithmeticUtilization.csv", arithmetic_utilization());
  table("L2Cache.csv", l2_cache());
  table("Memory.csv", memory());
  table("MemoryL0.csv", memory_l0());
  table("MemoryUB.csv", memory_ub());
  table("PipeUtilization.csv", pipe_utilization());
  table("ResourceConflictRatio.csv", resource_conflict_ratio());
  write_basic_info(open("OpBasicInfo.csv"), report, types, vectors);
}

}  // namespace davsim::traces
