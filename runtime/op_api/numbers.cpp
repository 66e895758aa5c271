#include <cstdint>
#include <cstring>

#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"
#include "opdev/common_types.h"

namespace davsim::op_api {
namespace {

template <class T>
double as(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (requires { value.bits; }) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    return static_cast<double>(value);
  }
}

}  // namespace

double number_of(aclDataType type, const std::byte* bytes) {
  switch (type) {
    case ACL_FLOAT:
    case ACL_COMPLEX64:
      return as<float>(bytes);
    case ACL_DOUBLE:
    case ACL_COMPLEX128:
      return as<double>(bytes);
    case ACL_FLOAT16:
    case ACL_COMPLEX32:
      return as<isa::half>(bytes);
    case ACL_BF16:
      return as<isa::bfloat16_t>(bytes);
    case ACL_INT8:
      return as<std::int8_t>(bytes);
    case ACL_INT16:
      return as<std::int16_t>(bytes);
    case ACL_INT32:
      return as<std::int32_t>(bytes);
    case ACL_INT64:
      return as<std::int64_t>(bytes);
    case ACL_UINT8:
    case ACL_BOOL:
      return as<std::uint8_t>(bytes);
    case ACL_UINT16:
      return as<std::uint16_t>(bytes);
    case ACL_UINT32:
      return as<std::uint32_t>(bytes);
    case ACL_UINT64:
      return as<std::uint64_t>(bytes);
    default:
      return 0;
  }
}

std::int64_t whole_number_of(aclDataType type, const std::byte* bytes) {
  if (type == ACL_INT64 || type == ACL_UINT64) {
    std::int64_t value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  const double number = number_of(type, bytes);
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  if (!(number < kBeyond)) return number != number ? 0 : INT64_MAX;
  return number < -kBeyond ? INT64_MIN : static_cast<std::int64_t>(number);
}

}  // namespace davsim::op_api
