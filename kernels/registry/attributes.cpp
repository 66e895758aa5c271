#include "kernels/registry/attributes.hpp"

#include <array>
#include <boost/json.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

namespace davsim::operators {
namespace {

namespace json = boost::json;

std::optional<json::value> to_int(const json::value& value) {
  if (!value.is_int64() && !value.is_uint64()) return std::nullopt;
  boost::system::error_code out_of_range;
  const auto number = value.to_number<std::int64_t>(out_of_range);
  if (out_of_range) return std::nullopt;
  return json::value(number);
}

std::optional<json::value> to_float(const json::value& value) {
  if (!value.is_number()) return std::nullopt;
  const auto number = value.to_number<double>();
  // Kernels take it as a float. Digits beyond what a double holds are infinity here.
  if (!(std::fabs(number) <= std::numeric_limits<float>::max())) return std::nullopt;
  return json::value(number);
}

std::optional<json::value> to_bool(const json::value& value) {
  return value.is_bool() ? std::optional(value) : std::nullopt;
}

std::optional<json::value> to_text(const json::value& value) {
  return value.is_string() ? std::optional(value) : std::nullopt;
}

/// A list whose items `convert` takes.
template <auto convert>
std::optional<json::value> to_list(const json::value& value) {
  if (!value.is_array()) return std::nullopt;
  json::array list;
  for (const json::value& item : value.get_array()) {
    const auto converted = convert(item);
    if (!converted) return std::nullopt;
    list.push_back(*converted);
  }
  return json::value(std::move(list));
}

struct AttributeType {
  std::string_view name;
  std::string_view in_words;
  std::optional<json::value> (*convert)(const json::value&);
};

constexpr std::array<AttributeType, 8> kTypes = {{
    {"int", "an integer", to_int},
    {"float", "a number that a float holds", to_float},
    {"bool", "true or false", to_bool},
    {"string", "a string", to_text},
    {"int list", "a list of integers", to_list<to_int>},
    {"float list", "a list of numbers that a float holds", to_list<to_float>},
    {"bool list", "a list of true and false", to_list<to_bool>},
    {"int list list", "a list of lists of integers", to_list<to_list<to_int>>},
}};

json::value convert(std::string_view name, std::string_view type, const json::value& value) {
  for (const AttributeType& known : kTypes) {
    if (known.name != type) continue;
    if (auto converted = known.convert(value)) return std::move(*converted);
    const std::string rule = std::string(name) + " is " + std::string(known.in_words);
    throw Refusal(ErrorClass::kAttr, rule, rule + "; found " + json::serialize(value));
  }
  throw std::logic_error("attribute " + std::string(name) + " has the unknown type '" +
                         std::string(type) + "'");
}

json::value read(const Call& call, std::string_view name, std::string_view type) {
  const json::value* value = call.attributes.if_contains(name);
  if (value == nullptr) {
    throw Refusal(
        ErrorClass::kAttr, std::string(name) + " is required",
        "attribute " + std::string(name) + " is missing; expected type: " + std::string(type));
  }
  return convert(name, type, *value);
}

}  // namespace

bool has_attribute(const Call& call, std::string_view name) {
  return call.attributes.contains(name);
}

std::int64_t int_attribute(const Call& call, std::string_view name) {
  return read(call, name, "int").as_int64();
}

double float_attribute(const Call& call, std::string_view name) {
  return read(call, name, "float").as_double();
}

bool bool_attribute(const Call& call, std::string_view name) {
  return read(call, name, "bool").as_bool();
}

std::string string_attribute(const Call& call, std::string_view name) {
  return std::string(read(call, name, "string").as_string());
}

std::vector<std::int64_t> int_list_attribute(const Call& call, std::string_view name) {
  const json::value value = read(call, name, "int list");
  std::vector<std::int64_t> list;
  for (const json::value& item : value.as_array()) {
    list.push_back(item.as_int64());
  }
  return list;
}

json::value typed_attribute(const AttributeSpec& spec, const json::value& value) {
  return convert(spec.name, spec.type, value);
}

}  // namespace davsim::operators
