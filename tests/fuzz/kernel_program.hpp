// Random kernels for vector cores that are legal by construction, and what they compute.
//
// A program has phases with SyncAll between them. In a phase each core loads rows of global memory
// into buffers of UB, computes on buffers and stores buffers into rows of its own. Flags and
// barriers stand exactly where an access needs an order that it does not have yet.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace davsim::test {

enum class Step : std::uint8_t {
  kLoad,
  kStore,
  kFill,
  kAdd,
  kMul,
  kAdds,
  kMuls,
  kFlag,
  kBarrier,
  kAll
};
/// The pipes that programs use.
enum class Unit : std::uint8_t { kMte2, kVector, kMte3 };

struct Operation {
  Step step = Step::kAll;
  std::uint32_t to = 0, a = 0, b = 0;  ///< buffers; a row of global memory
  float value = 0;
  Unit from = Unit::kVector, then = Unit::kVector;  ///< of a flag; of a barrier `from`
  std::uint32_t event = 0;
};

struct KernelProgram {
  static constexpr std::uint32_t kBuffers = 5, kElements = 128, kRowsOfCore = 3;

  std::uint32_t cores = 1;
  /// By phase, then by core.
  std::vector<std::vector<std::vector<Operation>>> phases;
  std::uint32_t needed = 0;  ///< flags and barriers in all

  std::uint32_t rows() const { return cores * kRowsOfCore; }
  std::uint32_t elements() const { return rows() * kElements; }
};

/// Writes the operations of one core with the orders that they need.
class OrderedCore {
 public:
  void load(std::uint32_t buffer, std::uint32_t row) {
    access(Unit::kMte2, {}, {buffer}, {row}, {});
    push({.step = Step::kLoad, .to = buffer, .a = row});
  }
  void store(std::uint32_t row, std::uint32_t buffer) {
    access(Unit::kMte3, {buffer}, {}, {}, {row});
    push({.step = Step::kStore, .to = row, .a = buffer});
  }
  void compute(const Operation& operation, const std::vector<std::uint32_t>& reads) {
    access(Unit::kVector, reads, {operation.to}, {}, {});
    push(operation);
  }
  void finish() {
    push({.step = Step::kAll});
    for (auto& known : known_) known = done_;
  }
  std::vector<Operation> take() { return std::move(operations_); }
  std::uint32_t needed() const { return needed_; }

 private:
  static constexpr std::uint32_t kUnits = 3, kEvents = 8;
  struct Touched {
    std::array<std::uint32_t, kUnits> read{}, written{};  ///< number of the last by each unit
  };
  using Names = std::vector<std::uint32_t>;

  void access(Unit unit, const Names& reads, const Names& writes, const Names& row_reads,
              const Names& row_writes) {
    for (const std::uint32_t b : reads) await(unit, buffers_[b].written);
    for (const std::uint32_t r : row_reads) await(unit, rows_[r].written);
    for (const std::uint32_t b : writes)
      await(unit, buffers_[b].written), await(unit, buffers_[b].read);
    for (const std::uint32_t r : row_writes)
      await(unit, rows_[r].written), await(unit, rows_[r].read);
    const auto u = static_cast<std::uint32_t>(unit);
    const std::uint32_t number = ++done_[u];
    for (const std::uint32_t b : reads) buffers_[b].read[u] = number;
    for (const std::uint32_t r : row_reads) rows_[r].read[u] = number;
    for (const std::uint32_t b : writes) buffers_[b].written[u] = number;
    for (const std::uint32_t r : row_writes) rows_[r].written[u] = number;
  }

  /// Orders the next operation of `unit` behind the operations `last` of all units.
  void await(Unit unit, const std::array<std::uint32_t, kUnits>& last) {
    const auto u = static_cast<std::uint32_t>(unit);
    for (std::uint32_t other = 0; other < kUnits; ++other) {
      if (other != u && turns_[other][u] == kEvents && last[other] > known_[u][other]) {
        finish();  // all events are free again
        turns_ = {};
      }
      if (last[other] <= known_[u][other]) continue;
      ++needed_;
      if (other == u) {
        push({.step = Step::kBarrier, .from = unit});
        known_[u][u] = done_[u];
        continue;
      }
      push({.step = Step::kFlag,
            .from = static_cast<Unit>(other),
            .then = unit,
            .event = turns_[other][u]++});
      known_[u][other] = std::max(known_[u][other], done_[other]);
      for (std::uint32_t i = 0; i < kUnits; ++i) {
        known_[u][i] = std::max(known_[u][i], known_[other][i]);
      }
    }
  }
  void push(const Operation& operation) { operations_.push_back(operation); }

