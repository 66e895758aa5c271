// The calls by which hand-written aclnn functions fill an executor.
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "opdev/make_op_executor.h"
#include "runtime/core/api_error.hpp"
#include "runtime/op_api/work_list.hpp"
#include "runtime/op_host/elements.hpp"

using namespace davsim;
using davsim::op_api::WorkList;
using davsim::runtime::ApiError;

namespace {

WorkList& work_of(aclOpExecutor* executor) {
  WorkList* const work = executor == nullptr ? nullptr : executor->work();
  if (work == nullptr) {
    throw ApiError(ACLNN_ERR_INNER_CREATE_EXECUTOR, "the executor is none of CREATE_EXECUTOR");
  }
  return *work;
}

/// What the body makes; null if it throws.
template <class Body>
auto made(const char* call, aclOpExecutor* executor, const Body& body)
    -> decltype(body(work_of(executor))) {
  decltype(body(work_of(executor))) result = nullptr;
  runtime::api_call(call, [&] { result = body(work_of(executor)); });
  return result;
}

template <class Array, class Value>
Array* array_of(const char* call, aclOpExecutor* executor, const Value* values,
                std::uint64_t count) {
  return made(call, executor, [&](WorkList& work) {
    if (count > 0) runtime::require_aclnn(values, "value");
    auto* const array = work.make<Array>();
    array->values.assign(values, values + count);
    return array;
  });
}

/// A tensor of the host with these elements, converted to its type.
aclTensor* filled(WorkList& work, const void* values, op::DataType from, std::uint64_t count,
                  op::DataType type) {
  aclTensor* const tensor =
      work.host_tensor({static_cast<std::int64_t>(count)}, type, op::Format::FORMAT_ND);
  const int size = ge::GetSizeByDataType(from), own_size = ge::GetSizeByDataType(type);
  if (size <= 0 || own_size <= 0 || own_size > ge::kDataTypeSizeBitOffset) {
    runtime::refuse_aclnn("elements of the host have a type of whole bytes");
  }
  const auto* source = static_cast<const std::byte*>(values);
  std::byte* target = tensor->storage->values.data();
  for (std::uint64_t i = 0; i < count; ++i, source += size, target += own_size) {
    if (from == type) {
      std::memcpy(target, source, static_cast<std::size_t>(size));
    } else {
      op_host::fill_elements(target, 1, type,
                             op_api::number_of(static_cast<aclDataType>(from), source));
    }
  }
  return tensor;
}

template <class Array>
const aclTensor* converted(aclOpExecutor* executor, const Array* array, op::DataType from,
                           op::DataType type) {
  return made("ConvertToTensor", executor, [&](WorkList& work) {
    runtime::require_aclnn(array, "value");
    return filled(work, array->GetData(), from, array->Size(), type);
  });
}

}  // namespace

void op_api::report(aclnnStatus code, const char* format, ...) {
  char text[1024];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "davsim: error %d: %s\n", code, text);
  runtime::remember_error("aclnn", code, text);
}

aclTensor* aclOpExecutor::AllocTensor(const op::Shape& shape, op::DataType type,
                                      op::Format format) {
  return AllocTensor(shape, shape, type, format, format);
}

aclTensor* aclOpExecutor::AllocTensor(const op::Shape& storage, const op::Shape& original,
                                      op::DataType type, op::Format storage_format,
                                      op::Format original_format) {
  return made("AllocTensor", this, [&](WorkList& work) {
    return work.tensor(storage, original, type, storage_format, original_format);
  });
}

aclTensor* aclOpExecutor::AllocTensor(op::DataType type, op::Format storage_format,
                                      op::Format original_format) {
  return AllocTensor({0}, {0}, type, storage_format, original_format);
}

aclTensor* aclOpExecutor::AllocHostTensor(const op::Shape& shape, op::DataType type,
                                          op::Format format) {
  return made("AllocHostTensor", this,
              [&](WorkList& work) { return work.host_tensor(shape, type, format); });
}

aclTensor* aclOpExecutor::host_tensor(const void* values, op::DataType from, std::uint64_t count,
                                      op::DataType type) {
  return made("AllocHostTensor", this, [&](WorkList& work) {
    if (count > 0) runtime::require_aclnn(values, "value");
    return filled(work, values, from, count, type);
  });
}

