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
std::vector<fs::path> include_folders(const Options& options) {
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i < options.preprocessor.size(); ++i) {
    const std::string& option = options.preprocessor[i];
    if (option == "-I" && i + 1 < options.preprocessor.size()) {
      folders.emplace_back(options.preprocessor[++i]);
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
  explicit Search(const Options& options) : folders_(include_folders(options)) {}

  bool finds_kernels(const fs::path& file) {
    std::error_code ignored;
    if (!seen_.insert(fs::weakly_canonical(file, ignored)).second) return false;
    const std::string text = read_file(file);
    for (const std::string_view word : {"__global__", "<<<", "kernel_operator"}) {
      if (text.find(word) != text.npos) return true;
    }
    const auto names = included_names(text);
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      const fs::path found = find(name, file.parent_path());
      return !found.empty() && !is_davsims(found) && finds_kernels(found);
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
  std::set<fs::path> seen_;
};

}  // namespace

bool looks_mixed(const std::string& path, const Options& options) {
  constexpr std::array<std::string_view, 4> kSources = {".cpp", ".cc", ".cxx", ".C"};
  const std::string extension = fs::path(path).extension();
  if (std::find(kSources.begin(), kSources.end(), extension) == kSources.end()) return false;
  return Search(options).finds_kernels(path);
}

}  // namespace davsim::driver
