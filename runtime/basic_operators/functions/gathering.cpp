// Rows that indices choose: functions/indexing.txt.
#include "aclnnop/aclnn_embedding.h"
#include "aclnnop/aclnn_gather_nd.h"
#include "aclnnop/aclnn_gather_v2.h"
#include "aclnnop/aclnn_index.h"
#include "aclnnop/aclnn_index_put_impl.h"
#include "aclnnop/aclnn_index_select.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/indexing.hpp"
#include "runtime/basic_operators/moves.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

namespace runtime = davsim::runtime;

const aclTensor* in_order(WorkList& work, const aclTensor& tensor) {
  return as(work, tensor, tensor.GetDataType());
}

/// out = rows of `self` along `dim` that `index` names; the dimensions of `inside` stand for `dim`.
void gather_along(WorkList& work, const aclTensor& self, std::size_t dim, const aclTensor& index,
                  const Numbers& inside, std::int64_t least, const aclTensor& out) {
  Numbers sizes = numbers_of(self.GetViewShape());
  const std::int64_t rows = sizes[dim];
  const std::int64_t lists = product(sizes, 0, dim);
  const std::int64_t run = product(sizes, dim + 1, sizes.size());
  const auto at = sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dim));
  sizes.insert(at, inside.begin(), inside.end());
  require_shape(out, "out", shape_of(sizes));
  require_type(out, "out", {require_movable(self, "self")});
  if (out.IsEmpty()) return;
  Result result(work, out, out.GetDataType());
  const aclTensor* const numbers = in_order(work, index);
  check_index(work, *numbers, "index", least, rows);
  const aclTensor* const table = in_order(work, self);
  if (run == 1 && add_gathered_elements(work, {.table = table,
                                               .places = numbers,
                                               .out = &result.tensor(),
                                               .rows = lists,
                                               .width = rows,
                                               .shared = true})) {
    return result.finish();
  }
  add_indexed_rows(work, {.table = table,
                          .numbers = numbers,
                          .list = &result.tensor(),
                          .lists = lists,
                          .rows = rows,
                          .run = run});
  result.finish();
}

/// The dimensions that tensors of indices name, and the rows that these are together.
struct Advanced {
  std::vector<std::size_t> dims;
  std::vector<const aclTensor*> indices;
  Shape shape;  ///< that all indices become
  bool adjacent = true;
};

Advanced advanced_of(const aclTensor& self, const aclTensorList* indices) {
  runtime::require_aclnn(indices, "indices");
  const std::size_t rank = self.GetViewShape().GetDimNum();
  if (indices->Size() > rank) {
    runtime::refuse_aclnn("indices has a tensor for each of the " + std::to_string(rank) +
                          " dimensions of self at most, not " + std::to_string(indices->Size()));
  }
  Advanced all;
  for (std::uint64_t i = 0; i < indices->Size(); ++i) {
    const aclTensor* const index = (*indices)[i];
    // None, or one without elements: all places of the dimension.
    if (index == nullptr || (index->IsEmpty() && index->GetViewShape().GetDimNum() == 1)) continue;
    required_index(index, "indices");
    all.adjacent = all.adjacent && (all.dims.empty() || all.dims.back() + 1 == i);
    all.shape =
        all.dims.empty() ? index->GetViewShape() : broadcast(all.shape, index->GetViewShape());
    all.dims.push_back(static_cast<std::size_t>(i));
    all.indices.push_back(index);
  }
  if (all.dims.empty()) runtime::refuse_aclnn("indices has at least one tensor with elements");
  return all;
}

/// `self` with the dimensions that are indexed next to each other: at their place if they are, or
/// else in front.
View arranged(const View& self, const Advanced& advanced) {
  if (advanced.adjacent) return self;
  std::vector<std::size_t> order = advanced.dims;
  for (std::size_t d = 0; d < self.rank(); ++d) {
    if (std::ranges::find(advanced.dims, d) == advanced.dims.end()) order.push_back(d);
  }
  return permuted(self, order);
}

struct AdvancedRows {
  Shape shape;  ///< of the result
  std::int64_t lists, rows, run;
};

AdvancedRows rows_of(const Numbers& sizes, const Advanced& advanced) {
  const std::size_t first = advanced.adjacent ? advanced.dims.front() : 0;
  const std::size_t behind = first + advanced.dims.size();
  Numbers result(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(first));
  for (const std::int64_t size : numbers_of(advanced.shape)) result.push_back(size);
  result.insert(result.end(), sizes.begin() + static_cast<std::ptrdiff_t>(behind), sizes.end());
  return {shape_of(result), product(sizes, 0, first), product(sizes, first, behind),
          product(sizes, behind, sizes.size())};
}

const aclTensor* numbers_of_rows(WorkList& work, const aclTensor& self, const Advanced& advanced) {
  if (advanced.dims.size() == 1) {
    const std::int64_t size = self.GetViewShape().GetDim(advanced.dims[0]);
    const aclTensor* const numbers = in_order(work, *advanced.indices[0]);
    check_index(work, *numbers, "indices", -size, size);
    return numbers;
  }
  std::vector<Coordinate> coordinates;
  for (std::size_t i = 0; i < advanced.dims.size(); ++i) {
    const aclTensor& index = *advanced.indices[i];
    coordinates.push_back({as(work, index, index.GetDataType(), advanced.shape),
                           self.GetViewShape().GetDim(advanced.dims[i]), 0});
  }
  return row_numbers(work, coordinates, 1, advanced.shape.GetShapeSize(), "indices", true);
}

