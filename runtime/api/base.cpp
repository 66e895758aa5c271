// Data types, float16, buffers and descriptions of tensors.
#include "acl/acl_base.h"

#include <bit>
#include <string>
#include <vector>

#include "isa/numeric/half.hpp"
#include "runtime/core/api_error.hpp"
#include "runtime/core/tensor_desc.hpp"

using namespace davsim::runtime;

struct aclDataBuffer {
  void* data;
  std::size_t size;
};

namespace {

/// The element count; 0 if it is not known or no 64-bit number.
std::size_t elements(const aclTensorDesc& desc) {
  std::size_t count = 1;
  for (const std::int64_t size : desc.shape) {
    if (size < 0) return 0;
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(size), &count)) return 0;
  }
  return count;
}

std::vector<std::int64_t> shape_of(int count, const std::int64_t* sizes) {
  if (count < 0) {
    throw ApiError(ACL_ERROR_INVALID_PARAM, "numDims is " + std::to_string(count));
  }
  if (count > 0) require_pointer(sizes, "dims");
  return {sizes, sizes + count};
}

}  // namespace

size_t aclDataTypeSize(aclDataType dataType) {
  switch (dataType) {
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL:
      return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16:
      return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32:
      return 4;
    case ACL_DOUBLE:
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_COMPLEX64:
      return 8;
    case ACL_COMPLEX128:
      return 16;
    default:
      return 0;
  }
}

float aclFloat16ToFloat(aclFloat16 value) {
  return static_cast<float>(std::bit_cast<davsim::isa::half>(value));
}

aclFloat16 aclFloatToFloat16(float value) {
  return davsim::isa::half(value).bits;
}

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
  aclDataBuffer* buffer = nullptr;
  api_call("aclCreateDataBuffer", [&] { buffer = new aclDataBuffer{data, size}; });
  return buffer;
}

aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
  return api_call("aclDestroyDataBuffer", [&] {
    require_pointer(dataBuffer, "dataBuffer");
    delete dataBuffer;
  });
}

aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
  return api_call("aclUpdateDataBuffer", [&] {
    require_pointer(dataBuffer, "dataBuffer");
    *dataBuffer = {data, size};
  });
}

void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
  return dataBuffer == nullptr ? nullptr : dataBuffer->data;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer) {
  return static_cast<std::uint32_t>(aclGetDataBufferSizeV2(dataBuffer));
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
  return dataBuffer == nullptr ? 0 : dataBuffer->size;
}

aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t* dims,
                                   aclFormat format) {
  aclTensorDesc* desc = nullptr;
  api_call("aclCreateTensorDesc", [&] {
    desc = new aclTensorDesc{dataType, format, shape_of(numDims, dims), "", {}};
  });
  return desc;
}

void aclDestroyTensorDesc(const aclTensorDesc* desc) {
  delete desc;
}

aclDataType aclGetTensorDescType(const aclTensorDesc* desc) {
  return desc == nullptr ? ACL_DT_UNDEFINED : desc->type;
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc) {
  return desc == nullptr ? ACL_FORMAT_UNDEFINED : desc->format;
}

size_t aclGetTensorDescSize(const aclTensorDesc* desc) {
  if (desc == nullptr) return 0;
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(elements(*desc), aclDataTypeSize(desc->type), &bytes)) return 0;
  return bytes;
}

size_t aclGetTensorDescElementCount(const aclTensorDesc* desc) {
  return desc == nullptr ? 0 : elements(*desc);
}

size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) {
  return desc == nullptr ? 0 : desc->shape.size();
}

int64_t aclGetTensorDescDim(const aclTensorDesc* desc, size_t index) {
  return desc == nullptr || index >= desc->shape.size() ? -1 : desc->shape[index];
}

aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize) {
  return api_call("aclGetTensorDescDimV2", [&] {
    require_pointer(desc, "desc");
    require_pointer(dimSize, "dimSize");
    if (index >= desc->shape.size()) {
      throw ApiError(ACL_ERROR_INVALID_PARAM,
                     "index is " + std::to_string(index) + ", the tensor has " +
                         std::to_string(desc->shape.size()) + " dimensions");
    }
    *dimSize = desc->shape[index];
  });
}

void aclSetTensorDescName(aclTensorDesc* desc, const char* name) {
  if (desc != nullptr) desc->name = name == nullptr ? "" : name;
}

const char* aclGetTensorDescName(aclTensorDesc* desc) {
  return desc == nullptr ? "" : desc->name.c_str();
}

aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format) {
  return api_call("aclSetTensorFormat", [&] {
    require_pointer(desc, "desc");
    desc->format = format;
  });
}

aclError aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
  return api_call("aclSetTensorShape", [&] {
    require_pointer(desc, "desc");
    desc->shape = shape_of(numDims, dims);
  });
}

aclError aclSetTensorConst(aclTensorDesc* desc, void* dataBuffer, size_t length) {
  return api_call("aclSetTensorConst", [&] {
    require_pointer(desc, "desc");
    require_pointer(dataBuffer, "dataBuffer");
    if (length < aclGetTensorDescSize(desc)) {
      throw ApiError(ACL_ERROR_INVALID_PARAM,
                     "length is " + std::to_string(length) + ", the tensor has " +
                         std::to_string(aclGetTensorDescSize(desc)) + " bytes");
    }
    const auto* const first = static_cast<const std::byte*>(dataBuffer);
    desc->values.assign(first, first + length);
  });
}

// What follows concerns compilers of graphs: taken, and of no consequence here.

aclError aclSetTensorOriginFormat(aclTensorDesc* desc, aclFormat) {
  return api_call("aclSetTensorOriginFormat", [&] { require_pointer(desc, "desc"); });
}

aclError aclSetTensorOriginShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
  return api_call("aclSetTensorOriginShape", [&] {
    require_pointer(desc, "desc");
    shape_of(numDims, dims);
  });
}

aclError aclSetTensorShapeRange(aclTensorDesc* desc, size_t dimsCount,
                                int64_t dimsRange[][ACL_TENSOR_SHAPE_RANGE_NUM]) {
  return api_call("aclSetTensorShapeRange", [&] {
    require_pointer(desc, "desc");
    if (dimsCount > 0) require_pointer(dimsRange, "dimsRange");
  });
}

aclError aclSetTensorValueRange(aclTensorDesc* desc, size_t valueCount,
                                int64_t valueRange[][ACL_TENSOR_VALUE_RANGE_NUM]) {
  return api_call("aclSetTensorValueRange", [&] {
    require_pointer(desc, "desc");
    if (valueCount > 0) require_pointer(valueRange, "valueRange");
  });
}

aclError aclSetTensorStorageFormat(aclTensorDesc* desc, aclFormat format) {
  return aclSetTensorFormat(desc, format);
}

aclError aclSetTensorStorageShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
  return aclSetTensorShape(desc, numDims, dims);
}

aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType) {
  return api_call("aclSetTensorPlaceMent", [&] { require_pointer(desc, "desc"); });
}
