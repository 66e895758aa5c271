// Moving and shaping: functions/moving.txt.
#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_expand.h"
#include "aclnnop/aclnn_flip.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_repeat.h"
#include "aclnnop/aclnn_repeat_interleave.h"
#include "aclnnop/aclnn_roll.h"
#include "aclnnop/aclnn_slice.h"
#include "aclnnop/aclnn_slice_v2.h"
#include "aclnnop/aclnn_split_tensor.h"
#include "aclnnop/aclnn_split_with_size.h"
#include "aclnnop/aclnn_stack.h"
#include "aclnnop/aclnn_strided_slice_assign_v2.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/moves.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

namespace runtime = davsim::runtime;

const aclTensorList& required_list(const aclTensorList* list, const char* name) {
  runtime::require_aclnn(list, name);
  if (list->Size() == 0) runtime::refuse_aclnn(std::string(name) + " has at least one tensor");
  for (std::uint64_t i = 0; i < list->Size(); ++i) required((*list)[i], name);
  return *list;
}

/// The dimensions that `dims` names, each once.
std::vector<std::size_t> dimensions(const Numbers& dims, std::size_t rank, const char* name) {
  std::vector<std::size_t> result;
  for (const std::int64_t dim : dims) {
    result.push_back(place_of(dim, rank, name));
    if (std::ranges::count(result, result.back()) > 1) {
      runtime::refuse_aclnn(std::string(name) + " names each dimension once, and " +
                            std::to_string(dim) + " twice");
    }
  }
  return result;
}

void cat(WorkList& work, const aclTensorList* tensors, std::int64_t dim, const aclTensor* out) {
  const aclTensorList& list = required_list(tensors, "tensors");
  const View target = view_of(required(out, "out"));
  const std::size_t at = place_of(dim, target.rank(), "dim");
  Moves moves(work);
  Shape shape = out->GetViewShape();
  std::int64_t place = 0;
  for (std::uint64_t i = 0; i < list.Size(); ++i) {
    const aclTensor& tensor = *list[i];
    // An empty vector fits everywhere.
    if (tensor.IsEmpty() && tensor.GetViewShape().GetDimNum() == 1) continue;
    if (tensor.GetViewShape().GetDimNum() != target.rank()) {
      require_shape(tensor, "tensors", out->GetViewShape());
    }
    const std::int64_t size = tensor.GetViewShape().GetDim(at);
    shape.SetDim(at, size);
    require_shape(tensor, "tensors", shape);
    require_cast(tensor.GetDataType(), *out, "out");
    if (place + size <= target.sizes[at]) {
      moves.copy(narrowed(target, at, place, size),
                 view_of(typed(work, tensor, out->GetDataType(), "tensors")));
    }
    place += size;
  }
  shape.SetDim(at, place);
  require_shape(*out, "out", shape);
  moves.finish();
}

void stack(WorkList& work, const aclTensorList* tensors, std::int64_t dim, const aclTensor* out) {
  const aclTensorList& list = required_list(tensors, "tensors");
  const Shape& shape = list[0]->GetViewShape();
  const std::size_t at = dimension(dim, shape.GetDimNum() + 1, "dim");
  Numbers sizes = numbers_of(shape);
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(at),
               static_cast<std::int64_t>(list.Size()));
  require_shape(required(out, "out"), "out", shape_of(sizes));
  Moves moves(work);
  for (std::uint64_t i = 0; i < list.Size(); ++i) {
    require_shape(*list[i], "tensors", shape);
    require_cast(list[i]->GetDataType(), *out, "out");
    const View from = view_of(typed(work, *list[i], out->GetDataType(), "tensors"));
    moves.copy(narrowed(view_of(*out), at, static_cast<std::int64_t>(i), 1),
               with_repeats(from, at, 1));
  }
  moves.finish();
}

/// The places that slices along several dimensions have in common.
View sliced_along(View view, const Numbers& starts, const Numbers& ends, const Numbers& axes,
                  const Numbers& steps) {
  if (starts.size() != axes.size() || ends.size() != axes.size() || steps.size() != axes.size()) {
    runtime::refuse_aclnn("starts, ends, axes and steps have the same length, not " +
                          std::to_string(starts.size()) + ", " + std::to_string(ends.size()) +
                          ", " + std::to_string(axes.size()) + " and " +
                          std::to_string(steps.size()));
  }
  const std::vector<std::size_t> dims = dimensions(axes, view.rank(), "axes");
  for (std::size_t i = 0; i < dims.size(); ++i) {
    view = sliced(std::move(view), dims[i], starts[i], ends[i], steps[i]);
  }
  return view;
}

