#include "sim/soc/soc_description.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace davsim::sim {
namespace {

[[noreturn]] void fail(const std::string& file_line, const std::string& what) {
  throw std::invalid_argument(file_line + ": " + what);
}

/// Files that include each other twice would be read without end.
constexpr int kMostFiles = 64;
/// Editors on Windows put it in front.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Reads one file into `result`, over what its includes left there.
class Reader {
 public:
  Reader(const IncludeFinder& find, Description& result) : find_(find), result_(result) {}

  void read(const DescriptionFile& file) {
    if (++files_ > kMostFiles) {
      fail(file.name,
           "the description includes more than " + std::to_string(kMostFiles) + " files");
    }
    open_.push_back(file.name);
    Context context{file.name, 0, "", {}};
    std::string_view rest = file.text;
    if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      ++context.line;
      read_line(trim(rest.substr(0, end)), context);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    for (auto& [section, keys] : context.own) {
      for (auto& [key, value] : keys) result_[section][key] = std::move(value);
    }
    open_.pop_back();
  }

 private:
  struct Context {
    std::string file;
    int line;
    std::string section;
    Description own;
    std::string file_line() const { return file + ":" + std::to_string(line); }
  };

  void read_line(std::string_view line, Context& context) {
    if (line.empty() || line.front() == '#' || line.front() == ';') return;
    if (line.front() == '[') return open_section(line, context);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      fail(context.file_line(),
           "expected `key = value`, `[Section]` or a comment, found `" + std::string(line) + "`");
    }
    const std::string key(trim(line.substr(0, equals)));
    const std::string value(trim(line.substr(equals + 1)));
    if (key.empty()) fail(context.file_line(), "the key before `=` is missing");
    if (context.section.empty()) return include(key, value, context);
    add(key, value, context);
  }

  static void open_section(std::string_view line, Context& context) {
    if (line.back() != ']' || trim(line.substr(1, line.size() - 2)).empty()) {
      fail(context.file_line(), "a section is written `[Name]`, found `" + std::string(line) + "`");
    }
    context.section = trim(line.substr(1, line.size() - 2));
  }

  void include(const std::string& key, const std::string& name, const Context& context) {
    if (key != "include") {
      fail(context.file_line(),
           "`" + key + "` stands before the first section, where only " + "`include = file` may");
    }
    DescriptionFile file;
    try {
      file = find_(name);
    } catch (const std::invalid_argument& error) {
      fail(context.file_line(), error.what());
    }
    if (std::find(open_.begin(), open_.end(), file.name) != open_.end()) {
      fail(context.file_line(), "include of " + file.name + ", which leads back to this file");
    }
    read(file);
  }

  static void add(const std::string& key, const std::string& value, Context& context) {
    if (is_timing_section(context.section)) read_constant(value, context.file_line());
    const auto [at, fresh] =
        context.own[context.section].try_emplace(key, DescriptionValue{value, context.file_line()});
    if (!fresh) {
      fail(context.file_line(), "[" + context.section + "] " + key + " is given twice, first at " +
                                    at->second.file_line);
    }
  }

  const IncludeFinder& find_;
  Description& result_;
  std::vector<std::string> open_;  ///< the files that are being read, innermost last
  int files_ = 0;
};

}  // namespace

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

Description read_description(const DescriptionFile& file, const IncludeFinder& find) {
  Description result;
  Reader(find, result).read(file);
  return result;
}

DescriptionFile description_file(const std::filesystem::path& path, std::string_view of) {
  constexpr std::uintmax_t kMostBytes = 1 << 20;
  const std::string name = "the " + std::string(of) + " description " + path.string();
  std::error_code error;
  const bool regular = std::filesystem::is_regular_file(path, error);
  std::ifstream stream;
  if (regular) stream.open(path, std::ios::binary);
  if (!stream.is_open() || stream.peek() == std::ifstream::traits_type::eof()) {
    throw std::invalid_argument("cannot read " + name + ", or it is empty or no regular file");
  }
  std::string text(kMostBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kMostBytes) throw std::invalid_argument(name + " has more than 1 MiB");
  return {path.string(), std::move(text)};
}

Constant read_constant(std::string_view text, const std::string& file_line) {
  const std::size_t bar = text.find('|');
  const std::string_view quantity = trim(text.substr(0, bar));
  Constant result;
  const char* end = quantity.data() + quantity.size();
  const auto [after, error] = std::from_chars(quantity.data(), end, result.value);
  if (error != std::errc{} || !std::isfinite(result.value) || result.value < 0) {
    fail(file_line, "expected `number unit | source` with a number of at least 0, found `" +
                        std::string(text) + "`");
  }
  result.unit = trim({after, static_cast<std::size_t>(end - after)});
  result.source = bar == std::string_view::npos ? "" : trim(text.substr(bar + 1));
  result.file_line = file_line;
  const bool apart = after != end && (*after == ' ' || *after == '\t');
  if (result.unit.empty() || !apart || result.unit.find_first_of(" \t") != std::string::npos) {
    fail(file_line,
         "a constant needs one unit after its number, found `" + std::string(quantity) + "`");
  }
  if (result.source.empty()) {
    fail(file_line, "a constant needs its source after `|`, found `" + std::string(text) + "`");
  }
  // Rates are divided by.
  if (result.value == 0 && result.unit.find('/') != std::string::npos && result.unit != "us/core") {
    fail(file_line, "a rate in " + result.unit + " must be above 0");
  }
  return result;
}

}  // namespace davsim::sim
