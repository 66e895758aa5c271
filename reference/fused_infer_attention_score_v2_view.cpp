#include "reference/fused_infer_attention_score_v2_view.hpp"

#include <algorithm>

#include "reference/attention_reference.hpp"

namespace davsim::reference::fused_infer_attention_score {
namespace {

using isa::DType;

/// A signed 4-bit number: eight of them share an int32, the first in the lowest bits.
double int4_element(const operators::Tensor& words, std::int64_t index) {
  const auto word = static_cast<std::uint32_t>(words.as<std::int32_t>()[index / 8]);
  const int nibble = static_cast<int>(word >> (4 * (index % 8)) & 15u);
  return nibble < 8 ? nibble : nibble - 16;
}

/// Scale and offset of one key/value head of one batch.
class Dequantiser {
 public:
  Dequantiser(const View& view, const std::string& name, std::int64_t b, std::int64_t g,
              std::int64_t width)
      : scale_(view.tensor("dequant_scale_" + name)),
        offset_(view.has("dequant_offset_" + name) ? &view.tensor("dequant_offset_" + name)
                                                   : nullptr),
        mode_(view.number(name + "_quant_mode")),
        pages_(view.paged ? view.pages(b) : nullptr),
        heads_(view.kv_heads),
        b_(b),
        g_(g),
        width_(width) {}

  double operator()(double stored, std::int64_t j, std::int64_t d) const {
    const std::int64_t at = index(j, d);
    const double offset = offset_ == nullptr ? 0 : element(*offset_, at);
    return (stored + offset) * element(scale_, at);
  }

 private:
  std::int64_t index(std::int64_t j, std::int64_t d) const {
    const std::int64_t last = scale_.shape().back();
    switch (mode_) {
      case 0:
        return scale_.elements() == 1 ? 0 : g_ * width_ + d;
      case 1:
        return b_ * last + j;
      case 2:
        return g_;
      case 3:
        return (b_ * heads_ + g_) * last + j;
      case 4:
        return pages_[j / last] * last + j % last;
      default:
        return (pages_[j / last] * heads_ + g_) * last + j % last;
    }
  }

  const operators::Tensor& scale_;
  const operators::Tensor* offset_;
  std::int64_t mode_;
  const std::int32_t* pages_;
  std::int64_t heads_, b_, g_, width_;
};

/// Numbers as they are stored.
std::vector<double> stored_matrix(const View& view, const operators::Tensor& tensor,
                                  bool own_tensor, std::int64_t b, std::int64_t g,
                                  std::int64_t width) {
  const Batch& batch = view.batches[static_cast<std::size_t>(b)];
  const bool int4 = tensor.dtype() == DType::kI32;
  operators::Shape shape = tensor.shape();
  if (int4) shape.back() *= 8;
  std::vector<double> rows;
  rows.reserve(static_cast<std::size_t>(batch.kv_rows * width));
  for (std::int64_t j = 0; j < batch.kv_rows; ++j) {
    std::int64_t first = 0;
    if (!view.paged) {
      const Axes axes = axes_of(view.in, shape, view.kv_heads);
      first = axes.at(own_tensor ? 0 : b, g, batch.first_kv_row + j);
    }
    for (std::int64_t d = 0; d < width; ++d) {
      const std::int64_t at =
          view.paged ? paged_element(shape, view.pages(b), view.kv_heads, g, j, d) : first + d;
      rows.push_back(int4 ? int4_element(tensor, at) : element(tensor, at));
    }
  }
  return rows;
}

}  // namespace

std::vector<double> kv_matrix(const View& view, const std::string& name, std::int64_t b,
                              std::int64_t g, std::int64_t width) {
  const operators::Tensor& tensor = view.of_batch(name, b);
  auto rows = stored_matrix(view, tensor, view.list_of_many(name), b, g, width);
  const bool small = tensor.dtype() == DType::kI8 || tensor.dtype() == DType::kI32;
  if (!small || view.tensor("query").dtype() == DType::kI8) return rows;
  const Dequantiser dequantise(view, name, b, g, width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    rows[i] = dequantise(rows[i], at / width, at % width);
  }
  return rows;
}

Mask::Mask(const View& view) : view_(view) {
  const auto far = [&](const char* name) {
    return std::clamp<std::int64_t>(view.number(name), -(1ll << 40), 1ll << 40);
  };
  pre_ = far("pre_tokens");
  next_ = far("next_tokens");
  single_row_ = !view.tnd && view.query.rows == 1 && !view.rope;
  mode_ = view.number("sparse_mode");
  if (!view.has("atten_mask")) return;
  mask_ = view.tensor("atten_mask").as<std::uint8_t>();
  const operators::Shape& shape = view.tensor("atten_mask").shape();
  columns_ = shape.back();
  rows_ = single_row_ ? 1 : shape[shape.size() - 2];
  batches_ = shape.size() > 2 || single_row_ ? shape[0] : 1;
}

bool Mask::hides(std::int64_t b, std::int64_t i, std::int64_t j) const {
  const Batch& batch = view_.batches[static_cast<std::size_t>(b)];
  const std::int64_t shift = batch.kv_rows - batch.query_rows;
  if (single_row_) return mask_ != nullptr && full(b, 0, j);
  switch (mode_) {
    case 0:
      return mask_ != nullptr && (full(b, i, j) || outside(i, j));
    case 1:
      return full(b, i, j);
    case 2:
      return j > i;
    case 3:
      return j > i + shift;
    default:
      return outside(i + shift, j);
  }
}

bool Mask::full(std::int64_t b, std::int64_t i, std::int64_t j) const {
  return mask_[((batches_ == 1 ? 0 : b) * rows_ + i) * columns_ + j] != 0;
}

}  // namespace davsim::reference::fused_infer_attention_score
