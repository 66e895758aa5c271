// Data types and formats of tensors as operators declare them. The numbers are those of the public
// interface; aclDataType and aclFormat have the same.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"

namespace ge {

enum DataType {
  DT_FLOAT = 0,
  DT_FLOAT16 = 1,
  DT_INT8 = 2,
  DT_INT32 = 3,
  DT_UINT8 = 4,
  DT_INT16 = 6,
  DT_UINT16 = 7,
  DT_UINT32 = 8,
  DT_INT64 = 9,
  DT_UINT64 = 10,
  DT_DOUBLE = 11,
  DT_BOOL = 12,
  DT_STRING = 13,
  DT_COMPLEX64 = 16,
  DT_COMPLEX128 = 17,
  DT_QINT8 = 18,
  DT_QINT16 = 19,
  DT_QINT32 = 20,
  DT_QUINT8 = 21,
  DT_QUINT16 = 22,
  DT_BF16 = 27,
  DT_UNDEFINED = 28,
  DT_INT4 = 29,
  DT_UINT1 = 30,
  DT_INT2 = 31,
  DT_UINT2 = 32,
  DT_COMPLEX32 = 33,
};

enum Format {
  FORMAT_NCHW = 0,
  FORMAT_NHWC = 1,
  FORMAT_ND = 2,
  FORMAT_NC1HWC0 = 3,
  FORMAT_FRACTAL_Z = 4,
  FORMAT_HWCN = 16,
  FORMAT_NDHWC = 27,
  FORMAT_FRACTAL_NZ = 29,
  FORMAT_NCDHW = 30,
  FORMAT_DHWCN = 31,
  FORMAT_NDC1HWC0 = 32,
  FORMAT_FRACTAL_Z_3D = 33,
  FORMAT_NCL = 47,
  FORMAT_NULL = 255,
  FORMAT_RESERVED = 256,
};

/// What GetSizeByDataType adds to the bits of types that are smaller than a byte.
constexpr int kDataTypeSizeBitOffset = 1000;

/// Bytes of an element; kDataTypeSizeBitOffset + bits where an element is smaller; -1 for a type
/// without a size.
int GetSizeByDataType(DataType type);
/// Bytes of `count` elements, rounded up; -1 for a type without a size or a negative count.
std::int64_t GetSizeInBytes(std::int64_t count, DataType type);

/// The format without the bits of sub-formats.
constexpr std::int32_t GetPrimaryFormat(std::int32_t format) {
  return format & 0xff;
}

}  // namespace ge
