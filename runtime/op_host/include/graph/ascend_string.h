// The string of interfaces between libraries, which may have different layouts of std::string.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

namespace ge {

class AscendString {
 public:
  AscendString() = default;
  AscendString(const char* text) : AscendString(text, text == nullptr ? 0 : std::strlen(text)) {}
  AscendString(const char* text, std::size_t length) {
    if (text == nullptr) return;
    text_.assign(text, text + length);
    text_.push_back('\0');
  }

  const char* GetString() const { return text_.empty() ? "" : text_.data(); }
  std::size_t GetLength() const { return text_.empty() ? 0 : text_.size() - 1; }
  /// Where `part` begins; npos of std::string where it is not.
  std::size_t Find(const AscendString& part) const {
    const char* found = std::strstr(GetString(), part.GetString());
    return found == nullptr ? static_cast<std::size_t>(-1)
                            : static_cast<std::size_t>(found - GetString());
  }

  bool operator==(const AscendString& other) const { return Compare(other) == 0; }
  bool operator!=(const AscendString& other) const { return Compare(other) != 0; }
  bool operator<(const AscendString& other) const { return Compare(other) < 0; }
  bool operator>(const AscendString& other) const { return Compare(other) > 0; }
  bool operator<=(const AscendString& other) const { return Compare(other) <= 0; }
  bool operator>=(const AscendString& other) const { return Compare(other) >= 0; }

 private:
  int Compare(const AscendString& other) const {
    return std::strcmp(GetString(), other.GetString());
  }

  std::vector<char> text_;
};

}  // namespace ge
