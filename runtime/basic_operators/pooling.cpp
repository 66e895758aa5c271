#include "runtime/basic_operators/pooling.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "runtime/basic_operators/device/pool_tiling.h"
#include "runtime/basic_operators/launch.hpp"
#include "runtime/core/api_error.hpp"

namespace davsim::basic {
namespace {

using davsim_basic::PoolElement;
using davsim_basic::PoolTiling;

std::optional<PoolElement> pool_element(DataType type) {
  switch (type) {
    case ge::DT_FLOAT:
      return PoolElement::kFloat;
    case ge::DT_FLOAT16:
      return PoolElement::kHalf;
    case ge::DT_BF16:
      return PoolElement::kBfloat;
    default:
      return std::nullopt;
  }
}

/// Elements of a row in UB: whole DataBlocks of all types.
std::int64_t pool_pitch(std::int64_t elements) {
  constexpr std::int64_t kWhole = 16;
  return rounded_up(elements, kWhole);
}

/// Rows of the image that these rows of the result are made from at most.
std::int64_t rows_below(const Slide& down, std::int64_t rows) {
  return std::min((rows - 1) * down.step + down.reach(), down.size);
}

std::int64_t bytes_in_ub(const Image& image, std::int64_t rows, std::int64_t element) {
  constexpr std::int64_t kFloat = 4;
  const std::int64_t in = rows_below(image.down, rows) * pool_pitch(image.across.size);
  const std::int64_t out = pool_pitch(image.across.places);
  return 2 * element * (in + rows * out) + kFloat * (in + pool_pitch(image.across.size) + 8) +
         kFloat * out * (image.across.window + 3);
}

/// Rows of a tile, so that all cores have some; 0: UB has no room for one.
std::int64_t pool_rows(const Image& image, std::int64_t element) {
  // Less than UB, for what the kernel has besides.
  constexpr std::int64_t kKept = 8 * 1024;
  const std::int64_t most = static_cast<std::int64_t>(ub_bytes()) - kKept;
  const std::int64_t fair =
      quotient_up(image.planes * image.down.places, std::int64_t{vector_cores()});
  std::int64_t rows = std::min(fair, image.down.places);
  while (rows > 0 &&
         (bytes_in_ub(image, rows, element) > most || rows_below(image.down, rows) > kMostBursts)) {
    --rows;
  }
  return rows;
}

template <class Value>
void append(std::vector<std::byte>& bytes, std::size_t pitch, const std::vector<Value>& values) {
  std::vector<Value> all = values;
  all.resize(pitch);
  const auto* const first = reinterpret_cast<const std::byte*>(all.data());
  bytes.insert(bytes.end(), first, first + pitch * sizeof(Value));
}

/// Where in a row the elements of each column of the window lie. Those of padding are behind it.
void append_tables(std::vector<std::byte>& bytes, const Pooling& pooling, std::size_t pitch) {
  const Slide& across = pooling.image.across;
  std::vector<float> counts(static_cast<std::size_t>(across.places), 0);
  for (std::int64_t j = 0; j < across.window; ++j) {
    std::vector<std::uint32_t> places;
    for (std::int64_t place = 0; place < across.places; ++place) {
      const std::int64_t x = across.first(place) + j * across.dilation;
      const bool inside = x >= 0 && x < across.size;
      const std::int64_t at = inside ? x : pool_pitch(across.size);
      places.push_back(static_cast<std::uint32_t>(at) * 4);
      const bool counted = pooling.counts_padding ? x < across.size + across.behind : inside;
      counts[static_cast<std::size_t>(place)] += counted ? 1 : 0;
    }
    append(bytes, pitch, places);
  }
  if (pooling.divisor != 0) std::ranges::fill(counts, static_cast<float>(pooling.divisor));
  append(bytes, pitch, counts);
}

}  // namespace

void Slide::count(bool up) {
  const std::int64_t left = size + before + behind - reach();
  if (window < 1 || step < 1 || dilation < 1 || before < 0 || behind < 0 || left < 0) {
    runtime::refuse_aclnn("a window of " + std::to_string(window) + " with the step " +
                          std::to_string(step) + ", the dilation " + std::to_string(dilation) +
                          " and the padding " + std::to_string(before) + " and " +
                          std::to_string(behind) + " has a place in a size of " +
                          std::to_string(size));
  }
  places = left / step + 1;
  if (!up || left % step == 0) return;
  if (places * step < size + before) ++places;
}

bool add_pooling(WorkList& work, const Pooling& pooling, const aclTensor& from,
                 const aclTensor& to) {
  const Image& image = pooling.image;
  const std::optional<PoolElement> element = pool_element(from.GetDataType());
  // Else windows may lie in the padding alone.
  const bool all_inside = image.down.before < image.down.reach();
  if (!element || !all_inside) return false;
  const std::int64_t rows = pool_rows(image, bytes_of_element(from));
  if (rows == 0) return false;
  const auto whole = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  PoolTiling tiling{};
  tiling.planes = static_cast<std::uint64_t>(image.planes);
  tiling.tiles = tiling.planes * whole(quotient_up(image.down.places, rows));
  tiling.height = whole(image.down.size);
  tiling.width = whole(image.across.size);
  tiling.out_height = whole(image.down.places);
  tiling.out_width = whole(image.across.places);
  tiling.window = whole(image.down.window);
  tiling.columns = whole(image.across.window);
  tiling.step = whole(image.down.step);
  tiling.dilation = whole(image.down.dilation);
  tiling.before = whole(image.down.before);
  tiling.behind = whole(image.down.behind);
  tiling.rows = whole(rows);
  tiling.in_rows = whole(rows_below(image.down, rows));
  tiling.pitch = whole(pool_pitch(image.across.size));
  tiling.out_pitch = whole(pool_pitch(image.across.places));
  tiling.element = *element;
  tiling.greatest = pooling.greatest ? 1 : 0;
  tiling.counts_padding = pooling.counts_padding ? 1 : 0;
  tiling.counts_rows = pooling.divisor == 0 ? 1 : 0;
  std::vector<std::byte> bytes = bytes_of(tiling);
  append_tables(bytes, pooling, tiling.out_pitch);
  work.add_kernel({"davsim_pool", work.type(), cores_for(tiling.tiles), {&from, &to}, bytes});
  return true;
}

}  // namespace davsim::basic
