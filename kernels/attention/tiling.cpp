#include "kernels/attention/tiling.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace davsim::operators::attention {
namespace {

/// The columns of a step, the best first. A long step adds to the output less often. With more than
/// 640 columns, the vector cores would process too few rows at a time.
constexpr std::uint32_t kStepColumns[] = {640, 512, 256, 128};
/// The largest number of columns whose probabilities are rounded to int8 with one factor.
constexpr std::uint32_t kMostInt8Columns = 512;
/// The fixed cycles of the vector instructions of a chunk of scores and of a chunk of output.
constexpr std::uint32_t kScoresFixed = 600, kOutFixed = 110;
/// A vector instruction has 255 repeats of 64 floats.
constexpr std::uint32_t kMostFloats = 255 * 64;
/// The lines of the statistics of RowOutput.
constexpr std::uint32_t kOutputLines = 12;

std::uint32_t u32(std::int64_t value) {
  return static_cast<std::uint32_t>(value);
}

/// The bytes of the lse of the rows of output: a DataBlock for each row.
std::uint32_t lse_bytes(std::uint32_t out_rows) {
  return (out_rows + 7) / 8 * 8 * 32;
}

/// The needs of a problem in UB besides scores and output.
struct UbNeeds {
  std::uint32_t core_rows;  ///< rows of a task on one vector core
  bool masked, biased;
  std::uint32_t feed;    ///< bytes
  std::uint32_t joined;  ///< bytes that the statistics of all parts of a task take
};

/// Lays out UB for chunks of these rows. Returns the bytes that it takes.
std::uint32_t lay_out(AttentionUb& ub, const AttentionTiling& tiling, const UbNeeds& needs) {
  const std::uint32_t step = tiling.step_columns, width = tiling.value_width;
  const bool masked = needs.masked, biased = needs.biased, two_pass = tiling.two_pass != 0;
  std::uint32_t end = 0;
  const auto take = [&](std::uint32_t bytes) {
    const std::uint32_t start = end;
    end += (bytes + 31) / 32 * 32;
    return start;
  };
  ub.scores_bytes = ub.score_rows * step * 4;
  ub.parts_bytes = ub.out_rows * width * 4;
  ub.scores = take(2 * ub.scores_bytes);
  // Masks are widened in the buffer of the probabilities: 6 bytes for each element of 64 columns.
  ub.store =
      take(std::max({ub.score_rows * step * 2, ub.out_rows * width * 2 + lse_bytes(ub.out_rows),
                     masked || biased ? ub.score_rows * 64 * 6 : 0}));
  // In two passes the output is added up in the workspace. Only merges need this buffer, at the
  // end.
  if (!two_pass) ub.sums = take(needs.core_rows * width * 4);
  ub.parts = take(std::max(2 * ub.parts_bytes, two_pass ? needs.joined : 0));
  ub.reduced = take(ub.score_rows * (step / 8 + 16) * 4);
  ub.stats = take((AttentionStatLines(ub.stat_slots) + kOutputLines) * kAttentionVectorRows * 4);
  ub.mask = take(masked ? 2 * ub.score_rows * kAttentionMaskColumns : 0);
  ub.bias = take(biased ? ub.score_rows * step * 2 : 0);
  // The parameters of an int8 output, as floats and as halves.
  ub.quant = take(tiling.post_quant.scale != 0 ? ub.out_rows * width * 6 : 0);
  ub.row_scale = take(kAttentionVectorRows * 4);
  const bool int8_probs = tiling.probs_quant != AttentionProbsQuant::kNone;
  ub.probs_quant = take(int8_probs ? kAttentionProbsFactors * kAttentionVectorRows * 4 : 0);
  if (!two_pass) return end;
  ub.log_sums = take(kAttentionLogSums * kAttentionVectorRows * 4);
  ub.feed = ub.sums = take(std::max(needs.feed, ub.out_rows * width * 4));
  return end;
}

/// Chooses the cheapest numbers of rows at a time that fit in UB. Returns false if none fit.
bool choose_rows(AttentionTiling& tiling, const Machine& machine, const UbNeeds& needs) {
  const std::uint32_t core_rows = needs.core_rows;
  std::uint32_t least = ~0u;
  for (std::uint32_t score_rows = 8; score_rows <= core_rows; score_rows += 8) {
    if (score_rows * tiling.step_columns > kMostFloats) break;
    // Values of a row come in blocks of eight rows, so chunks must not cross them.
    for (std::uint32_t out_rows = 4; out_rows <= core_rows; out_rows += out_rows < 8 ? 4 : 8) {
      AttentionUb ub{};
      // A power of two, of steps from the softmax to the part of the output: kAttentionLag and what
      // follows, or those of two units of up to four.
      ub.stat_slots = tiling.unit > 2 ? 8 : 4;
      ub.score_rows = score_rows;
      ub.out_rows = out_rows;
      if (lay_out(ub, tiling, needs) > machine.ub) continue;
      const std::uint32_t cost = (core_rows + score_rows - 1) / score_rows * kScoresFixed +
                                 (core_rows + out_rows - 1) / out_rows * kOutFixed;
      if (cost >= least) continue;
      least = cost;
      tiling.ub = ub;
    }
  }
  return least != ~0u;
}

/// The kernel's products alternate between the halves of L0A, L0B and L0C.
void require_l0(const Machine& machine) {
  const auto require_halves = [](const char* name, std::uint32_t half, std::uint32_t found) {
    if (found >= 2 * half) return;
    throw std::invalid_argument("attention: " + std::string(name) + " holds two blocks of " +
                                std::to_string(half) + " bytes; this SoC's has " +
                                std::to_string(found) + " bytes");
  };
  require_halves("L0A", kAttentionHalfOfL0, machine.l0a);
  require_halves("L0B", kAttentionHalfOfL0, machine.l0b);
  require_halves("L0C", kAttentionHalfOfL0c, machine.l0c);
}

void choose_step(AttentionTiling& tiling, const Problem& p, const Machine& machine,
                 std::int64_t longest, std::int64_t most_rows) {
  UbNeeds needs{};
  needs.core_rows = u32(((most_rows + 1) / 2 + 7) / 8 * 8);
  needs.masked = tiling.windowed != 0 || p.mask.kind == MaskKind::kFull;
  needs.biased = p.bias.data != nullptr || p.column_offset != nullptr;
  needs.feed = p.feed_bytes;
  needs.joined = (2 + 2 * machine.cores) * kAttentionVectorRows * 4;  // a part on each core
  for (const std::uint32_t step : kStepColumns) {
    // A step much longer than the visible columns wastes UB.
    if (step > kAttentionBlock && longest <= step / 2) continue;
    if (p.probs_quant != ProbsQuant::kNone && step > kMostInt8Columns) continue;
    if (p.two_pass && step > p.feed_rows) continue;
    tiling.step_columns = step;
    if (choose_rings(tiling, machine, u32(most_rows)) && choose_rows(tiling, machine, needs)) {
      return;
    }
  }
  throw std::invalid_argument(
      "attention: L1 and UB are too small for blocks of 128 columns; this SoC's have " +
      std::to_string(machine.l1) + " and " + std::to_string(machine.ub) + " bytes");
}

AttentionStorage storage_of(Storage storage) {
  switch (storage) {
    case Storage::kPagedRows:
      return AttentionStorage::kPagedRows;
    case Storage::kPagedNz:
      return AttentionStorage::kPagedNz;
    case Storage::kDenseNz:
      return AttentionStorage::kDenseNz;
    case Storage::kFed:
      return AttentionStorage::kFed;
    case Storage::kContiguous:
      break;
  }
  return AttentionStorage::kContiguous;
}

}  // namespace

