// A description of a tensor: what programs make for calls of operators by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl_base.h"

struct aclTensorDesc {
  aclDataType type;
  aclFormat format;
  std::vector<std::int64_t> shape;
  std::string name;
  std::vector<std::byte> values;  ///< of aclSetTensorConst; none: they are in the call's buffer
};
