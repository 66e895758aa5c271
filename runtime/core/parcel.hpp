// What a message between processes of one machine and one build consists of, one part after the
// other.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace davsim::runtime {

class Parcel {
 public:
  template <class Part>
  void put(const Part& part) {
    static_assert(std::is_trivially_copyable_v<Part>);
    bytes_.append(reinterpret_cast<const char*>(&part), sizeof part);
  }
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
  }
  void put(const std::vector<std::uint64_t>& words) {
    put(static_cast<std::uint64_t>(words.size()));
    for (const std::uint64_t word : words) put(word);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes the parts out in the same order. Throws std::runtime_error where there is none left.
class OpenedParcel {
 public:
  explicit OpenedParcel(std::string bytes) : bytes_(std::move(bytes)) {}

  template <class Part>
  Part take() {
    static_assert(std::is_trivially_copyable_v<Part>);
    Part part;
    std::memcpy(&part, next(sizeof part), sizeof part);
    return part;
  }
  std::string take_text() {
    const auto size = take<std::uint64_t>();
    return {next(size), size};
  }
  std::vector<std::uint64_t> take_words() {
    const auto size = take<std::uint64_t>();
    std::vector<std::uint64_t> words;
    for (std::uint64_t i = 0; i < size; ++i) words.push_back(take<std::uint64_t>());
    return words;
  }

 private:
  const char* next(std::uint64_t size) {
    if (size > bytes_.size() - at_) throw std::runtime_error("a message is too short");
    at_ += size;
    return bytes_.data() + at_ - size;
  }

  std::string bytes_;
  std::size_t at_ = 0;
};

}  // namespace davsim::runtime
