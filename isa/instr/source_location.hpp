// The source line of an API call in a kernel. It is like std::source_location, which clang 14
// lacks. A default argument `SourceLocation::current()` is evaluated at the call.
#pragma once

#include <cstdint>

namespace davsim::isa {

class SourceLocation {
 public:
  constexpr SourceLocation() = default;
  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          std::uint32_t line = __builtin_LINE()) {
    return SourceLocation(file, line);
  }

  constexpr const char* file_name() const { return file_; }
  constexpr std::uint32_t line() const { return line_; }  ///< 0: unknown

 private:
  constexpr SourceLocation(const char* file, std::uint32_t line) : file_(file), line_(line) {}

  const char* file_ = "";
  std::uint32_t line_ = 0;
};

}  // namespace davsim::isa
