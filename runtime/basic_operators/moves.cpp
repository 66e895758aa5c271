#include "runtime/basic_operators/moves.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/aclnn/element_copy.hpp"
#include "runtime/basic_operators/device/move_tiling.h"
#include "runtime/basic_operators/device/transpose_tiling.h"
#include "runtime/basic_operators/launch.hpp"
#include "runtime/basic_operators/pointwise.hpp"
#include "runtime/basic_operators/rearrange.hpp"
#include "runtime/core/api_error.hpp"
#include "runtime/op_host/elements.hpp"

namespace davsim::basic {
namespace {

using davsim_basic::MoveJob;
using davsim_basic::MoveTiling;
using davsim_basic::TransposeTiling;
using Loop = LoopNest::Loop;

/// A DataBlock of UB for a few bytes, each a burst of its own, is not how the device moves much.
bool is_for_kernel(const LoopNest& nest) {
  constexpr std::int64_t kFewRuns = 256;
  return nest.loops.size() <= davsim_basic::kMoveDims &&
         (nest.run >= kUbBlock || nest.runs() <= kFewRuns);
}

/// Bytes of a tile, so that all cores have as many of them and UB has room.
std::int64_t tile_bytes(std::int64_t all, std::int64_t most) {
  constexpr std::int64_t kLeast = 1024;
  const std::int64_t cores = vector_cores();
  const std::int64_t rounds = quotient_up(all, cores * most);
  return std::clamp(rounded_up(quotient_up(all, cores * rounds), kUbBlock), kLeast, most);
}

MoveJob job_of(const LoopNest& nest, bool fills, std::int64_t tile) {
  MoveJob job{};
  job.fills = fills ? 1 : 0;
  job.from_offset = nest.from_offset;
  job.to_offset = nest.to_offset;
  job.run = static_cast<std::uint64_t>(nest.run);
  std::vector<Loop> loops = nest.loops;
  if (loops.empty()) loops.push_back({1, 0, 0});
  job.dims = static_cast<std::uint32_t>(loops.size());
  for (std::size_t d = 0; d < loops.size(); ++d) {
    job.size[d] = static_cast<std::uint64_t>(loops[d].size);
    job.to_step[d] = loops[d].to_step;
    job.from_step[d] = fills ? 0 : loops[d].from_step;
  }
  const std::int64_t rows = loops.back().size;
  if (fills) tile = std::min<std::int64_t>(tile, davsim_basic::kFillTile);
  const std::int64_t piece =
      nest.run <= tile ? nest.run
                       : rounded_up(quotient_up(nest.run, quotient_up(nest.run, tile)), kUbBlock);
  const std::int64_t together =
      std::clamp<std::int64_t>(tile / rounded_up(piece, kUbBlock), 1, std::min(rows, kMostBursts));
  job.piece = static_cast<std::uint32_t>(piece);
  job.rows = static_cast<std::uint32_t>(piece < nest.run ? 1 : together);
  return job;
}

std::uint64_t tiles_of(const MoveJob& job) {
  const auto parts = [](std::uint64_t all, std::uint64_t part) { return (all + part - 1) / part; };
  std::uint64_t tiles = parts(job.run, job.piece) * parts(job.size[job.dims - 1], job.rows);
  for (std::uint32_t d = 0; d + 1 < job.dims; ++d) tiles *= job.size[d];
  return tiles;
}

/// Those of a matrix to transpose, taken out of the nest.
struct Matrix {
  Loop columns;  ///< follow each other in `from`
  Loop rows;     ///< follow each other in `to`
};

bool take_matrix(LoopNest& nest, Matrix& matrix) {
  if (nest.run != 1 && nest.run != 2 && nest.run != 4) return false;
  auto& loops = nest.loops;
  const auto rows =
      std::ranges::find_if(loops, [&](const Loop& loop) { return loop.to_step == nest.run; });
  const auto columns =
      std::ranges::find_if(loops, [&](const Loop& loop) { return loop.from_step == nest.run; });
  if (rows == loops.end() || columns == loops.end() || rows == columns) return false;
  matrix = {*columns, *rows};
  const auto fits = [&](std::int64_t step, std::int64_t size) {
    return step >= size * nest.run && step <= 0xffffffff;
  };
  if (!fits(rows->from_step, columns->size) || !fits(columns->to_step, rows->size)) return false;
  loops.erase(std::max(rows, columns));
  loops.erase(std::min(rows, columns));
  const bool is_narrow = std::min(matrix.rows.size, matrix.columns.size) * nest.run < kUbBlock;
  const std::int64_t bursts = nest.runs() * std::max(matrix.rows.size, matrix.columns.size);
  return loops.size() <= davsim_basic::kTransposeDims && !(is_narrow && bursts > kMostShortBursts);
}

TransposeTiling tiling_of(const LoopNest& nest, const Matrix& matrix) {
  TransposeTiling tiling{};
  constexpr std::int64_t kMost = 2048;
  const std::int64_t unit = nest.run == 1 ? 32 : 16;
  const std::int64_t elements = davsim_basic::kTransposeTile / nest.run;
  const std::int64_t rows = matrix.rows.size, columns = matrix.columns.size;
  std::int64_t tile_columns = std::min(rounded_up(columns, unit), nest.run == 4 ? 64L : 128L);
  std::int64_t tile_rows =
      std::min({rounded_up(rows, unit), elements / tile_columns / unit * unit, kMost});
  tile_columns = std::min({rounded_up(columns, unit), elements / tile_rows / unit * unit, kMost});
  const auto tiles = [&] {
    return nest.runs() * quotient_up(rows, tile_rows) * quotient_up(columns, tile_columns);
  };
  while (tiles() < vector_cores() && std::max(tile_rows, tile_columns) > unit) {
    std::int64_t& larger = tile_rows > tile_columns ? tile_rows : tile_columns;
    larger = rounded_up(larger / 2, unit);
  }
  tiling.tiles = static_cast<std::uint64_t>(tiles());
  tiling.rows = static_cast<std::uint64_t>(rows);
  tiling.columns = static_cast<std::uint64_t>(columns);
  tiling.from_step = matrix.rows.from_step;
  tiling.to_step = matrix.columns.to_step;
  tiling.from_offset = nest.from_offset;
  tiling.to_offset = nest.to_offset;
  tiling.element = static_cast<std::uint32_t>(nest.run);
  tiling.tile_rows = static_cast<std::uint32_t>(tile_rows);
  tiling.tile_columns = static_cast<std::uint32_t>(tile_columns);
  tiling.dims = static_cast<std::uint32_t>(nest.loops.size());
  for (std::size_t d = 0; d < nest.loops.size(); ++d) {
    tiling.size[d] = static_cast<std::uint64_t>(nest.loops[d].size);
    tiling.to_steps[d] = nest.loops[d].to_step;
    tiling.from_steps[d] = nest.loops[d].from_step;
  }
  return tiling;
}

/// Eight bytes of elements that are all the same.
std::uint64_t repeated_bits(std::uint64_t bits, std::int64_t element) {
  const auto bytes = static_cast<std::size_t>(std::min<std::int64_t>(element, sizeof bits));
  std::uint64_t all = 0;
  for (std::size_t at = 0; at < sizeof all; at += bytes) {
    std::memcpy(reinterpret_cast<std::byte*>(&all) + at, &bits, bytes);
  }
  return all;
}

}  // namespace

void Moves::copy(const View& to, const View& from) {
  if (to.elements() == 0) return;
  LoopNest nest = loop_nest(to, from, bytes_of_element(*to.of));
  if (is_for_kernel(nest)) return add(nest, false, to.of, from.of);
  LoopNest outer = nest;
  Matrix matrix{};
  if (take_matrix(outer, matrix)) {
    const TransposeTiling tiling = tiling_of(outer, matrix);
    work_.add_kernel({"davsim_transpose",
                      work_.type(),
                      cores_for(tiling.tiles),
                      {from.of, to.of},
                      bytes_of(tiling)});
    return;
  }
  if (add_rearrangement(work_, nest, *to.of, *from.of)) return;
  work_.add_task({to.of}, {from.of}, [nest](auto targets, auto sources) {
    const runtime::BoundTensor& source = sources[0];
    nest.move(targets[0].first(), source.from_host ? source.values.data() : source.first());
  });
}

void Moves::fill(const View& to, std::uint64_t bits) {
  if (to.elements() == 0) return;
  const std::int64_t element = bytes_of_element(*to.of);
  // As if it were copied onto itself.
  LoopNest nest = loop_nest(to, to, element);
  number_ = repeated_bits(bits, element);
  if (is_for_kernel(nest)) return add(nest, true, to.of, to.of);
  std::vector<std::byte> number(static_cast<std::size_t>(nest.run));
  for (std::size_t i = 0; i < number.size(); ++i) {
    number[i] = reinterpret_cast<const std::byte*>(&number_)[i % sizeof number_];
  }
  for (Loop& loop : nest.loops) loop.from_step = 0;
  nest.from_offset = 0;
  work_.add_task({to.of}, {}, [nest, number](auto targets, auto) {
    nest.move(targets[0].first(), number.data());
  });
}

std::uint32_t Moves::slot_of(const aclTensor* tensor) {
  const auto found = std::ranges::find(tensors_, tensor);
  if (found == tensors_.end()) tensors_.push_back(tensor);
  return static_cast<std::uint32_t>(std::ranges::find(tensors_, tensor) - tensors_.begin());
}

void Moves::add(const LoopNest& nest, bool fills, const aclTensor* to, const aclTensor* from) {
  if (tensors_.size() + 2 > davsim_basic::kMoveTensors) finish();
  const std::uint32_t target = slot_of(to);
  jobs_.push_back({nest, fills, target, slot_of(from)});
}

void Moves::finish() {
  if (jobs_.empty()) return;
  std::int64_t bytes = 0;
  for (const Job& job : jobs_) bytes += job.nest.runs() * job.nest.run;
  const std::int64_t tile = tile_bytes(bytes, davsim_basic::kMoveTile);
  MoveTiling tiling{};
  tiling.jobs = static_cast<std::uint32_t>(jobs_.size());
  tiling.low = static_cast<std::uint32_t>(number_);
  tiling.high = static_cast<std::uint32_t>(number_ >> 32);
  std::vector<std::byte> all(davsim_basic::move_jobs_offset(tiling.jobs));
  std::size_t count_at = sizeof tiling;
  for (const Job& of : jobs_) {
    MoveJob job = job_of(of.nest, of.fills, tile);
    job.to = of.to;
    job.from = of.from;
    const std::uint64_t tiles = tiles_of(job);
    if (tiles > std::numeric_limits<std::uint32_t>::max()) {
      runtime::refuse_aclnn("the tensors have too many runs for a launch: " +
                            std::to_string(tiles));
    }
    const auto count = static_cast<std::uint32_t>(tiles);
    std::memcpy(all.data() + count_at, &count, sizeof count);
    count_at += sizeof count;
    tiling.tiles += tiles;
    tiling.fills |= job.fills;
    const std::vector<std::byte> more = bytes_of(job);
    all.insert(all.end(), more.begin(), more.end());
  }
  std::memcpy(all.data(), &tiling, sizeof tiling);
  tensors_.resize(davsim_basic::kMoveTensors, nullptr);
  work_.add_kernel({"davsim_move", work_.type(), cores_for(tiling.tiles), tensors_, all});
  tensors_.clear();
  jobs_.clear();
}

std::uint64_t element_bits(const aclScalar& number, DataType type, const char* name) {
  std::uint64_t bits = 0;
  if (op::TypeSize(type) > sizeof bits || !runtime::can_copy(type, number.GetDataType())) {
    runtime::refuse_aclnn(std::string(name) + " is " + text(number.GetDataType()) +
                          ", which cannot become " + text(type));
  }
  if (type == ge::DT_BOOL) return number.number() != 0 ? 1 : 0;
  if (op::IsIntegralType(type) && op::IsIntegralType(number.GetDataType(), true)) {
    const std::int64_t whole = number.ToInt64();
    std::memcpy(&bits, &whole, op::TypeSize(type));
  } else {
    op_host::fill_elements(&bits, 1, type, number.number());
  }
  return bits;
}

DataType require_movable(const aclTensor& tensor, const char* name) {
  const DataType type = tensor.GetDataType();
  if (!runtime::can_copy(type, type)) {
    runtime::refuse_aclnn(std::string(name) + " has elements of whole bytes, not " + text(type));
  }
  return type;
}

void require_conversion(const aclTensor& from, const aclTensor& to, const char* name) {
  if (runtime::can_copy(to.GetDataType(), from.GetDataType())) return;
  runtime::refuse_aclnn(std::string(name) + " is " + text(from.GetDataType()) +
                        ", which cannot become " + text(to.GetDataType()));
}

const aclTensor& typed(WorkList& work, const aclTensor& tensor, DataType type, const char* name) {
  require_movable(tensor, name);
  return tensor.GetDataType() == type ? tensor : *as(work, tensor, type);
}

void add_move(WorkList& work, const aclTensor& to, const View& from, const char* name) {
  require_shape(to, "out", shape_of(from.sizes));
  require_conversion(*from.of, to, name);
  if (from.of->GetDataType() != to.GetDataType()) return add_cast(work, *tensor_of(work, from), to);
  Moves moves(work);
  moves.copy(view_of(to), from);
  moves.finish();
}

}  // namespace davsim::basic
