#include "kernels/matmul/tiling_cost.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace davsim::ops::matmul {
namespace {

using isa::DType;

// Rounded figures of the architecture; docs/timing-model.md has the exact ones and their sources.
constexpr double kMmadOverhead = 10;  ///< between two Mmads, cycles
constexpr double kLoadOverhead = 55;  ///< of a load from L1 to L0
constexpr double kLoadLatency = 30;   ///< until what was loaded can be used
constexpr double kL0aBytesPerCycle = 256, kL0bBytesPerCycle = 128;
constexpr double kMoveOverhead = 20;    ///< of a move from global memory
constexpr double kRowLeast = 5;         ///< of each of its rows, at least
constexpr std::int64_t kGranule = 128;  ///< bytes that global memory moves at least
constexpr double kMoveLatency = 250;    ///< until what was moved can be used, from L2
constexpr double kFixOverhead = 164;    ///< of a Fixpipe
constexpr double kFixRow = 4.45;        ///< of each of its rows, at least
constexpr double kFixBytesPerCycle = 118;
constexpr double kFixOddRow = 2.6;  ///< a row, for each step of the odd part of the 8-column groups

double macs_per_cycle(DType type) {
  return type == DType::kI8 ? 8192 : type == DType::kF32 ? 1024 : 4096;
}

double as_double(std::int64_t value) {
  return static_cast<double>(value);
}

/// Moves of a whole panel of `side` x K elements into L1, chunks of `chunk_k` at a time.
double panel_cycles(const Problem& problem, const Machine& machine, const Factor& factor,
                    bool k_in_columns, std::int64_t side, std::int64_t chunk_k) {
  constexpr double kFractalWidth = 32;  // bytes
  const double element = as_double(static_cast<std::int64_t>(isa::dtype_bytes(problem.input)));
  const double chunks = as_double(ceil_div(problem.k, chunk_k));
  double bytes = as_double(side) * as_double(problem.k) * element;
  // Rows of the moves: of the matrix, or columns of fractals where it is in NZ.
  double rows = k_in_columns ? chunks * as_double(side) : as_double(problem.k);
  if (factor.nz) {
    rows =
        (k_in_columns ? as_double(problem.k) : chunks * as_double(side)) * element / kFractalWidth;
  } else if (factor.cols * static_cast<std::int64_t>(element) % kGranule != 0) {
    bytes += rows * as_double(kGranule);  // rows that begin and end somewhere in a granule
  }
  return std::max(bytes / machine.l2_bytes_per_cycle, rows * kRowLeast) + chunks * kMoveOverhead;
}

double fixpipe_cycles(const Candidate& c) {
  const auto groups = static_cast<std::uint64_t>(ceil_div(c.tile_n, 8));
  const double odd = static_cast<double>(groups >> std::countr_zero(groups));
  const double row = std::max(kFixRow, 4 * as_double(c.tile_n) / kFixBytesPerCycle);
  return kFixOverhead + as_double(c.tile_m) * (row + kFixOddRow * (odd - 1));
}

/// What one core does, in the pipes that matter.
struct Work {
  double tiles = 0, units = 0;
};

Work work_of_busiest_core(const Problem& problem, const Machine& machine, const Candidate& c) {
  const std::int64_t grid_m = ceil_div(problem.m, c.tile_m);
  const std::int64_t grid_n = ceil_div(problem.n, c.tile_n);
  const std::int64_t units =
      problem.batches * ceil_div(grid_m, c.unit_m) * ceil_div(grid_n, c.unit_n);
  const std::int64_t mine = ceil_div(units, machine.cores);
  return {as_double(mine * c.unit_m * c.unit_n), as_double(mine)};
}

/// Until the first product begins: all cores load the chunks of their first step at once, from HBM
/// where L2 is cold. Rows of A and columns of B that several cores use come once.
double first_chunks_cycles(const Problem& p, const Machine& machine, const Candidate& c) {
  const double element = as_double(static_cast<std::int64_t>(isa::dtype_bytes(p.input)));
  const double a_bytes = as_double(c.tile_m * std::min(p.k, c.a_steps * c.step_k)) * element;
  const double b_bytes = as_double(c.tile_n * std::min(p.k, c.b_steps * c.step_k)) * element;
  const std::int64_t units =
      ceil_div(ceil_div(p.m, c.tile_m), c.unit_m) * ceil_div(ceil_div(p.n, c.tile_n), c.unit_n);
  const std::int64_t rows = band_rows(p, machine, c);
  const std::int64_t cols = ceil_div(std::min<std::int64_t>(units, machine.cores), rows);
  const double from_hbm = (as_double(rows) * a_bytes + as_double(cols) * b_bytes) /
                          (machine.hbm_bytes_per_cycle * machine.cores);
  return kMoveLatency + std::max(from_hbm, (a_bytes + b_bytes) / machine.l2_bytes_per_cycle);
}

}  // namespace

