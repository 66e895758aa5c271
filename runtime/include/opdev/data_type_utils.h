// What data types are, for hand-written aclnn functions.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "opdev/common_types.h"

namespace op {

/// "DT_FLOAT16"
ge::AscendString ToString(DataType type);
/// "[DT_FLOAT16, DT_FLOAT]"
ge::AscendString ToString(const std::initializer_list<DataType>& types);
ge::AscendString ToString(const std::vector<DataType>& types);

template <class Types>
bool CheckType(DataType type, const Types& types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}
inline bool CheckType(DataType type, const std::initializer_list<DataType>& types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

inline bool IsComplexType(DataType type) {
  return CheckType(type, {ge::DT_COMPLEX32, ge::DT_COMPLEX64, ge::DT_COMPLEX128});
}
inline bool IsFloatingType(DataType type) {
  return CheckType(type, {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
}
inline bool IsIntegralType(DataType type, bool with_bool = false) {
  return CheckType(type, {ge::DT_INT8, ge::DT_INT16, ge::DT_INT32, ge::DT_INT64, ge::DT_UINT8,
                          ge::DT_UINT16, ge::DT_UINT32, ge::DT_UINT64}) ||
         (with_bool && type == ge::DT_BOOL);
}
inline bool IsRealNumberType(DataType type) {
  return IsFloatingType(type) || IsIntegralType(type);
}
inline bool IsNumberType(DataType type) {
  return IsRealNumberType(type) || IsComplexType(type);
}
inline bool IsBasicType(DataType type) {
  return IsNumberType(type);
}

/// Whether values of a type may become another one's: not from complex to real, from floating to
/// whole numbers, or from others to bool.
bool CanCast(DataType from, DataType to);
/// The type that values of both become where they meet; DT_UNDEFINED if there is none.
DataType PromoteType(DataType a, DataType b);

/// Bytes of an element; of one of less than a byte as ge::GetSizeByDataType has it.
inline std::size_t TypeSize(DataType type) {
  const int size = ge::GetSizeByDataType(type);
  return size < 0 ? 16 : static_cast<std::size_t>(size);
}
inline std::int64_t CalcShapeBytes(std::int64_t elements, DataType type, bool = false) {
  return ge::GetSizeInBytes(elements, type);
}

constexpr DataType ToOpDataType(aclDataType type) {
  return type == ACL_DT_UNDEFINED ? DataType::DT_UNDEFINED : static_cast<DataType>(type);
}
constexpr aclDataType ToAclDataType(DataType type) {
  return type == DataType::DT_UNDEFINED ? ACL_DT_UNDEFINED : static_cast<aclDataType>(type);
}

}  // namespace op
