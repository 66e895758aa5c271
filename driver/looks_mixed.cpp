#include "driver/looks_mixed.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include "driver/process.hpp"

namespace davsim::driver {
namespace {

namespace fs = std::filesystem;

/// The folders of -I DIR and -IDIR.
std::vector<fs::path> include_folders(const std::vector<std::string>& options) {
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    if (option == "-I" && i + 1 < options.size()) {
      folders.emplace_back(options[++i]);
    } else if (option.starts_with("-I") && option.size() > 2) {
      folders.emplace_back(option.substr(2));
    }
  }
  return folders;
}

/// The names in #include "name" of a text; those in <> are not the user's.
std::vector<std::string> included_names(std::string_view text) {
  constexpr std::string_view kWord = "include";
  std::vector<std::string> names;
  for (std::size_t at = text.find(kWord); at != text.npos; at = text.find(kWord, at + 1)) {
    const std::size_t hash = at == 0 ? text.npos : text.find_last_not_of(" \t", at - 1);
    if (hash == text.npos || text[hash] != '#') continue;
    const std::size_t open = text.find_first_not_of(" \t", at + kWord.size());
    if (open == text.npos || text[open] != '"') continue;
    const std::size_t close = text.find_first_of("\"\n", open + 1);
    if (close == text.npos || text[close] != '"') continue;
    names.emplace_back(text.substr(open + 1, close - open - 1));
  }
  return names;
}

/// The headers of davsim's, in which kernels do not count.
bool is_davsims(const fs::path& file) {
  const std::string path = fs::weakly_canonical(file);
  return path.find("/include/davsim/") != path.npos;
}

class Search {
 public:
  Search(const std::vector<std::string>& options, std::span<const std::string_view> words)
      : folders_(include_folders(options)), words_(words) {}

  bool finds(const fs::path& file) {
    std::error_code ignored;
    if (!seen_.insert(fs::weakly_canonical(file, ignored)).second) return false;
    const std::string text = read_file(file);
    for (const std::string_view word : words_) {
      if (text.find(word) != text.npos) return true;
    }
    const auto names = included_names(text);
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      const fs::path found = find(name, file.parent_path());
      return !found.empty() && !is_davsims(found) && finds(found);
    });
  }

 private:
  fs::path find(const std::string& name, const fs::path& beside) const {
    std::error_code ignored;
    if (fs::is_regular_file(beside / name, ignored)) return beside / name;
    for (const fs::path& folder : folders_) {
      if (fs::is_regular_file(folder / name, ignored)) return folder / name;
    }
    return {};
  }

  std::vector<fs::path> folders_;
  std::span<const std::string_view> words_;
  std::set<fs::path> seen_;
};

}  // namespace

bool mentions(const std::string& path, const std::vector<std::string>& options,
              std::span<const std::string_view> words) {
  return Search(options, words).finds(path);
}

bool looks_mixed(const std::string& path, const Options& options) {
  constexpr std::array<std::string_view, 4> kSources = {".cpp", ".cc", ".cxx", ".C"};
  const std::string extension = fs::path(path).extension();
  if (std::find(kSources.begin(), kSources.end(), extension) == kSources.end()) return false;
  constexpr std::string_view kWords[] = {"__global__", "<<<", "kernel_operator"};
  return mentions(path, options.preprocessor, kWords);
}

}  // namespace davsim::driver
