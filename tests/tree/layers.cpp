#include "tests/tree/layers.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace davsim::tree {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSystemC = "<systemc>";

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in{std::string(text)};
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

/// Cells of "| a | b |"; empty for another line.
std::vector<std::string> cells_of(std::string_view line) {
  const std::string row = trimmed(line);
  if (row.size() < 2 || row.front() != '|' || row.back() != '|') return {};
  std::vector<std::string> cells;
  for (const std::string& cell : split(std::string_view(row).substr(1), '|')) {
    cells.push_back(trimmed(cell));
  }
  return cells;
}

/// What stands in backquotes.
std::vector<std::string> quoted_names(const std::string& cell) {
  std::vector<std::string> names;
  for (std::size_t i = 0; (i = cell.find('`', i)) != std::string::npos;) {
    const std::size_t end = cell.find('`', i + 1);
    if (end == std::string::npos) throw std::runtime_error("a backquote is left open: " + cell);
    names.push_back(cell.substr(i + 1, end - i - 1));
    i = end + 1;
  }
  return names;
}

bool is_below(std::string_view path, std::string_view folder) {
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

std::string folder_of(const std::string& file) {
  return fs::path(file).parent_path().generic_string();
}

/// The part of `path` that a row's folder matches, empty if it does not.
std::string match(const LayerRow& row, std::string_view path) {
  const auto wanted = split(row.folder, '/');
  const auto have = split(path, '/');
  if (have.size() < wanted.size()) return {};
  std::string matched;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] != "*" && wanted[i] != have[i]) return {};
    matched += (i ? "/" : "") + have[i];
  }
  return matched;
}

struct Place {
  const LayerRow* row = nullptr;
  std::string folder;  ///< what the row's folder stands for
};

/// The row with the longest folder; of two that are as long, the one without a star.
Place place_of(const std::vector<LayerRow>& table, const std::string& folder) {
  Place best;
  for (const LayerRow& row : table) {
    const std::string matched = match(row, folder);
    if (matched.empty() || matched.size() < best.folder.size()) continue;
    if (matched.size() == best.folder.size() && row.folder.ends_with('*')) continue;
    best = {&row, matched};
  }
  return best;
}

bool allows(const Place& place, const std::string& included) {
  if (place.row->everything || is_below(included, place.folder)) return true;
  return std::any_of(place.row->may_include.begin(), place.row->may_include.end(),
                     [&](const std::string& allowed) { return is_below(included, allowed); });
}

/// The way from `file` to SystemC, "a, b, <systemc>"; empty if there is none.
std::string way_to_systemc(const Includes& includes, const std::string& file,
                           std::set<std::string>& seen) {
  if (!seen.insert(file).second) return {};
  const auto found = includes.find(file);
  if (found == includes.end()) return {};
  for (const std::string& next : found->second) {
    if (next == kSystemC) return next;
    const std::string way = way_to_systemc(includes, next, seen);
    if (!way.empty()) return next + ", " + way;
  }
  return {};
}

/// Path from the root of what `file` includes as `name`, empty if it is not of this tree.
std::string resolve(const fs::path& root, const std::string& file, const std::string& name) {
  const fs::path beside = (fs::path(file).parent_path() / name).lexically_normal();
  for (const fs::path& path : {fs::path(name), beside, fs::path("isa/include") / name}) {
    if (fs::is_regular_file(root / path)) return path.generic_string();
  }
  return {};
}

bool is_source(const fs::path& path) {
  static const std::set<std::string> endings = {".cpp", ".hpp", ".h", ".asc", ".def"};
  return endings.contains(path.extension().string());
}

std::set<std::string> includes_of(const fs::path& root, const std::string& file) {
  // A line's start decides: an include in a comment or a text is none.
  static const std::regex directive(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  std::set<std::string> found;
  std::ifstream in(root / file);
  std::smatch parts;
  for (std::string line; std::getline(in, line);) {
    if (line.find('#') == std::string::npos || !std::regex_match(line, parts, directive)) continue;
    const std::string name = parts[2];
    if (name == "systemc" || name == "systemc.h" || name.starts_with("tlm")) {
      found.insert(std::string(kSystemC));
      continue;
    }
    std::string path = resolve(root, file, name);
    if (!path.empty()) found.insert(std::move(path));
  }
  return found;
}

}  // namespace

