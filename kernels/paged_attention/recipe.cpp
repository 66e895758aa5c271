#include "kernels/paged_attention/recipe.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"
#include "kernels/common/seeded_pages.hpp"

namespace davsim::operators::paged_attention {
namespace {

using isa::DType;

/// Of masks that hide: the sum is 0 in any softmax.
constexpr float kHidden = -10000.0f;

/// maskType by the recipe's name of a mask.
std::int64_t mask_type(const std::string& mask) {
  if (mask.empty()) return 0;
  if (mask.starts_with("norm")) return 1;
  if (mask == "free") return 4;
  if (mask.starts_with("compress")) return 5;
  return mask.starts_with("alibi") ? 2 : 3;
}

/// Slope of ALIBI: powers of 2^(-8/n), n the largest power of two not above the heads; the other
/// heads take the odd powers of 2^(-4/n).
double slope(std::int64_t head, std::int64_t heads) {
  const auto n = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  const auto in = static_cast<double>(n);
  if (head < n) return std::exp2(-8.0 * static_cast<double>(head + 1) / in);
  return std::exp2(-4.0 * static_cast<double>(2 * (head - n) + 1) / in);
}

class Maker {
 public:
  Maker(const Recipe& recipe, SeededData& data) : r_(recipe), data_(data) {
    if (r_.value_width == 0) r_.value_width = r_.width;
    lengths_ = {r_.contexts, r_.page_rows};
    most_ = *std::max_element(r_.contexts.begin(), r_.contexts.end());
    if (r_.mask_columns == 0) r_.mask_columns = (most_ + 19) / 16 * 16;
    for (std::size_t b = 0; b < r_.contexts.size(); ++b) {
      if (r_.contexts[b] > 0) rows_ += r_.query_rows.empty() ? 1 : r_.query_rows[b];
    }
    tokens_ = r_.razor != 0 ? rows_ / r_.kv_heads : rows_;
  }

  Call make() {
    make_query();
    make_caches();
    make_lengths();
    make_mask();
    make_descales();
    if (r_.razor == 2) {
      add("razorOffset", data_.reals(DType::kF32, {r_.pages, r_.page_rows}, "razorOffset", -4, 4));
    }
    if (r_.logn) {
      add("logN",
          data_.reals(r_.fractals ? DType::kF16 : DType::kF32, {batches()}, "logN", 0.5, 1.5));
    }
    set_attributes();
    return std::move(call_);
  }

 private:
  bool full_quant() const { return r_.quant > 1; }
  std::int64_t batches() const { return static_cast<std::int64_t>(r_.contexts.size()); }
  void add(const std::string& name, Tensor tensor) {
    call_.tensors.emplace(name, std::move(tensor));
  }

  void make_query() {
    const Shape shape = {tokens_, r_.heads, r_.width};
    add("query", full_quant() ? data_.integers(DType::kI8, shape, "query", -128, 127)
                              : data_.reals(r_.type, shape, "query"));
  }

  Tensor cache(std::int64_t width, const std::string& name) {
    const std::int64_t heads = r_.razor != 0 ? 1 : r_.kv_heads;
    Shape shape = r_.bnsd ? Shape{r_.pages, heads, r_.page_rows, width}
                          : Shape{r_.pages, r_.page_rows, heads, width};
    if (r_.fractals) shape = {r_.pages, heads * width / 16, r_.page_rows, 16};
    const DType type = r_.quant != 0 ? DType::kI8 : r_.type;
    return seeded_cache(data_, type, shape, r_.bnsd || r_.fractals ? 2 : 1, lengths_,
                        call_.tensors.at("blockTables"), name);
  }

  void make_caches() {
    if (r_.pages == 0) r_.pages = lengths_.used_pages() + 2;
    const std::int64_t columns = std::max<std::int64_t>(1, pages_for(most_, r_.page_rows)) + 1;
    add("blockTables", seeded_page_table(data_, lengths_, r_.pages, columns, "blockTables"));
    add("keyCache", cache(r_.width, "keyCache"));
    if (!r_.merged) add("valueCache", cache(r_.value_width, "valueCache"));
  }

  Tensor list(const std::vector<std::int64_t>& numbers, const std::string& name) {
    Tensor tensor = data_.zeros(DType::kI32, {static_cast<std::int64_t>(numbers.size())}, name);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      tensor.as<std::int32_t>()[i] = static_cast<std::int32_t>(numbers[i]);
    }
    return tensor;
  }

