#include "sim/soc/timing_table.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace davsim::sim {
namespace {

/// Reads the constants of one section, each with the unit it must have.
class Section {
 public:
  Section(const SocConfig& soc, std::string name) : soc_(soc), name_(std::move(name)) {}

  double cycles(std::string_view key) const { return soc_.constant(name_, key, "cycles"); }
  std::uint64_t whole_cycles(std::string_view key) const { return whole(key, "cycles"); }
  double rate(std::string_view key) const { return soc_.constant(name_, key, "bytes/cycle"); }
  std::uint32_t bytes(std::string_view key) const { return whole(key, "bytes"); }
  std::uint32_t entries(std::string_view key) const { return whole(key, "entries"); }
  double in(std::string_view unit, std::string_view key) const {
    return soc_.constant(name_, key, unit);
  }
  bool has(std::string_view key) const { return soc_.has(name_, key); }
  std::uint32_t whole(std::string_view key, std::string_view unit) const {
    return static_cast<std::uint32_t>(std::llround(soc_.constant(name_, key, unit)));
  }
  /// A time that does not follow the core clock, in core cycles.
  double nanoseconds(std::string_view key) const {
    return soc_.constant(name_, key, "ns") * soc_.frequency_mhz() * 1e-3;
  }

 private:
  const SocConfig& soc_;
  std::string name_;
};

/// In the order of isa::ScalarClass, isa::ScalarCall and isa::ScalarForm. Accesses to global memory
/// have no constants beside those of the data cache.
constexpr std::array<std::string_view, isa::kScalarClasses - 2> kClassKeys = {
    "arithmetic", "multiply",    "divide", "float", "float_divide",
    "load",       "store_issue", "branch", "call"};
constexpr std::array<std::string_view, isa::kScalarCalls> kCallKeys = {
    "tpipe",       "tpipe_end",    "buffer_end",      "init_buffer",
    "buffer",      "alloc_tensor", "enque",           "deque",
    "free_tensor", "matmul_step",  "matmul_step_mdl", "matmul_step_constant",
    "top_k_row"};
constexpr std::array<std::string_view, isa::kScalarForms> kFormKeys = {
    "vector_count", "vector",  "move", "move_pad", "fractal_move",  "load_data",
    "mmad",         "fixpipe", "sync", "register", "scalar_access", "region"};

void scalar_code(const Section& s, ScalarTiming& timing) {
  for (std::size_t i = 0; i < kClassKeys.size(); ++i) timing.own[i] = s.cycles(kClassKeys[i]);
  const auto own = [&timing](isa::ScalarClass which) -> double& {
    return timing.own[static_cast<std::size_t>(which)];
  };
  own(isa::ScalarClass::kGlobalLoad) =
      static_cast<double>(timing.load_hit) - own(isa::ScalarClass::kLoad);
  own(isa::ScalarClass::kGlobalStore) =
      static_cast<double>(timing.store) - own(isa::ScalarClass::kStore);
}

/// `code` is the factor of calls that have none of their own.
ScalarCallTiming scalar_call(const Section& s, const std::string& key, double code) {
  const std::string lines = key + ".stack", factor = key + ".code";
  return {s.in("instructions", key), s.has(lines) ? s.in("lines", lines) : 0,
          s.has(factor) ? s.in("factor", factor) : code};
}

void scalar_calls(const Section& s, double queue_code, ScalarTiming& timing) {
  timing.entry = scalar_call(s, "entry", queue_code);
  for (std::size_t i = 0; i < kCallKeys.size(); ++i) {
    timing.calls[i] = scalar_call(s, std::string(kCallKeys[i]), queue_code);
  }
  // A loop of the kernel's own code is no call.
  for (std::size_t i = 0; i + 1 < kFormKeys.size(); ++i) {
    timing.forms[i] = s.in("instructions", kFormKeys[i]);
  }
}

ScalarTiming scalar_timing(const SocConfig& soc) {
  const Section s(soc, "Timing.Scalar");
  ScalarTiming timing{};
  timing.issue = s.whole_cycles("issue");
  timing.op = s.whole_cycles("op");
  timing.load_hit = s.whole_cycles("load_hit");
  timing.store = s.whole_cycles("store");
  timing.queue_depth = s.entries("queue_depth");
  timing.dcache_bytes = s.bytes("dcache_bytes");
  timing.dcache_line = s.bytes("dcache_line");
  timing.dcache_ways = s.entries("dcache_ways");
  timing.aic_icache_bytes = s.bytes("aic_icache_bytes");
  timing.aiv_icache_bytes = s.bytes("aiv_icache_bytes");
  timing.icache_line = s.bytes("icache_line");
  timing.call_bytes = s.bytes("call_bytes");
  timing.work = s.in("factor", "work");
  timing.instruction = s.cycles("instruction");
  const double hit = s.nanoseconds("read_latency"),
               dma_hit = Section(soc, "Timing.L2").nanoseconds("read_latency");
  timing.earlier_hit = static_cast<std::uint32_t>(std::llround(std::max(0.0, dma_hit - hit)));
  timing.ub_load = s.whole_cycles("ub_load");
  timing.ub_store = s.whole_cycles("ub_store");
  timing.stack_line = s.nanoseconds("stack_line");
  timing.icache_ahead = s.whole("icache_ahead", "lines");
  scalar_code(s, timing);
  scalar_calls(Section(soc, "Timing.ScalarCalls"), s.in("factor", "queue_code"), timing);
  return timing;
}

VectorRow vector_row(const Section& section, isa::Opcode op) {
  const std::string name(isa::info(op).mnemonic);
  VectorRow row;
  row.fixed = section.cycles(name + ".fixed");
  for (std::size_t width = 0; width < row.elements_per_cycle.size(); ++width) {
    const std::string key = name + ".b" + std::to_string(8u << width);
    if (section.has(key)) row.elements_per_cycle[width] = section.in("elements/cycle", key);
    const double rate = row.elements_per_cycle[width];
    const double elements = double{isa::kRepeatBytes} / static_cast<double>(1u << width);
    row.cycles_per_repeat[width] = rate > 0 ? elements / rate : 1;
  }
  return row;
}

VectorTiming vector_timing(const SocConfig& soc) {
  const Section s(soc, "Timing.Vector");
  VectorTiming timing;
  for (std::size_t i = 0; i < isa::kOpcodeCount; ++i) {
    const auto op = static_cast<isa::Opcode>(i);
    if (isa::info(op).unit == isa::Unit::Vector) timing.rows[i] = vector_row(s, op);
  }
  timing.pattern_tensor_beat = s.cycles("pattern_tensor_beat");
  timing.count_mode_floor = s.cycles("count_mode_floor");
  timing.read_write_conflict = s.cycles("read_write_conflict");
  timing.bank_groups = static_cast<std::uint32_t>(soc.integer("AICoreSpec", "ubbank_group_num"));
  timing.bank_bytes = static_cast<std::uint32_t>(soc.integer("AICoreSpec", "ubbank_size"));
  return timing;
}

CubeTiming cube_timing(const SocConfig& soc) {
  const Section s(soc, "Timing.Cube");
  const auto rate = [&](std::string_view type) { return s.in("macs/cycle", type); };
  return {s.cycles("issue_overhead"),
          s.cycles("latency"),
          rate("f16"),
          rate("bf16"),
          rate("i8"),
          rate("i4"),
          rate("f32"),
          rate("hf32")};
}

Mte1Timing mte1_timing(const SocConfig& soc) {
  const Section s(soc, "Timing.Mte1");
  return {s.rate("l0a_bandwidth"),     s.rate("l0b_bandwidth"),      s.rate("bt_bandwidth"),
          s.cycles("load2d_overhead"), s.cycles("load3d_overhead"),  s.cycles("latency"),
          s.rate("load3d_l1_read"),    s.cycles("load3d_max_cycles")};
}

FixpipeTiming fixpipe_timing(const SocConfig& soc) {
  const Section s(soc, "Timing.Fixpipe");
  return {s.cycles("fixed"),       s.cycles("row_min"),
          s.rate("l0c_bandwidth"), s.cycles("odd_fractal_row"),
          s.cycles("l1_fixed"),    s.in("elements/cycle", "l1_throughput")};
}

DmaTiming dma_timing(const SocConfig& soc) {
  const Section s(soc, "Timing.Dma");
  return {s.rate("aiv_read_port"),
          s.rate("aic_read_port"),
          s.rate("aiv_write_port"),
          s.rate("aic_write_port"),
          s.rate("fix_write_port"),
          s.rate("nd2nz_port"),
          s.rate("nd2nz_straddling_port"),
          s.cycles("instruction_overhead"),
          s.cycles("row_min"),
          s.cycles("partial_row_min"),
          s.bytes("granule"),
          s.bytes("write_request"),
          s.entries("read_requests"),
          s.entries("uncached_requests"),
          s.entries("write_requests"),
          s.bytes("chunk"),
          s.rate("l1_fill_bandwidth")};
}

memory::HbmBanksTiming hbm_banks_timing(const SocConfig& soc) {
  const Section s(soc, "Timing.HbmBanks");
  const auto count = [&](std::string_view key) { return s.whole(key, "entries"); };
  const auto ns = [&](std::string_view key) { return s.in("ns", key); };
  return {count("stacks"),
          count("channels"),
          count("pseudo_channels"),
          count("bank_groups"),
          count("banks"),
          s.bytes("row"),
          s.bytes("interleave"),
          count("set_groups"),
          s.bytes("write_batch"),
          ns("rcd_read"),
          ns("rcd_write"),
          ns("rp"),
          ns("ras"),
          ns("cl"),
          ns("cwl"),
          ns("ccd_l"),
          ns("rrd_s"),
          ns("rrd_l"),
          ns("faw"),
          ns("rtp"),
          ns("wr"),
          ns("wtr"),
          ns("rtw"),
          ns("refi"),
          ns("rfc")};
}

memory::MemoryTiming memory_timing(const SocConfig& soc) {
  const Section l2(soc, "Timing.L2"), hbm(soc, "Timing.Hbm");
  memory::MemoryTiming timing;
  timing.l2_model = soc.text("Models", "l2");
  timing.hbm_model = soc.text("Models", "hbm");
  timing.l2_bytes = soc.l2_bytes();
  timing.line_bytes = l2.bytes("line");
  timing.ways = l2.entries("ways");
  timing.l2_rotation = l2.whole("rotation", "sets");
  timing.l2_bytes_per_cycle = l2.rate("bandwidth");
  timing.l2_line_service = static_cast<std::uint32_t>(std::llround(l2.nanoseconds("line_service")));
  timing.l2_read_latency = l2.nanoseconds("read_latency");
  timing.l2_write_latency = l2.nanoseconds("write_latency");
  timing.l2_write_ahead = l2.bytes("write_ahead");
  timing.hbm_bytes_per_cycle = hbm.in("bytes/s", "read_bandwidth") / (soc.frequency_mhz() * 1e6);
  timing.hbm_peak_bytes_per_cycle = hbm.in("bytes/s", "peak") / (soc.frequency_mhz() * 1e6);
  timing.ns_per_cycle = 1e3 / soc.frequency_mhz();
  timing.banks = hbm_banks_timing(soc);
  timing.hbm_read_latency = hbm.nanoseconds("read_latency");
  timing.hbm_short_burst = hbm.in("ratio", "short_burst");
  timing.hbm_write_back = hbm.in("ratio", "write_back");
  return timing;
}

LaunchTiming launch_timing(const SocConfig& soc) {
  const Section s(soc, "Timing.Launch");
  return {s.in("us", "base"), s.in("us/core", "aiv_per_core"), s.in("us/core", "aic_per_core"),
          s.in("us/core", "mix_per_core"), s.whole_cycles("block_dispatch")};
}

}  // namespace

