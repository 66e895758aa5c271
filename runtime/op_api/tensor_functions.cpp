// The functions of aclnn_kernels/: copies and views of tensors.
#include <algorithm>

#include "aclnn_kernels/cast.h"
#include "aclnn_kernels/contiguous.h"
#include "aclnn_kernels/pad.h"
#include "aclnn_kernels/reshape.h"
#include "aclnn_kernels/slice.h"
#include "aclnn_kernels/transdata.h"
#include "aclnn_kernels/transpose.h"
#include "opdev/format_utils.h"
#include "opdev/shape_utils.h"
#include "opdev/tensor_view_utils.h"
#include "runtime/aclnn/element_copy.hpp"
#include "runtime/core/api_error.hpp"
#include "runtime/op_api/work_list.hpp"
#include "runtime/op_host/elements.hpp"

using namespace davsim;
using davsim::op_api::WorkList;

namespace {

/// A tensor that `body` makes of `x`; null if it throws.
template <class Body>
const aclTensor* made(const char* function, const aclTensor* x, aclOpExecutor* executor,
                      const Body& body) {
  const aclTensor* result = nullptr;
  runtime::api_call(function, [&] {
    runtime::require_aclnn(x, "x");
    runtime::require_aclnn(executor, "executor");
    if (executor->work() == nullptr) {
      runtime::refuse_aclnn("the executor is none of CREATE_EXECUTOR");
    }
    result = body(*executor->work());
  });
  return result;
}

void require_copy(op::DataType to, op::DataType from) {
  if (runtime::can_copy(to, from)) return;
  runtime::refuse_aclnn(std::string("elements of ") + op::ToString(from).GetString() +
                        " cannot become " + op::ToString(to).GetString());
}

/// A tensor of the workspace with the elements of a view.
const aclTensor* copied(WorkList& work, const aclTensor& x, op::DataType type) {
  require_copy(type, x.GetDataType());
  aclTensor* const to =
      work.tensor(x.shape, x.shape, type, x.GetStorageFormat(), x.GetViewFormat());
  work.add_copy(*to, x);
  return to;
}

const aclTensor* contiguous(WorkList& work, const aclTensor& x) {
  return x.is_contiguous() ? &x : copied(work, x, x.GetDataType());
}

/// A dimension that may be counted from the last.
std::int64_t place_of(std::int64_t dim, std::size_t count) {
  const auto all = static_cast<std::int64_t>(count);
  if (dim < -all || dim >= all) {
    runtime::refuse_aclnn("dimension " + std::to_string(dim) + " is none of " +
                          std::to_string(count));
  }
  return dim < 0 ? dim + all : dim;
}

op::Shape with_sizes_of_one(const op::Shape& shape, const std::vector<std::int64_t>& dims) {
  const std::size_t count = shape.GetDimNum() + dims.size();
  std::vector<bool> added(count, false);
  for (const std::int64_t dim : dims) added[static_cast<std::size_t>(place_of(dim, count))] = true;
  op::Shape result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    result.AppendDim(added[i] ? 1 : shape.GetDim(next));
    if (!added[i]) ++next;
  }
  return result;
}

op::Shape without_sizes_of_one(const op::Shape& shape, const std::vector<std::int64_t>& dims) {
  std::vector<bool> left_out(shape.GetDimNum(), false);
  for (const std::int64_t dim : dims) {
    const auto place = static_cast<std::size_t>(place_of(dim, shape.GetDimNum()));
    left_out[place] = shape.GetDim(place) == 1;
  }
  op::Shape result;
  for (std::size_t i = 0; i < shape.GetDimNum(); ++i) {
    if (!left_out[i]) result.AppendDim(shape.GetDim(i));
  }
  return result;
}

/// The shape with the size in place of a -1.
op::Shape completed(op::Shape shape, std::int64_t elements) {
  std::int64_t known = 1;
  std::size_t open = shape.GetDimNum();
  for (std::size_t i = 0; i < shape.GetDimNum(); ++i) {
    if (shape.GetDim(i) == -1) {
      open = i;
    } else {
      known *= shape.GetDim(i);
    }
  }
  if (open < shape.GetDimNum() && known > 0) shape.SetDim(open, elements / known);
  if (op_host::elements_of(shape) != elements) {
    runtime::refuse_aclnn(std::to_string(elements) + " elements have no shape " +
                          op::ToString(shape).GetString());
  }
  return shape;
}

