// Cuts the rows of a problem into tiles that a core can hold.
#include <algorithm>

#include "kernels/attention/tiling.hpp"

namespace davsim::operators::attention {
namespace {

/// A number beyond every row and column. Sums with it stay inside int32.
constexpr std::int64_t kFar = std::int64_t{1} << 29;

std::uint64_t address(const std::uint8_t* data, std::int64_t elements, isa::DType type) {
  if (data == nullptr) return 0;
  return reinterpret_cast<std::uintptr_t>(data) +
         static_cast<std::uint64_t>(elements * static_cast<std::int64_t>(isa::dtype_bits(type)) /
                                    8);
}

/// The batch, kv head, first query head and first row of a tile.
struct Place {
  std::int64_t batch = 0, kv_head = 0, head = 0, row = 0;
};

class Cutter {
 public:
  explicit Cutter(const Problem& problem) : p_(problem) {}

  Tiles cut() {
    for (std::size_t b = 0; b < p_.batches.size(); ++b) {
      const Batch& batch = p_.batches[b];
      const std::int64_t all = std::max(batch.query_rows, p_.padded_query_rows);
      for (std::int64_t g = 0; g < p_.kv_heads; ++g) {
        cut_rows({static_cast<std::int64_t>(b), g, 0, 0}, batch.query_rows, true);
        cut_rows({static_cast<std::int64_t>(b), g, 0, batch.query_rows}, all, false);
      }
    }
    return std::move(tiles_);
  }

 private:
  /// Cuts rows [place.row, end) of all query heads of a kv head. If they are few, a tile has the
  /// rows of several heads, because these read the same keys and values.
  void cut_rows(Place place, std::int64_t end, bool visible) {
    for (; place.row < end; place.row += kAttentionBlock) {
      const std::int64_t rows = std::min<std::int64_t>(kAttentionBlock, end - place.row);
      const std::int64_t fitting = kAttentionBlock / rows;
      for (std::int64_t first = 0; first < p_.group(); first += fitting) {
        place.head = place.kv_head * p_.group() + first;
        add(place, std::min(fitting, p_.group() - first), rows, visible);
      }
    }
  }

  void add(const Place& place, std::int64_t heads, std::int64_t rows, bool visible) {
    AttentionTask task{};
    task.heads = static_cast<std::uint16_t>(heads);
    task.rows = static_cast<std::uint16_t>(rows);
    task.out = of_query(p_.out, place);
    task.lse = of_query(p_.lse, place);
    task.first_channel = static_cast<std::uint32_t>(place.head * p_.value_width);
    if (visible) add_sight(task, place);
    if (task.kv_begin >= task.kv_end) {
      tiles_.fills.push_back(task);
      return;
    }
    task.query = of_query(p_.query, place);
    task.query_rope = of_query(p_.query_rope, place);
    task.key = of_kv(p_.key, place);
    task.key_rope = of_kv(p_.key_rope, place);
    task.value = of_kv(p_.value, place);
    if (p_.pages.table != nullptr) {
      task.table = reinterpret_cast<std::uintptr_t>(
          p_.pages.table + place.batch / p_.pages.sharing * p_.pages.columns);
    }
    if (p_.mask.kind == MaskKind::kFull) {
      task.mask = reinterpret_cast<std::uintptr_t>(p_.mask.data) +
                  static_cast<std::uint64_t>(place.batch * p_.mask.batch_stride +
                                             place.row * p_.mask.row_stride);
    }
    task.bias = address(p_.bias.data,
                        p_.batches[static_cast<std::size_t>(place.batch)].bias_start +
                            place.batch * p_.bias.strides.batch +
                            place.head * p_.bias.strides.head + place.row * p_.bias.strides.row,
                        p_.bias.type);
    if (p_.query_quant.query_scale != nullptr) {
      QueryTensor scale;
      scale.data = p_.query_quant.query_scale;
      scale.type = p_.query_quant.query_scale_type;
      scale.strides = p_.query_quant.query_strides;
      task.query_scale = of_query(scale, place);
    }
    tiles_.work.push_back(task);
  }

  /// Sets the columns that the first row sees, and those that any row of the tile sees. The latter
  /// begin at a whole block, as pages do.
  void add_sight(AttentionTask& task, const Place& place) const {
    const Batch& batch = p_.batches[static_cast<std::size_t>(place.batch)];
    const std::int64_t shift =
        place.row + (p_.window.right_down ? batch.kv_rows - batch.query_rows : 0);
    const auto edge = [&](bool bounded, std::int64_t distance, std::int64_t far) {
      return std::clamp(bounded ? shift + distance : far, -kFar, kFar);
    };
    const std::int64_t low = edge(p_.window.before != Window::kUnbounded, -p_.window.before, -kFar);
    const std::int64_t high =
        edge(p_.window.after != Window::kUnbounded, p_.window.after + 1, kFar);
    task.low = static_cast<std::int32_t>(low);
    task.high = static_cast<std::int32_t>(high);
    const std::int64_t begin = std::max<std::int64_t>(0, low);
    task.kv_begin = static_cast<std::int32_t>(begin / kAttentionBlock * kAttentionBlock);
    task.kv_end = static_cast<std::int32_t>(std::min(batch.kv_rows, high + task.rows - 1));
    if (begin >= task.kv_end) task.kv_begin = task.kv_end = 0;
  }

  std::uint64_t of_query(const QueryTensor& tensor, const Place& place) const {
    const Batch& batch = p_.batches[static_cast<std::size_t>(place.batch)];
    return address(tensor.data,
                   place.batch * tensor.strides.batch + place.head * tensor.strides.head +
                       (batch.first_query_row + place.row) * tensor.strides.row,
                   tensor.type);
  }

  /// The first row of a head. If paged, the row on page 0.
  std::uint64_t of_kv(const KvTensor& tensor, const Place& place) const {
    if (tensor.data.empty()) return 0;
    const auto b = static_cast<std::size_t>(place.batch);
    const bool listed = tensor.data.size() > 1;
    std::int64_t elements = place.kv_head * (tensor.head_strides.empty() ? tensor.strides.head
                                                                         : tensor.head_strides[b]);
    if (tensor.storage == Storage::kContiguous) {
      elements += p_.batches[b].first_kv_row * tensor.strides.row;
      if (!listed) elements += place.batch * tensor.strides.batch;
    }
    return address(tensor.data[listed ? b : 0], elements, tensor.type);
  }

  const Problem& p_;
  Tiles tiles_;
};

}  // namespace

Tiles tiles_of(const Problem& problem) {
  return Cutter(problem).cut();
}

}  // namespace davsim::operators::attention