const aclTensor* aclOpExecutor::ConvertToTensor(const aclIntArray* values, op::DataType type) {
  return converted(this, values, ge::DT_INT64, type);
}

const aclTensor* aclOpExecutor::ConvertToTensor(const aclFloatArray* values, op::DataType type) {
  return converted(this, values, ge::DT_FLOAT, type);
}

const aclTensor* aclOpExecutor::ConvertToTensor(const aclBoolArray* values, op::DataType type) {
  return converted(this, values, ge::DT_BOOL, type);
}

const aclTensor* aclOpExecutor::ConvertToTensor(const aclScalar* value, op::DataType type) {
  return made("ConvertToTensor", this, [&](WorkList& work) {
    runtime::require_aclnn(value, "value");
    return filled(work, value->GetData(), value->GetDataType(), 1, type);
  });
}

aclTensor* aclOpExecutor::CreateView(const aclTensor* tensor, const op::Shape& shape,
                                     std::int64_t offset) {
  op::Strides strides;
  op::ToContiguousStrides(shape, strides);
  return CreateView(tensor, shape, shape, strides, offset);
}

aclTensor* aclOpExecutor::CreateView(const aclTensor* tensor, const op::Shape& shape,
                                     const op::Shape& storage, const op::Strides& strides,
                                     std::int64_t offset) {
  return made("CreateView", this, [&](WorkList& work) {
    runtime::require_aclnn(tensor, "tensor");
    aclTensor* const view = work.view(*tensor);
    view->shape = view->original_shape = shape;
    view->storage_shape = storage;
    view->strides = strides;
    view->offset += offset;
    return view;
  });
}

aclIntArray* aclOpExecutor::AllocIntArray(const std::int64_t* values, std::uint64_t count) {
  return array_of<aclIntArray>("AllocIntArray", this, values, count);
}

aclFloatArray* aclOpExecutor::AllocFloatArray(const float* values, std::uint64_t count) {
  return array_of<aclFloatArray>("AllocFloatArray", this, values, count);
}

aclBoolArray* aclOpExecutor::AllocBoolArray(const bool* values, std::uint64_t count) {
  return array_of<aclBoolArray>("AllocBoolArray", this, values, count);
}

aclTensorList* aclOpExecutor::AllocTensorList(const aclTensor* const* tensors,
                                              std::uint64_t count) {
  return array_of<aclTensorList>("AllocTensorList", this, tensors, count);
}

aclScalarList* aclOpExecutor::AllocScalarList(const aclScalar* const* scalars,
                                              std::uint64_t count) {
  return array_of<aclScalarList>("AllocScalarList", this, scalars, count);
}

aclScalar* aclOpExecutor::AllocScalar(const void* value, op::DataType type) {
  return made("AllocScalar", this, [&](WorkList& work) {
    runtime::require_aclnn(value, "value");
    auto* const scalar = work.make<aclScalar>();
    const int bytes = ge::GetSizeByDataType(type);
    if (bytes <= 0 || static_cast<std::size_t>(bytes) > scalar->value.size()) {
      runtime::refuse_aclnn("a scalar has a type of whole bytes");
    }
    scalar->type = static_cast<aclDataType>(type);
    std::memcpy(scalar->value.data(), value, static_cast<std::size_t>(bytes));
    return scalar;
  });
}

std::uint64_t aclOpExecutor::GetWorkspaceSize() {
  std::uint64_t bytes = 0;
  runtime::api_call("GetWorkspaceSize", [&] { bytes = work_of(this).lay_out(); });
  return bytes;
}

UniqueExecutor::UniqueExecutor(const char* function) : executor_(new WorkList(function)) {}

UniqueExecutor::~UniqueExecutor() {
  delete executor_;
}

void UniqueExecutor::ReleaseTo(aclOpExecutor** executor) {
  if (executor == nullptr) return;
  *executor = executor_;
  executor_ = nullptr;
}

aclnnStatus CommonOpExecutorRun(void* workspace, std::uint64_t workspace_size,
                                aclOpExecutor* executor, aclrtStream stream) {
  return runtime::phase("CommonOpExecutorRun", [&] {
    runtime::run_executor("", workspace, workspace_size, executor, stream);
  });
}