/// Cuts `self` into pieces of these sizes.
void split(WorkList& work, const aclTensor& self, const Numbers& sizes, std::size_t dim,
           const aclTensorList& out) {
  std::int64_t all = 0;
  for (const std::int64_t size : sizes) all += size;
  const View from = view_of(self);
  if (sizes.size() != out.Size() || all != from.sizes[dim]) {
    runtime::refuse_aclnn("self has " + std::to_string(from.sizes[dim]) + " places, the " +
                          std::to_string(sizes.size()) + " pieces have " + std::to_string(all) +
                          ", and out has " + std::to_string(out.Size()) + " tensors");
  }
  Moves moves(work);
  std::int64_t place = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const View piece = narrowed(from, dim, place, sizes[i]);
    require_shape(*out[i], "out", shape_of(piece.sizes));
    require_type(*out[i], "out", {require_movable(self, "self")});
    moves.copy(view_of(*out[i]), piece);
    place += sizes[i];
  }
  moves.finish();
}

void repeat(WorkList& work, const aclTensor& self, const Numbers& repeats, const aclTensor& out) {
  View from = view_of(typed(work, self, out.GetDataType(), "self"));
  if (repeats.size() < from.rank()) {
    runtime::refuse_aclnn("repeats has a number for each dimension of self, which has " +
                          std::to_string(from.rank()) + ", not " + std::to_string(repeats.size()));
  }
  while (from.rank() < repeats.size()) from = with_repeats(std::move(from), 0, 1);
  Numbers sizes;
  for (std::size_t d = 0; d < repeats.size(); ++d) {
    if (repeats[d] < 0) {
      runtime::refuse_aclnn("repeats is at least 0, not " + std::to_string(repeats[d]));
    }
    sizes.push_back(repeats[d] * from.sizes[d]);
  }
  require_shape(out, "out", shape_of(sizes));
  if (out.IsEmpty()) return;
  View to = view_of(out);
  for (std::size_t d = repeats.size(); d-- > 0;) {
    to = divided(std::move(to), d, from.sizes[d]);
    from = with_repeats(std::move(from), d, repeats[d]);
  }
  Moves moves(work);
  moves.copy(to, from);
  moves.finish();
}

/// Each place of the dimension `repeats` times, one behind the other.
void interleave(WorkList& work, View from, std::size_t dim, std::int64_t repeats,
                std::int64_t output_size, const aclTensor& out) {
  if (repeats < 0) runtime::refuse_aclnn("repeats is at least 0, not " + std::to_string(repeats));
  Numbers sizes = from.sizes;
  sizes[dim] *= repeats;
  if (output_size != sizes[dim]) {
    runtime::refuse_aclnn("outputSize is " + std::to_string(sizes[dim]) + ", not " +
                          std::to_string(output_size));
  }
  require_shape(out, "out", shape_of(sizes));
  require_type(out, "out", {require_movable(*from.of, "self")});
  if (out.IsEmpty()) return;
  Moves moves(work);
  moves.copy(divided(view_of(out), dim, repeats), with_repeats(std::move(from), dim + 1, repeats));
  moves.finish();
}

/// Moves each part that a rotation leaves together.
void roll(Moves& moves, const View& to, const View& from, const Numbers& shifts,
          const std::vector<std::size_t>& dims, std::size_t next) {
  if (next == dims.size()) return moves.copy(to, from);
  const std::size_t dim = dims[next];
  const std::int64_t size = from.sizes[dim];
  if (size == 0) return;
  const std::int64_t shift = (shifts[next] % size + size) % size, rest = size - shift;
  roll(moves, narrowed(to, dim, shift, rest), narrowed(from, dim, 0, rest), shifts, dims, next + 1);
  roll(moves, narrowed(to, dim, 0, shift), narrowed(from, dim, rest, shift), shifts, dims,
       next + 1);
}