  std::vector<Operation> operations_;
  std::array<Touched, KernelProgram::kBuffers> buffers_{};
  std::array<Touched, 256> rows_{};
  std::array<std::uint32_t, kUnits> done_{};
  std::array<std::array<std::uint32_t, kUnits>, kUnits> known_{};  ///< by each unit, of each unit
  std::array<std::array<std::uint32_t, kUnits>, kUnits> turns_{};
  std::uint32_t needed_ = 0;
};

inline KernelProgram random_kernel(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t count) {
    return static_cast<std::uint32_t>(random() % count);
  };
  KernelProgram program;
  program.cores = 1 + below(4);
  std::vector<OrderedCore> cores(program.cores);
  for (std::uint32_t phase = 0, phases = 1 + below(3); phase < phases; ++phase) {
    auto& of_cores = program.phases.emplace_back();
    for (std::uint32_t core = 0; core < program.cores; ++core) {
      OrderedCore& at = cores[core];
      // All rows are read in the first half of a phase's programs, own rows are written later:
      // cores read rows of others only in phases in which these store nothing.
      const bool stores = (phase + core) % 2 == 0;
      std::array<bool, KernelProgram::kBuffers> filled{};
      for (std::uint32_t i = 0, count = 6 + below(14); i < count; ++i) {
        const std::uint32_t to = below(KernelProgram::kBuffers), a = below(KernelProgram::kBuffers),
                            b = below(KernelProgram::kBuffers);
        const float value = static_cast<float>(below(7)) - 3;
        const std::uint32_t own =
            core * KernelProgram::kRowsOfCore + below(KernelProgram::kRowsOfCore);
        switch (below(6)) {
          case 0:
          case 1: {
            std::uint32_t from = core;
            const std::uint32_t other = below(program.cores);
            if ((phase + other) % 2 != 0) from = other;
            at.load(to, from * KernelProgram::kRowsOfCore + below(KernelProgram::kRowsOfCore));
            filled[to] = true;
            break;
          }
          case 2:
            if (stores && filled[a]) at.store(own, a);
            break;
          case 3:
            at.compute({.step = Step::kFill, .to = to, .value = value}, {});
            filled[to] = true;
            break;
          case 4:
            if (!filled[a]) break;
            at.compute({.step = below(2) == 0 ? Step::kAdds : Step::kMuls,
                        .to = to,
                        .a = a,
                        .value = value / 2},
                       {a});
            filled[to] = true;
            break;
          default:
            if (!filled[a] || !filled[b]) break;
            at.compute({.step = below(2) == 0 ? Step::kAdd : Step::kMul, .to = to, .a = a, .b = b},
                       {a, b});
            filled[to] = true;
        }
      }
      at.finish();
      of_cores.push_back(at.take());
    }
  }
  for (const OrderedCore& core : cores) program.needed += core.needed();
  return program;
}

/// What global memory holds after the program, whose rows were `memory` before.
inline std::vector<float> computed(const KernelProgram& program, std::vector<float> memory) {
  constexpr std::uint32_t n = KernelProgram::kElements;
  std::vector<std::array<std::array<float, n>, KernelProgram::kBuffers>> ub(program.cores);
  for (const auto& phase : program.phases) {
    for (std::uint32_t core = 0; core < program.cores; ++core) {
      for (const Operation& op : phase[core]) {
        for (std::uint32_t i = 0; i < n; ++i) {
          auto& buffers = ub[core];
          if (op.step == Step::kLoad) buffers[op.to][i] = memory[op.a * n + i];
          if (op.step == Step::kStore) memory[op.to * n + i] = buffers[op.a][i];
          if (op.step == Step::kFill) buffers[op.to][i] = op.value;
          if (op.step == Step::kAdds) buffers[op.to][i] = buffers[op.a][i] + op.value;
          if (op.step == Step::kMuls) buffers[op.to][i] = buffers[op.a][i] * op.value;
          if (op.step == Step::kAdd) buffers[op.to][i] = buffers[op.a][i] + buffers[op.b][i];
          if (op.step == Step::kMul) buffers[op.to][i] = buffers[op.a][i] * buffers[op.b][i];
        }
      }
    }
  }
  return memory;
}

}  // namespace davsim::test