double CubeTiming::rate(isa::DType type, bool is_hf32) const {
  switch (type) {
    case isa::DType::kF16:
      return f16;
    case isa::DType::kBF16:
      return bf16;
    case isa::DType::kI8:
      return i8;
    case isa::DType::kI4:
      return i4;
    case isa::DType::kF32:
      return is_hf32 ? hf32 : f32;
    default:
      break;
  }
  throw std::invalid_argument("the cube has no rate for " + std::string(isa::dtype_name(type)));
}

double LaunchTiming::overhead_us(isa::KernelType type, std::uint32_t ai_cores) const {
  double per_core = mix_per_core_us;
  if (type == isa::KernelType::kAivOnly) per_core = aiv_per_core_us;
  if (type == isa::KernelType::kAicOnly) per_core = aic_per_core_us;
  return base_us + per_core * ai_cores;
}

TimingTable::TimingTable(const SocConfig& soc)
    : scalar(scalar_timing(soc)),
      vector(vector_timing(soc)),
      cube(cube_timing(soc)),
      mte1(mte1_timing(soc)),
      fixpipe(fixpipe_timing(soc)),
      dma(dma_timing(soc)),
      memory(memory_timing(soc)),
      cross_core_latency(Section(soc, "Timing.CrossCore").whole_cycles("flag_latency")),
      launch(launch_timing(soc)) {}

std::array<double, observe::kPathCount> TimingTable::path_bytes_per_cycle() const {
  std::array<double, observe::kPathCount> rates{};
  const auto set = [&](observe::Path path, double rate) {
    rates[static_cast<std::size_t>(path)] = rate;
  };
  set(observe::Path::kGmToUb, dma.aiv_read_port);
  set(observe::Path::kUbToGm, dma.aiv_write_port);
  set(observe::Path::kGmToL1, dma.aic_read_port);
  set(observe::Path::kGmToL0A, dma.aic_read_port);
  set(observe::Path::kGmToL0B, dma.aic_read_port);
  set(observe::Path::kL1ToGm, dma.aic_write_port);
  set(observe::Path::kL0CToGm, dma.fix_write_port);
  set(observe::Path::kL0CToL1, fixpipe.l0c_bandwidth);
  set(observe::Path::kL1ToL0A, mte1.l0a_bandwidth);
  set(observe::Path::kL1ToL0B, mte1.l0b_bandwidth);
  set(observe::Path::kL1ToBt, mte1.bt_bandwidth);
  set(observe::Path::kL1ToFb, mte1.bt_bandwidth);
  return rates;
}

}  // namespace davsim::sim
