// Rows that are put where indices say, and repeats by counts: functions/indexing.txt.
#include <set>

#include "aclnnop/aclnn_index_add.h"
#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_index_fill_tensor.h"
#include "aclnnop/aclnn_repeat_interleave.h"
#include "aclnnop/aclnn_scatter_nd.h"
#include "aclnnop/aclnn_scatter_update.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/indexing.hpp"
#include "runtime/basic_operators/moves.hpp"
#include "runtime/basic_operators/pointwise.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

namespace runtime = davsim::runtime;

/// Puts slices of `source` along `dim` where `index` says, or adds them.
void put_along(WorkList& work, const aclTensor& self, std::int64_t dim, const aclTensor* index,
               const aclTensor* source, bool adds, const aclTensor& out) {
  Numbers sizes = numbers_of(self.GetViewShape());
  const std::size_t at = place_of(dim, sizes.size(), "dim");
  if (required_index(index, "index").GetViewShape().GetDimNum() > 1) {
    runtime::refuse_aclnn("index has at most one dimension, not the shape " +
                          text(index->GetViewShape()));
  }
  require_shape(out, "out", self.GetViewShape());
  require_type(out, "out", {require_movable(self, "self")});
  const std::int64_t rows = sizes[at];
  sizes[at] = index->Numel();
  require_shape(required(source, "source"), "source", shape_of(sizes));
  require_type(*source, "source", {self.GetDataType()});
  Changed changed(work, out, self);
  const aclTensor* const numbers = as(work, *index, index->GetDataType());
  check_index(work, *numbers, "index", 0, rows);
  add_indexed_rows(work, {.table = &changed.tensor(),
                          .numbers = numbers,
                          .list = as(work, *source, source->GetDataType()),
                          .lists = product(sizes, 0, at),
                          .rows = rows,
                          .run = product(sizes, at + 1, sizes.size()),
                          .scatters = true,
                          .adds = adds});
  changed.finish();
}

const aclTensor* scaled(WorkList& work, const aclTensor& source, const aclScalar& alpha) {
  if (alpha.number() == 1) return &source;
  aclTensor* const result = temporary(work, source.GetDataType(), source.GetViewShape());
  add_pointwise(work, {.op = PointwiseOp::kMul,
                       .operands = {{&source, "source"}, {&alpha, "alpha"}},
                       .out = result});
  return result;
}

void fill_along(WorkList& work, const aclTensor& self, std::int64_t dim, const Numbers& index,
                const aclScalar& value, const aclTensor& out) {
  const View view = view_of(out);
  const std::size_t at = place_of(dim, view.rank(), "dim");
  require_shape(out, "out", self.GetViewShape());
  require_type(out, "out", {require_movable(self, "self")});
  std::set<std::int64_t> places;
  for (const std::int64_t place : index) {
    if (place < -view.sizes[at] || place >= view.sizes[at]) {
      runtime::refuse_aclnn("index is from " + std::to_string(-view.sizes[at]) + " to " +
                            std::to_string(view.sizes[at] - 1) + ", not " + std::to_string(place));
    }
    places.insert(place < 0 ? place + view.sizes[at] : place);
  }
  Changed changed(work, out, self);
  Moves moves(work);
  for (const std::int64_t place : places) {
    moves.fill(narrowed(view_of(changed.tensor()), at, place, 1),
               element_bits(value, out.GetDataType(), "value"));
  }
  moves.finish();
  changed.finish();
}

/// Of which batch and place each slice of `updates` becomes a part.
struct UpdatePlaces {
  std::int64_t batches, slices, axis, length;  ///< sizes of data up to `axis`, and of updates there
  bool has_batch;                              ///< indices name the batch, then the place
};

const aclTensor* update_numbers(WorkList& work, const aclTensor& indices, std::int64_t updates,
                                const UpdatePlaces& sizes) {
  aclTensor* const numbers = temporary(work, ge::DT_INT64, {updates * sizes.slices * sizes.length});
  work.add_task({numbers}, {&indices}, [=, function = work.type()](auto to, auto from) {
    std::uint64_t next = 0;
    const auto at = [&](std::int64_t i) {
      return whole_at(from[0], static_cast<std::uint64_t>(i));
    };
    for (std::int64_t i = 0; i < updates; ++i) {
      const std::int64_t batch = sizes.has_batch ? at(2 * i) : i;
      const std::int64_t place = sizes.has_batch ? at(2 * i + 1) : at(i);
      if (batch < 0 || batch >= sizes.batches || place < 0 || place + sizes.length > sizes.axis) {
        throw runtime::ApiError(ACL_ERROR_RT_AICPU_EXCEPTION,
                                function + ": update " + std::to_string(i) +
                                    " of indices is place " + std::to_string(place) + " of batch " +
                                    std::to_string(batch) + "; there are " +
                                    std::to_string(sizes.batches) + " batches, and places up to " +
                                    std::to_string(sizes.axis - sizes.length));
      }
      for (std::int64_t slice = 0; slice < sizes.slices; ++slice) {
        for (std::int64_t j = 0; j < sizes.length; ++j) {
          set_whole(to[0], next++, (batch * sizes.slices + slice) * sizes.axis + place + j);
        }
      }
    }
  });
  return numbers;
}

