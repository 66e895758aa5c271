#include <algorithm>
#include <cstring>
#include <memory>

#include "acl/acl.h"
#include "opdev/op_executor.h"
#include "opdev/shape_utils.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/simulator.hpp"

using namespace davsim::runtime;

namespace {

using Sizes = std::vector<std::int64_t>;

/// Runs a body that gives a status; what it throws is an error inside.
template <class Body>
aclnnStatus status_of(const char* function, Body&& body) {
  aclnnStatus status = ACLNN_SUCCESS;
  const aclError thrown = api_call(function, [&] { status = body(); });
  if (thrown != ACL_SUCCESS) return ACLNN_ERR_INNER;
  if (status != ACLNN_SUCCESS) {
    remember_error(function, status,
                   status == ACLNN_ERR_PARAM_NULLPTR ? "an argument is a null pointer"
                                                     : "an argument does not do");
  }
  return status;
}

/// An object that the body makes; null if it throws or makes none.
template <class Object, class Body>
Object* made(const char* function, Body&& body) {
  std::unique_ptr<Object> object;
  if (api_call(function, [&] { object = body(); }) != ACL_SUCCESS) return nullptr;
  return object.release();
}

Sizes sizes(const std::int64_t* values, std::uint64_t count, const char* name) {
  if (count > 0) require_pointer(values, name);
  Sizes list(values, values + count);
  for (const std::int64_t size : list) {
    if (size < 0)
      refuse_aclnn(std::string(name) + " has the negative size " + std::to_string(size));
  }
  return list;
}

op::Shape shape_of(const Sizes& sizes, const char* name) {
  if (sizes.size() > op::Shape::kMaxDimNum) {
    refuse_aclnn(std::string(name) + " has " + std::to_string(sizes.size()) +
                 " dimensions; a tensor has at most " + std::to_string(op::Shape::kMaxDimNum));
  }
  op::Shape shape;
  std::int64_t elements = 1;
  for (const std::int64_t size : sizes) {
    shape.AppendDim(size);
    if (__builtin_mul_overflow(elements, std::max<std::int64_t>(size, 1), &elements)) {
      refuse_aclnn("the tensor has more elements than 64 bits count");
    }
  }
  return shape;
}

/// Members that are lists of numbers, as the getters give them.
aclnnStatus give(const Sizes* list, std::int64_t** values, std::uint64_t* count) {
  if (list == nullptr || values == nullptr || count == nullptr) return ACLNN_ERR_PARAM_NULLPTR;
  *values = new std::int64_t[list->size() + 1];
  std::copy(list->begin(), list->end(), *values);
  *count = list->size();
  return ACLNN_SUCCESS;
}

aclnnStatus give_shape(const op::Shape* shape, std::int64_t** values, std::uint64_t* count) {
  if (shape == nullptr) return ACLNN_ERR_PARAM_NULLPTR;
  const Sizes list = op::ToShapeVector(*shape);
  return give(&list, values, count);
}

template <class Value>
aclnnStatus give_value(const Value* from, Value* to) {
  if (from == nullptr || to == nullptr) return ACLNN_ERR_PARAM_NULLPTR;
  *to = *from;
  return ACLNN_SUCCESS;
}

template <class Array>
aclnnStatus give_size(const Array* array, std::uint64_t* size) {
  if (array == nullptr || size == nullptr) return ACLNN_ERR_PARAM_NULLPTR;
  *size = array->values.size();
  return ACLNN_SUCCESS;
}

template <class Object>
aclnnStatus destroy(const char* function, const Object* object) {
  return status_of(function, [&] {
    delete object;
    return ACLNN_SUCCESS;
  });
}

template <class List>
aclnnStatus destroy_list(const char* function, const List* list) {
  if (list != nullptr) {
    for (const auto* member : list->values) delete member;
  }
  return destroy(function, list);
}

template <class Array, class Value>
Array* array_of(const char* function, const Value* value, std::uint64_t size) {
  return made<Array>(function, [&] {
    if (size > 0) require_pointer(value, "value");
    auto array = std::make_unique<Array>();
    array->values.assign(value, value + size);
    return array;
  });
}

void set_up(aclTensor& tensor, const Sizes& shape, aclDataType type, const std::int64_t* stride,
            std::int64_t offset, aclFormat format, const Sizes& storage, void* data) {
  if (offset < 0) refuse_aclnn("offset is " + std::to_string(offset) + "; it is at least 0");
  tensor = {};
  tensor.SetViewShape(shape_of(shape, "viewDims"));
  if (stride != nullptr) tensor.strides.assign(stride, stride + shape.size());
  tensor.offset = offset;
  tensor.type = type;
  tensor.format = tensor.view_format = tensor.original_format = format;
  tensor.storage_shape = shape_of(storage, "storageDims");
  tensor.original_shape = tensor.shape;
  tensor.data = data;
}

}  // namespace

