// The assignment of tiles to cores, and the split of tiles among cores.
#include <algorithm>

#include "kernels/attention/tiling.hpp"

namespace davsim::operators::attention {
namespace {

/// Tiles with fewer rows are not cheaper, because they are bound by the loads of keys and values.
constexpr std::int64_t kLeastRows = 48;
/// The fixed cost of a tile in columns: its queries, its output, and the time until its first
/// scores are ready.
constexpr std::int64_t kTileColumns = 128;
/// Tiles are not split if the busiest core then has at most this multiple of its share.
constexpr double kTolerated = 1.08;

std::int64_t columns_of(const AttentionTask& task) {
  return task.kv_end - task.kv_begin;
}
std::int64_t rows_of(const AttentionTask& task) {
  return std::int64_t{task.heads} * task.rows;
}
std::int64_t weight(const AttentionTask& task) {
  const std::int64_t rows = std::max(kLeastRows, (rows_of(task) + 15) / 16 * 16);
  return rows * (columns_of(task) + kTileColumns);
}

void sort_longest_first(std::vector<AttentionTask>& tasks) {
  std::stable_sort(tasks.begin(), tasks.end(),
                   [](const auto& a, const auto& b) { return weight(a) > weight(b); });
}

/// The tasks of each core.
using Deal = std::vector<std::vector<AttentionTask>>;

/// Assigns the longest task first, each task to the core with the least work.
Deal deal_longest_first(std::vector<AttentionTask> tasks, std::uint32_t cores,
                        std::int64_t& busiest) {
  sort_longest_first(tasks);
  Deal deal(cores);
  std::vector<std::int64_t> load(cores);
  for (const AttentionTask& task : tasks) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += weight(task);
    deal[static_cast<std::size_t>(least - load.begin())].push_back(task);
  }
  busiest = *std::max_element(load.begin(), load.end());
  // Tiles of equal length are neighbours and read the same keys and values. Cores that process them
  // in step would wait for the same lines of L2. Each core therefore begins at another place in its
  // list.
  for (std::size_t core = 0; core < deal.size(); ++core) {
    auto& tasks = deal[core];
    const std::size_t first = core * tasks.size() / deal.size();
    std::rotate(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(first), tasks.end());
  }
  return deal;
}

/// Splits a task after `columns` columns, a multiple of a block. The task keeps the rest.
AttentionTask split_off(AttentionTask& task, std::int64_t columns) {
  AttentionTask part = task;
  part.kv_end = task.kv_begin = task.kv_begin + static_cast<std::int32_t>(columns);
  return part;
}

/// Assigns contiguous records to the parts of one tile.
class Records {
 public:
  Records(Schedule& schedule, std::uint32_t out_rows, std::uint32_t width)
      : schedule_(schedule), out_rows_(out_rows), width_(width) {}

  /// `parts` are the tasks of one tile. A single task needs no record.
  void join(const std::vector<AttentionTask*>& parts) {
    if (parts.size() < 2) return;
    AttentionMerge merge{};
    merge.task = *parts.front();
    merge.task.partial = 1 + schedule_.partial_bytes;
    merge.parts = static_cast<std::uint32_t>(parts.size());
    for (std::uint32_t i = 0; i < merge.parts; ++i) {
      AttentionTask* part = parts[i];
      part->part = i;
      part->parts = merge.parts;
      part->partial = 1 + schedule_.partial_bytes;
      schedule_.partial_bytes += static_cast<std::uint64_t>(rows_of(*part)) * (width_ + 2) * 4;
    }
    const auto rows = static_cast<std::uint32_t>(rows_of(merge.task));
    for (std::uint32_t first = 0; first < rows; first += out_rows_) {
      merge.first = first;
      merge.rows = std::min(out_rows_, rows - first);
      schedule_.merges.push_back(merge);
    }
  }