AttentionKv access_of(const Problem& p, const KvTensor& tensor, std::int64_t width) {
  AttentionKv kv{};
  kv.storage = storage_of(tensor.storage);
  kv.row_elements = u32(tensor.strides.row);
  kv.width = u32(width);
  if (tensor.storage == Storage::kContiguous || tensor.storage == Storage::kFed) return kv;
  kv.page_rows = u32(p.pages.page_rows);
  kv.page_stride = static_cast<std::uint64_t>(tensor.strides.batch) * isa::dtype_bytes(tensor.type);
  return kv;
}

namespace {

AttentionRows rows_of(const Strides& strides) {
  return {static_cast<std::uint64_t>(strides.head), static_cast<std::uint64_t>(strides.row)};
}

AttentionProbsQuant probs_quant_of(ProbsQuant quant) {
  if (quant == ProbsQuant::kByHead) return AttentionProbsQuant::kByHead;
  return quant == ProbsQuant::kByStep ? AttentionProbsQuant::kByStep : AttentionProbsQuant::kNone;
}

AttentionTypes types_of(const Problem& p) {
  if (p.query.type == isa::DType::kBF16) return AttentionTypes::kBfloat;
  return p.out.type == isa::DType::kBF16 ? AttentionTypes::kHalfAndBfloat : AttentionTypes::kHalf;
}

void describe(AttentionTiling& tiling, const Problem& p) {
  tiling.types = types_of(p);
  tiling.key_width = u32(p.key_width);
  tiling.rope_width = u32(p.rope_width);
  tiling.value_width = u32(p.value_width);
  tiling.two_pass = p.two_pass ? 1 : 0;
  tiling.unit = std::max(1U, u32(p.unit_tiles));
  tiling.in_turn = p.unit_tiles > 0 ? 1 : 0;
  // The products of a unit follow the scores of the next one.
  tiling.lag = p.unit_tiles > 0 ? 2 * tiling.unit - 1 : kAttentionLag;
  tiling.windowed =
      p.window.before != Window::kUnbounded || p.window.after != Window::kUnbounded ? 1 : 0;
  tiling.mask_row = static_cast<std::uint64_t>(p.mask.row_stride);
  tiling.nearest_away = p.rounding == Rounding::kNearestAway ? 1 : 0;
  tiling.scale = p.scale;
  tiling.key = access_of(p, p.key, p.key_width);
  tiling.key_rope = access_of(p, p.key_rope, p.rope_width);
  tiling.value = access_of(p, p.value, p.value_width);
  tiling.query_strides = rows_of(p.query.strides);
  tiling.rope_strides = rows_of(p.query_rope.strides);
  tiling.out_strides = rows_of(p.out.strides);
  tiling.lse_strides = rows_of(p.lse.strides);
  tiling.bias_strides = rows_of(p.bias.strides);
  tiling.query_scale_strides = rows_of(p.query_quant.query_strides);
  tiling.query_scale_type = number_of(p.query_quant.query_scale_type);
  tiling.key_scale = reinterpret_cast<std::uintptr_t>(p.query_quant.key_scale);
  tiling.value_scale = reinterpret_cast<std::uintptr_t>(p.query_quant.value_scale);
  tiling.head_value_scale = reinterpret_cast<std::uintptr_t>(p.query_quant.head_value_scale);
  tiling.probs_quant = probs_quant_of(p.probs_quant);
  tiling.probs_scale = reinterpret_cast<std::uintptr_t>(p.probs_scale);
  tiling.bias_block = static_cast<std::uint64_t>(p.bias.block_stride);
  tiling.bias_hides = p.bias.hides ? 1 : 0;
  tiling.kv_past_l2 = p.kv_past_l2 ? 1 : 0;
  tiling.column_offset = reinterpret_cast<std::uintptr_t>(p.column_offset);
  tiling.query_factor = p.query_factor;
  tiling.post_quant.scale = reinterpret_cast<std::uintptr_t>(p.post_quant.scale);
  tiling.post_quant.offset = reinterpret_cast<std::uintptr_t>(p.post_quant.offset);
  tiling.post_quant.type = number_of(p.post_quant.type);
  tiling.post_quant.per_channel = p.post_quant.per_channel ? 1 : 0;
}

}  // namespace

