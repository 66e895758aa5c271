// Reads a JSON document and keeps the path of each value, so that errors can name it.
#pragma once

#include <boost/json.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davsim::cli {

/// A value of the document and its path: "spec.json: operators[1].cases".
class SpecValue {
 public:
  SpecValue(const boost::json::value& value, std::string file, std::string path = "")
      : value_(value), file_(std::move(file)), path_(std::move(path)) {}

  const boost::json::value& json() const { return value_; }
  /// Throws UsageError "file: path: what".
  [[noreturn]] void refuse(const std::string& what) const;

  /// An object without other members than these.
  const boost::json::object& object(std::initializer_list<std::string_view> known) const;
  const boost::json::object& object() const;
  /// Member of an object; must exist.
  SpecValue at(std::string_view name) const;
  std::optional<SpecValue> find(std::string_view name) const;
  /// Elements of a list that has at least one.
  std::vector<SpecValue> list() const;

  std::string text() const;
  bool flag() const;
  std::uint64_t whole() const;  ///< a whole number of at least 0
  /// A string, or a number as it would be typed.
  std::string text_or_number() const;

 private:
  const boost::json::value& value_;
  std::string file_, path_;
};

}  // namespace davsim::cli
