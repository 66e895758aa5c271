// Numbers that a function gives to others it consists of.
#pragma once

#include <cstring>

#include "runtime/basic_operators/first_phase.hpp"

namespace davsim::basic {

/// A float that lives as long as the work.
inline const aclScalar* float_number(WorkList& work, double value) {
  auto* const scalar = work.make<aclScalar>();
  const auto number = static_cast<float>(value);
  scalar->type = ACL_FLOAT;
  std::memcpy(scalar->value.data(), &number, sizeof number);
  return scalar;
}

}  // namespace davsim::basic