 private:
  Schedule& schedule_;
  std::uint32_t out_rows_, width_;
};

void take_deal(Schedule& schedule, const Deal& deal) {
  for (const auto& tasks : deal) {
    schedule.first.push_back(static_cast<std::uint32_t>(schedule.tasks.size()));
    schedule.tasks.insert(schedule.tasks.end(), tasks.begin(), tasks.end());
  }
  schedule.first.push_back(static_cast<std::uint32_t>(schedule.tasks.size()));
}

/// Cuts the sequence of all tiles into equal shares of work. The share of a core may begin and end
/// inside a tile, at a multiple of `grain` columns.
Deal deal_shares(const std::vector<AttentionTask>& tiles, std::uint32_t cores, std::int64_t grain,
                 Records& records) {
  std::int64_t total = 0, columns = 0;
  for (const AttentionTask& tile : tiles) {
    total += weight(tile);
    columns += columns_of(tile) + kTileColumns;
  }
  // Each cut costs some columns. Without them in the total, the last core would get them all.
  total += (std::int64_t{cores} - 1) * (kTileColumns / 2) * (total / columns);
  Deal deal(cores);
  for (auto& tasks : deal) tasks.reserve(tiles.size() + 1);  // records point into them
  std::size_t core = 0;
  std::int64_t done = 0;
  for (AttentionTask left : tiles) {
    const std::int64_t per_column = weight(left) / (columns_of(left) + kTileColumns);
    std::vector<AttentionTask*> parts;
    while (columns_of(left) > 0) {
      const std::int64_t end =
          total * (static_cast<std::int64_t>(core) + 1) / static_cast<std::int64_t>(cores);
      const std::int64_t room = (end - done) / per_column - kTileColumns / 2;
      const std::int64_t taken = room / grain * grain;
      const bool last_core = core + 1 == cores;
      if (taken < grain && !last_core) {
        ++core;
        continue;
      }
      const bool whole = last_core || taken >= columns_of(left);
      AttentionTask part = split_off(left, whole ? columns_of(left) : taken);
      done += per_column * (columns_of(part) + (whole ? kTileColumns : kTileColumns / 2));
      deal[core].push_back(part);
      parts.push_back(&deal[core].back());
    }
    records.join(parts);
  }
  return deal;
}

/// Takes tiles of about the same length, the same number for each core. The other tiles, which are
/// shorter, stay in `tiles`.
std::vector<AttentionTask> take_whole_rounds(std::vector<AttentionTask>& tiles,
                                             std::uint32_t cores) {
  sort_longest_first(tiles);
  std::size_t end = 0;
  while (end + cores <= tiles.size() &&
         static_cast<double>(weight(tiles[end])) <=
             kTolerated * static_cast<double>(weight(tiles[end + cores - 1]))) {
    end += cores;
  }
  const auto rest = tiles.begin() + static_cast<std::ptrdiff_t>(end);
  std::vector<AttentionTask> whole(tiles.begin(), rest);
  tiles.erase(tiles.begin(), rest);
  return whole;
}

/// Assigns shares with as few split tiles as possible. Parts of split tiles come first on their
/// core.
Deal deal_splits_first(std::vector<AttentionTask> tiles, std::uint32_t cores, std::int64_t grain,
                       Records& records) {
  const std::vector<AttentionTask> whole = take_whole_rounds(tiles, cores);
  Deal deal = tiles.empty() ? Deal(cores) : deal_shares(tiles, cores, grain, records);
  for (std::size_t core = 0; core < cores; ++core) {
    auto& tasks = deal[core];
    std::stable_partition(tasks.begin(), tasks.end(),
                          [](const AttentionTask& task) { return task.partial != 0; });
    for (std::size_t i = core; i < whole.size(); i += cores) tasks.push_back(whole[i]);
  }
  return deal;
}

/// Cuts every tile into `parts` parts, or into as many as it has blocks of columns.
std::vector<std::vector<AttentionTask>> cut_evenly(const std::vector<AttentionTask>& tiles,
                                                   std::int64_t parts) {
  std::vector<std::vector<AttentionTask>> all;
  for (AttentionTask left : tiles) {
    auto& pieces = all.emplace_back();
    for (std::int64_t remaining = parts; columns_of(left) > 0; --remaining) {
      const std::int64_t blocks = (columns_of(left) + kAttentionBlock - 1) / kAttentionBlock;
      const std::int64_t columns =
          (blocks + remaining - 1) / std::max<std::int64_t>(1, remaining) * kAttentionBlock;
      pieces.push_back(split_off(left, std::min(columns, columns_of(left))));
    }
  }
  return all;
}

/// Consecutive tiles of one kv head.
struct Unit {
  std::size_t first, end;
  std::int64_t work;
};

std::vector<Unit> units_of(const std::vector<AttentionTask>& tiles, std::uint32_t most) {
  std::vector<Unit> units;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const bool fits = !units.empty() && tiles[i].key == tiles[i - 1].key &&
                      tiles[i].table == tiles[i - 1].table &&
                      units.back().end - units.back().first < most;
    if (!fits) units.push_back({i, i, 0});
    units.back().end = i + 1;
    units.back().work += weight(tiles[i]);
  }
  return units;
}

