#include "runtime/basic_operators/indexing.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "runtime/basic_operators/device/indexed_rows_tiling.h"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/launch.hpp"
#include "runtime/basic_operators/moves.hpp"
#include "runtime/core/api_error.hpp"

namespace davsim::basic {
namespace {

using davsim_basic::AddedAs;
using davsim_basic::IndexedRowsTiling;
using runtime::BoundTensor;

AddedAs added_as(DataType type) {
  switch (type) {
    case ge::DT_FLOAT:
      return AddedAs::kFloat;
    case ge::DT_FLOAT16:
      return AddedAs::kHalf;
    case ge::DT_BF16:
      return AddedAs::kBfloat;
    case ge::DT_INT32:
      return AddedAs::kInt32;
    default:
      return AddedAs::kNothing;
  }
}

bool is_for_kernel(const IndexedRows& rows) {
  constexpr std::int64_t kFewRows = 256;
  if (rows.adds && added_as(rows.table->GetDataType()) == AddedAs::kNothing) return false;
  return rows.run * bytes_of_element(*rows.table) >= kUbBlock ||
         rows.lists * rows.numbers->Numel() <= kFewRows;
}

IndexedRowsTiling tiling_of(const IndexedRows& rows) {
  IndexedRowsTiling tiling{};
  const std::int64_t run = rows.run * bytes_of_element(*rows.table),
                     numbers = rows.numbers->Numel();
  const std::int64_t tile_bytes = davsim_basic::kIndexedTile;
  const std::int64_t piece =
      run <= tile_bytes ? run
                        : rounded_up(quotient_up(run, quotient_up(run, tile_bytes)), kUbBlock);
  const std::int64_t pitch = rounded_up(piece, kUbBlock);
  // As many rows as UB has room for, but some for each core.
  const std::int64_t fair = quotient_up(rows.lists * numbers, std::int64_t{vector_cores()});
  const std::int64_t most = std::min<std::int64_t>(davsim_basic::kIndexedNumbers, numbers);
  const std::int64_t tile = std::clamp<std::int64_t>(std::min(tile_bytes / pitch, fair), 1, most);
  tiling.tiles =
      static_cast<std::uint64_t>(rows.lists * quotient_up(numbers, tile) * quotient_up(run, piece));
  tiling.lists = static_cast<std::uint64_t>(rows.lists);
  tiling.numbers = static_cast<std::uint64_t>(numbers);
  tiling.rows = static_cast<std::uint64_t>(rows.rows);
  tiling.run = static_cast<std::uint64_t>(run);
  tiling.table_step = static_cast<std::uint64_t>(rows.rows * run);
  tiling.wide = rows.numbers->GetDataType() == ge::DT_INT64 ? 1 : 0;
  tiling.scatters = rows.scatters ? 1 : 0;
  tiling.skips = rows.skips ? 1 : 0;
  tiling.adds = rows.adds ? added_as(rows.table->GetDataType()) : AddedAs::kNothing;
  tiling.tile = static_cast<std::uint32_t>(tile);
  tiling.piece = static_cast<std::uint32_t>(piece);
  return tiling;
}

/// The rows by the host: `visit` gets the places of their first elements, of the table nothing
/// where no row is named.
template <class Visit>
void for_each_row(const BoundTensor& numbers, const IndexedRows& rows, const Visit& visit) {
  const auto count = static_cast<std::int64_t>(numbers.elements());
  for (std::int64_t list = 0; list < rows.lists; ++list) {
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t row = whole_at(numbers, static_cast<std::uint64_t>(i));
      const bool none = row < 0 && rows.skips;
      if (row < 0) row += rows.rows;
      const auto table = static_cast<std::uint64_t>((list * rows.rows + row) * rows.run);
      visit(none ? std::nullopt : std::optional(table),
            static_cast<std::uint64_t>((list * count + i) * rows.run));
    }
  }
}

void add_task(WorkList& work, const IndexedRows& rows) {
  const aclTensor* const to = rows.scatters ? rows.table : rows.list;
  const aclTensor* const from = rows.scatters ? rows.list : rows.table;
  work.add_task({to}, {from, rows.numbers}, [rows](auto targets, auto sources) {
    const BoundTensor &target = targets[0], &source = sources[0];
    const auto count = static_cast<std::uint64_t>(rows.run);
    const std::size_t bytes = count * op::TypeSize(target.type);
    for_each_row(sources[1], rows, [&](std::optional<std::uint64_t> table, std::uint64_t list) {
      if (!table) {
        if (!rows.scatters) std::memset(element_at(target, list), 0, bytes);
        return;
      }
      const std::uint64_t into = rows.scatters ? *table : list;
      const std::uint64_t out_of = rows.scatters ? list : *table;
      for (std::uint64_t i = 0; rows.adds && i < count; ++i) {
        add_element(target, into + i, source, out_of + i);
      }
      if (!rows.adds) std::memcpy(element_at(target, into), element_at(source, out_of), bytes);
    });
  });
}

}  // namespace