  void make_lengths() {
    add("contextLens", list(r_.contexts, "contextLens"));
    if (!r_.query_rows.empty()) add("qSeqLens", list(r_.query_rows, "qSeqLens"));
    if (!r_.batch_run) return;
    std::vector<std::int64_t> status;
    for (const std::int64_t context : r_.contexts) status.push_back(context > 0 ? 1 : 0);
    add("batchRunStatus", list(status, "batchRunStatus"));
  }

  // --- masks -------------------------------------------------------------------------------------

  DType mask_dtype() const { return r_.type; }
  Tensor mask_of(Shape shape) { return data_.zeros(mask_dtype(), std::move(shape), "mask"); }
  static void set(Tensor& tensor, std::int64_t i, double value) {
    const auto single = static_cast<float>(value);
    if (tensor.dtype() == DType::kF16) {
      tensor.as<isa::half>()[i] = isa::half(single);
    } else {
      tensor.as<isa::bfloat16_t>()[i] = isa::bfloat16_t(single);
    }
  }

  /// Small numbers, and a hidden column now and then.
  void add_random_mask(Shape shape) {
    Tensor mask = mask_of(std::move(shape));
    for (std::int64_t i = 0; i < mask.elements(); ++i) {
      set(mask, i, data_.integer(0, 4) == 0 ? kHidden : data_.uniform(-2, 2));
    }
    add("mask", mask);
  }

  /// Above the diagonal hidden.
  void add_squares(Shape shape) {
    const std::int64_t max = shape.back();
    Tensor mask = mask_of(std::move(shape));
    for (std::int64_t i = 0; i < mask.elements(); ++i) {
      if (i % max > i / max % max) set(mask, i, kHidden);
    }
    add("mask", mask);
  }

  void add_alibi(Shape shape, bool by_batch) {
    const std::int64_t max = shape.back();
    const std::int64_t each = r_.razor != 0 ? r_.kv_heads : 1;
    Tensor mask = mask_of(std::move(shape));
    for (std::int64_t i = 0; i < mask.elements(); ++i) {
      const std::int64_t head = i / max % r_.heads, b = i / max / r_.heads;
      const std::int64_t sequence = each == 1 ? b : b * each + head / (r_.heads / each);
      const std::int64_t context =
          by_batch ? r_.contexts[static_cast<std::size_t>(sequence)] : most_;
      set(mask, i, slope(head, r_.heads) * static_cast<double>(i % max - context + 1));
    }
    add("mask", mask);
  }

  /// Row i of a batch's q sees all but the last q - 1 - i columns.
  void add_spec() {
    Tensor mask = mask_of({tokens_, r_.mask_columns});
    const double hidden = r_.merged && r_.type == DType::kBF16 ? 1.0 : kHidden;
    std::int64_t row = 0;
    for (std::size_t b = 0; b < r_.contexts.size(); ++b) {
      for (std::int64_t i = 0; r_.contexts[b] > 0 && i < r_.query_rows[b]; ++i, ++row) {
        const std::int64_t seen = r_.contexts[b] - (r_.query_rows[b] - 1 - i);
        for (std::int64_t j = std::max<std::int64_t>(1, seen); j < r_.mask_columns; ++j) {
          set(mask, row * r_.mask_columns + j, hidden);
        }
      }
    }
    add("mask", mask);
  }

  void make_mask() {
    const std::int64_t max = r_.mask_columns;
    const std::int64_t tokens = batches() / (r_.razor != 0 ? r_.kv_heads : 1);
    if (r_.mask == "norm") add_random_mask({batches(), 1, max});
    if (r_.mask == "norm shared") add_random_mask({1, max});
    if (r_.mask == "norm heads") add_random_mask({tokens, r_.heads, 1, max});
    if (r_.mask == "norm square") add_squares({max, max});
    if (r_.mask == "norm squares") add_squares({batches(), max, max});
    if (r_.mask == "alibi") add_alibi({tokens, r_.heads, 1, max}, true);
    if (r_.mask == "alibi heads") add_alibi({r_.heads, 1, max}, false);
    if (r_.mask == "spec") add_spec();
    if (r_.mask == "compress") add_squares({2048, 2048});
    if (r_.mask == "free") add_squares({128, 128});
    if (r_.mask == "compress fractals") add_squares({2048, 2048});
    if (r_.fractals && !r_.mask.empty() && r_.mask != "compress") to_fractals();
  }