void index(WorkList& work, const aclTensor& self, const aclTensorList* indices,
           const aclTensor& out) {
  const Advanced advanced = advanced_of(self, indices);
  const View table = arranged(view_of(self), advanced);
  const AdvancedRows rows = rows_of(table.sizes, advanced);
  require_shape(out, "out", rows.shape);
  require_type(out, "out", {require_movable(self, "self")});
  if (out.IsEmpty()) return;
  Result result(work, out, out.GetDataType());
  const aclTensor* const numbers = numbers_of_rows(work, self, advanced);
  add_indexed_rows(work, {.table = in_order(work, *tensor_of(work, table)),
                          .numbers = numbers,
                          .list = &result.tensor(),
                          .lists = rows.lists,
                          .rows = rows.rows,
                          .run = rows.run});
  result.finish();
}

void index_put(WorkList& work, const aclTensor& self, const aclTensorList* indices,
               const aclTensor& values, bool accumulates) {
  const Advanced advanced = advanced_of(self, indices);
  const aclTensor& target = *tensor_of(work, arranged(view_of(self), advanced));
  const AdvancedRows rows = rows_of(numbers_of(target.GetViewShape()), advanced);
  const DataType type = require_movable(self, "selfRef");
  require_type(values, "values", {type});
  if (rows.shape.GetShapeSize() == 0 || self.IsEmpty()) return;
  const aclTensor* const numbers = numbers_of_rows(work, self, advanced);
  const aclTensor* const list =
      in_order(work, *tensor_of(work, expanded(view_of(values), rows.shape)));
  Changed changed(work, target, target);
  add_indexed_rows(work, {.table = &changed.tensor(),
                          .numbers = numbers,
                          .list = list,
                          .lists = rows.lists,
                          .rows = rows.rows,
                          .run = rows.run,
                          .scatters = true,
                          .adds = accumulates});
  changed.finish();
}

}  // namespace

aclnnStatus aclnnIndexSelectGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                             const aclTensor* index, aclTensor* out,
                                             uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnIndexSelect", workspaceSize, executor, [&](WorkList& work) {
    const std::size_t at = place_of(dim, required(self, "self").GetViewShape().GetDimNum(), "dim");
    if (required_index(index, "index").GetViewShape().GetDimNum() > 1) {
      runtime::refuse_aclnn("index has at most one dimension, not the shape " +
                            text(index->GetViewShape()));
    }
    gather_along(work, *self, at, *index, {index->Numel()}, 0, required(out, "out"));
  });
}

aclnnStatus aclnnGatherV2GetWorkspaceSize(const aclTensor* self, int64_t dim,
                                          const aclTensor* index, aclTensor* out,
                                          uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnGatherV2", workspaceSize, executor, [&](WorkList& work) {
    const Shape& shape = required(self, "self").GetViewShape();
    const std::size_t at = place_of(dim, shape.GetDimNum(), "dim");
    required_index(index, "index");
    gather_along(work, *self, at, *index, numbers_of(index->GetViewShape()), -shape.GetDim(at),
                 required(out, "out"));
  });
}

aclnnStatus aclnnEmbeddingGetWorkspaceSize(const aclTensor* weight, const aclTensor* indices,
                                           const aclTensor* out, uint64_t* workspaceSize,
                                           aclOpExecutor** executor) {
  return first_phase("aclnnEmbedding", workspaceSize, executor, [&](WorkList& work) {
    if (required(weight, "weight").GetViewShape().GetDimNum() != 2) {
      runtime::refuse_aclnn("weight has two dimensions, not the shape " +
                            text(weight->GetViewShape()));
    }
    required_index(indices, "indices");
    gather_along(work, *weight, 0, *indices, numbers_of(indices->GetViewShape()), 0,
                 required(out, "out"));
  });
}

aclnnStatus aclnnGatherNdGetWorkspaceSize(const aclTensor* self, const aclTensor* indices,
                                          bool negativeIndexSupport, aclTensor* out,
                                          uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnGatherNd", workspaceSize, executor, [&](WorkList& work) {
    const SlicesAt slices = slices_at(required(self, "self"), required_index(indices, "indices"));
    require_shape(required(out, "out"), "out", slices.shape);
    require_type(*out, "out", {require_movable(*self, "self")});
    if (out->IsEmpty()) return;
    Result result(work, *out, out->GetDataType());
    const aclTensor* const numbers = numbers_of_slices(work, *self, *indices, negativeIndexSupport);
    add_indexed_rows(work, {.table = in_order(work, *self),
                            .numbers = numbers,
                            .list = &result.tensor(),
                            .lists = 1,
                            .rows = slices.rows,
                            .run = slices.run});
    result.finish();
  });
}

aclnnStatus aclnnIndexGetWorkspaceSize(const aclTensor* self, const aclTensorList* indices,
                                       aclTensor* out, uint64_t* workspaceSize,
                                       aclOpExecutor** executor) {
  return first_phase("aclnnIndex", workspaceSize, executor, [&](WorkList& work) {
    required(self, "self");
    index(work, *self, indices, required(out, "out"));
  });
}

aclnnStatus aclnnIndexPutImplGetWorkspaceSize(aclTensor* selfRef, const aclTensorList* indices,
                                              const aclTensor* values, const bool accumulate,
                                              const bool unsafe, uint64_t* workspaceSize,
                                              aclOpExecutor** executor) {
  return first_phase("aclnnIndexPutImpl", workspaceSize, executor, [&](WorkList& work) {
    static_cast<void>(unsafe);  // Indices are looked at either way.
    required(selfRef, "selfRef");
    index_put(work, *selfRef, indices, required(values, "values"), accumulate);
  });
}
