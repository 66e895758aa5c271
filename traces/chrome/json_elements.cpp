#include "traces/chrome/json_elements.hpp"

#include <stdexcept>
#include <utility>

namespace davsim::traces {
namespace {

constexpr int kEnd = std::istream::traits_type::eof();

bool is_space(int c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

[[noreturn]] void refuse_length() {
  throw std::invalid_argument("it has an element of more than " +
                              std::to_string(kMostElementBytes >> 20) + " MiB");
}

}  // namespace

bool next_line(std::istream& stream, std::string& line) {
  line.clear();
  std::streambuf& buffer = *stream.rdbuf();
  for (int c = buffer.sbumpc(); c != '\n'; c = buffer.sbumpc()) {
    if (c == kEnd) return !line.empty();
    if (line.size() == kMostElementBytes) refuse_length();
    line += static_cast<char>(c);
  }
  return true;
}

JsonElements::JsonElements(std::istream& stream, std::string start)
    : stream_(stream), start_(std::move(start)) {}

int JsonElements::get() {
  const int c =
      at_ < start_.size() ? static_cast<unsigned char>(start_[at_++]) : stream_.rdbuf()->sbumpc();
  if (c == '\n') ++line_;
  return c;
}

int JsonElements::get_past_space() {
  int c = get();
  while (is_space(c)) c = get();
  return c;
}

bool JsonElements::is_object() {
  return get_past_space() == '{';
}

/// Reads the rest of a string, with its last quote, behind what `text_` holds.
void JsonElements::read_string() {
  for (bool escaped = false;;) {
    const int c = get();
    if (c == kEnd) throw std::invalid_argument("the document ends in a string");
    if (text_.size() == kMostElementBytes) refuse_length();
    text_ += static_cast<char>(c);
    if (c == '"' && !escaped) return;
    escaped = c == '\\' && !escaped;
  }
}

/// Reads a value that begins with `first` into `text_`. The parser of the element finds what is
/// wrong inside it.
void JsonElements::read_value(int first) {
  text_.clear();
  int depth = 0;
  for (int c = first;; c = get()) {
    if (c == kEnd) throw std::invalid_argument("the document ends in a value");
    if (text_.size() == kMostElementBytes) refuse_length();
    text_ += static_cast<char>(c);
    if (c == '"') read_string();
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth > 0) continue;
    if (c == '}' || c == ']' || c == '"') return;
    const int next = at_ < start_.size() ? start_[at_] : stream_.rdbuf()->sgetc();
    if (next == ',' || next == '}' || next == ']' || next == kEnd || is_space(next)) return;
  }
}

bool JsonElements::next() {
  while (!whole_) {
    int c = get_past_space();
    if (c == ',') c = get_past_space();
    if (in_list_) {
      if (c != ']') {
        read_value(c);
        return true;
      }
      in_list_ = false;
      continue;
    }
    if (c == '}') {
      whole_ = get_past_space() == kEnd;
      if (!whole_) throw std::invalid_argument("something follows the end of the trace");
      return false;
    }
    if (c != '"') throw std::invalid_argument("a member of the object has no name");
    text_.clear();
    read_string();
    text_.pop_back();
    member_ = std::move(text_);
    if (get_past_space() != ':') throw std::invalid_argument("a member of the object has no value");
    c = get_past_space();
    in_list_ = c == '[';
    if (!in_list_) read_value(c);
  }
  return false;
}

}  // namespace davsim::traces
