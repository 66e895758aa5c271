#include "kernels/prolog/plan.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/common/arithmetic.hpp"
#include "kernels/matmul/tiling.hpp"
#include "kernels/prolog/sizes.hpp"

namespace davsim::operators::prolog {
namespace {

using isa::DType;
using matmul::Machine;

/// What the stages on the vector cores take of UB at most, by their InitBuffer(): those of the MLA
/// half in QueryNorm, those of the indexer half in QuantQuery.
constexpr std::uint64_t kMlaUbBytes = 96032, kIndexerUbBytes = 122208;

void require_ub(std::uint64_t needed, std::uint64_t found) {
  if (found >= needed) return;
  throw std::invalid_argument("prolog: the stages on the vector cores take " +
                              std::to_string(needed) + " bytes of UB; this SoC's has " +
                              std::to_string(found) + " bytes");
}

/// A product of a stage, and the place of its tiling.
struct StagePart {
  matmul::Problem problem;
  PrologProduct* product;
};

/// A [m, k] times B [k, n].
matmul::Problem product_of(std::int64_t m, std::int64_t n, std::int64_t k, DType input,
                           DType output, bool b_nz) {
  matmul::Problem p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a.rows = m;
  p.a.cols = k;
  p.b.rows = k;
  p.b.cols = n;
  p.b.nz = b_nz;
  p.input = input;
  p.output = output;
  return p;
}

/// The quantised query latent times a round's columns of a matrix that has `columns`.
matmul::Problem raising(std::int64_t tokens, std::int64_t columns) {
  matmul::Problem p =
      product_of(tokens, columns / kPrologRounds, kQueryRank, DType::kI8, DType::kI32, true);
  p.c_cols = columns;
  return p;
}

/// The queries of all tokens times w_uk, head by head.
matmul::Problem absorption(std::int64_t tokens, std::int64_t heads) {
  matmul::Problem p = product_of(tokens, kLatent, kNope, DType::kBF16, DType::kBF16, false);
  p.batches = heads;
  p.a.cols = kHeads * kNope;
  p.a.batch_distance = kNope;
  p.b.batch_distance = kNope * kLatent;
  p.c_cols = kHeads * kLatent;
  p.c_batch_distance = kLatent;
  return p;
}

/// The approximate cycles on `cores` cores, in whole tiles. A tile is bound by the cube, by the
/// port of its core, or by its share of HBM's bandwidth for factor B.
double cycles_on(const matmul::Problem& p, std::uint32_t cores, const Machine& machine) {
  const sim::DmaTiming& dma = machine.timing.dma;
  const double b_port = p.b.nz ? dma.aic_read_port : dma.nd2nz_port;
  const double macs = machine.timing.cube.rate(p.input, false);
  constexpr std::int64_t kMostRows = 128, kMostCols = 256;
  const auto element = static_cast<double>(isa::dtype_bytes(p.input));
  const auto depth = static_cast<double>(p.k);
  const std::int64_t rows = std::min(kMostRows, round_up(p.m, matmul::kFractalRows));
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t cols = matmul::kFractalRows; cols <= std::min(kMostCols, p.n);
       cols += matmul::kFractalRows) {
    const std::int64_t tiles = p.batches * ceil_div(p.m, rows) * ceil_div(p.n, cols);
    const auto area = static_cast<double>(rows * cols);
    const double cube = area * depth / macs;
    const double moves =
        static_cast<double>(rows) / dma.nd2nz_port + static_cast<double>(cols) / b_port;
    const double port = moves * depth * element;
    const double hbm = static_cast<double>(p.batches * p.n) * depth * element /
                       (machine.hbm_bytes_per_cycle * cores);
    const double rounds = static_cast<double>(ceil_div(tiles, cores));
    least = std::min(least, std::max(rounds * std::max(cube, port), hbm));
  }
  return least;
}

/// Moves cores that make their product no faster to the product that gains most.
void move_idle_cores(const std::vector<StagePart>& parts, const Machine& machine,
                     std::vector<std::uint32_t>& cores) {
  const auto gain = [&](std::size_t i, std::uint32_t fewer, std::uint32_t more) {
    return cycles_on(parts[i].problem, fewer, machine) - cycles_on(parts[i].problem, more, machine);
  };
  for (std::size_t from = 0; from < parts.size(); ++from) {
    while (cores[from] > 1 && gain(from, cores[from] - 1, cores[from]) <= 0) {
      std::size_t to = from;
      double most = 0;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const double gained = i == from ? 0 : gain(i, cores[i], cores[i] + 1);
        if (gained > most) most = gained, to = i;
      }
      if (to == from) break;
      --cores[from];
      ++cores[to];
    }
  }
}

