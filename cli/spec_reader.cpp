#include "cli/spec_reader.hpp"

#include <algorithm>

#include "cli/errors.hpp"
#include "cli/table.hpp"

namespace davsim::cli {

namespace json = boost::json;

void SpecValue::refuse(const std::string& what) const {
  throw UsageError(file_ + ": " + (path_.empty() ? "" : path_ + ": ") + what,
                   "the description of a sweep follows docs/sweep.md");
}

const json::object& SpecValue::object() const {
  if (!value_.is_object()) refuse("this must be an object, not " + json::serialize(value_));
  return value_.get_object();
}

const json::object& SpecValue::object(std::initializer_list<std::string_view> known) const {
  const std::vector<std::string> names(known.begin(), known.end());
  for (const auto& member : object()) {
    const std::string name = member.key();
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string hint = did_you_mean(name, names);
    refuse("unknown member '" + name + "'" +
           (hint.empty() ? "; there are " + joined(names) : hint));
  }
  return value_.get_object();
}

SpecValue SpecValue::at(std::string_view name) const {
  const auto found = find(name);
  if (!found) refuse("'" + std::string(name) + "' is missing");
  return *found;
}

std::optional<SpecValue> SpecValue::find(std::string_view name) const {
  const json::value* value = object().if_contains(name);
  if (value == nullptr) return std::nullopt;
  return SpecValue(*value, file_, (path_.empty() ? "" : path_ + ".") + std::string(name));
}

std::vector<SpecValue> SpecValue::list() const {
  if (!value_.is_array()) refuse("this must be a list, not " + json::serialize(value_));
  const json::array& array = value_.get_array();
  if (array.empty()) refuse("the list is empty");
  std::vector<SpecValue> values;
  for (std::size_t i = 0; i < array.size(); ++i) {
    values.emplace_back(array[i], file_, path_ + "[" + std::to_string(i) + "]");
    if (std::count(array.begin(), array.end(), array[i]) > 1) {
      values.back().refuse(json::serialize(array[i]) + " is in the list twice");
    }
  }
  return values;
}

std::string SpecValue::text() const {
  if (!value_.is_string()) refuse("this must be a string, not " + json::serialize(value_));
  return value_.get_string().c_str();
}

bool SpecValue::flag() const {
  if (!value_.is_bool()) refuse("this must be true or false, not " + json::serialize(value_));
  return value_.get_bool();
}

std::uint64_t SpecValue::whole() const {
  boost::system::error_code error;
  const auto number = value_.is_number() ? value_.to_number<std::uint64_t>(error) : 0;
  if (!value_.is_number() || error) {
    refuse("this must be a whole number of at least 0, not " + json::serialize(value_));
  }
  return number;
}

std::string SpecValue::text_or_number() const {
  if (value_.is_string()) return text();
  if (!value_.is_number()) {
    refuse("this must be a number or a string such as \"96MiB\", not " + json::serialize(value_));
  }
  return json::serialize(value_);
}

}  // namespace davsim::cli
