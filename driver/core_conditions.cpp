#include "driver/core_conditions.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "driver/process.hpp"

namespace davsim::driver {
namespace {

constexpr std::string_view kCoreMacros[] = {
    "__DAV_C220_VEC__", "__DAV_C220_CUBE__", "__DAV_VEC__", "__DAV_CUBE__",
    "__CCE_AICORE__",   "__NPU_DEVICE__",    "__NPU_HOST__"};

/// Whether a line of the preprocessor names one of the macros.
bool has_condition(std::string_view text) {
  for (const std::string_view macro : kCoreMacros) {
    for (std::size_t at = text.find(macro); at != text.npos; at = text.find(macro, at + 1)) {
      const std::size_t line = text.rfind('\n', at) + 1;
      const std::size_t first = text.find_first_not_of(" \t", line);
      if (text[first] == '#' || text[first] == '\\' || text[first] == '|' || text[first] == '&') {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> user_files(std::string_view preprocessed) {
  std::set<std::string> names;
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', at), preprocessed.size());
    const std::string_view line = preprocessed.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with("# ")) continue;
    const std::size_t open = line.find('"'), close = line.rfind('"');
    // 3 marks a header of the system.
    if (open == close || line.find(" 3", close) != line.npos) continue;
    const std::string file(line.substr(open + 1, close - open - 1));
    if (file.starts_with("<") || !names.insert(file).second) continue;
    try {
      texts.push_back(read_file(file));
    } catch (const std::runtime_error&) {
      // A name of #line, which is no file.
    }
  }
  return texts;
}

bool asks_for_core(const std::vector<std::string>& files) {
  return std::any_of(files.begin(), files.end(), has_condition);
}

bool has_local_pointers(const std::vector<std::string>& files) {
  constexpr std::string_view kQualifiers[] = {"__ubuf__", "__cbuf__", "__ca__",     "__cb__",
                                              "__cc__",   "__fbuf__", "__biasbuf__"};
  return std::any_of(files.begin(), files.end(), [&](const std::string& text) {
    return std::any_of(
        std::begin(kQualifiers), std::end(kQualifiers),
        [&](std::string_view qualifier) { return text.find(qualifier) != text.npos; });
  });
}

bool has_symmetric_memory(const std::vector<std::string>& files) {
  return std::any_of(files.begin(), files.end(),
                     [](const std::string& text) { return text.find("shmem") != text.npos; });
}

bool uses_intrinsics(const std::vector<std::string>& files) {
  constexpr std::string_view kWords[] = {"__ubuf__", "__cbuf__", "set_flag", "pipe_barrier",
                                         "get_block_idx"};
  return std::any_of(files.begin(), files.end(), [&](const std::string& text) {
    return std::any_of(std::begin(kWords), std::end(kWords),
                       [&](std::string_view word) { return text.find(word) != text.npos; });
  });
}

}  // namespace davsim::driver
