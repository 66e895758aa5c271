// Attention problems with seeded tensors in all layouts, run and held against the definition.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "kernels/attention/launch.hpp"
#include "kernels/common/seeded_data.hpp"
#include "tests/operators/attention_rows.hpp"
#include "tests/operators/operator_test.hpp"

namespace davsim::test {

enum class Layout { kBsnd, kBnsd, kTnd, kNtd };
enum class Cache { kNone, kBnBsH, kBnNBsD, kNz };

struct AttnSizes {
  std::int64_t query_heads = 1, kv_heads = 1;
  std::int64_t key_width = 64, rope_width = 0, value_width = 64;
  /// Rows of each batch.
  std::vector<std::int64_t> query_rows = {16}, kv_rows = {16};
  DType type = DType::kF16;
  Layout layout = Layout::kBsnd;
  Cache cache = Cache::kNone;
  std::int64_t page_rows = 128;
  attention::Window window = {};
  attention::MaskKind mask = attention::MaskKind::kNone;
  bool bias = false, lse = false;
  /// Value is the head of the key cache (MLA).
  bool shared_value = false;
  std::int64_t parts = 0;
  std::int64_t unit_tiles = 0;
  double scale = 0.125;
};

/// Tensors of a problem and the problem.
struct AttnCase {
  attention::Problem problem;
  std::vector<operators::Tensor> tensors;
};

inline std::int64_t sum_of(const std::vector<std::int64_t>& v) {
  std::int64_t sum = 0;
  for (const std::int64_t x : v) sum += x;
  return sum;
}
inline std::int64_t most_of(const std::vector<std::int64_t>& v) {
  std::int64_t most = 0;
  for (const std::int64_t x : v) most = std::max(most, x);
  return most;
}

/// Strides of [batch, head, row, width] where `rows` are those of a batch, or of all (T).
inline attention::Strides strides_of(Layout layout, std::int64_t heads, std::int64_t rows,
                                     std::int64_t width) {
  switch (layout) {
    case Layout::kBsnd:
      return {rows * heads * width, width, heads * width};
    case Layout::kBnsd:
      return {rows * heads * width, rows * width, width};
    case Layout::kTnd:
      return {0, width, heads * width};
    case Layout::kNtd:
      return {0, rows * width, width};
  }
  return {};
}

class AttnBuilder {
 public:
  AttnBuilder(const AttnSizes& s, std::uint64_t seed) : s_(s), data_(device().memory(), seed) {}

  AttnCase build() {
    attention::Problem& p = case_.problem;
    p.query_heads = s_.query_heads;
    p.kv_heads = s_.kv_heads;
    p.key_width = s_.key_width;
    p.rope_width = s_.rope_width;
    p.value_width = s_.value_width;
    p.scale = static_cast<float>(s_.scale);
    p.window = s_.window;
    p.split.parts = s_.parts;
    p.unit_tiles = s_.unit_tiles;
    lengths(p);
    p.query = query(s_.key_width, "query");
    if (s_.rope_width > 0) p.query_rope = query(s_.rope_width, "query_rope");
    if (s_.cache != Cache::kNone) pages(p);
    p.key = kv(s_.key_width, "key");
    if (s_.rope_width > 0) p.key_rope = kv(s_.rope_width, "key_rope");
    p.value = s_.shared_value ? p.key : kv(s_.value_width, "value");
    p.out = result(s_.type, s_.value_width, "out");
    if (s_.lse) p.lse = result(DType::kF32, 1, "lse");
    if (s_.mask != attention::MaskKind::kNone) mask(p);
    if (s_.bias) bias(p);
    return std::move(case_);
  }

 private:
  bool behind_one_another() const { return s_.layout == Layout::kTnd || s_.layout == Layout::kNtd; }
  std::int64_t rows(const std::vector<std::int64_t>& lengths) const {
    return behind_one_another() ? sum_of(lengths) : most_of(lengths);
  }
  std::int64_t batches() const { return static_cast<std::int64_t>(s_.query_rows.size()); }

  void lengths(attention::Problem& p) {
    std::int64_t query = 0, kv = 0;
    for (std::size_t b = 0; b < s_.query_rows.size(); ++b) {
      p.batches.push_back({s_.query_rows[b], s_.kv_rows[b], query, kv});
      if (!behind_one_another()) continue;
      query += s_.query_rows[b];
      if (s_.cache == Cache::kNone) kv += s_.kv_rows[b];
    }
    if (!behind_one_another()) p.padded_query_rows = most_of(s_.query_rows);
  }

