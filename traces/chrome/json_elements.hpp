// Reads the elements of the lists of a JSON object one by one, however the document is laid out, so
// that a large document needs memory for one element.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>

namespace davsim::traces {

/// No event and no report of a launch is longer.
inline constexpr std::size_t kMostElementBytes = std::size_t{64} << 20;

/// Reads a line without its end. Returns false at the end of the stream. Throws
/// std::invalid_argument for a line of more than kMostElementBytes.
bool next_line(std::istream& stream, std::string& line);

class JsonElements {
 public:
  /// The document is `start` and what follows in `stream`.
  JsonElements(std::istream& stream, std::string start);

  /// Whether the document begins with an object.
  bool is_object();
  /// Goes to the next element of a list that is a member of the object. Returns false at the end.
  /// Throws std::invalid_argument for an element of more than kMostElementBytes.
  bool next();
  std::string_view member() const { return member_; }  ///< the name of the list
  std::string_view text() const { return text_; }      ///< the element
  std::size_t line() const { return line_; }           ///< where the reader is, from 1
  /// At the end: whether the object was closed and only white space follows.
  bool whole() const { return whole_; }

 private:
  int get();
  int get_past_space();
  void read_string();
  void read_value(int first);

  std::istream& stream_;
  std::string start_;
  std::size_t at_ = 0, line_ = 1;
  std::string member_, text_;
  bool in_list_ = false, whole_ = false;
};

}  // namespace davsim::traces
