// Reading a call's attributes. Operators use nothing else for it: a wrong type becomes a refusal
// that names attribute, value and type, whoever finds it first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/registry/operator.hpp"

namespace davsim::ops {

/// False where the attribute is not given and has no default.
bool has_attribute(const Call& call, std::string_view name);

/// Value of an attribute. Each throws Refusal(kAttr) naming attribute, value and expected type
/// where it is absent or of another type.
std::int64_t int_attribute(const Call& call, std::string_view name);
double float_attribute(const Call& call, std::string_view name);  ///< any JSON number
bool bool_attribute(const Call& call, std::string_view name);
std::string string_attribute(const Call& call, std::string_view name);
std::vector<std::int64_t> int_list_attribute(const Call& call, std::string_view name);

/// `value` in the form the getters expect of an attribute of `spec.type`: integers as int64, floats
/// as double. Throws Refusal(kAttr) for another type, std::logic_error for a type that is none.
boost::json::value typed_attribute(const AttributeSpec& spec, const boost::json::value& value);

}  // namespace davsim::ops