std::vector<LayerRow> read_table(std::string_view markdown) {
  std::vector<LayerRow> table;
  bool inside = false;
  for (const std::string& line : split(markdown, '\n')) {
    const std::vector<std::string> cells = cells_of(line);
    if (!inside) {
      inside = cells.size() > 1 && cells.front() == "folder" && cells.back() == "may include";
      continue;
    }
    if (cells.empty()) break;
    if (cells.front().starts_with("---")) continue;
    const std::vector<std::string> folders = quoted_names(cells.front());
    std::vector<std::string> may_include = quoted_names(cells.back());
    const bool everything = cells.back() == "everything";
    if (folders.empty()) throw std::runtime_error("a row names no folder: " + line);
    if (may_include.empty() && !everything && cells.back() != "nothing") {
      throw std::runtime_error("neither names in backquotes nor 'nothing' nor 'everything': " +
                               line);
    }
    for (const std::string& folder : folders) table.push_back({folder, everything, may_include});
  }
  if (table.empty()) throw std::runtime_error("no table of folders and what they may include");
  return table;
}

Includes read_includes(const fs::path& root) {
  Includes includes;
  for (const auto& top : fs::directory_iterator(root)) {
    const std::string name = top.path().filename().string();
    if (!top.is_directory() || name.starts_with('.') || name.starts_with("build")) continue;
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      const std::string file = fs::relative(entry.path(), root).generic_string();
      includes[file] = includes_of(root, file);
    }
  }
  return includes;
}

std::vector<std::string> breaches(const std::vector<LayerRow>& table, const Includes& includes) {
  std::set<std::string> found;
  std::set<const LayerRow*> used;
  for (const auto& [file, included] : includes) {
    const Place place = place_of(table, folder_of(file));
    if (place.row == nullptr) {
      found.insert(folder_of(file) + " has no row in the table");
      continue;
    }
    used.insert(place.row);
    for (const std::string& path : included) {
      if (allows(place, path)) continue;
      found.insert(file + " includes " + path + ", which the row of " + place.row->folder +
                   " does not allow");
    }
    std::set<std::string> seen;
    const std::string way = way_to_systemc(includes, file, seen);
    if (!way.empty() && way != kSystemC && !allows(place, std::string(kSystemC))) {
      found.insert(file + " reaches SystemC, which the row of " + place.row->folder +
                   " does not name: " + way);
    }
  }
  for (const LayerRow& row : table) {
    if (!used.contains(&row))
      found.insert("no source of the tree belongs to the row of " + row.folder);
  }
  return {found.begin(), found.end()};
}

Targets read_targets(const fs::path& file) {
  Targets targets;
  std::ifstream in(file);
  if (!in) throw std::runtime_error("there is no " + file.string());
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> parts = split(line, '|');
    parts.resize(4);
    targets[parts[0]] = {parts[1], split(parts[2], ';'), split(parts[3], ';')};
  }
  return targets;
}

std::vector<std::string> link_breaches(const Targets& targets,
                                       const std::set<std::string>& without_systemc) {
  std::vector<std::string> found;
  for (const auto& [name, target] : targets) {
    if (is_below(target.folder, "tests")) continue;
    for (const std::string& link : target.links) {
      const auto other = targets.find(link);
      if (other != targets.end() && is_below(other->second.folder, "tests")) {
        found.push_back(name + " links " + link + " of " + other->second.folder);
      }
    }
    for (const std::string& source : target.sources) {
      if (is_below(source, "tests")) found.push_back(name + " compiles " + source);
    }
  }
  for (const std::string& name : without_systemc) {
    if (!targets.contains(name)) {
      found.push_back("there is no target " + name);
      continue;
    }
    std::set<std::string> seen;
    const std::function<bool(const std::string&)> links_systemc = [&](const std::string& link) {
      if (link == "PkgConfig::SYSTEMC") return true;
      const auto target = targets.find(link);
      if (target == targets.end() || !seen.insert(link).second) return false;
      return std::any_of(target->second.links.begin(), target->second.links.end(), links_systemc);
    };
    if (links_systemc(name)) found.push_back(name + " links SystemC");
  }
  return found;
}

}  // namespace davsim::tree
