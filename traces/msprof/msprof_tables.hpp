// The tables of the vendor's on-board profiler: PipeUtilization.csv and its siblings, a row a core.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "traces/observed.hpp"
#include "traces/open_file.hpp"

namespace davsim::traces {

/// What the tables need of a core beyond its counters.
struct MsprofCore {
  CoreDescription description;
  std::uint32_t block = 0;  ///< the first one it ran
  bool ran_block = false;

  enum VectorKind : std::uint8_t { kFp32, kFp16, kInt32, kInt16, kMisc };
  std::array<Cycle, 5> vector_cycles{};  ///< by VectorKind
  std::uint64_t vector_flops = 0;
  Cycle cube_fp16_cycles = 0, cube_int8_cycles = 0;
  std::uint64_t cube_fp_instructions = 0, cube_int_instructions = 0;
  std::uint64_t l0a_read = 0, l0b_read = 0, l0c_read = 0, l0c_write = 0;  ///< bytes
  std::uint64_t ub_read_vector = 0, ub_write_vector = 0, ub_read_scalar = 0, ub_write_scalar = 0;

  /// Adds what an instruction computed, and what it moved to do so.
  void add(const InstrEvent& event);
};

/// Writes ArithmeticUtilization, L2Cache, Memory, MemoryL0, MemoryUB, PipeUtilization,
/// ResourceConflictRatio and OpBasicInfo. "NA": does not apply to the core, or is not modelled.
void write_msprof_tables(const LaunchDescription& launch, const LaunchReport& report,
                         const std::vector<MsprofCore>& cores, const OpenFile& open);

}  // namespace davsim::traces