void roll(WorkList& work, const aclTensor& x, const Numbers& shifts, const Numbers& dims,
          const aclTensor& out) {
  require_shape(out, "out", x.GetViewShape());
  require_type(out, "out", {require_movable(x, "x")});
  if (shifts.size() != std::max<std::size_t>(dims.size(), 1)) {
    runtime::refuse_aclnn("shifts has a number for each of dims, which has " +
                          std::to_string(dims.size()) + ", not " + std::to_string(shifts.size()));
  }
  Moves moves(work);
  if (dims.empty()) {
    Result result(work, out, out.GetDataType());
    roll(moves, flat(work, result.tensor()), flat(work, x), shifts, {0}, 0);
    moves.finish();
    return result.finish();
  }
  roll(moves, view_of(out), view_of(x), shifts,
       dimensions(dims, x.GetViewShape().GetDimNum(), "dims"), 0);
  moves.finish();
}

}  // namespace

aclnnStatus aclnnPermuteGetWorkspaceSize(const aclTensor* self, const aclIntArray* dims,
                                         aclTensor* out, uint64_t* workspaceSize,
                                         aclOpExecutor** executor) {
  return first_phase("aclnnPermute", workspaceSize, executor, [&](WorkList& work) {
    const View from = view_of(required(self, "self"));
    const auto order = dimensions(numbers_of(dims, "dims"), from.rank(), "dims");
    if (order.size() != from.rank()) {
      runtime::refuse_aclnn("dims names all " + std::to_string(from.rank()) +
                            " dimensions of self, not " + std::to_string(order.size()));
    }
    add_move(work, required(out, "out"), permuted(from, order), "self");
  });
}

aclnnStatus aclnnCatGetWorkspaceSize(const aclTensorList* tensors, int64_t dim, aclTensor* out,
                                     uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnCat", workspaceSize, executor,
                     [&](WorkList& work) { cat(work, tensors, dim, out); });
}

aclnnStatus aclnnStackGetWorkspaceSize(const aclTensorList* tensors, int64_t dim, aclTensor* out,
                                       uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnStack", workspaceSize, executor,
                     [&](WorkList& work) { stack(work, tensors, dim, out); });
}

aclnnStatus aclnnSliceGetWorkspaceSize(const aclTensor* self, int64_t dim, int64_t start,
                                       int64_t end, int64_t step, aclTensor* out,
                                       uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnSlice", workspaceSize, executor, [&](WorkList& work) {
    const View from = view_of(required(self, "self"));
    add_move(work, required(out, "out"), sliced_along(from, {start}, {end}, {dim}, {step}), "self");
  });
}

aclnnStatus aclnnSliceV2GetWorkspaceSize(const aclTensor* self, const aclIntArray* starts,
                                         const aclIntArray* ends, const aclIntArray* axes,
                                         const aclIntArray* steps, aclTensor* out,
                                         uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnSliceV2", workspaceSize, executor, [&](WorkList& work) {
    const View from = view_of(required(self, "self"));
    add_move(work, required(out, "out"),
             sliced_along(from, numbers_of(starts, "starts"), numbers_of(ends, "ends"),
                          numbers_of(axes, "axes"), numbers_of(steps, "steps")),
             "self");
  });
}

aclnnStatus aclnnStridedSliceAssignV2GetWorkspaceSize(
    aclTensor* varRef, const aclTensor* inputValue, const aclIntArray* begin,
    const aclIntArray* end, const aclIntArray* strides, const aclIntArray* axesOptional,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnStridedSliceAssignV2", workspaceSize, executor, [&](WorkList& work) {
    required(varRef, "varRef");
    required(inputValue, "inputValue");
    const Numbers starts = numbers_of(begin, "begin");
    Numbers axes;
    if (axesOptional != nullptr) {
      axes = axesOptional->values;
    } else {
      for (std::size_t i = 0; i < starts.size(); ++i) {
        axes.push_back(static_cast<std::int64_t>(i));
      }
    }
    const View to = sliced_along(view_of(*varRef), starts, numbers_of(end, "end"), axes,
                                 numbers_of(strides, "strides"));
    require_shape(*inputValue, "inputValue", shape_of(to.sizes));
    Moves moves(work);
    moves.copy(to, view_of(typed(work, *inputValue, varRef->GetDataType(), "inputValue")));
    moves.finish();
  });
}

