#include "driver/both_sides.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace davsim::driver {
namespace {

/// Reads forwards over blanks and lines of the preprocessor, which come with macros of headers of
/// the system.
class Words {
 public:
  Words(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  bool takes(std::string_view word) {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      const bool line_ends = text_[at_++] == '\n';
      if (line_ends && text_.substr(at_).starts_with("#"))
        at_ = std::min(text_.find('\n', at_), text_.size());
    }
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool takes_device() { return takes("aicore") || (takes("[") && takes("]")); }
  std::size_t at() const { return at_; }

 private:
  std::string_view text_;
  std::size_t at_;
};

/// The end of [host, aicore] or [aicore, host] at `open`, a bracket; 0 if it is something else.
std::size_t end_of_both(std::string_view text, std::size_t open) {
  Words first(text, open + 1);
  if (first.takes("host") && first.takes(",") && first.takes_device() && first.takes("]")) {
    return first.at();
  }
  Words second(text, open + 1);
  if (second.takes_device() && second.takes(",") && second.takes("host") && second.takes("]")) {
    return second.at();
  }
  return 0;
}

}  // namespace

void strip_both_sides(std::string& text) {
  for (std::size_t at = 0; (at = text.find('[', at)) != text.npos; ++at) {
    const std::size_t end = end_of_both(text, at);
    for (std::size_t i = at; i < end; ++i) {
      if (text[i] == '\n' && text[i + 1] == '#') {
        i = text.find('\n', i + 1) - 1;
      } else if (text[i] != '\n') {
        text[i] = ' ';
      }
    }
  }
}

}  // namespace davsim::driver
