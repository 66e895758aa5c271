// A message as a list of its pieces. Kernels name the pieces, and isa/api puts the text together,
// so that kernels are not compiled with std::string.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace davsim::isa {

/// Text or a whole number. The text is not copied.
class Piece {
 public:
  template <class Text>
  requires std::convertible_to<const Text&, std::string_view>
  constexpr Piece(const Text& text) : text_(text) {}
  template <std::integral T>
  constexpr Piece(T number)
      : number_(static_cast<std::uint64_t>(number)), negative_(number < T{}), is_number_(true) {}

  constexpr bool is_number() const { return is_number_; }
  constexpr std::string_view text() const { return text_; }
  /// Two's complement where negative() holds.
  constexpr std::uint64_t number() const { return number_; }
  constexpr bool negative() const { return negative_; }

 private:
  std::string_view text_;
  std::uint64_t number_ = 0;
  bool negative_ = false;
  bool is_number_ = false;
};

using Message = std::initializer_list<Piece>;

}  // namespace davsim::isa