void scatter_update(WorkList& work, const aclTensor& data, const aclTensor& indices,
                    const aclTensor& updates, std::int64_t dim) {
  Numbers sizes = numbers_of(data.GetViewShape());
  const std::size_t axis = place_of(dim, sizes.size(), "axis");
  if (axis == 0) runtime::refuse_aclnn("axis is none of the batches, which the first one is");
  const Shape& index = indices.GetViewShape();
  const bool has_batch = index.GetDimNum() == 2;
  if (index.GetDimNum() > 2 || (has_batch && index.GetDim(1) != 2)) {
    runtime::refuse_aclnn("indices has the shape [updates] or [updates,2], not " + text(index));
  }
  const std::int64_t count = index.GetDimNum() == 0 ? 1 : index.GetDim(0);
  const UpdatePlaces places{
      sizes[0], product(sizes, 1, axis), sizes[axis],
      updates.GetViewShape().GetDimNum() == sizes.size() ? updates.GetViewShape().GetDim(axis) : -1,
      has_batch};
  sizes[0] = count;
  sizes[axis] = std::clamp<std::int64_t>(places.length, 0, sizes[axis]);
  require_shape(updates, "updates", shape_of(sizes));
  require_type(updates, "updates", {require_movable(data, "data")});
  if (updates.IsEmpty()) return;
  const aclTensor* const numbers =
      update_numbers(work, *as(work, indices, indices.GetDataType()), count, places);
  Changed changed(work, data, data);
  add_indexed_rows(work, {.table = &changed.tensor(),
                          .numbers = numbers,
                          .list = as(work, updates, updates.GetDataType()),
                          .lists = 1,
                          .rows = places.batches * places.slices * places.axis,
                          .run = product(sizes, axis + 1, sizes.size()),
                          .scatters = true});
  changed.finish();
}

/// Places 0, 1, ... of `size`, each repeated as `repeats` says, which has one count or one for
/// each.
void write_repeats(const std::string& function, const runtime::BoundTensor& to,
                   const runtime::BoundTensor& repeats, std::int64_t size) {
  std::uint64_t next = 0;
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int64_t count =
        whole_at(repeats, repeats.elements() == 1 ? 0 : static_cast<std::uint64_t>(i));
    sum += count;
    if (count < 0 || sum > static_cast<std::int64_t>(to.elements())) break;
    for (std::int64_t k = 0; k < count; ++k) set_whole(to, next++, i);
  }
  if (sum == static_cast<std::int64_t>(to.elements())) return;
  throw runtime::ApiError(ACL_ERROR_RT_AICPU_EXCEPTION, function + ": outputSize is " +
                                                            std::to_string(to.elements()) +
                                                            ", which is not the sum of repeats");
}

void repeat_by_counts(WorkList& work, const aclTensor& self, std::size_t dim,
                      const aclTensor* repeats, std::int64_t output_size, const aclTensor& out) {
  Numbers sizes = numbers_of(self.GetViewShape());
  const std::int64_t size = sizes[dim];
  const std::int64_t counts = required_index(repeats, "repeats").Numel();
  if (repeats->GetViewShape().GetDimNum() > 1 || (counts != 1 && counts != size)) {
    runtime::refuse_aclnn("repeats has 1 or " + std::to_string(size) + " counts, not the shape " +
                          text(repeats->GetViewShape()));
  }
  sizes[dim] = output_size;
  require_shape(out, "out", shape_of(sizes));
  require_type(out, "out", {require_movable(self, "self")});
  if (out.IsEmpty()) return;
  aclTensor* const numbers = temporary(work, ge::DT_INT64, {output_size});
  work.add_task({numbers}, {as(work, *repeats, repeats->GetDataType())},
                [function = work.type(), size](auto to, auto from) {
                  write_repeats(function, to[0], from[0], size);
                });
  Result result(work, out, out.GetDataType());
  add_indexed_rows(work, {.table = as(work, self, self.GetDataType()),
                          .numbers = numbers,
                          .list = &result.tensor(),
                          .lists = product(sizes, 0, dim),
                          .rows = size,
                          .run = product(sizes, dim + 1, sizes.size())});
  result.finish();
}

}  // namespace

aclnnStatus aclnnIndexCopyGetWorkspaceSize(aclTensor* selfRef, int64_t dim, const aclTensor* index,
                                           const aclTensor* source, aclTensor* outRef,
                                           uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnIndexCopy", workspaceSize, executor, [&](WorkList& work) {
    required(selfRef, "selfRef");
    put_along(work, *selfRef, dim, index, source, false, required(outRef, "outRef"));
  });
}

aclnnStatus aclnnInplaceIndexCopyGetWorkspaceSize(aclTensor* selfRef, int64_t dim,
                                                  const aclTensor* index, const aclTensor* source,
                                                  uint64_t* workspaceSize,
                                                  aclOpExecutor** executor) {
  return first_phase("aclnnInplaceIndexCopy", workspaceSize, executor, [&](WorkList& work) {
    required(selfRef, "selfRef");
    put_along(work, *selfRef, dim, index, source, false, *selfRef);
  });
}

