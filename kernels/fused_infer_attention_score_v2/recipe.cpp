#include "kernels/fused_infer_attention_score_v2/recipe.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/common/seeded_pages.hpp"
#include "kernels/fused_infer_attention_score_v2/request.hpp"

namespace davsim::operators::fused_infer_attention_score {
namespace {

using isa::DType;

/// Of an int8 query and of the int8 key that meets it.
constexpr double kQueryScale = 0.01;

class Maker {
 public:
  Maker(const Recipe& recipe, SeededData& data)
      : r_(recipe), data_(data), layout_(layout_named(recipe.layout)) {
    if (r_.value_width == 0) r_.value_width = r_.width;
    if (r_.kv == DType::kNone) r_.kv = r_.query;
    if (layout_.behind_one_another()) {
      r_.batch = static_cast<std::int64_t>(r_.query_lengths.size());
    }
  }

  Call make() {
    make_query();
    if (!r_.cache.empty()) make_table();
    r_.cache.empty() ? make_contiguous() : make_caches();
    make_mask();
    if (r_.pse) {
      add("pse_shift",
          data_.reals(r_.query, {1, r_.heads, r_.query_rows, kv_columns()}, "pse_shift"));
    }
    if (r_.query == DType::kI8) {
      make_query_scales();
    } else if (r_.kv == DType::kI8 || r_.kv == DType::kI4) {
      make_parameters("key", r_.key_mode);
      make_parameters("value", r_.value_mode);
    }
    make_output_scale();
    set_attributes();
    return std::move(call_);
  }

 private:
  void add(const std::string& name, Tensor tensor) {
    call_.tensors.emplace(name, std::move(tensor));
  }

  /// Numbers in [-1, 1], or all of int8's.
  Tensor numbers(DType type, Shape shape, const std::string& name, double most = 1) {
    if (type == DType::kI8) return data_.integers(type, std::move(shape), name, -128, 127);
    if (type != DType::kI4) return data_.reals(type, std::move(shape), name, -most, most);
    shape.back() /= 8;
    return data_.integers(DType::kI32, std::move(shape), name, -(std::int64_t{1} << 31),
                          (std::int64_t{1} << 31) - 1);
  }

  DType rope_type() const { return r_.query == DType::kI8 ? DType::kBF16 : r_.query; }
  /// The rope part comes divided by the scales that an int8 query and key are multiplied by.
  double rope_range() const { return r_.query == DType::kI8 ? 1 / (kQueryScale * kQueryScale) : 1; }

  void make_query() {
    const Extents extents = {r_.batch, r_.heads, r_.query_rows, r_.width};
    add("query", numbers(r_.query, shape_of(layout_.query, extents), "query"));
    if (!r_.rope) return;
    const Extents rope = {r_.batch, r_.heads, r_.query_rows, kRopeWidth};
    add("query_rope",
        numbers(rope_type(), shape_of(layout_.query, rope), "query_rope", rope_range()));
  }

  /// Rows of a batch, as the lists say.
  std::int64_t kv_length(std::int64_t b) const {
    if (r_.kv_lengths.empty()) return r_.kv_rows;
    return r_.kv_lengths[r_.kv_lengths.size() == 1 ? 0 : static_cast<std::size_t>(b)];
  }

  std::int64_t table_columns() const {
    return std::max<std::int64_t>(1, pages_for(r_.kv_rows, r_.page_rows)) + 1;
  }
  /// Columns that masks and logical token axes have.
  std::int64_t kv_columns() const {
    return r_.cache.empty() ? r_.kv_rows : table_columns() * r_.page_rows;
  }

  PagedLengths lengths() const {
    PagedLengths lengths{{}, r_.page_rows};
    for (std::int64_t b = 0; b < r_.batch; ++b) lengths.rows.push_back(kv_length(b));
    return lengths;
  }

  void make_table() {
    if (r_.pages == 0) r_.pages = lengths().used_pages() + 2;
    add("block_table",
        seeded_page_table(data_, lengths(), r_.pages, table_columns(), "block_table"));
  }

