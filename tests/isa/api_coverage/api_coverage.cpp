// Makes docs/api-coverage.md from names.csv (what public kernels use), probes.cpp (what compiles
// here) and the kernel API's headers (what they refuse, see unsupported.h).
//
//   api_coverage --write ROOT     writes the page
//   api_coverage --check ROOT     fails if the page is not what --write would make
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Name {
  std::string rank, name, kernels, kind;
};
using Notes = std::map<std::string, std::string>;

std::string read(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<Name> names(const std::string& csv) {
  std::vector<Name> all;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);  // the column names
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    Name name;
    std::getline(fields, name.rank, ',');
    std::getline(fields, name.name, ',');
    std::getline(fields, name.kernels, ',');
    std::getline(fields, name.kind, ',');
    if (name.kind.empty()) throw std::runtime_error("names.csv: not four fields: " + line);
    all.push_back(name);
  }
  return all;
}

/// First and second argument of every match, by the first.
Notes matches(const std::string& text, const char* pattern) {
  Notes notes;
  const std::regex regex(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
    if (!notes.emplace((*at)[1], at->size() > 2 ? (*at)[2].str() : "").second) {
      throw std::runtime_error((*at)[1].str() + " is listed twice");
    }
  }
  return notes;
}

/// All headers of the kernel API, in a fixed order.
std::string headers(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  std::string text;
  for (const std::string& file : files) text += read(file);
  return text;
}

struct Sources {
  std::vector<Name> names;
  Notes probes, partly, also, unsupported;
};

Sources sources(const std::string& root) {
  const std::string folder = root + "/tests/isa/api_coverage/";
  const std::string probes = read(folder + "probes.cpp");
  Sources all{
      names(read(folder + "names.csv")), matches(probes, R"re(\bAPI\("([^"]+)"\))re"),
      matches(probes, R"re(\bAPI_PARTLY\("([^"]+)",\s*"([^"]+)"\))re"),
      matches(probes, R"re(\bAPI_ALSO\("([^"]+)"\))re"),
      matches(headers(root + "/isa/include/ascendc"),
              R"re(\n *DAVSIM_UNSUPPORTED(?:_CLASS\([^"#]*,|\()\s*(\w+),\s*"([^"]+)"\))re")};
  for (const auto& [name, reason] : all.unsupported) {
    if (all.probes.count(name) + all.partly.count(name) > 0) {
      throw std::runtime_error(name + " is refused by a header and has a probe");
    }
  }
  const auto listed = [&](const std::string& name) {
    return std::any_of(all.names.begin(), all.names.end(),
                       [&](const Name& entry) { return entry.name == name; });
  };
  for (const Notes* probed : {&all.probes, &all.partly}) {
    for (const auto& [name, note] : *probed) {
      if (!listed(name)) throw std::runtime_error("the probe of " + name + " is of no listed name");
    }
  }
  return all;
}

/// "supported", "partly: ..." or "not: ...".
std::string status(const Sources& all, const Name& name) {
  if (all.probes.count(name.name) > 0) return "supported";
  const auto partly = all.partly.find(name.name);
  if (partly != all.partly.end()) return "partly: " + partly->second;
  const auto refused = all.unsupported.find(name.name);
  if (refused != all.unsupported.end()) return "not: " + refused->second;
  if (name.kind == "kernel") return "not: a library's own";
  return name.kind == "high-level" ? "not: high-level API" : "not";
}

std::string page(const Sources& all) {
  std::map<std::string, std::map<std::string, int>> count;  // kind, first word of the status
  std::string table;
  for (const Name& name : all.names) {
    const std::string text = status(all, name);
    ++count[name.kind][text.substr(0, text.find(':'))];
    table += "| " + name.rank + " | `" + name.name + "` | " + name.kernels + " | " + name.kind +
             " | " + text + " |\n";
  }
  std::string text =
      "# API coverage\n\n"
      "`./dev api-coverage` generates this page. A test fails if the page is out of date, or if a "
      "name "
      "that it calls\nsupported does not compile.\n\n"
      "The table lists the names that 1049 public kernels for NPU architecture 2201 use, most used "
      "first. A leading dot\nmarks a member function. The kinds are basic API, intrinsic, utils "
      "and "
      "high-level API. Names of kind `kernel` belong to\nlibraries that come with the kernels. "
      "*Partly* "
      "says what is missing. A name with *not* does not compile.\n\n"
      "| kind | supported | partly | not |\n|---|---:|---:|---:|\n";
  for (auto& [kind, by_status] : count) {
    text += "| " + kind + " | " + std::to_string(by_status["supported"]) + " | " +
            std::to_string(by_status["partly"]) + " | " + std::to_string(by_status["not"]) + " |\n";
  }
  text += "\n| rank | name | kernels | kind | davsim |\n|---:|---|---:|---|---|\n" + table;
  text +=
      "\n## Further names\n\n"
      "None of the counted kernels uses these. They are supported, and compiled by the same test. "
      "[high-level-api.md](high-level-api.md)\nlists all functions with their limits.\n\n";
  std::string line;
  for (const auto& [name, none] : all.also) {
    const std::string item = (line.empty() ? "`" : ", `") + name + "`";
    line += item;
  }
  text += line + "\n";
  text +=
      "\n## Documented, but not supported\n\n"
      "These names are the rest of the documented basic API of architecture 2201. davsim does not "
      "support them: a call is a\ncompile-time error that names the function "
      "(`isa/include/ascendc/unsupported.h`).\n\n"
      "| name | what it does |\n|---|---|\n";
  for (const auto& [name, reason] : all.unsupported)
    text += "| `" + name + "` | " + reason + " |\n";
  text +=
      "\n## High-level API that is absent\n\n"
      "| name | documented for | here |\n|---|---|---|\n"
      "| `Conv3D`, `Conv3DBackpropInput`, `Conv3DBackpropFilter` and their tiling classes | "
      "architecture 2201 | their headers do not exist: an #include of one is the error |\n"
      "| `PhiloxRandom` | other architectures alone | a call is a compile-time error that says so "
      "|\n";
  return text;
}

int run(const std::string& mode, const std::string& root) {
  const std::string path = root + "/docs/api-coverage.md";
  const std::string text = page(sources(root));
  if (mode == "--write") {
    std::ofstream stream(path);
    if (!(stream << text).flush()) throw std::runtime_error("cannot write " + path);
    return 0;
  }
  if (read(path) == text) return 0;
  std::cerr << "docs/api-coverage.md is out of date: run ./dev api-coverage\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc == 3 ? argv[1] : "";
  if (mode != "--write" && mode != "--check") {
    std::cerr << "usage: api_coverage --write|--check ROOT\n";
    return 2;
  }
  try {
    return run(mode, argv[2]);
  } catch (const std::exception& error) {
    std::cerr << "api_coverage: " << error.what() << "\n";
    return 1;
  }
}
