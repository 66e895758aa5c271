#include <algorithm>

#include "runtime/basic_operators/device/gather_elements_tiling.h"
#include "runtime/basic_operators/indexing.hpp"
#include "runtime/basic_operators/launch.hpp"

namespace davsim::basic {

bool add_gathered_elements(WorkList& work, const GatheredElements& gathered) {
  const std::int64_t element = bytes_of_element(*gathered.table);
  const std::int64_t row = gathered.width * element;
  const std::int64_t all = gathered.places->Numel();
  const std::int64_t places =
      gathered.shared ? all : all / std::max<std::int64_t>(gathered.rows, 1);
  // As many bytes of a row are loaded in the time of an element's own burst.
  constexpr std::int64_t kBytesOfBurst = 2048;
  const bool is_worth_it = row <= places * kBytesOfBurst;
  if ((element != 2 && element != 4) || row > davsim_basic::kGatherRow || !is_worth_it)
    return false;
  davsim_basic::GatherElementsTiling tiling{};
  const std::int64_t tiles =
      gathered.rows * quotient_up(places, std::int64_t{davsim_basic::kGatherTile});
  const std::int64_t share = quotient_up(tiles, std::int64_t{vector_cores()});
  tiling.tiles = static_cast<std::uint64_t>(tiles);
  tiling.share = static_cast<std::uint64_t>(share);
  tiling.places = static_cast<std::uint64_t>(places);
  tiling.width = static_cast<std::uint32_t>(gathered.width);
  tiling.element = static_cast<std::uint32_t>(element);
  tiling.wide = gathered.places->GetDataType() == ge::DT_INT64 ? 1 : 0;
  tiling.shared = gathered.shared ? 1 : 0;
  work.add_kernel({"davsim_gather_elements",
                   work.type(),
                   static_cast<std::uint32_t>(quotient_up(tiles, share)),
                   {gathered.table, gathered.places, gathered.out},
                   bytes_of(tiling)});
  return true;
}

}  // namespace davsim::basic