  Shape cache_shape(DType type, std::int64_t width) const {
    if (r_.cache == "BnBsH") return {r_.pages, r_.page_rows, r_.kv_heads * width};
    if (r_.cache == "BnNBsD") return {r_.pages, r_.kv_heads, r_.page_rows, width};
    const std::int64_t c0 = 32 / static_cast<std::int64_t>(isa::dtype_bytes(type));
    return {r_.pages, r_.kv_heads, width / c0, r_.page_rows, c0};
  }

  Tensor cache(DType type, std::int64_t width, const std::string& name) {
    const Shape shape = cache_shape(type, width);
    const std::size_t row_axis = r_.cache == "BnBsH" ? 1 : shape.size() - 2;
    return seeded_cache(data_, type, shape, row_axis, lengths(), call_.tensors.at("block_table"),
                        name);
  }

  void make_caches() {
    add("key", cache(r_.kv, r_.width, "key"));
    if (r_.rope && r_.width == 512) {
      add("value", call_.tensors.at("key"));  // the latent row is both
      add("key_rope", cache(rope_type(), kRopeWidth, "key_rope"));
    } else {
      add("value", cache(r_.kv, r_.value_width, "value"));
    }
  }

  void make_contiguous() {
    if (r_.list) return make_lists();
    const auto shape = [&](std::int64_t width) {
      return shape_of(layout_.query, {r_.batch, r_.kv_heads, r_.kv_rows, width});
    };
    add("key", numbers(r_.kv, shape(r_.width), "key"));
    add("value", numbers(r_.kv, shape(r_.value_width), "value"));
    if (r_.rope) add("key_rope", numbers(r_.query, shape(kRopeWidth), "key_rope"));
    if (layout_.behind_one_another() || r_.kv_lengths.empty() || r_.kv == DType::kI4) return;
    for (const char* name : {"key", "value"}) poison_behind(call_.tensors.at(name));
  }

  /// NaN in the rows beyond a batch's length.
  void poison_behind(Tensor& tensor) {
    Extents extents = {r_.batch, r_.kv_heads, r_.kv_rows, r_.width};
    const attention::Strides strides = strides_of(layout_.query, extents);
    const auto size = static_cast<std::int64_t>(isa::dtype_bytes(r_.kv));
    for (std::int64_t b = 0; b < r_.batch; ++b) {
      for (std::int64_t n = 0; n < r_.kv_heads; ++n) {
        for (std::int64_t row = kv_length(b); row < r_.kv_rows; ++row) {
          const std::int64_t at = b * strides.batch + n * strides.head + row * strides.row;
          std::memset(tensor.data() + at * size, 0xff, static_cast<std::size_t>(r_.width * size));
        }
      }
    }
  }

  /// Entry b has b rows less than the first.
  void make_lists() {
    for (std::int64_t b = 0; b < r_.batch; ++b) {
      const std::int64_t rows = std::max<std::int64_t>(1, r_.kv_rows - b);
      const Shape shape = shape_of(layout_.query, {1, r_.kv_heads, rows, r_.width});
      for (const std::string name : {"key", "value"}) {
        const std::string entry = name + "." + std::to_string(b);
        add(entry, numbers(r_.kv, shape, entry));
      }
    }
  }

  void make_mask() {
    if (r_.mask.empty()) return;
    if (r_.mask == "square") {
      Tensor mask = data_.zeros(DType::kBool, {kMaskSquare, kMaskSquare}, "atten_mask");
      for (std::int64_t i = 0; i < kMaskSquare; ++i) {
        auto* row = mask.as<std::uint8_t>() + i * kMaskSquare;
        std::fill(row + i + 1, row + kMaskSquare, std::uint8_t{1});
      }
      return add("atten_mask", mask);
    }
    // Padded rows and columns, and bytes other than 0 and 1.
    const bool single = r_.query_rows == 1;
    const std::int64_t columns = kv_columns() + 3;
    const Shape shape =
        single ? Shape{r_.batch, columns} : Shape{r_.batch, 1, r_.query_rows + 2, columns};
    Tensor mask = data_.zeros(DType::kU8, shape, "atten_mask");
    for (std::int64_t i = 0; i < mask.elements(); ++i) {
      const bool hidden = data_.integer(0, 3) == 0;
      mask.as<std::uint8_t>()[i] = hidden ? static_cast<std::uint8_t>(data_.integer(1, 255)) : 0;
    }
    add("atten_mask", mask);
  }

