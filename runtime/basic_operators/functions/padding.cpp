// What is put around tensors: functions/moving.txt.
#include <algorithm>

#include "lists/moving.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/moves.hpp"
#include "runtime/basic_operators/resampling.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

namespace runtime = davsim::runtime;

/// Places in front of and behind each dimension; less than 0: that many are left out.
struct Pads {
  Numbers before, behind;
};

/// `pad` has both numbers of the last dimension, then those of the one before it.
Pads pads_of(const Numbers& pad, const View& self) {
  const std::size_t rank = self.rank();
  if (pad.size() % 2 != 0 || pad.size() > 2 * rank) {
    runtime::refuse_aclnn(
        "pad has two numbers for each of the last dimensions of self, which has " +
        std::to_string(rank) + ", not " + std::to_string(pad.size()));
  }
  Pads pads{Numbers(rank, 0), Numbers(rank, 0)};
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    pads.before[rank - 1 - i] = pad[2 * i];
    pads.behind[rank - 1 - i] = pad[2 * i + 1];
  }
  return pads;
}

void pad_with_number(WorkList& work, const aclTensor& self, const Pads& pads,
                     const aclScalar& value, const aclTensor& out) {
  View from = view_of(typed(work, self, out.GetDataType(), "self"));
  Numbers sizes = from.sizes;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    sizes[d] += pads.before[d] + pads.behind[d];
    if (sizes[d] < 0) runtime::refuse_aclnn("pad leaves out more than self has");
  }
  require_shape(out, "out", shape_of(sizes));
  const std::uint64_t bits = element_bits(value, out.GetDataType(), "value");
  Moves moves(work);
  View to = view_of(out);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t before = std::max<std::int64_t>(pads.before[d], 0);
    const std::int64_t behind = std::max<std::int64_t>(pads.behind[d], 0);
    const std::int64_t inside = sizes[d] - before - behind;
    moves.fill(narrowed(to, d, 0, before), bits);
    moves.fill(narrowed(to, d, before + inside, behind), bits);
    to = narrowed(std::move(to), d, before, inside);
    from = narrowed(std::move(from), d, std::max<std::int64_t>(-pads.before[d], 0), inside);
  }
  moves.copy(to, from);
  moves.finish();
}

/// What is put around a dimension.
enum class Around {
  kMirrorImage,  ///< of the tensor, without its edge
  kEdge,         ///< again and again
  kOtherEnd,     ///< as if the dimension went in a circle
};

/// How many places fit in front of a size, and behind it.
int64_t most_places(Around what, int64_t size) {
  if (what == Around::kMirrorImage) return size - 1;
  return what == Around::kOtherEnd ? size : size == 0 ? 0 : int64_t{1} << 40;
}

/// `count` times the place, as a view.
View edge(View view, std::size_t dim, int64_t place, int64_t count) {
  view = narrowed(std::move(view), dim, place, 1);
  view.sizes[dim] = count;
  view.strides[dim] = 0;
  return view;
}

View in_front(const View& view, std::size_t dim, int64_t count, Around what) {
  if (what == Around::kEdge) return edge(view, dim, 0, count);
  if (what == Around::kOtherEnd) return narrowed(view, dim, view.sizes[dim] - count, count);
  return flipped(narrowed(view, dim, 1, count), dim);
}

View behind(const View& view, std::size_t dim, int64_t count, Around what) {
  const int64_t size = view.sizes[dim];
  if (what == Around::kEdge) return edge(view, dim, size - 1, count);
  if (what == Around::kOtherEnd) return narrowed(view, dim, 0, count);
  return flipped(narrowed(view, dim, size - 1 - count, count), dim);
}

/// The numbers for the last dimensions, which have places of their own.
Pads checked_pads(const View& self, const Numbers& padding, std::size_t dims, Around what) {
  if (padding.size() != 2 * dims || (self.rank() != dims + 1 && self.rank() != dims + 2)) {
    runtime::refuse_aclnn("padding has " + std::to_string(2 * dims) + " numbers and self " +
                          std::to_string(dims + 1) + " or " + std::to_string(dims + 2) +
                          " dimensions, not " + std::to_string(padding.size()) + " and " +
                          std::to_string(self.rank()));
  }
  Pads pads = pads_of(padding, self);
  for (std::size_t d = self.rank() - dims; d < self.rank(); ++d) {
    const int64_t most = most_places(what, self.sizes[d]);
    for (const int64_t pad : {pads.before[d], pads.behind[d]}) {
      if (pad >= 0 && pad <= most) continue;
      runtime::refuse_aclnn("padding is from 0 to " + std::to_string(most) + " for a size of " +
                            std::to_string(self.sizes[d]) + ", not " + std::to_string(pad));
    }
  }
  return pads;
}