const aclTensor* reshaped(WorkList& work, const aclTensor& x, const op::Shape& shape) {
  aclTensor* const view = work.view(*contiguous(work, x));
  view->SetViewShape(completed(shape, x.Numel()));
  view->storage_shape = view->original_shape = view->shape;
  return view;
}

/// The part of `x` that begins at `offsets` and has the sizes.
aclTensor* part_of(WorkList& work, const aclTensor& x, const std::vector<std::int64_t>& offsets,
                   const std::vector<std::int64_t>& sizes) {
  const std::size_t rank = x.shape.GetDimNum();
  if (offsets.size() != rank || sizes.size() != rank) {
    runtime::refuse_aclnn("offsets and sizes have a number for each dimension");
  }
  aclTensor* const view = work.view(x);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t size = sizes[i] == -1 ? x.shape.GetDim(i) - offsets[i] : sizes[i];
    if (offsets[i] < 0 || size < 0 || offsets[i] + size > x.shape.GetDim(i)) {
      runtime::refuse_aclnn("a part of " + std::string(op::ToString(x.shape).GetString()) +
                            " leaves the tensor in dimension " + std::to_string(i));
    }
    view->offset += offsets[i] * x.strides[i];
    view->shape.SetDim(i, size);
  }
  return view;
}

}  // namespace

