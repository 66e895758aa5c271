#include "kernels/fused_infer_attention_score_v2/layout.hpp"

#include <algorithm>

#include "kernels/common/require.hpp"

namespace davsim::operators::fused_infer_attention_score {

const Layout& layout_named(const std::string& name) {
  const auto found = std::find_if(kLayouts.begin(), kLayouts.end(),
                                  [&](const Layout& layout) { return layout.name == name; });
  if (found != kLayouts.end()) return *found;
  std::string known;
  for (const Layout& layout : kLayouts) {
    known += (known.empty() ? "" : ", ") + std::string(layout.name);
  }
  // Layouts of newer products.
  const bool elsewhere = name == "NSD" || name == "SH";
  throw Refusal(elsewhere ? ErrorClass::kUnsupported : ErrorClass::kAttr,
                "input_layout is one of " + known,
                "input_layout is one of " + known + "; found \"" + name + "\"");
}

std::size_t rank_of(Axes axes) {
  return axes == Axes::kBsh || axes == Axes::kTnd || axes == Axes::kNtd ? 3 : 4;
}

std::string symbols_of(Axes axes) {
  switch (axes) {
    case Axes::kBsh:
      return "[B, S, N*D]";
    case Axes::kBsnd:
      return "[B, S, N, D]";
    case Axes::kBnsd:
      return "[B, N, S, D]";
    case Axes::kNbsd:
      return "[N, B, S, D]";
    case Axes::kTnd:
      return "[T, N, D]";
    case Axes::kNtd:
      return "[N, T, D]";
  }
  return "?";
}

Extents extents_of(Axes axes, const Shape& s, std::int64_t heads) {
  switch (axes) {
    case Axes::kBsh:
      return {.batch = s[0], .heads = heads, .rows = s[1], .width = s[2] / heads};
    case Axes::kBsnd:
      return {.batch = s[0], .heads = s[2], .rows = s[1], .width = s[3]};
    case Axes::kBnsd:
      return {.batch = s[0], .heads = s[1], .rows = s[2], .width = s[3]};
    case Axes::kNbsd:
      return {.batch = s[1], .heads = s[0], .rows = s[2], .width = s[3]};
    case Axes::kTnd:
      return {.batch = 1, .heads = s[1], .rows = s[0], .width = s[2]};
    case Axes::kNtd:
      return {.batch = 1, .heads = s[0], .rows = s[1], .width = s[2]};
  }
  return {};
}

Shape shape_of(Axes axes, const Extents& e) {
  switch (axes) {
    case Axes::kBsh:
      return {e.batch, e.rows, e.heads * e.width};
    case Axes::kBsnd:
      return {e.batch, e.rows, e.heads, e.width};
    case Axes::kBnsd:
      return {e.batch, e.heads, e.rows, e.width};
    case Axes::kNbsd:
      return {e.heads, e.batch, e.rows, e.width};
    case Axes::kTnd:
      return {e.rows, e.heads, e.width};
    case Axes::kNtd:
      return {e.heads, e.rows, e.width};
  }
  return {};
}

attention::Strides strides_of(Axes axes, const Extents& e) {
  switch (axes) {
    case Axes::kBsh:
    case Axes::kBsnd:
      return {.batch = e.rows * e.heads * e.width, .head = e.width, .row = e.heads * e.width};
    case Axes::kBnsd:
      return {.batch = e.heads * e.rows * e.width, .head = e.rows * e.width, .row = e.width};
    case Axes::kNbsd:
      return {.batch = e.rows * e.width, .head = e.batch * e.rows * e.width, .row = e.width};
    case Axes::kTnd:
      return {.batch = 0, .head = e.width, .row = e.heads * e.width};
    case Axes::kNtd:
      return {.batch = 0, .head = e.rows * e.width, .row = e.width};
  }
  return {};
}

}  // namespace davsim::operators::fused_infer_attention_score
