#include "kernels/matmul/tiling_cost.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace davsim::operators::matmul {
namespace {

using isa::DType;

/// The calls of the kernel API in product.h that a core issues before its first move to L1, before
/// its first load to L0, and until the output of its first tile has started.
constexpr double kCallsBeforeMoves = 5, kCallsBeforeLoads = 13, kCallsOfATile = 19;

double as_double(std::int64_t value) {
  return static_cast<double>(value);
}

/// Whether `value` is a multiple of `unit`. Both are whole numbers.
bool is_multiple(double value, double unit) {
  const double parts = value / unit;
  return parts == as_double(static_cast<std::int64_t>(parts));
}

double bytes_of_element(const Problem& problem) {
  return as_double(static_cast<std::int64_t>(isa::dtype_bytes(problem.input)));
}

/// One factor of a candidate, and the size of its chunks.
struct Operand {
  const Factor& factor;
  bool k_in_columns;
  std::int64_t side;     ///< elements of m or n of a tile
  std::int64_t chunk_k;  ///< elements of k of a chunk
  double sharers;        ///< the number of cores that read the same chunks
};

struct Operands {
  Operand a, b;
};

Operands operands_of(const Problem& p, const Machine& machine, const Candidate& c) {
  const std::int64_t units =
      ceil_div(ceil_div(p.m, c.tile_m), c.unit_m) * ceil_div(ceil_div(p.n, c.tile_n), c.unit_n);
  // The rows and columns of units that the cores work on at a time.
  const std::int64_t rows = band_rows(p, machine, c);
  const std::int64_t cols = ceil_div(std::min<std::int64_t>(units, machine.cores), rows);
  return {
      {p.a, k_in_columns_of_a(p), c.tile_m, std::min(p.k, c.a_steps * c.step_k), as_double(cols)},
      {p.b, k_in_columns_of_b(p), c.tile_n, std::min(p.k, c.b_steps * c.step_k), as_double(rows)}};
}

/// The cycles of L2 for a row of `bytes` bytes of one core. L2 serves whole lines.
double l2_cycles(const Machine& machine, const Operand& operand, double pitch, double bytes) {
  const double line = machine.timing.memory.line_bytes;
  const bool whole = operand.factor.nz || (is_multiple(pitch, line) && is_multiple(bytes, line));
  const double lines = whole ? bytes / line : 1 + bytes / line;
  return lines * line / machine.l2_bytes_per_cycle;
}

/// The cycles of the move of a chunk into L1, through the core's port.
double chunk_cycles(const Problem& problem, const Machine& machine, const Operand& operand) {
  constexpr double kPiece = 32;  // bytes of a row of a fractal
  const sim::DmaTiming& dma = machine.timing.dma;
  const double element = bytes_of_element(problem);
  const double rows = as_double(operand.k_in_columns ? operand.side : operand.chunk_k);
  const double cols =
      as_double(operand.k_in_columns ? operand.chunk_k : operand.side) * element;  // bytes
  // A row-major matrix is moved row by row. In NZ, a column of fractals is one row in memory.
  double moves = rows, bytes = cols, rate = dma.nd2nz_port;
  if (operand.factor.nz) {
    moves = std::ceil(cols / kPiece), bytes = rows * kPiece, rate = dma.aic_read_port;
  }
  const double pitch = as_double(operand.factor.cols) * element;
  double row = bytes / rate;
  if (!operand.factor.nz && !is_multiple(pitch, dma.granule)) row = (bytes + dma.granule) / rate;
  if (!operand.factor.nz && !is_multiple(pitch, kPiece)) {
    row = std::max(row, bytes / dma.nd2nz_straddling_port);
  }
  return dma.instruction_overhead +
         moves * std::max({row, dma.row_min, l2_cycles(machine, operand, pitch, bytes)});
}

/// The cycles of the load of a piece of `depth` from L1 to L0.
double load_cycles(const Problem& problem, const Machine& machine, const Operand& operand,
                   bool to_l0a, double depth) {
  constexpr double kSquare = 32;  // 8-bit elements, a side of what one instruction transposes
  const sim::Mte1Timing& mte1 = machine.timing.mte1;
  const double rate = to_l0a ? mte1.l0a_bandwidth : mte1.l0b_bandwidth;
  const double transfer = depth * as_double(operand.side) * bytes_of_element(problem) / rate;
  if (!operand.k_in_columns && problem.input == DType::kI8) {
    const double squares = std::ceil((to_l0a ? as_double(operand.side) : depth) / kSquare);
    return squares * mte1.load2d_overhead + transfer;
  }
  const bool as_it_is = operand.k_in_columns && !to_l0a;
  return (as_it_is ? mte1.load2d_overhead : mte1.load3d_overhead) + transfer;
}

/// The cycles of a piece of L0.
struct Piece {
  double period = 0;  ///< from the start of one piece to that of the next
  double alone = 0;   ///< from its first load to its last sum
};

/// The period is set by the cube, by the loads that feed it, or by the time that a half of L0 needs
/// for both.
Piece piece_of(const Problem& problem, const Machine& machine, const Candidate& c,
               const Operands& operands) {
  const sim::CubeTiming& cube = machine.timing.cube;
  const double depth = as_double(std::min({c.l0_k, c.step_k, problem.k}));
  const double work =
      as_double(c.tile_m) * as_double(c.tile_n) * depth / cube.rate(problem.input, false);
  const double load = load_cycles(problem, machine, operands.a, true, depth) +
                      load_cycles(problem, machine, operands.b, false, depth);
  const double alone = load + machine.timing.mte1.latency + work + cube.latency;
  return {std::max({work + cube.issue_overhead, load, alone / 2}), alone};
}

/// The cycles of the output of a tile from L0C to global memory.
double fixpipe_cycles(const Problem& problem, const Machine& machine, const Candidate& c) {
  const sim::FixpipeTiming& fixpipe = machine.timing.fixpipe;
  const auto groups = static_cast<std::uint64_t>(ceil_div(c.tile_n, 8));
  const double odd = static_cast<double>(groups >> std::countr_zero(groups));
  const double n = as_double(c.tile_n);
  const double row =
      std::max(fixpipe.row_min, 4 * n / fixpipe.l0c_bandwidth) +
      std::min(fixpipe.odd_fractal_row * (odd - 1), fixpipe.row_min * static_cast<double>(groups));
  const double out =
      n * static_cast<double>(isa::dtype_bytes(problem.output)) / machine.timing.dma.fix_write_port;
  return fixpipe.fixed + as_double(c.tile_m) * std::max(row, out);
}

/// The work of one core in the pipes that determine its time.
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

/// The cycles of HBM for `bytes` bytes of a factor while all cores read. Rows that do not begin on
/// a line of L2 are read in short bursts.
double hbm_cycles(const Problem& problem, const Machine& machine, const Operand& operand,
                  double bytes) {
  const memory::MemoryTiming& memory = machine.timing.memory;
  const double line = memory.line_bytes;
  const double pitch = as_double(operand.factor.cols) * bytes_of_element(problem);
  const double cols =
      as_double(operand.k_in_columns ? operand.chunk_k : operand.side) * bytes_of_element(problem);
  const bool whole_lines =
      operand.factor.nz || (is_multiple(pitch, line) && is_multiple(cols, line));
  return bytes * (whole_lines ? 1 : memory.hbm_short_burst) /
         (machine.hbm_bytes_per_cycle * machine.cores);
}

/// The cycles until the first product starts. All cores load the chunks of their first step at the
/// same time, from HBM because L2 is cold. Rows of A and columns of B that several cores use are
/// read once.
double first_chunks_cycles(const Problem& p, const Machine& machine, const Operands& operands) {
  const auto& [a, b] = operands;
  const double a_bytes = as_double(a.side * a.chunk_k) * bytes_of_element(p);
  const double b_bytes = as_double(b.side * b.chunk_k) * bytes_of_element(p);
  const double from_hbm = hbm_cycles(p, machine, a, b.sharers * a_bytes) +
                          hbm_cycles(p, machine, b, a.sharers * b_bytes);
  const double port = chunk_cycles(p, machine, a) + chunk_cycles(p, machine, b);
  return machine.timing.memory.hbm_read_latency + std::max(from_hbm, port);
}

/// The cycles of the steps of a tile whose chunks move in `a_move` and `b_move` cycles. The chunks
/// of a step are moved during the step before it. They replace those of two steps before.
double tile_cycles(const Machine& machine, const Candidate& c, double steps, double step,
                   double a_move, double b_move) {
  const auto period = [&](double move) {
    const double both = machine.timing.memory.hbm_read_latency + move + step;
    return move == 0 ? step : std::max({step, move, both / 2});
  };
  const double chunk_steps = as_double(std::max(c.a_steps, c.b_steps));
  const double with_both = std::ceil(steps / chunk_steps);
  const double every_step = c.a_steps > 1 ? b_move : a_move;
  return with_both * period(a_move + b_move) + (steps - with_both) * period(every_step);
}

/// The cycles in which the scalar unit fetches the code of `calls` calls of the kernel API. Code
/// that runs for the first time comes from HBM.
double code_cycles(const Machine& machine, double calls) {
  const sim::ScalarTiming& scalar = machine.timing.scalar;
  return std::ceil(calls * scalar.call_bytes / scalar.icache_line) *
         machine.timing.memory.hbm_read_latency;
}

/// The least cycles of HBM: each factor is read once.
double factors_cycles(const Problem& p, const Machine& machine, const Operands& operands) {
  const double batches = as_double(p.batches) * bytes_of_element(p);
  return hbm_cycles(p, machine, operands.a, batches * as_double(p.m * p.k)) +
         hbm_cycles(p, machine, operands.b, batches * as_double(p.k * p.n));
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
  const Work work = work_of_busiest_core(problem, machine, c);
  const Operands operands = operands_of(problem, machine, c);
  const double steps = as_double(ceil_div(problem.k, c.step_k));  // of a tile

  // A step multiplies its chunks in L1 piece by piece of L0.
  const Piece piece = piece_of(problem, machine, c, operands);
  const std::int64_t whole_steps = problem.k / c.step_k, rest_k = problem.k % c.step_k;
  const double pieces =
      as_double(whole_steps * ceil_div(c.step_k, c.l0_k) + ceil_div(rest_k, c.l0_k));
  const double step = pieces * piece.period / steps;

  // The first tile of a unit loads a panel that stays in L1.
  const double a_move = chunk_cycles(problem, machine, operands.a);
  const double b_move = chunk_cycles(problem, machine, operands.b);
  const double first = tile_cycles(machine, c, steps, step, a_move, b_move);
  const double other =
      tile_cycles(machine, c, steps, step, c.unit_n > 1 ? 0 : a_move, c.unit_m > 1 ? 0 : b_move);

  // The output of a tile overlaps the start of the next tile. If L0C has two halves, the next tile
  // uses the other one.
  const double fix = fixpipe_cycles(problem, machine, c);
  const bool two_halves = 2 * c.tile_m * c.tile_n * 4 <= machine.l0c;
  const double stall = std::max(0.0, two_halves ? fix - steps * step : fix - piece.period);

  const double begin = std::max(
      code_cycles(machine, kCallsBeforeMoves) + first_chunks_cycles(problem, machine, operands),
      code_cycles(machine, kCallsBeforeLoads));
  const double code = code_cycles(machine, kCallsOfATile) - code_cycles(machine, kCallsBeforeLoads);
  const double first_tile = std::max(first - first / steps + step, code);
  const double others =
      (work.units - 1) * first + (work.tiles - work.units) * other + (work.tiles - 1) * stall;
  const double end = piece.alone - piece.period + fix;  // nothing is loaded any more
  return std::max(begin + first_tile + others, factors_cycles(problem, machine, operands)) + end;
}

}  // namespace davsim::operators::matmul