namespace l0op {

const aclTensor* Contiguous(const aclTensor* x, aclOpExecutor* executor) {
  return made("Contiguous", x, executor, [&](WorkList& work) { return contiguous(work, *x); });
}

const aclTensor* ViewCopy(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor) {
  return made("ViewCopy", x, executor, [&](WorkList& work) {
    runtime::require_aclnn(y, "y");
    require_copy(y->GetDataType(), x->GetDataType());
    if (x->Numel() != y->Numel()) {
      runtime::refuse_aclnn("ViewCopy of " + std::string(op::ToString(x->shape).GetString()) +
                            " to " + op::ToString(y->shape).GetString());
    }
    const bool same = x->storage == nullptr && y->storage == nullptr && x->data == y->data &&
                      x->offset == y->offset && x->strides == y->strides;
    if (!same) work.add_copy(*y, x->shape == y->shape ? *x : *reshaped(work, *x, y->shape));
    return y;
  });
}

const aclTensor* PickViewAsContiguous(const aclTensor* x, aclOpExecutor* executor) {
  return made("PickViewAsContiguous", x, executor, [&](WorkList& work) {
    if (!op::CanPickViewAsContiguous(x)) {
      runtime::refuse_aclnn("the elements of x do not fill a part of its storage");
    }
    aclTensor* const view = work.view(*x);
    view->SetViewShape(x->shape);
    return view;
  });
}

const aclTensor* Cast(const aclTensor* x, op::DataType type, aclOpExecutor* executor) {
  return made("Cast", x, executor, [&](WorkList& work) {
    return x->GetDataType() == type ? x : copied(work, *x, type);
  });
}

const aclTensor* Reshape(const aclTensor* x, const op::Shape& shape, aclOpExecutor* executor) {
  return made("Reshape", x, executor, [&](WorkList& work) { return reshaped(work, *x, shape); });
}

const aclTensor* Reshape(const aclTensor* x, const aclIntArray* shape, aclOpExecutor* executor) {
  return made("Reshape", x, executor, [&](WorkList& work) {
    runtime::require_aclnn(shape, "shape");
    op::Shape sizes;
    op::ToShape(shape->values, sizes);
    return reshaped(work, *x, sizes);
  });
}

const aclTensor* UnsqueezeNd(const aclTensor* x, const aclIntArray* dims, aclOpExecutor* executor) {
  return made("UnsqueezeNd", x, executor, [&](WorkList& work) {
    runtime::require_aclnn(dims, "dims");
    return reshaped(work, *x, with_sizes_of_one(x->shape, dims->values));
  });
}

const aclTensor* UnsqueezeNd(const aclTensor* x, std::int64_t dim, aclOpExecutor* executor) {
  return made("UnsqueezeNd", x, executor, [&](WorkList& work) {
    return reshaped(work, *x, with_sizes_of_one(x->shape, {dim}));
  });
}

const aclTensor* SqueezeNd(const aclTensor* x, const aclIntArray* dims, aclOpExecutor* executor) {
  return made("SqueezeNd", x, executor, [&](WorkList& work) {
    runtime::require_aclnn(dims, "dims");
    return reshaped(work, *x, without_sizes_of_one(x->shape, dims->values));
  });
}

const aclTensor* SqueezeNd(const aclTensor* x, std::int64_t dim, aclOpExecutor* executor) {
  return made("SqueezeNd", x, executor, [&](WorkList& work) {
    return reshaped(work, *x, without_sizes_of_one(x->shape, {dim}));
  });
}

const aclTensor* Transpose(const aclTensor* x, const aclIntArray* order, aclOpExecutor* executor) {
  return made("Transpose", x, executor, [&](WorkList& work) {
    runtime::require_aclnn(order, "order");
    const std::size_t rank = x->shape.GetDimNum();
    if (order->Size() != rank) runtime::refuse_aclnn("the order has a number for each dimension");
    aclTensor* const view = work.view(*x);
    for (std::size_t i = 0; i < rank; ++i) {
      const auto from = static_cast<std::size_t>(place_of(order->values[i], rank));
      view->shape.SetDim(i, x->shape.GetDim(from));
      view->strides[i] = x->strides[from];
    }
    return copied(work, *view, x->GetDataType());
  });
}

const aclTensor* Slice(const aclTensor* x, const aclIntArray* offsets, const aclIntArray* sizes,
                       aclOpExecutor* executor) {
  return made("Slice", x, executor, [&](WorkList& work) {
    runtime::require_aclnn(offsets, "offsets");
    runtime::require_aclnn(sizes, "sizes");
    return copied(work, *part_of(work, *x, offsets->values, sizes->values), x->GetDataType());
  });
}

const aclTensor* Pad(const aclTensor* x, const aclTensor* paddings, aclOpExecutor* executor) {
  return made("Pad", x, executor, [&](WorkList& work) {
    runtime::require_aclnn(paddings, "paddings");
    const std::size_t rank = x->shape.GetDimNum();
    if (paddings->storage == nullptr || !paddings->storage->on_host ||
        paddings->Numel() != static_cast<std::int64_t>(2 * rank)) {
      runtime::refuse_aclnn("paddings are a tensor of the host with two numbers a dimension");
    }
    require_copy(x->GetDataType(), x->GetDataType());
    const auto size = static_cast<std::size_t>(ge::GetSizeByDataType(paddings->GetDataType()));
    const auto padding = [&](std::size_t i) {
      return op_api::whole_number_of(paddings->type, paddings->storage->values.data() + i * size);
    };
    op::Shape shape;
    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i < rank; ++i) {
      offsets.push_back(padding(2 * i));
      shape.AppendDim(x->shape.GetDim(i) + padding(2 * i) + padding(2 * i + 1));
    }
    aclTensor* const result =
        work.tensor(shape, shape, x->GetDataType(), x->GetStorageFormat(), x->GetViewFormat());
    work.add_zeros(*result);
    work.add_copy(*part_of(work, *result, offsets, op::ToShapeVector(x->shape)), *x);
    return result;
  });
}

const aclTensor* ReFormat(const aclTensor* x, const op::Format& format, aclOpExecutor*) {
  if (x == nullptr) return nullptr;
  auto* const tensor = const_cast<aclTensor*>(x);
  tensor->SetStorageFormat(format);
  tensor->SetViewFormat(format);
  tensor->SetOriginalFormat(format);
  return x;
}

const aclTensor* TransData(const aclTensor* x, op::Format format, std::int64_t,
                           aclOpExecutor* executor) {
  return made("TransData", x, executor, [&](WorkList&) {
    const bool blocks = op::IsPrivateFormat(format) || op::IsPrivateFormat(x->GetStorageFormat());
    if (blocks && op::GetPrimaryFormat(format) != op::GetPrimaryFormat(x->GetStorageFormat())) {
      runtime::refuse_aclnn(std::string("TransData from ") +
                            op::ToString(x->GetStorageFormat()).GetString() + " to " +
                            op::ToString(format).GetString() + " is not supported");
    }
    return x;
  });
}

}  // namespace l0op
