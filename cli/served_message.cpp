#include "cli/served_message.hpp"

#include <charconv>

#include "cli/errors.hpp"

namespace davsim::cli::message {

namespace json = boost::json;

void refuse(const std::string& found) {
  throw UsageError(found, "messages are those of docs/python.md");
}

const json::value& member(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr) refuse("a message lacks its member '" + std::string(name) + "'");
  return *value;
}

std::string text_of(const json::object& object, std::string_view name) {
  const json::value& value = member(object, name);
  if (!value.is_string()) refuse("member '" + std::string(name) + "' is no string");
  return value.as_string().c_str();
}

std::uint64_t number(const json::value& value, std::string_view name) {
  if (value.is_uint64()) return value.as_uint64();
  if (!value.is_int64() || value.as_int64() < 0) {
    refuse("'" + std::string(name) + "' is " + json::serialize(value) + ", no whole number from 0");
  }
  return static_cast<std::uint64_t>(value.as_int64());
}

std::uint64_t number_of(const json::object& object, std::string_view name) {
  return number(member(object, name), name);
}

const json::array& list_of(const json::object& object, std::string_view name) {
  const json::value& value = member(object, name);
  if (!value.is_array()) refuse("member '" + std::string(name) + "' is no list");
  return value.as_array();
}

const json::object& object_in(const json::value& value, std::string_view what) {
  if (!value.is_object()) refuse(std::string(what) + " is no object");
  return value.as_object();
}

bool flag_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr) return false;
  if (!value->is_bool()) refuse("member '" + std::string(name) + "' is no bool");
  return value->as_bool();
}

std::string from_hexadecimal(const std::string& digits) {
  std::string bytes(digits.size() / 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    unsigned value = 0;
    const char* const pair = digits.data() + 2 * i;
    if (std::from_chars(pair, pair + 2, value, 16).ptr != pair + 2) {
      refuse("'bytes' has '" + std::string(pair, 2) + "', no hexadecimal digits");
    }
    bytes[i] = static_cast<char>(value);
  }
  if (digits.size() % 2 != 0) refuse("'bytes' has an odd number of digits");
  return bytes;
}

}  // namespace davsim::cli::message
