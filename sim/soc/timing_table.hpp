// The timing constants of a SoC description as plain numbers, read once when a device is made.
// Names and meaning are those of sim/soc/timing_dav_c220.ini; cycles are core cycles.
#pragma once

#include <array>
#include <cstdint>

#include "isa/core/core_sink.hpp"
#include "isa/core/scalar_work.hpp"
#include "isa/instr/opcode.hpp"
#include "isa/numeric/dtype.hpp"
#include "memory/memory_timing.hpp"
#include "observe/counters.hpp"
#include "sim/soc/soc_config.hpp"

namespace davsim::sim {

/// A call of the kernel API that issues no instruction of its own.
struct ScalarCallTiming {
  double instructions = 0;  ///< of the scalar unit
  double stack_lines = 0;   ///< lines of the stack that it touches first
  double code = 1;          ///< instructions of code for each that it executes
};

struct ScalarTiming {
  std::uint64_t issue, op, load_hit, store;
  std::uint32_t queue_depth;
  std::uint32_t dcache_bytes, dcache_line, dcache_ways;
  std::uint32_t aic_icache_bytes, aiv_icache_bytes, icache_line;
  std::uint32_t call_bytes;   ///< code of a call site of a kernel that does not count its work
  double work;                ///< factor of all that follows; 0: scalar work takes no time
  double instruction;         ///< cycles of an instruction of a call
  std::uint32_t earlier_hit;  ///< cycles by which what L2 holds is there before a DMA engine has it
  std::array<double, isa::kScalarClasses> own;  ///< cycles of an instruction of the kernel's code
  std::uint64_t ub_load, ub_store;  ///< cycles to a load's value, and from a store to a load
  double stack_line;                ///< cycles of the first access to a line of the stack
  std::uint32_t icache_ahead;       ///< lines that are fetched behind one that is missing
  ScalarCallTiming entry;
  std::array<ScalarCallTiming, isa::kScalarCalls> calls;
  std::array<double, isa::kScalarForms> forms;  ///< scalar instructions of a call, by its form
};

/// Timing row of one vector instruction; elements_per_cycle by operand width 8, 16, 32, 64 bit, 0
/// where the instruction does not exist for the width.
struct VectorRow {
  double fixed = 0;
  std::array<double, 4> elements_per_cycle{};
  std::array<double, 4> cycles_per_repeat{};  ///< of 256 bytes at that rate; 1 without a rate
};

struct VectorTiming {
  std::array<VectorRow, isa::kOpcodeCount> rows;
  double pattern_tensor_beat;  ///< cycles of a repeat of GatherMask with a pattern in UB
  double count_mode_floor, read_write_conflict;
  std::uint32_t bank_groups, bank_bytes;
};

struct CubeTiming {
  double issue_overhead, latency;
  double f16, bf16, i8, i4, f32, hf32;  ///< multiply-accumulates a cycle
  /// Throws std::invalid_argument for a type the cube does not take.
  double rate(isa::DType type, bool is_hf32) const;
};

struct Mte1Timing {
  double l0a_bandwidth, l0b_bandwidth, bt_bandwidth;
  double load2d_overhead, load3d_overhead, latency;
  double load3d_l1_read, load3d_max_cycles;
};

struct FixpipeTiming {
  double fixed, row_min, l0c_bandwidth, odd_fractal_row, l1_fixed, l1_throughput;
};

struct DmaTiming {
  double aiv_read_port, aic_read_port, aiv_write_port, aic_write_port, fix_write_port, nd2nz_port;
  double nd2nz_straddling_port;
  double instruction_overhead, row_min, partial_row_min;
  std::uint32_t granule, write_request;
  std::uint32_t read_requests, uncached_requests, write_requests, chunk;
  double l1_fill_bandwidth;
};

struct LaunchTiming {
  double base_us, aiv_per_core_us, aic_per_core_us, mix_per_core_us;
  std::uint64_t block_dispatch;
  /// What task time has on top of core time, in microseconds, for a launch on `ai_cores` AI cores
  /// (vector cores for an AIV-only kernel).
  double overhead_us(isa::KernelType type, std::uint32_t ai_cores) const;
};

struct TimingTable {
  ScalarTiming scalar;
  VectorTiming vector;
  CubeTiming cube;
  Mte1Timing mte1;
  FixpipeTiming fixpipe;
  DmaTiming dma;
  memory::MemoryTiming memory;
  std::uint64_t cross_core_latency;
  LaunchTiming launch;

  /// Throws std::invalid_argument naming the constant that is missing or has another unit.
  explicit TimingTable(const SocConfig& soc);

  /// What one core's port moves along each path at best.
  std::array<double, observe::kPathCount> path_bytes_per_cycle() const;
};

}  // namespace davsim::sim