Shape padded_shape(const View& self, const Pads& pads) {
  Numbers sizes = self.sizes;
  for (std::size_t d = 0; d < sizes.size(); ++d) sizes[d] += pads.before[d] + pads.behind[d];
  return shape_of(sizes);
}

/// Puts it around one dimension after the other.
void pad_around(WorkList& work, const aclTensor* self, const Numbers& padding, std::size_t dims,
                Around what, const aclTensor* out) {
  const Pads pads = checked_pads(view_of(required(self, "self")), padding, dims, what);
  require_shape(required(out, "out"), "out", padded_shape(view_of(*self), pads));
  require_type(*out, "out", {require_movable(*self, "self")});
  if (out->IsEmpty()) return;
  View from = view_of(*self);
  const std::size_t rank = from.rank();
  for (std::size_t d = rank; d-- > rank - dims;) {
    const int64_t size = from.sizes[d], before = pads.before[d], after = pads.behind[d];
    Numbers sizes = from.sizes;
    sizes[d] += before + after;
    const aclTensor* const made =
        d == rank - dims ? out : temporary(work, out->GetDataType(), shape_of(sizes));
    const View to = view_of(*made);
    Moves moves(work);
    moves.copy(narrowed(to, d, before, size), from);
    moves.copy(narrowed(to, d, 0, before), in_front(from, d, before, what));
    moves.copy(narrowed(to, d, before + size, after), behind(from, d, after, what));
    moves.finish();
    from = to;
  }
}

/// Where in a dimension what lies at each place comes from.
Taps origins(int64_t size, int64_t before, int64_t after, Around what) {
  Taps taps;
  for (int64_t at = -before; at < size + after; ++at) {
    int64_t place = at;
    if (what == Around::kEdge) place = std::clamp<int64_t>(at, 0, size - 1);
    if (what == Around::kOtherEnd) place = (at + size) % size;
    if (what == Around::kMirrorImage) {
      place = at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
    }
    taps.push_back({{place, 1}});
  }
  return taps;
}

void add_padding_gradient(WorkList& work, const aclTensor* gradient, const aclTensor* self,
                          const Numbers& padding, std::size_t dims, Around what,
                          const aclTensor* out) {
  const std::pair<const aclTensor*, const char*> tensors[] = {
      {gradient, "gradOutput"}, {self, "self"}, {out, "gradInput"}};
  for (const auto& [tensor, name] : tensors) {
    require_type(required(tensor, name), name,
                 {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
    require_type(*tensor, name, {gradient->GetDataType()});
  }
  const View from = view_of(*self);
  const Pads pads = checked_pads(from, padding, dims, what);
  require_shape(*gradient, "gradOutput", padded_shape(from, pads));
  require_shape(*out, "gradInput", self->GetViewShape());
  if (out->IsEmpty()) return;
  std::vector<Taps> taps;
  for (std::size_t d = from.rank() - dims; d < from.rank(); ++d) {
    taps.push_back(origins(from.sizes[d], pads.before[d], pads.behind[d], what));
  }
  add_resampling(work, *gradient, taps, true, *out);
}

}  // namespace

aclnnStatus aclnnConstantPadNdGetWorkspaceSize(const aclTensor* self, const aclIntArray* pad,
                                               const aclScalar* value, aclTensor* out,
                                               uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnConstantPadNd", workspaceSize, executor, [&](WorkList& work) {
    const Pads pads = pads_of(numbers_of(pad, "pad"), view_of(required(self, "self")));
    required(value, "value");
    pad_with_number(work, *self, pads, *value, required(out, "out"));
  });
}

DAVSIM_FIRST_PHASE(ReflectionPad1d,
                   (const aclTensor* self, const aclIntArray* padding, aclTensor* out), {
                     pad_around(work, self, numbers_of(padding, "padding"), 1, Around::kMirrorImage,
                                out);
                   })

