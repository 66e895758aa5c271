// The timing models of the units behind the pipes V, M, MTE1, and FIX into L1.
// sim/unit/dma_engine.hpp has the model of moves that touch global memory.
#pragma once

#include <memory>

#include "sim/soc/timing_table.hpp"
#include "sim/unit/pipe.hpp"
#include "sim/unit/unit_flags.hpp"

namespace davsim::sim {

/// Vector unit: fixed + repeats x 256 bytes / throughput + bank conflicts.
class VectorModel : public UnitModel {
 public:
  explicit VectorModel(const VectorTiming& timing) : timing_(timing) {}
  Cycle start(QueueEntry& entry, Cycle now) override;
  Stall stall(const QueueEntry& entry, Cycle from) override;

 private:
  /// Cycles of one instruction on its own.
  struct Cost {
    double cycles = 0;
    double conflicts = 0;     ///< what it would save if UB had no banks
    std::uint64_t lanes = 0;  ///< computed, where that is known here
  };
  Cost cost(const isa::DecodedInstr& instr) const;
  double move_cycles(const isa::Instr& instr) const;
  Cost transpose_cost(const isa::Instr& instr) const;
  /// fixed + elements at the rate of the destination's width.
  double element_cycles(const isa::Instr& instr, std::uint64_t elements) const;
  const VectorTiming& timing_;
};

/// Cube: fractals at the rate of the type. The ready time of the results is `latency` cycles after
/// the last fractal.
class CubeModel : public UnitModel {
 public:
  CubeModel(const CubeTiming& timing, UnitFlags& unit_flags)
      : timing_(timing), unit_flags_(unit_flags) {}
  bool blocked(const QueueEntry& entry, Cycle now, Cycle& retry) override;
  Cycle start(QueueEntry& entry, Cycle now) override;
  /// Cycles the cube computes, without issue and latency.
  double cycles(const isa::DecodedInstr& instr) const;

 private:
  const CubeTiming& timing_;
  UnitFlags& unit_flags_;
};

/// MTE1: bytes at the rate of the target buffer, plus an overhead for each instruction.
class Mte1Model : public UnitModel {
 public:
  explicit Mte1Model(const Mte1Timing& timing) : timing_(timing) {}
  Cycle start(QueueEntry& entry, Cycle now) override;

 private:
  double rate_into(isa::Space space) const;
  /// Cycles of the transfer alone.
  double load_3d_cycles(const isa::Load3dParams& load, const isa::Operand& dst) const;
  const Mte1Timing& timing_;
};

}  // namespace davsim::sim
