#include "io/strict_json.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace davsim::io {
namespace {

namespace json = boost::json;

/// Builds a value from parse events as json::parser does, and looks at every key on the way.
class Handler {
 public:
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);
  using Error = json::error_code;

  Handler() { stack_.reset(); }
  json::value release() { return stack_.release(); }
  const std::optional<std::string>& duplicate() const { return duplicate_; }

  bool on_document_begin(Error&) { return true; }
  bool on_document_end(Error&) { return true; }
  bool on_object_begin(Error&) {
    keys_.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t size, Error&) {
    keys_.pop_back();
    stack_.push_object(size);
    return true;
  }
  bool on_array_begin(Error&) { return true; }
  bool on_array_end(std::size_t size, Error&) {
    stack_.push_array(size);
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t, Error&) {
    key_ += std::string_view(part);
    stack_.push_chars(part);
    return true;
  }
  bool on_key(json::string_view part, std::size_t, Error& error) {
    key_ += std::string_view(part);
    if (!keys_.back().insert(key_).second) {
      duplicate_ = key_;
      error = json::error::exception;
      return false;
    }
    key_.clear();
    stack_.push_key(part);
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, Error&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(json::string_view part, std::size_t, Error&) {
    stack_.push_string(part);
    return true;
  }
  bool on_number_part(json::string_view, Error&) { return true; }
  bool on_int64(std::int64_t number, json::string_view, Error&) {
    stack_.push_int64(number);
    return true;
  }
  bool on_uint64(std::uint64_t number, json::string_view, Error&) {
    stack_.push_uint64(number);
    return true;
  }
  bool on_double(double number, json::string_view, Error&) {
    stack_.push_double(number);
    return true;
  }
  bool on_bool(bool value, Error&) {
    stack_.push_bool(value);
    return true;
  }
  bool on_null(Error&) {
    stack_.push_null();
    return true;
  }
  bool on_comment_part(json::string_view, Error&) { return true; }
  bool on_comment(json::string_view, Error&) { return true; }

 private:
  json::value_stack stack_;
  std::vector<std::set<std::string, std::less<>>> keys_;  ///< of the objects that are open
  std::string key_;                                       ///< parts of the key being read
  std::optional<std::string> duplicate_;
};

}  // namespace

json::value parse_strict_json(std::string_view text) {
  // Editors on Windows put a byte order mark in front.
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  json::basic_parser<Handler> parser{json::parse_options()};
  json::error_code error;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  const std::string at = " at byte " + std::to_string(read);
  if (const auto& duplicate = parser.handler().duplicate()) {
    throw std::invalid_argument("key '" + *duplicate + "' appears twice" + at);
  }
  if (error) throw std::invalid_argument("not JSON: " + error.message() + at);
  const std::size_t rest = text.find_first_not_of(" \t\r\n", read);
  if (rest != std::string_view::npos) {
    throw std::invalid_argument("not JSON: something follows the value at byte " +
                                std::to_string(rest));
  }
  return parser.handler().release();
}

}  // namespace davsim::io