aclnnStatus aclnnInit(const char*) {
  return status_of("aclnnInit", [] {
    Simulator::instance();
    return ACLNN_SUCCESS;
  });
}

aclnnStatus aclnnFinalize() {
  return ACLNN_SUCCESS;
}

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t* stride, int64_t offset, aclFormat format,
                           const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData) {
  return made<aclTensor>("aclCreateTensor", [&] {
    auto tensor = std::make_unique<aclTensor>();
    set_up(*tensor, sizes(viewDims, viewDimsNum, "viewDims"), dataType, stride, offset, format,
           sizes(storageDims, storageDimsNum, "storageDims"), tensorData);
    return tensor;
  });
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum,
                          aclDataType dataType, const int64_t* stride, int64_t offset,
                          aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                          void* tensorDataAddr) {
  return status_of("aclInitTensor", [&] {
    if (tensor == nullptr) return ACLNN_ERR_PARAM_NULLPTR;
    set_up(*tensor, sizes(viewDims, viewDimsNum, "viewDims"), dataType, stride, offset, format,
           sizes(storageDims, storageDimsNum, "storageDims"), tensorDataAddr);
    return ACLNN_SUCCESS;
  });
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  return destroy("aclDestroyTensor", tensor);
}

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
  return made<aclScalar>("aclCreateScalar", [&] {
    require_pointer(value, "value");
    const std::size_t bytes = aclDataTypeSize(dataType);
    if (bytes == 0) refuse_aclnn("a scalar has no type " + std::to_string(dataType));
    auto scalar = std::make_unique<aclScalar>();
    scalar->type = dataType;
    std::memcpy(scalar->value.data(), value, bytes);
    return scalar;
  });
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
  return destroy("aclDestroyScalar", scalar);
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  return array_of<aclIntArray>("aclCreateIntArray", value, size);
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
  return destroy("aclDestroyIntArray", array);
}

aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
  return array_of<aclFloatArray>("aclCreateFloatArray", value, size);
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
  return destroy("aclDestroyFloatArray", array);
}

aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
  return array_of<aclBoolArray>("aclCreateBoolArray", value, size);
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
  return destroy("aclDestroyBoolArray", array);
}

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
  return array_of<aclTensorList>("aclCreateTensorList", value, size);
}

aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
  return destroy_list("aclDestroyTensorList", array);
}

aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
  return array_of<aclScalarList>("aclCreateScalarList", value, size);
}

aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
  return destroy_list("aclDestroyScalarList", array);
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
  return status_of("aclGetViewShape", [&] {
    return give_shape(tensor == nullptr ? nullptr : &tensor->shape, viewDims, viewDimsNum);
  });
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims,
                               uint64_t* storageDimsNum) {
  return status_of("aclGetStorageShape", [&] {
    return give_shape(tensor == nullptr ? nullptr : &tensor->storage_shape, storageDims,
                      storageDimsNum);
  });
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue,
                              uint64_t* stridesNum) {
  return status_of("aclGetViewStrides", [&] {
    return give(tensor == nullptr ? nullptr : &tensor->strides, stridesValue, stridesNum);
  });
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
  return status_of("aclGetViewOffset", [&] {
    return give_value(tensor == nullptr ? nullptr : &tensor->offset, offset);
  });
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
  return status_of("aclGetFormat", [&] {
    return give_value(tensor == nullptr ? nullptr : &tensor->format, format);
  });
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
  return status_of("aclGetDataType", [&] {
    return give_value(tensor == nullptr ? nullptr : &tensor->type, dataType);
  });
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
  return status_of("aclGetRawTensorAddr",
                   [&] { return give_value(tensor == nullptr ? nullptr : &tensor->data, addr); });
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
  return status_of("aclSetRawTensorAddr", [&] {
    if (tensor == nullptr) return ACLNN_ERR_PARAM_NULLPTR;
    tensor->data = addr;
    return ACLNN_SUCCESS;
  });
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
  return status_of("aclGetIntArraySize", [&] { return give_size(array, size); });
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
  return status_of("aclGetFloatArraySize", [&] { return give_size(array, size); });
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
  return status_of("aclGetBoolArraySize", [&] { return give_size(array, size); });
}

aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size) {
  return status_of("aclGetTensorListSize", [&] { return give_size(tensorList, size); });
}

aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size) {
  return status_of("aclGetScalarListSize", [&] { return give_size(scalarList, size); });
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
  return status_of("aclSetAclOpExecutorRepeatable", [&] {
    if (executor == nullptr) return ACLNN_ERR_PARAM_NULLPTR;
    executor->repeatable = true;
    return ACLNN_SUCCESS;
  });
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  return destroy("aclDestroyAclOpExecutor", executor);
}
