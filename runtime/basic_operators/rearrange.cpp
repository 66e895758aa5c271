#include "runtime/basic_operators/rearrange.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "runtime/basic_operators/device/rearrange_tiling.h"
#include "runtime/basic_operators/launch.hpp"

namespace davsim::basic {
namespace {

using davsim_basic::RearrangeTiling;
using Loop = LoopNest::Loop;

/// Bytes that the vector unit gathers at a time; 0: it does not.
std::int64_t gathered_element(const LoopNest& nest) {
  for (const std::int64_t element : {4, 2}) {
    const auto fits = [&](const Loop& loop) { return loop.from_step % element == 0; };
    if (nest.run % element == 0 && std::ranges::all_of(nest.loops, fits)) return element;
  }
  return 0;
}

/// The innermost loops, whose elements follow each other in the target.
struct Row {
  std::vector<Loop> loops;  ///< outermost first
  std::int64_t count = 1;
  std::int64_t lowest = 0;  ///< byte of the source from the row's first element
  std::int64_t span = 0;

  bool take(const Loop& loop, std::int64_t most) {
    const std::int64_t reach = (loop.size - 1) * loop.from_step;
    const std::int64_t wider = span + std::abs(reach);
    if (count * loop.size > most || wider > davsim_basic::kRearrangeSpan) return false;
    loops.insert(loops.begin(), loop);
    count *= loop.size;
    lowest += std::min<std::int64_t>(reach, 0);
    span = wider;
    return true;
  }

  /// Where each element lies, from the lowest one on.
  std::vector<std::int64_t> places() const {
    std::vector<std::int64_t> all{-lowest};
    for (const Loop& loop : loops) {
      std::vector<std::int64_t> more;
      for (const std::int64_t at : all) {
        for (std::int64_t i = 0; i < loop.size; ++i) more.push_back(at + i * loop.from_step);
      }
      all = std::move(more);
    }
    return all;
  }
};

/// How the loop around a row is cut into tiles.
struct Cut {
  std::int64_t rows;
  bool apart;
  std::int64_t pitch;  ///< between the rows in UB
};

/// `around`: how often the loop is done.
std::optional<Cut> cut_of(const Row& row, const Loop& loop, std::int64_t around,
                          std::int64_t element, std::int64_t most) {
  const std::int64_t step = std::abs(loop.from_step), span = davsim_basic::kRearrangeSpan;
  // From a step of this many rows' lengths on, rows are loaded without what lies between them.
  constexpr std::int64_t kSparse = 4;
  Cut cut{std::min(loop.size, most / row.count), false, step};
  if (step > kSparse * std::max(row.span, kUbBlock) && step <= 0xffffffff) {
    if (loop.size * around > kMostShortBursts) return std::nullopt;
    cut.apart = true;
    cut.pitch = rounded_up(row.span, kUbBlock);
    // Bursts take their time: all cores share them, but not for less than a DataBlock.
    const std::int64_t fair = quotient_up(loop.size * around, std::int64_t{vector_cores()});
    const std::int64_t least = quotient_up(kUbBlock, row.count * element);
    cut.rows = std::min({cut.rows, kMostBursts, span / cut.pitch, std::max(fair, least)});
  } else if (step > 0) {
    cut.rows = std::min(cut.rows, (span - row.span) / step + 1);
  }
  // The table holds for whole tiles alone where rows go backwards.
  while (loop.from_step < 0 && cut.rows > 1 && loop.size % cut.rows != 0) --cut.rows;
  if (cut.rows * row.count * element < kUbBlock) return std::nullopt;
  return cut;
}

std::vector<std::uint32_t> table_of(const Row& row, const Cut& cut, bool backwards) {
  std::vector<std::uint32_t> table;
  const std::vector<std::int64_t> places = row.places();
  for (std::int64_t i = 0; i < cut.rows; ++i) {
    const std::int64_t start = (backwards ? cut.rows - 1 - i : i) * cut.pitch;
    for (const std::int64_t place : places) {
      table.push_back(static_cast<std::uint32_t>(start + place));
    }
  }
  return table;
}

}  // namespace

bool add_rearrangement(WorkList& work, const LoopNest& nest, const aclTensor& to,
                       const aclTensor& from) {
  const std::int64_t element = gathered_element(nest);
  if (element == 0) return false;
  std::vector<Loop> loops = nest.loops;
  loops.push_back({nest.run / element, element, element});
  const std::int64_t all = nest.runs() * nest.run / element;
  constexpr std::int64_t kLeast = 256;
  const std::int64_t most = std::clamp<std::int64_t>(quotient_up(all, std::int64_t{vector_cores()}),
                                                     kLeast, davsim_basic::kRearrangeCount);
  Row row;
  row.span = element;
  const auto follows = [&] { return loops.back().to_step == row.count * element; };
  while (!loops.empty() && follows() && row.take(loops.back(), most)) loops.pop_back();
  Loop rows{1, 0, 0};
  if (!loops.empty() && follows()) {
    rows = loops.back();
    loops.pop_back();
  }
  std::int64_t around = 1;
  for (const Loop& loop : loops) around *= loop.size;
  const std::optional<Cut> cut = cut_of(row, rows, around, element, most);
  if (!cut || loops.size() > davsim_basic::kRearrangeDims) return false;
  const std::int64_t tiles = around * quotient_up(rows.size, cut->rows);
  constexpr std::int64_t kShort = 256;
  if (cut->rows * row.count * element < kShort && tiles > kMostShortBursts / 4) return false;
  RearrangeTiling tiling{};
  tiling.rows = static_cast<std::uint64_t>(rows.size);
  tiling.from_step = rows.from_step;
  tiling.from_offset = nest.from_offset + row.lowest;
  tiling.to_offset = nest.to_offset;
  tiling.tile = static_cast<std::uint32_t>(cut->rows);
  tiling.count = static_cast<std::uint32_t>(row.count);
  tiling.element = static_cast<std::uint32_t>(element);
  tiling.span = static_cast<std::uint32_t>(row.span);
  tiling.apart = cut->apart ? 1 : 0;
  tiling.dims = static_cast<std::uint32_t>(loops.size());
  tiling.tiles = static_cast<std::uint64_t>(tiles);
  for (std::size_t d = 0; d < loops.size(); ++d) {
    tiling.size[d] = static_cast<std::uint64_t>(loops[d].size);
    tiling.from_steps[d] = loops[d].from_step;
    tiling.to_steps[d] = loops[d].to_step;
  }
  std::vector<std::byte> bytes = bytes_of(tiling);
  for (const std::uint32_t place : table_of(row, *cut, rows.from_step < 0)) {
    const std::vector<std::byte> more = bytes_of(place);
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  work.add_kernel({"davsim_rearrange", work.type(), cores_for(tiling.tiles), {&from, &to}, bytes});
  return true;
}

}  // namespace davsim::basic
