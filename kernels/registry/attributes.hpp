// Reads a call's attributes. Operators use only these functions, so that a wrong type always
// becomes a refusal that names attribute, value and type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/registry/operator.hpp"

namespace davsim::operators {

/// False if the attribute is not given and has no default.
bool has_attribute(const Call& call, std::string_view name);

/// The value of an attribute. Each function throws Refusal(kAttr) with attribute, value and
/// expected type if the attribute is absent or has another type.
std::int64_t int_attribute(const Call& call, std::string_view name);
double float_attribute(const Call& call, std::string_view name);  ///< any JSON number
bool bool_attribute(const Call& call, std::string_view name);
std::string string_attribute(const Call& call, std::string_view name);
std::vector<std::int64_t> int_list_attribute(const Call& call, std::string_view name);

/// `value` in the form the getters expect of an attribute of `spec.type`: integers as int64, floats
/// as double. Throws Refusal(kAttr) for another type, std::logic_error for a type that is none.
boost::json::value typed_attribute(const AttributeSpec& spec, const boost::json::value& value);

}  // namespace davsim::operators