  /// [matrices..., rows, columns] becomes [matrices, columns / 16, rows, 16]; single rows are the
  /// first of 16.
  void to_fractals() {
    const Tensor plain = call_.tensors.at("mask");
    const Shape& shape = plain.shape();
    const std::int64_t columns = shape.back();
    const bool single = r_.mask.starts_with("norm") || r_.mask.starts_with("alibi");
    const std::int64_t lines = plain.elements() / columns;
    const std::int64_t matrices = single ? lines : 1, rows = single ? 16 : lines;
    Tensor mask = mask_of({matrices, columns / 16, rows, 16});
    for (std::int64_t line = 0; line < lines; ++line) {
      const std::int64_t matrix = single ? line : 0, row = single ? 0 : line;
      for (std::int64_t j = 0; j < columns; ++j) {
        const std::int64_t to = ((matrix * (columns / 16) + j / 16) * rows + row) * 16 + j % 16;
        mask.as<isa::half>()[to] = plain.as<isa::half>()[line * columns + j];
      }
    }
    call_.tensors.insert_or_assign("mask", mask);
  }

  // --- quantisation ------------------------------------------------------------------------------

  /// A descale a channel, so that the numbers are in [-1, 1] or so.
  Tensor descale(std::int64_t width, const std::string& name) {
    Tensor scale = data_.reals(DType::kF32, {r_.kv_heads * width}, name, 0.25 / 128, 1.0 / 128);
    if (!r_.wide_descales) return scale;
    Tensor wide = data_.zeros(DType::kI64, scale.shape(), name);
    for (std::int64_t i = 0; i < scale.elements(); ++i) {
      // What the upper half holds does not matter.
      const std::uint64_t bits = std::bit_cast<std::uint32_t>(scale.as<float>()[i]);
      wide.as<std::uint64_t>()[i] = bits | std::uint64_t{0x5a5a0000u} << 32;
    }
    return wide;
  }

  void make_descales() {
    if (full_quant()) {
      const auto by_head = [&](const char* name, double low, double high) {
        add(name, data_.reals(DType::kF32, {r_.heads}, name, low, high));
      };
      by_head("kDescale", 0.5 / 128 / 128, 1.0 / 128 / 128);
      if (r_.quant == 2) by_head("pScale", 100, 127);
      // What undoes pScale is part of vDescale.
      const double by = r_.quant == 2 ? 113 : 1;
      by_head("vDescale", 0.25 / 128 / by, 1.0 / 128 / by);
    } else if (r_.quant == 1) {
      add("kDescale", descale(r_.width, "kDescale"));
      add("vDescale", descale(r_.value_width, "vDescale"));
      if (!r_.offsets) return;
      const auto offset = [&](const char* name, std::int64_t width) {
        add(name, data_.integers(DType::kI32, {r_.kv_heads * width}, name, -20, 20));
      };
      offset("kOffset", r_.width);
      offset("vOffset", r_.value_width);
    }
  }

  void set_attributes() {
    auto& a = call_.attributes;
    a["headNum"] = r_.heads;
    a["kvHeadNum"] = r_.kv_heads;
    a["qkScale"] = r_.scale != 0 ? r_.scale : 1 / std::sqrt(static_cast<double>(r_.width));
    a["maskType"] = mask_type(r_.mask);
    a["batchRunStatusEnable"] = r_.batch_run;
    a["quantType"] = r_.quant;
    if (full_quant()) a["outDataType"] = r_.type == DType::kF16 ? "fp16" : "bf16";
    a["hasQuantOffset"] = r_.offsets;
    a["compressType"] = r_.razor;
    a["calcType"] = r_.query_rows.empty() ? 0 : 1;
    a["scaleType"] = r_.logn ? 1 : 0;
    a["inputLayout"] = r_.bnsd ? 1 : 0;
    a["mlaVHeadSize"] = r_.merged ? r_.value_width : 0;
    a["qScale"] = r_.query_scale;
  }

  Recipe r_;
  SeededData& data_;
  PagedLengths lengths_;
  std::int64_t most_ = 0, rows_ = 0, tokens_ = 0;
  Call call_;
};

}  // namespace

Call make_call(SeededData& data, const Recipe& recipe) {
  return Maker(recipe, data).make();
}

}  // namespace davsim::operators::paged_attention