/// Assigns core after core to the product that would take longest with the cores that it has.
std::vector<std::uint32_t> cores_of(const std::vector<StagePart>& parts, const Machine& machine) {
  std::vector<std::uint32_t> cores(parts.size(), 1);
  for (auto left = static_cast<std::uint32_t>(parts.size()); left < machine.cores; ++left) {
    std::size_t slowest = 0;
    double longest = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double cycles = cycles_on(parts[i].problem, cores[i], machine);
      if (cycles > longest) longest = cycles, slowest = i;
    }
    ++cores[slowest];
  }
  move_idle_cores(parts, machine, cores);
  return cores;
}

void plan_stage(const std::vector<StagePart>& parts, const Machine& machine) {
  const std::vector<std::uint32_t> cores = cores_of(parts, machine);
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Machine share = machine;
    share.cores = cores[i];
    parts[i].product->tiling = matmul::plan(parts[i].problem, share).tiling;
    parts[i].product->first_core = first;
    parts[i].product->cores = cores[i];
    first += cores[i];
  }
}

}  // namespace

PrologTiling plan(Halves halves, std::int64_t tokens, const sim::SocConfig& soc) {
  const bool mla = halves != Halves::kIndexer, indexer = halves != Halves::kMla;
  require_ub(indexer ? kIndexerUbBytes : kMlaUbBytes, soc.integer("AICoreSpec", "ub_size"));
  constexpr DType kBF16 = DType::kBF16;
  constexpr std::int64_t kRounds = kPrologRounds;
  PrologTiling t{};
  t.tokens = static_cast<std::uint32_t>(tokens);
  std::vector<StagePart> down, keys, raise[kRounds], mix, absorb;
  if (mla) {
    down.push_back({product_of(tokens, kQueryRank, kHidden, kBF16, kBF16, true), &t.dq});
    keys.push_back({product_of(tokens, kKeyWidth, kHidden, kBF16, kBF16, true), &t.dkv});
    absorb.push_back({absorption(tokens, kHeads / kRounds), &t.uk});
  }
  if (indexer) {
    // If the half runs alone, the query latent is ready from the start.
    (mla ? keys : raise[0])
        .push_back(
            {product_of(tokens, kIndexDim + kIndexHeads, kHidden, kBF16, DType::kF32, true), &t.k});
    mix.push_back({product_of(tokens, kIndexDim, kIndexDim, kBF16, kBF16, false), &t.had_k});
    mix.push_back(
        {product_of(tokens * kIndexHeads / kRounds, kIndexDim, kIndexDim, kBF16, kBF16, false),
         &t.had_q});
  }
  for (std::int64_t i = 0; i < kRounds; ++i) {
    if (mla) raise[i].push_back({raising(tokens, kHeads * kHeadWidth), &t.uq[i]});
    if (indexer) raise[i].push_back({raising(tokens, kIndexHeads * kIndexDim), &t.qb[i]});
  }
  const Machine machine = Machine::of(soc);
  for (const auto* stage : {&down, &keys, &raise[0], &raise[1], &mix, &absorb}) {
    if (!stage->empty()) plan_stage(*stage, machine);
  }
  return t;
}

}  // namespace davsim::operators::prolog