aclnnStatus aclnnSplitTensorGetWorkspaceSize(const aclTensor* self, uint64_t splitSections,
                                             int64_t dim, aclTensorList* out,
                                             uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnSplitTensor", workspaceSize, executor, [&](WorkList& work) {
    const View from = view_of(required(self, "self"));
    const std::size_t at = place_of(dim, from.rank(), "dim");
    const std::int64_t all = from.sizes[at];
    const auto most = static_cast<std::int64_t>(splitSections);
    if (most <= 0 && all > 0) runtime::refuse_aclnn("splitSections is at least 1, not 0");
    Numbers sizes;
    for (std::int64_t left = all; left > 0; left -= most) sizes.push_back(std::min(left, most));
    if (sizes.empty()) sizes.push_back(0);
    split(work, *self, sizes, at, required_list(out, "out"));
  });
}

aclnnStatus aclnnSplitWithSizeGetWorkspaceSize(const aclTensor* self, const aclIntArray* splitSize,
                                               int64_t dim, aclTensorList* out,
                                               uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnSplitWithSize", workspaceSize, executor, [&](WorkList& work) {
    const std::size_t rank = required(self, "self").GetViewShape().GetDimNum();
    split(work, *self, numbers_of(splitSize, "splitSize"), place_of(dim, rank, "dim"),
          required_list(out, "out"));
  });
}

aclnnStatus aclnnRepeatGetWorkspaceSize(const aclTensor* self, const aclIntArray* repeats,
                                        aclTensor* out, uint64_t* workspaceSize,
                                        aclOpExecutor** executor) {
  return first_phase("aclnnRepeat", workspaceSize, executor, [&](WorkList& work) {
    required(self, "self");
    repeat(work, *self, numbers_of(repeats, "repeats"), required(out, "out"));
  });
}

aclnnStatus aclnnRepeatInterleaveIntGetWorkspaceSize(const aclTensor* self, int64_t repeats,
                                                     int64_t outputSize, aclTensor* out,
                                                     uint64_t* workspaceSize,
                                                     aclOpExecutor** executor) {
  return first_phase("aclnnRepeatInterleaveInt", workspaceSize, executor, [&](WorkList& work) {
    interleave(work, flat(work, required(self, "self")), 0, repeats, outputSize,
               required(out, "out"));
  });
}

aclnnStatus aclnnRepeatInterleaveIntWithDimGetWorkspaceSize(const aclTensor* self, int64_t repeats,
                                                            int64_t dim, int64_t outputSize,
                                                            aclTensor* out, uint64_t* workspaceSize,
                                                            aclOpExecutor** executor) {
  return first_phase("aclnnRepeatInterleaveIntWithDim", workspaceSize, executor,
                     [&](WorkList& work) {
                       const View from = view_of(required(self, "self"));
                       interleave(work, from, place_of(dim, from.rank(), "dim"), repeats,
                                  outputSize, required(out, "out"));
                     });
}

aclnnStatus aclnnRollGetWorkspaceSize(const aclTensor* x, const aclIntArray* shifts,
                                      const aclIntArray* dims, aclTensor* out,
                                      uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnRoll", workspaceSize, executor, [&](WorkList& work) {
    required(x, "x");
    roll(work, *x, numbers_of(shifts, "shifts"), numbers_of(dims, "dims"), required(out, "out"));
  });
}

aclnnStatus aclnnFlipGetWorkspaceSize(const aclTensor* self, const aclIntArray* dims,
                                      aclTensor* out, uint64_t* workspaceSize,
                                      aclOpExecutor** executor) {
  return first_phase("aclnnFlip", workspaceSize, executor, [&](WorkList& work) {
    View from = view_of(required(self, "self"));
    for (const std::size_t dim : dimensions(numbers_of(dims, "dims"), from.rank(), "dims")) {
      from = flipped(std::move(from), dim);
    }
    add_move(work, required(out, "out"), from, "self");
  });
}

aclnnStatus aclnnExpandGetWorkspaceSize(const aclTensor* self, const aclIntArray* size,
                                        aclTensor* out, uint64_t* workspaceSize,
                                        aclOpExecutor** executor) {
  return first_phase("aclnnExpand", workspaceSize, executor, [&](WorkList& work) {
    const View from = view_of(required(self, "self"));
    Numbers sizes = numbers_of(size, "size");
    // -1 keeps the size.
    for (std::size_t back = 1; back <= std::min(sizes.size(), from.rank()); ++back) {
      std::int64_t& wanted = sizes[sizes.size() - back];
      if (wanted == -1) wanted = from.sizes[from.rank() - back];
    }
    add_move(work, required(out, "out"), expanded(from, shape_of(sizes)), "self");
  });
}