void out_of_range(const std::string& function, const char* name, std::uint64_t place,
                  std::int64_t value, std::int64_t least, std::int64_t beyond) {
  throw runtime::ApiError(ACL_ERROR_RT_AICPU_EXCEPTION,
                          function + ": element " + std::to_string(place) + " of " + name + " is " +
                              std::to_string(value) + ", allowed are " + std::to_string(least) +
                              " to " + std::to_string(beyond - 1));
}

const aclTensor& required_index(const aclTensor* index, const char* name) {
  require_type(required(index, name), name, {ge::DT_INT32, ge::DT_INT64});
  return *index;
}

void check_index(WorkList& work, const aclTensor& index, const char* name, std::int64_t least,
                 std::int64_t beyond) {
  if (index.IsEmpty()) return;
  work.add_task({}, {&index},
                [function = work.type(), name = std::string(name), least, beyond](auto, auto from) {
                  for (std::uint64_t i = 0; i < from[0].elements(); ++i) {
                    const std::int64_t value = whole_at(from[0], i);
                    if (value >= least && value < beyond) continue;
                    out_of_range(function, name.c_str(), i, value, least, beyond);
                  }
                });
}

void add_indexed_rows(WorkList& work, const IndexedRows& rows) {
  if (rows.numbers->IsEmpty() || rows.lists == 0 || rows.run == 0) return;
  if (!is_for_kernel(rows)) return add_task(work, rows);
  const IndexedRowsTiling tiling = tiling_of(rows);
  work.add_kernel({"davsim_indexed_rows",
                   work.type(),
                   cores_for(tiling.tiles),
                   {rows.table, rows.numbers, rows.list},
                   bytes_of(tiling)});
}

const aclTensor* row_numbers(WorkList& work, const std::vector<Coordinate>& coordinates,
                             std::int64_t step, std::int64_t count, const char* name,
                             bool may_be_negative) {
  aclTensor* const numbers = temporary(work, ge::DT_INT64, {count});
  std::vector<const aclTensor*> from;
  for (const Coordinate& coordinate : coordinates) from.push_back(coordinate.tensor);
  work.add_task({numbers}, from,
                [=, function = work.type(), name = std::string(name)](auto to, auto tensors) {
                  for (std::int64_t i = 0; i < count; ++i) {
                    std::int64_t row = 0;
                    for (std::size_t c = 0; c < coordinates.size(); ++c) {
                      const std::int64_t size = coordinates[c].size;
                      const std::int64_t least = may_be_negative ? -size : 0;
                      const auto place =
                          static_cast<std::uint64_t>(coordinates[c].first + i * step);
                      const std::int64_t value = whole_at(tensors[c], place);
                      if (value < least || value >= size) {
                        out_of_range(function, name.c_str(), place, value, least, size);
                      }
                      row = row * size + (value < 0 ? value + size : value);
                    }
                    set_whole(to[0], static_cast<std::uint64_t>(i), row);
                  }
                });
  return numbers;
}

SlicesAt slices_at(const aclTensor& tensor, const aclTensor& indices) {
  const Numbers sizes = numbers_of(tensor.GetViewShape());
  Numbers shape = numbers_of(indices.GetViewShape());
  if (shape.empty() || shape.back() < 1 || shape.back() > static_cast<std::int64_t>(sizes.size())) {
    runtime::refuse_aclnn("the last dimension of indices has 1 to " + std::to_string(sizes.size()) +
                          " coordinates, not the shape " + text(indices.GetViewShape()));
  }
  const auto named = static_cast<std::size_t>(shape.back());
  shape.pop_back();
  shape.insert(shape.end(), sizes.begin() + static_cast<std::ptrdiff_t>(named), sizes.end());
  return {shape_of(shape), product(sizes, 0, named), product(sizes, named, sizes.size())};
}

const aclTensor* numbers_of_slices(WorkList& work, const aclTensor& tensor,
                                   const aclTensor& indices, bool may_be_negative) {
  const aclTensor* const from = as(work, indices, indices.GetDataType());
  const Shape& shape = indices.GetViewShape();
  const std::int64_t named = shape.GetDim(shape.GetDimNum() - 1);
  std::vector<Coordinate> coordinates;
  for (std::int64_t i = 0; i < named; ++i) {
    coordinates.push_back({from, tensor.GetViewShape().GetDim(static_cast<std::size_t>(i)), i});
  }
  return row_numbers(work, coordinates, named, indices.Numel() / named, "indices", may_be_negative);
}

Changed::Changed(WorkList& work, const aclTensor& out, const aclTensor& from)
    : result_(work, out, out.GetDataType()) {
  if (&from == &result_.tensor()) return;
  Moves moves(work);
  moves.copy(view_of(result_.tensor()), view_of(from));
  moves.finish();
}

}  // namespace davsim::basic