/// The first unit of each core, and the number of units, if no core has more work than `limit`,
/// or one unit.
std::vector<std::size_t> cut_units(const std::vector<Unit>& units, std::int64_t limit) {
  std::vector<std::size_t> cuts = {0};
  std::int64_t work = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (work > 0 && work + units[i].work > limit) {
      cuts.push_back(i);
      work = 0;
    }
    work += units[i].work;
  }
  cuts.push_back(units.size());
  return cuts;
}

}  // namespace

Schedule deal_units(const Tiles& tiles, std::uint32_t unit_tiles, std::uint32_t cores) {
  const std::vector<Unit> units = units_of(tiles.work, unit_tiles);
  std::int64_t least = 0, most = 0;
  for (const Unit& unit : units) most += unit.work;
  while (least < most) {
    const std::int64_t middle = least + (most - least) / 2;
    if (cut_units(units, middle).size() > cores + std::size_t{1}) {
      least = middle + 1;
    } else {
      most = middle;
    }
  }
  Schedule schedule;
  schedule.fills = tiles.fills;
  schedule.tasks = tiles.work;
  const std::vector<std::size_t> cuts = cut_units(units, least);
  for (std::size_t core = 0; core <= cores; ++core) {
    const std::size_t unit = cuts[std::min(core, cuts.size() - 1)];
    const std::size_t task = unit < units.size() ? units[unit].first : tiles.work.size();
    schedule.first.push_back(static_cast<std::uint32_t>(task));
  }
  return schedule;
}

Schedule deal(const Tiles& tiles, const SplitPolicy& split, bool splits_first, std::uint32_t cores,
              std::uint32_t out_rows, std::uint32_t width) {
  Schedule schedule;
  schedule.fills = tiles.fills;
  Records records(schedule, out_rows, width);
  std::int64_t busiest = 0;
  if (split.parts > 1) {
    std::vector<AttentionTask> pieces;
    auto cut = cut_evenly(tiles.work, split.parts);
    for (auto& parts : cut) {
      std::vector<AttentionTask*> pointers;
      for (AttentionTask& part : parts) pointers.push_back(&part);
      records.join(pointers);
      pieces.insert(pieces.end(), parts.begin(), parts.end());
    }
    take_deal(schedule, deal_longest_first(pieces, cores, busiest));
    return schedule;
  }
  const Deal whole = deal_longest_first(tiles.work, cores, busiest);
  std::int64_t total = 0;
  for (const AttentionTask& task : tiles.work) total += weight(task);
  const bool even = static_cast<double>(busiest) * cores <= kTolerated * static_cast<double>(total);
  if (split.parts == 1 || even) {
    take_deal(schedule, whole);
  } else if (splits_first) {
    take_deal(schedule, deal_splits_first(tiles.work, cores, split.grain, records));
  } else {
    take_deal(schedule, deal_shares(tiles.work, cores, split.grain, records));
  }
  return schedule;
}

}  // namespace davsim::operators::attention
