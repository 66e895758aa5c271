#include "driver/response_files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <string_view>
#include <utility>

#include "driver/options.hpp"

namespace davsim::driver {
namespace {

// What a command line may need, so that files which name each other twice, or a device that never
// ends, are refused and not read until the memory is full.
constexpr std::size_t kMostFiles = 2000;
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::array<char, 1 << 16> piece{};
  do {
    file.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMostBytes) {
      throw UsageError("the response file " + path + " has more than 16 MiB");
    }
  } while (file);
  // A folder opens and cannot be read.
  if (!file.is_open() || file.bad()) throw UsageError("cannot read " + path);
  return text;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  char quote = '\0';
  bool open = false;  // a word has begun; it may be empty, between quotes
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == '\0' && std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (open) words.push_back(std::exchange(word, {}));
      open = false;
      continue;
    }
    open = true;
    if (quote != '\0' ? c == quote : c == '"' || c == '\'') {
      quote = quote != '\0' ? '\0' : c;
    } else if (c == '\\' && at + 1 < text.size()) {
      word += text[++at];
    } else {
      word += c;
    }
  }
  if (open) words.push_back(word);
  return words;
}

class Expansion {
 public:
  void expand(const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments) {
      if (argument.size() < 2 || argument[0] != '@') {
        all.push_back(argument);
      } else {
        read(argument.substr(1));
      }
    }
  }
  std::vector<std::string> all;

 private:
  void read(const std::string& path) {
    if (std::find(within_.begin(), within_.end(), path) != within_.end()) {
      throw UsageError("the response file " + path + " stands in itself");
    }
    if (++files_ > kMostFiles) {
      throw UsageError("more than " + std::to_string(kMostFiles) + " response files");
    }
    within_.push_back(path);
    expand(words_of(content(path)));
    within_.pop_back();
  }

  std::vector<std::string> within_;  ///< the files that are being read, the outermost one first
  std::size_t files_ = 0;
};

}  // namespace

std::vector<std::string> with_response_files(const std::vector<std::string>& arguments) {
  Expansion expansion;
  expansion.expand(arguments);
  return expansion.all;
}

}  // namespace davsim::driver