  operators::Tensor& keep(operators::Tensor tensor) {
    return case_.tensors.emplace_back(std::move(tensor));
  }

  std::int64_t elements(std::int64_t heads, std::int64_t rows, std::int64_t width) const {
    return (behind_one_another() ? 1 : batches()) * heads * rows * width;
  }

  attention::QueryTensor query(std::int64_t width, const char* name) {
    const std::int64_t all = rows(s_.query_rows);
    operators::Tensor& t = keep(data_.reals(s_.type, {elements(s_.query_heads, all, width)}, name));
    return {t.gm(), s_.type, strides_of(s_.layout, s_.query_heads, all, width)};
  }
  attention::QueryTensor result(DType type, std::int64_t width, const char* name) {
    const std::int64_t all = rows(s_.query_rows);
    operators::Tensor& t = keep(data_.zeros(type, {elements(s_.query_heads, all, width)}, name));
    std::memset(t.data(), 0x7b, t.bytes());  // whatever is not written shows
    return {t.gm(), type, strides_of(s_.layout, s_.query_heads, all, width)};
  }

  /// Page ids in a mixed order; the table's unused entries are -1.
  void pages(attention::Problem& p) {
    std::int64_t used = 0, columns = 1;
    for (const std::int64_t rows : s_.kv_rows) {
      const std::int64_t n = (rows + s_.page_rows - 1) / s_.page_rows;
      used += n;
      columns = std::max(columns, n);
    }
    page_count_ = used + 3;
    operators::Tensor& table = keep(data_.zeros(DType::kI32, {batches() * columns}, "block_table"));
    std::int64_t next = 0;
    for (std::int64_t b = 0; b < batches(); ++b) {
      for (std::int64_t c = 0; c < columns; ++c) {
        const bool is_used = c * s_.page_rows < s_.kv_rows[static_cast<std::size_t>(b)];
        const std::int64_t mixed = (next * 7 + 3) % page_count_;
        table.as<std::int32_t>()[b * columns + c] =
            is_used ? static_cast<std::int32_t>(page_count_ % 7 == 0 ? next : mixed) : -1;
        next += is_used ? 1 : 0;
      }
    }
    p.pages = {table.as<std::int32_t>(), columns, s_.page_rows};
  }

  attention::KvTensor kv(std::int64_t width, const char* name) {
    attention::KvTensor tensor;
    tensor.type = s_.type;
    if (s_.cache == Cache::kNone) {
      const std::int64_t all = rows(s_.kv_rows);
      tensor.data = {keep(data_.reals(s_.type, {elements(s_.kv_heads, all, width)}, name)).gm()};
      tensor.strides = strides_of(s_.layout, s_.kv_heads, all, width);
      return tensor;
    }
    const std::int64_t page = s_.page_rows * s_.kv_heads * width;
    operators::Tensor& t = keep(data_.reals(s_.type, {page_count_ * page}, name));
    tensor.data = {t.gm()};
    tensor.storage =
        s_.cache == Cache::kNz ? attention::Storage::kPagedNz : attention::Storage::kPagedRows;
    tensor.strides = s_.cache == Cache::kBnBsH
                         ? attention::Strides{page, width, s_.kv_heads * width}
                         : attention::Strides{page, s_.page_rows * width, width};
    if (s_.cache == Cache::kNz) tensor.strides.row = 16;
    poison(t, tensor, width);
    return tensor;
  }

  /// NaN in every row of a page that no batch uses.
  void poison(operators::Tensor& t, const attention::KvTensor& tensor, std::int64_t width) {
    std::vector<bool> used(static_cast<std::size_t>(page_count_ * s_.page_rows), false);
    const attention::PageTable& pages = case_.problem.pages;
    for (std::int64_t b = 0; b < batches(); ++b) {
      for (std::int64_t j = 0; j < s_.kv_rows[static_cast<std::size_t>(b)]; ++j) {
        const std::int64_t page = pages.table[b * pages.columns + j / s_.page_rows];
        used[static_cast<std::size_t>(page * s_.page_rows + j % s_.page_rows)] = true;
      }
    }
    for (std::size_t row = 0; row < used.size(); ++row) {
      if (used[row]) continue;
      for (std::int64_t head = 0; head < s_.kv_heads; ++head) {
        for (std::int64_t d = 0; d < width; ++d) {
          t.as<std::uint16_t>()[in_page(tensor, static_cast<std::int64_t>(row), head, d)] = 0x7fff;
        }
      }
    }
  }