DAVSIM_FIRST_PHASE(ReflectionPad1dBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* padding,
                    aclTensor* gradInput),
                   {
                     add_padding_gradient(work, gradOutput, self, numbers_of(padding, "padding"), 1,
                                          Around::kMirrorImage, gradInput);
                   })

DAVSIM_FIRST_PHASE(ReflectionPad2d,
                   (const aclTensor* self, const aclIntArray* padding, aclTensor* out), {
                     pad_around(work, self, numbers_of(padding, "padding"), 2, Around::kMirrorImage,
                                out);
                   })

DAVSIM_FIRST_PHASE(ReflectionPad2dBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* padding,
                    aclTensor* gradInput),
                   {
                     add_padding_gradient(work, gradOutput, self, numbers_of(padding, "padding"), 2,
                                          Around::kMirrorImage, gradInput);
                   })

DAVSIM_FIRST_PHASE(ReflectionPad3d,
                   (const aclTensor* self, const aclIntArray* padding, aclTensor* out), {
                     pad_around(work, self, numbers_of(padding, "padding"), 3, Around::kMirrorImage,
                                out);
                   })

DAVSIM_FIRST_PHASE(ReflectionPad3dBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* padding,
                    aclTensor* gradInput),
                   {
                     add_padding_gradient(work, gradOutput, self, numbers_of(padding, "padding"), 3,
                                          Around::kMirrorImage, gradInput);
                   })

DAVSIM_FIRST_PHASE(ReplicationPad1d,
                   (const aclTensor* self, const aclIntArray* padding, aclTensor* out), {
                     pad_around(work, self, numbers_of(padding, "padding"), 1, Around::kEdge, out);
                   })

DAVSIM_FIRST_PHASE(ReplicationPad1dBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* padding,
                    aclTensor* gradInput),
                   {
                     add_padding_gradient(work, gradOutput, self, numbers_of(padding, "padding"), 1,
                                          Around::kEdge, gradInput);
                   })

DAVSIM_FIRST_PHASE(ReplicationPad2d,
                   (const aclTensor* self, const aclIntArray* padding, aclTensor* out), {
                     pad_around(work, self, numbers_of(padding, "padding"), 2, Around::kEdge, out);
                   })

DAVSIM_FIRST_PHASE(ReplicationPad2dBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* padding,
                    aclTensor* gradInput),
                   {
                     add_padding_gradient(work, gradOutput, self, numbers_of(padding, "padding"), 2,
                                          Around::kEdge, gradInput);
                   })

DAVSIM_FIRST_PHASE(ReplicationPad3d,
                   (const aclTensor* self, const aclIntArray* padding, aclTensor* out), {
                     pad_around(work, self, numbers_of(padding, "padding"), 3, Around::kEdge, out);
                   })

DAVSIM_FIRST_PHASE(ReplicationPad3dBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* padding,
                    aclTensor* gradInput),
                   {
                     add_padding_gradient(work, gradOutput, self, numbers_of(padding, "padding"), 3,
                                          Around::kEdge, gradInput);
                   })

DAVSIM_FIRST_PHASE(CircularPad2d,
                   (const aclTensor* self, const aclIntArray* padding, aclTensor* out), {
                     pad_around(work, self, numbers_of(padding, "padding"), 2, Around::kOtherEnd,
                                out);
                   })

DAVSIM_FIRST_PHASE(CircularPad2dBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* padding,
                    aclTensor* gradInput),
                   {
                     add_padding_gradient(work, gradOutput, self, numbers_of(padding, "padding"), 2,
                                          Around::kOtherEnd, gradInput);
                   })

DAVSIM_FIRST_PHASE(CircularPad3d,
                   (const aclTensor* self, const aclIntArray* padding, aclTensor* out), {
                     pad_around(work, self, numbers_of(padding, "padding"), 3, Around::kOtherEnd,
                                out);
                   })

DAVSIM_FIRST_PHASE(CircularPad3dBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* padding,
                    aclTensor* gradInput),
                   {
                     add_padding_gradient(work, gradOutput, self, numbers_of(padding, "padding"), 3,
                                          Around::kOtherEnd, gradInput);
                   })
