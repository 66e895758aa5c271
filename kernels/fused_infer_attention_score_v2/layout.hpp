// input_layout: how the axes batch, head, row and width lie in a tensor.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/attention/problem.hpp"
#include "kernels/registry/tensor.hpp"

namespace davsim::operators::fused_infer_attention_score {

enum class Axes : std::uint8_t { kBsh, kBsnd, kBnsd, kNbsd, kTnd, kNtd };

/// Sizes of a tensor's axes. Where batches lie behind one another: one batch of all rows.
struct Extents {
  std::int64_t batch = 1, heads = 0, rows = 0, width = 0;
};

struct Layout {
  std::string_view name;
  Axes query;  ///< of key and value too, where they are not paged
  Axes out;
  bool behind_one_another() const { return query == Axes::kTnd || query == Axes::kNtd; }
  /// "..._NBSD": only with few query rows.
  bool heads_first() const { return out == Axes::kNbsd; }
};

inline constexpr std::array<Layout, 10> kLayouts = {{
    {"BSH", Axes::kBsh, Axes::kBsh},
    {"BSND", Axes::kBsnd, Axes::kBsnd},
    {"BNSD", Axes::kBnsd, Axes::kBnsd},
    {"BNSD_BSND", Axes::kBnsd, Axes::kBsnd},
    {"BSH_NBSD", Axes::kBsh, Axes::kNbsd},
    {"BSND_NBSD", Axes::kBsnd, Axes::kNbsd},
    {"BNSD_NBSD", Axes::kBnsd, Axes::kNbsd},
    {"TND", Axes::kTnd, Axes::kTnd},
    {"TND_NTD", Axes::kTnd, Axes::kNtd},
    {"NTD_TND", Axes::kNtd, Axes::kTnd},
}};

/// Throws Refusal for a name that is none of them.
const Layout& layout_named(const std::string& name);

std::size_t rank_of(Axes axes);
/// "[B, S, N, D]"
std::string symbols_of(Axes axes);
/// Sizes in a shape of the axes' rank; `heads` is what the attributes say, and the shape's own
/// where it has such an axis. BSH: the width is H / heads, rounded down.
Extents extents_of(Axes axes, const Shape& shape, std::int64_t heads);
Shape shape_of(Axes axes, const Extents& extents);
attention::Strides strides_of(Axes axes, const Extents& extents);

}  // namespace davsim::operators::fused_infer_attention_score