aclnnStatus aclnnIndexAddGetWorkspaceSize(const aclTensor* self, const int64_t dim,
                                          const aclTensor* index, const aclTensor* source,
                                          const aclScalar* alpha, aclTensor* out,
                                          uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnIndexAdd", workspaceSize, executor, [&](WorkList& work) {
    required(self, "self");
    required(source, "source");
    const aclTensor* const added = scaled(work, *source, required(alpha, "alpha"));
    put_along(work, *self, dim, index, added, true, required(out, "out"));
  });
}

aclnnStatus aclnnIndexFillTensorGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                 const aclIntArray* index, const aclScalar* value,
                                                 aclTensor* out, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor) {
  return first_phase("aclnnIndexFillTensor", workspaceSize, executor, [&](WorkList& work) {
    required(self, "self");
    required(value, "value");
    fill_along(work, *self, dim, numbers_of(index, "index"), *value, required(out, "out"));
  });
}

aclnnStatus aclnnInplaceIndexFillTensorGetWorkspaceSize(aclTensor* selfRef, int64_t dim,
                                                        const aclIntArray* index,
                                                        const aclScalar* value,
                                                        uint64_t* workspaceSize,
                                                        aclOpExecutor** executor) {
  return first_phase("aclnnInplaceIndexFillTensor", workspaceSize, executor, [&](WorkList& work) {
    required(selfRef, "selfRef");
    fill_along(work, *selfRef, dim, numbers_of(index, "index"), required(value, "value"), *selfRef);
  });
}

aclnnStatus aclnnScatterNdGetWorkspaceSize(const aclTensor* data, const aclTensor* indices,
                                           const aclTensor* updates, aclTensor* out,
                                           uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnScatterNd", workspaceSize, executor, [&](WorkList& work) {
    const SlicesAt slices = slices_at(required(data, "data"), required_index(indices, "indices"));
    require_shape(required(updates, "updates"), "updates", slices.shape);
    require_type(*updates, "updates", {require_movable(*data, "data")});
    require_shape(required(out, "out"), "out", data->GetViewShape());
    require_type(*out, "out", {data->GetDataType()});
    Changed changed(work, *out, *data);
    if (!updates->IsEmpty()) {
      add_indexed_rows(work, {.table = &changed.tensor(),
                              .numbers = numbers_of_slices(work, *data, *indices, false),
                              .list = as(work, *updates, updates->GetDataType()),
                              .lists = 1,
                              .rows = slices.rows,
                              .run = slices.run,
                              .scatters = true});
    }
    changed.finish();
  });
}

aclnnStatus aclnnInplaceScatterUpdateGetWorkspaceSize(aclTensor* data, const aclTensor* indices,
                                                      const aclTensor* updates, int64_t axis,
                                                      uint64_t* workspaceSize,
                                                      aclOpExecutor** executor) {
  return first_phase("aclnnInplaceScatterUpdate", workspaceSize, executor, [&](WorkList& work) {
    required(data, "data");
    required_index(indices, "indices");
    scatter_update(work, *data, *indices, required(updates, "updates"), axis);
  });
}

aclnnStatus aclnnRepeatInterleaveGetWorkspaceSize(const aclTensor* self, const aclTensor* repeats,
                                                  int64_t outputSize, aclTensor* out,
                                                  uint64_t* workspaceSize,
                                                  aclOpExecutor** executor) {
  return first_phase("aclnnRepeatInterleave", workspaceSize, executor, [&](WorkList& work) {
    const View all = flat(work, required(self, "self"));
    repeat_by_counts(work, *tensor_of(work, all), 0, repeats, outputSize, required(out, "out"));
  });
}

aclnnStatus aclnnRepeatInterleaveWithDimGetWorkspaceSize(const aclTensor* self,
                                                         const aclTensor* repeats, int64_t dim,
                                                         int64_t outputSize, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor) {
  return first_phase("aclnnRepeatInterleaveWithDim", workspaceSize, executor, [&](WorkList& work) {
    const std::size_t rank = required(self, "self").GetViewShape().GetDimNum();
    repeat_by_counts(work, *self, place_of(dim, rank, "dim"), repeats, outputSize,
                     required(out, "out"));
  });
}

aclnnStatus aclnnRepeatInterleaveTensorGetWorkspaceSize(const aclTensor* repeats,
                                                        int64_t outputSize, aclTensor* out,
                                                        uint64_t* workspaceSize,
                                                        aclOpExecutor** executor) {
  return first_phase("aclnnRepeatInterleaveTensor", workspaceSize, executor, [&](WorkList& work) {
    required_index(repeats, "repeats");
    require_shape(required_index(out, "out"), "out", {outputSize});
    Result result(work, *out, out->GetDataType());
    const std::int64_t size = repeats->Numel();
    work.add_task({&result.tensor()}, {as(work, *repeats, repeats->GetDataType())},
                  [function = work.type(), size](auto to, auto from) {
                    write_repeats(function, to[0], from[0], size);
                  });
    result.finish();
  });
}
