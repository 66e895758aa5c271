// Sizes and names of data types and formats.
#include "graph/types.h"

#include <cstring>

#include "graph/utils/type_utils.h"

namespace ge {
namespace {

struct TypeRow {
  DataType type;
  int bits;  ///< of an element; 0: it has no size
  const char* name;
};

constexpr TypeRow kTypes[] = {
    {DT_FLOAT, 32, "DT_FLOAT"},
    {DT_FLOAT16, 16, "DT_FLOAT16"},
    {DT_INT8, 8, "DT_INT8"},
    {DT_INT32, 32, "DT_INT32"},
    {DT_UINT8, 8, "DT_UINT8"},
    {DT_INT16, 16, "DT_INT16"},
    {DT_UINT16, 16, "DT_UINT16"},
    {DT_UINT32, 32, "DT_UINT32"},
    {DT_INT64, 64, "DT_INT64"},
    {DT_UINT64, 64, "DT_UINT64"},
    {DT_DOUBLE, 64, "DT_DOUBLE"},
    {DT_BOOL, 8, "DT_BOOL"},
    {DT_STRING, 0, "DT_STRING"},
    {DT_COMPLEX64, 64, "DT_COMPLEX64"},
    {DT_COMPLEX128, 128, "DT_COMPLEX128"},
    {DT_QINT8, 8, "DT_QINT8"},
    {DT_QINT16, 16, "DT_QINT16"},
    {DT_QINT32, 32, "DT_QINT32"},
    {DT_QUINT8, 8, "DT_QUINT8"},
    {DT_QUINT16, 16, "DT_QUINT16"},
    {DT_BF16, 16, "DT_BF16"},
    {DT_UNDEFINED, 0, "DT_UNDEFINED"},
    {DT_INT4, 4, "DT_INT4"},
    {DT_UINT1, 1, "DT_UINT1"},
    {DT_INT2, 2, "DT_INT2"},
    {DT_UINT2, 2, "DT_UINT2"},
    {DT_COMPLEX32, 32, "DT_COMPLEX32"},
    {DT_HIFLOAT8, 8, "DT_HIFLOAT8"},
    {DT_FLOAT8_E5M2, 8, "DT_FLOAT8_E5M2"},
    {DT_FLOAT8_E4M3FN, 8, "DT_FLOAT8_E4M3FN"},
    {DT_FLOAT8_E8M0, 8, "DT_FLOAT8_E8M0"},
    {DT_FLOAT4_E2M1, 4, "DT_FLOAT4_E2M1"},
    {DT_FLOAT4_E1M2, 4, "DT_FLOAT4_E1M2"},
};

struct FormatRow {
  Format format;
  const char* name;
};

constexpr FormatRow kFormats[] = {
    {FORMAT_NCHW, "NCHW"},
    {FORMAT_NHWC, "NHWC"},
    {FORMAT_ND, "ND"},
    {FORMAT_NC1HWC0, "NC1HWC0"},
    {FORMAT_FRACTAL_Z, "FRACTAL_Z"},
    {FORMAT_NC1HWC0_C04, "NC1HWC0_C04"},
    {FORMAT_CHWN, "CHWN"},
    {FORMAT_HWCN, "HWCN"},
    {FORMAT_NDHWC, "NDHWC"},
    {FORMAT_FRACTAL_NZ, "FRACTAL_NZ"},
    {FORMAT_NCDHW, "NCDHW"},
    {FORMAT_DHWCN, "DHWCN"},
    {FORMAT_NDC1HWC0, "NDC1HWC0"},
    {FORMAT_FRACTAL_Z_3D, "FRACTAL_Z_3D"},
    {FORMAT_NC, "NC"},
    {FORMAT_NCL, "NCL"},
    {FORMAT_NULL, "NULL"},
};

int bits_of(DataType type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row.bits;
  }
  return 0;
}

}  // namespace

int GetSizeByDataType(DataType type) {
  const int bits = bits_of(type);
  if (bits == 0) return -1;
  return bits < 8 ? kDataTypeSizeBitOffset + bits : bits / 8;
}

std::int64_t GetSizeInBytes(std::int64_t count, DataType type) {
  const int bits = bits_of(type);
  std::int64_t total = 0;
  if (bits == 0 || count < 0 || __builtin_mul_overflow(count, bits, &total)) return -1;
  return total / 8 + (total % 8 != 0 ? 1 : 0);
}

}  // namespace ge

namespace davsim::op_host {

const char* type_name(ge::DataType type) {
  for (const ge::TypeRow& row : ge::kTypes) {
    if (row.type == type) return row.name;
  }
  return "DT_UNDEFINED";
}

ge::DataType type_of_name(const char* name) {
  for (const ge::TypeRow& row : ge::kTypes) {
    if (std::strcmp(row.name, name) == 0) return row.type;
  }
  return ge::DT_UNDEFINED;
}

const char* format_name(ge::Format format) {
  for (const ge::FormatRow& row : ge::kFormats) {
    if (row.format == format) return row.name;
  }
  return "RESERVED";
}

ge::Format format_of_name(const char* name) {
  for (const ge::FormatRow& row : ge::kFormats) {
    if (std::strcmp(row.name, name) == 0) return row.format;
  }
  return ge::FORMAT_RESERVED;
}

}  // namespace davsim::op_host