AttentionNumber number_of(isa::DType type) {
  switch (type) {
    case isa::DType::kF16:
      return AttentionNumber::kHalf;
    case isa::DType::kBF16:
      return AttentionNumber::kBfloat;
    case isa::DType::kI32:
      return AttentionNumber::kInt;
    case isa::DType::kI64:
      return AttentionNumber::kWideFloat;
    default:
      return AttentionNumber::kFloat;
  }
}

Machine Machine::of(const sim::SocConfig& soc) {
  Machine machine;
  machine.cores = soc.aic_count();
  machine.l1 = u32(soc.integer("AICoreSpec", "l1_size"));
  machine.ub = u32(soc.integer("AICoreSpec", "ub_size"));
  machine.l0a = u32(soc.integer("AICoreSpec", "l0_a_size"));
  machine.l0b = u32(soc.integer("AICoreSpec", "l0_b_size"));
  machine.l0c = u32(soc.integer("AICoreSpec", "l0_c_size"));
  return machine;
}

namespace {

/// The number of steps of a task, as in StepWalk.
std::int64_t steps_of(const AttentionTask& task, const AttentionTiling& tiling) {
  return (task.kv_end - task.kv_begin + tiling.step_columns - 1) / tiling.step_columns;
}

/// Calls visit(task, first step) for the tasks of each core.
template <class Visit>
void for_steps(const Schedule& schedule, const AttentionTiling& tiling, const Visit& visit) {
  for (std::size_t core = 0; core + 1 < schedule.first.size(); ++core) {
    std::int64_t step = 0;
    for (std::uint32_t i = schedule.first[core]; i < schedule.first[core + 1]; ++i) {
      visit(i, step);
      step += steps_of(schedule.tasks[i], tiling);
    }
  }
}

/// In two passes, probabilities wait for all scores of their task. Those of split tasks wait for
/// the scores of all split tasks, which come first.
std::uint32_t lag_of(const Schedule& schedule, const AttentionTiling& tiling) {
  if (tiling.two_pass == 0) return tiling.lag;
  std::int64_t most = 1;
  for_steps(schedule, tiling, [&](std::uint32_t i, std::int64_t first) {
    const AttentionTask& task = schedule.tasks[i];
    const std::int64_t steps = steps_of(task, tiling);
    most = std::max(most, task.partial != 0 ? first + steps : steps);
  });
  return u32(most + 2);
}

/// The largest number of tasks whose output is being added up at a time, in two passes. A task may
/// begin when the last step of an earlier task is `lag` steps ago.
std::uint32_t places_of_tasks(const Schedule& schedule, const AttentionTiling& tiling) {
  std::uint32_t most = 1;
  std::vector<std::pair<std::uint32_t, std::int64_t>> ends;  ///< task, last step
  for_steps(schedule, tiling, [&](std::uint32_t i, std::int64_t first) {
    if (first == 0) ends.clear();
    for (const auto& [task, last] : ends) {
      if (last + tiling.lag > first) most = std::max(most, i - task + 1);
    }
    ends.emplace_back(i, first + steps_of(schedule.tasks[i], tiling) - 1);
  });
  return most;
}

/// Lays out the rings of the workspace, for tasks of `rows` rows.
void lay_out_workspace(AttentionTiling& tiling, const Schedule& schedule, std::uint64_t rows) {
  const bool two_pass = tiling.two_pass != 0;
  tiling.lag = lag_of(schedule, tiling);
  std::uint64_t end = 0;
  const auto take = [&](std::uint64_t bytes, std::uint32_t places) {
    AttentionRing ring{end, (bytes + 511) / 512 * 512, places};
    end += ring.bytes * places;
    return ring;
  };
  tiling.scores = take(rows * tiling.step_columns * 4, tiling.lag + 1);
  tiling.probs = take(rows * tiling.step_columns * 2, tiling.lag + 1);
  tiling.parts = take(rows * tiling.value_width * 4,
                      two_pass ? places_of_tasks(schedule, tiling) : tiling.lag + 1);
  const bool fed = tiling.key.storage == AttentionStorage::kFed;
  const std::uint64_t row_bytes = (std::uint64_t{tiling.key_width} + tiling.rope_width) * 2;
  tiling.rows = take(fed ? tiling.step_columns * row_bytes : 0, tiling.lag + 3);
  tiling.workspace_bytes = end;
  if (two_pass && tiling.parts.places > kAttentionLogSums) {
    throw std::invalid_argument("attention: too many short tasks behind long ones for two passes");
  }
}

}  // namespace

