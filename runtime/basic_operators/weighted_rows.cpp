#include "runtime/basic_operators/weighted_rows.hpp"

#include "runtime/basic_operators/device/weighted_rows_tiling.h"
#include "runtime/basic_operators/launch.hpp"
#include "runtime/basic_operators/rows.hpp"
#include "runtime/core/api_error.hpp"

namespace davsim::basic {

using davsim_basic::WeightedRowsTiling;

void add_weighted_rows(WorkList& work, const WeightedRows& sums) {
  if (sums.out->IsEmpty()) return;
  const std::int64_t count = sums.out->GetViewShape().GetDim(0);
  const std::int64_t length = sums.out->GetViewShape().GetDim(1);
  const std::int64_t choices = sums.rows->GetViewShape().GetDim(1);
  if (choices > std::int64_t{davsim_basic::kWeightedNumbers}) {
    runtime::refuse_aclnn("a row has at most " + std::to_string(davsim_basic::kWeightedNumbers) +
                          " choices, not " + std::to_string(choices));
  }
  // Elements that are worth a core of their own.
  constexpr std::int64_t kLeast = 256;
  const Parts parts = parts_of(count, length, kLeast);
  const auto cores = static_cast<std::int64_t>(vector_cores()) / parts.count;
  // Four buffers of what is read and two of the result, and three tiles of float.
  const auto bytes = static_cast<std::uint64_t>(bytes_of_element(*sums.out));
  WeightedRowsTiling tiling{};
  tiling.sums = static_cast<std::uint64_t>(count);
  tiling.share = static_cast<std::uint64_t>(quotient_up(count, cores));
  tiling.length = static_cast<std::uint64_t>(length);
  tiling.parts = static_cast<std::uint64_t>(parts.count);
  tiling.part = static_cast<std::uint64_t>(parts.length);
  tiling.choices = static_cast<std::uint32_t>(choices);
  tiling.tile = row_tile(6 * bytes + 3 * sizeof(float));
  tiling.element = *element_of(sums.out->GetDataType());
  const std::uint64_t shares = (tiling.sums + tiling.share - 1) / tiling.share;
  work.add_kernel({"davsim_weighted_rows",
                   work.type(),
                   static_cast<std::uint32_t>(shares * tiling.parts),
                   {sums.table, sums.rows, sums.weights, sums.biases, sums.groups, sums.first,
                    sums.second, sums.out},
                   bytes_of(tiling)});
}

}  // namespace davsim::basic
