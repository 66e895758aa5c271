#include "runtime/aclnn/element_types.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace davsim::runtime {
namespace {

constexpr std::array<std::pair<aclDataType, isa::DType>, 13> kTypes = {{
    {ACL_FLOAT, isa::DType::kF32},
    {ACL_FLOAT16, isa::DType::kF16},
    {ACL_BF16, isa::DType::kBF16},
    {ACL_INT8, isa::DType::kI8},
    {ACL_UINT8, isa::DType::kU8},
    {ACL_INT16, isa::DType::kI16},
    {ACL_UINT16, isa::DType::kU16},
    {ACL_INT32, isa::DType::kI32},
    {ACL_UINT32, isa::DType::kU32},
    {ACL_INT64, isa::DType::kI64},
    {ACL_UINT64, isa::DType::kU64},
    {ACL_BOOL, isa::DType::kBool},
    {ACL_DOUBLE, isa::DType::kF64},
}};

}  // namespace

isa::DType element_type(aclDataType type) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                  [type](const auto& known) { return known.first == type; });
  return found == kTypes.end() ? isa::DType::kNone : found->second;
}

aclDataType acl_type(isa::DType dtype) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                  [dtype](const auto& known) { return known.second == dtype; });
  return found == kTypes.end() ? ACL_DT_UNDEFINED : found->first;
}

}  // namespace davsim::runtime