Plan plan(const Problem& problem, const Machine& machine) {
  Plan plan;
  const Tiles tiles = tiles_of(problem);
  std::int64_t longest = 0, most_rows = 1;
  for (const AttentionTask& task : tiles.work) {
    longest = std::max<std::int64_t>(longest, task.kv_end - task.kv_begin);
    most_rows = std::max<std::int64_t>(most_rows, std::int64_t{task.heads} * task.rows);
  }
  AttentionTiling& tiling = plan.tiling;
  describe(tiling, problem);
  require_l0(machine);
  choose_step(tiling, problem, machine, longest, most_rows);
  plan.needs_triangle = tiling.windowed != 0 && problem.mask.kind != MaskKind::kTriangle;
  if (problem.mask.kind == MaskKind::kTriangle) {
    tiling.triangle = reinterpret_cast<std::uintptr_t>(problem.mask.data);
  }
  const std::uint32_t wanted = problem.split.cores;
  const std::uint32_t cores = wanted == 0 ? machine.cores : std::min(wanted, machine.cores);
  plan.schedule = problem.unit_tiles > 0 ? deal_units(tiles, u32(problem.unit_tiles), cores)
                                         : deal(tiles, problem.split, problem.two_pass, cores,
                                                tiling.ub.out_rows, tiling.value_width);
  tiling.merges = u32(static_cast<std::int64_t>(plan.schedule.merges.size()));
  tiling.fills = u32(static_cast<std::int64_t>(plan.schedule.fills.size()));
  plan.block_dim = cores;
  lay_out_workspace(tiling, plan.schedule, static_cast<std::uint64_t>(most_rows));
  return plan;
}

}  // namespace davsim::operators::attention