std::int64_t chunk_bytes(std::int64_t side, std::int64_t k, bool k_in_columns, DType type) {
  const std::int64_t width = fractal_width(type);
  const std::int64_t turned_rows = type == DType::kI8 ? 2 * kFractalRows : kFractalRows;
  const std::int64_t rows = k_in_columns ? round_up(side, kFractalRows) : round_up(k, turned_rows);
  const std::int64_t cols = round_up(k_in_columns ? k : side, width);
  return rows * cols * static_cast<std::int64_t>(isa::dtype_bytes(type));
}

std::int64_t band_rows(const Problem& p, const Machine& machine, const Candidate& c) {
  const double wide = as_double(c.tile_n * c.unit_n), high = as_double(c.tile_m * c.unit_m);
  const auto rows = static_cast<std::int64_t>(std::lround(std::sqrt(machine.cores * wide / high)));
  return std::clamp<std::int64_t>(rows, 1, ceil_div(ceil_div(p.m, c.tile_m), c.unit_m));
}

double estimated_cycles(const Problem& problem, const Machine& machine, const Candidate& c) {
  const double element = as_double(static_cast<std::int64_t>(isa::dtype_bytes(problem.input)));
  const Work work = work_of_busiest_core(problem, machine, c);

  // Cube and the loads that feed it, a piece of L0 at a time.
  const double side_m = as_double(c.tile_m), side_n = as_double(c.tile_n);
  const double depth = std::min(as_double(c.l0_k), as_double(problem.k));
  const double pieces = as_double(ceil_div(problem.k, c.step_k)) *
                        as_double(ceil_div(std::min(c.step_k, problem.k), c.l0_k));
  const double mmad = side_m * side_n * depth / macs_per_cycle(problem.input) + kMmadOverhead;
  const double load = 2 * kLoadOverhead + kLoadLatency +
                      depth * element * (side_m / kL0aBytesPerCycle + side_n / kL0bBytesPerCycle);
  const double piece = std::max(mmad, load);
  const double tile = pieces * piece;

  // The results of a tile leave while the next one begins, in the other half of L0C if there is
  // one.
  const double fix = fixpipe_cycles(c);
  const bool two_halves = 2 * c.tile_m * c.tile_n * 4 <= machine.l0c;
  const double stall = std::max(0.0, two_halves ? fix - tile : fix - piece);

  // Moves into L1 go on beside that. A panel that stays in L1 is brought by a unit's first tile.
  const double a_panel = panel_cycles(problem, machine, problem.a, k_in_columns_of_a(problem),
                                      c.tile_m, c.a_steps * c.step_k);
  const double b_panel = panel_cycles(problem, machine, problem.b, k_in_columns_of_b(problem),
                                      c.tile_n, c.b_steps * c.step_k);
  const double waits = as_double(ceil_div(problem.k, c.step_k)) * kMoveLatency;
  const double first = std::max(tile, a_panel + b_panel + waits);
  const double other =
      std::max(tile, (c.unit_n > 1 ? 0 : a_panel) + (c.unit_m > 1 ? 0 : b_panel) + waits);
  const double tiles = work.units * first + (work.tiles - work.units) * other;
  return first_chunks_cycles(problem, machine, c) + tiles + (work.tiles - 1) * stall + fix;
}

}  // namespace davsim::ops::matmul