  Shape parameter_shape(std::int64_t mode) const {
    const std::int64_t heads = r_.kv_heads, columns = kv_columns();
    const bool nz = r_.cache == "NZ", several = r_.query_rows > 1;
    switch (mode) {
      case 0:
        if (r_.per_tensor) return {1};
        if (nz && r_.layout == "BSH") return {heads * r_.width};
        if (nz && r_.layout == "BNSD") return {heads, 1, r_.width};
        if (nz || several) return {heads, r_.width};
        return {1, heads, r_.width};
      case 1:
        return nz || several ? Shape{r_.batch, columns} : Shape{1, r_.batch, columns};
      case 2:
        return {heads};
      case 3:
        return {r_.batch, heads, columns};
      case 4:
        return {r_.pages, r_.page_rows};
      default:
        return {r_.pages, heads, r_.page_rows};
    }
  }

  void make_parameters(const std::string& which, std::int64_t mode) {
    const bool by_token = mode != 0 && mode != 2;
    const DType type = by_token ? DType::kF32 : r_.query;
    const double range = r_.kv == DType::kI4 ? 8 : 128;
    const std::string scale = "dequant_scale_" + which, offset = "dequant_offset_" + which;
    add(scale, data_.reals(type, parameter_shape(mode), scale, 0.25 / range, 0.75 / range));
    if (r_.offsets) {
      add(offset, data_.reals(type, parameter_shape(mode), offset, -range / 16, range / 16));
    }
  }

  void make_query_scales() {
    const Shape shape = layout_.behind_one_another() ? Shape{r_.query_rows, r_.heads}
                                                     : Shape{r_.batch, r_.query_rows, r_.heads};
    const auto scale = [&](const std::string& name, Shape dims, double low, double high) {
      add(name, data_.reals(DType::kF32, std::move(dims), name, low, high));
    };
    scale("dequant_scale_query", shape, kQueryScale / 2, kQueryScale);
    scale("dequant_scale_key", {1}, kQueryScale / 2, kQueryScale);
    scale("dequant_scale_value", {1}, 0.5 / 128, 1.0 / 128);
  }

  void make_output_scale() {
    if (r_.out_quant.empty()) return;
    const Shape shape = r_.out_quant == "tensor" ? Shape{1} : Shape{r_.heads * r_.value_width};
    add("quant_scale_out", data_.reals(DType::kF32, shape, "quant_scale_out", 100, 200));
    if (!r_.out_offset) return;
    add("quant_offset_out", data_.reals(DType::kF32, shape, "quant_offset_out", -20, 20));
  }

  void set_attributes() {
    auto& a = call_.attributes;
    a["input_layout"] = r_.layout;
    a["num_query_heads"] = r_.heads;
    a["num_key_value_heads"] = r_.kv_heads;
    a["softmax_scale"] = r_.scale != 0 ? r_.scale : 1 / std::sqrt(static_cast<double>(r_.width));
    a["sparse_mode"] = r_.sparse_mode;
    a["pre_tokens"] = r_.pre;
    a["next_tokens"] = r_.next;
    a["inner_precise"] = r_.inner_precise;
    a["return_softmax_lse"] = r_.lse;
    if (!r_.cache.empty()) a["block_size"] = r_.page_rows;
    if (r_.query == DType::kI8) a["query_quant_mode"] = 3;
    a["key_quant_mode"] = r_.key_mode;
    a["value_quant_mode"] = r_.value_mode;
    set_list("actual_seq_qlen", r_.query_lengths);
    set_list("actual_seq_kvlen", r_.kv_lengths);
  }

  void set_list(const char* name, const std::vector<std::int64_t>& list) {
    if (list.empty()) return;
    boost::json::array& array = call_.attributes[name].emplace_array();
    for (const std::int64_t item : list) array.emplace_back(item);
  }

  Recipe r_;
  SeededData& data_;
  const Layout& layout_;
  Call call_;
};

}  // namespace

Call make_call(const Recipe& recipe, SeededData& data) {
  return Maker(recipe, data).make();
}

}  // namespace davsim::operators::fused_infer_attention_score