  std::int64_t in_page(const attention::KvTensor& tensor, std::int64_t row, std::int64_t head,
                       std::int64_t d) const {
    return test::in_page(tensor, s_.page_rows, row, head, d);
  }

  void mask(attention::Problem& p) {
    p.mask.kind = s_.mask;
    if (s_.mask == attention::MaskKind::kTriangle) {
      operators::Tensor& t = keep(data_.zeros(DType::kBool, {2048, 2048}, "atten_mask"));
      for (std::int64_t i = 0; i < 2048; ++i) {
        for (std::int64_t j = i + 1; j < 2048; ++j) t.as<std::uint8_t>()[i * 2048 + j] = 1;
      }
      p.mask.data = t.gm();
      p.mask.row_stride = 2048;
      return;
    }
    const std::int64_t rows = most_of(s_.query_rows), columns = most_of(s_.kv_rows) + 5;
    operators::Tensor& t =
        keep(data_.integers(DType::kI8, {batches() * rows * columns}, "mask", -1, 1));
    p.mask.data = t.gm();
    p.mask.row_stride = columns;
    p.mask.batch_stride = rows * columns;
  }

  void bias(attention::Problem& p) {
    const std::int64_t rows = most_of(s_.query_rows), columns = most_of(s_.kv_rows) + 7;
    operators::Tensor& t =
        keep(data_.reals(s_.type, {s_.query_heads * rows * columns}, "pse_shift", -2, 2));
    p.bias = {t.gm(), s_.type, {0, rows * columns, columns}};
  }

  AttnSizes s_;
  operators::SeededData data_;
  AttnCase case_;
  std::int64_t page_count_ = 0;
};

/// Documented tolerance of the type (operators' specification 4.17).
inline double allowed(DType type, double want) {
  return type == DType::kBF16 ? 2e-3 + std::abs(want) / 64 : 1e-3 + std::abs(want) * 2e-3;
}

using ProblemChange = std::function<void(attention::Problem&)>;

/// Runs a problem and compares every row, the padded ones too. `change` is applied before.
inline observe::LaunchReport expect_attention(const AttnSizes& sizes, std::uint64_t seed,
                                              const ProblemChange& change = {}) {
  AttnCase c = AttnBuilder(sizes, seed).build();
  if (change) change(c.problem);
  const attention::Problem& p = c.problem;
  observe::LaunchReport report = attention::launch(p, device());
  const AttnReference reference(p);
  int wrong = 0;
  for (std::size_t b = 0; b < p.batches.size(); ++b) {
    const std::int64_t rows = std::max(p.batches[b].query_rows, p.padded_query_rows);
    for (std::int64_t n = 0; n < p.query_heads; ++n) {
      for (std::int64_t i = 0; i < rows && wrong < 5; ++i) {
        const auto batch = static_cast<std::int64_t>(b);
        const AttnReference::Row want = reference.row(batch, n, i);
        const std::int64_t at = reference.query_index(p.out, batch, n, i);
        for (std::int64_t d = 0; d < p.value_width && wrong < 5; ++d) {
          const double got = real_at(p.out.data, p.out.type, at + d);
          const double good = want.out[static_cast<std::size_t>(d)];
          const bool near = std::abs(got - good) <= allowed(p.out.type, good);
          EXPECT_TRUE(near) << "out[" << b << ", " << n << ", " << i << ", " << d << "] is " << got
                            << " instead of " << good;
          wrong += near ? 0 : 1;
        }
        if (p.lse.data == nullptr) continue;
        const double lse =
            real_at(p.lse.data, DType::kF32, reference.query_index(p.lse, batch, n, i));
        if (std::isinf(want.lse)) {
          EXPECT_EQ(lse, want.lse) << "lse[" << b << ", " << n << ", " << i << "]";
        } else {
          EXPECT_NEAR(lse, want.lse, 1e-4 + std::abs(want.lse) * 1e-4);
        }
      }
    }
  }
  return report;
}

}  // namespace davsim::test
