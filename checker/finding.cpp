#include "checker/finding.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "isa/instr/lasting_location.hpp"
#include "observe/cycle_classes.hpp"

namespace davsim::checker {
namespace {

/// A finding that outlives the library of its kernel.
Finding described(const std::function<Finding()>& describe) {
  Finding finding = describe();
  for (Place* place : {&finding.first, &finding.second}) place->where = isa::lasting(place->where);
  return finding;
}

/// Another occurrence of the same finding.
void show(Finding& finding, Finding of) {
  finding.message = std::move(of.message);
  finding.space = std::move(of.space);
  finding.addr = of.addr;
  finding.bytes = of.bytes;
  finding.tensor = std::move(of.tensor);
  finding.first = std::move(of.first);
  finding.second = std::move(of.second);
}

constexpr std::string_view kMarker = "// davsim: allow ";
constexpr std::string_view kSpaces = " \t";

/// Opens a source file by the name that the compiler used. A name relative to a build folder is
/// searched for in the folder of the program and the folders above.
std::filesystem::path located(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (fs::exists(path, none) || fs::path(path).is_absolute()) return path;
  fs::path tail;
  for (const fs::path& part : fs::path(path)) {
    if (part != "..") tail /= part;
  }
  fs::path from = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (; from.has_relative_path(); from = from.parent_path()) {
    if (fs::exists(from / tail, none)) return from / tail;
  }
  return path;
}

/// The reason behind "// davsim: allow <class> " in a line.
std::string reason_in(const std::string& line, Class cls) {
  const std::size_t marker = line.find(kMarker);
  if (marker == std::string::npos) return "";
  const std::string rest = line.substr(marker + kMarker.size());
  const std::size_t name_end = std::min(rest.find_first_of(kSpaces), rest.size());
  if (rest.substr(0, name_end) != class_name(cls)) return "";
  const std::size_t reason = rest.find_first_not_of(kSpaces, name_end);
  return reason == std::string::npos ? "" : rest.substr(reason);
}

bool only_a_comment(const std::string& line) {
  const std::size_t start = line.find_first_not_of(kSpaces);
  return start != std::string::npos && line.compare(start, 2, "//") == 0;
}

std::string place_text(const Place& place) {
  if (place.core.empty()) return "  at " + observe::short_line(place.where) + "\n";
  std::string text = "  " + place.core;
  if (!place.pipe.empty()) text += " " + place.pipe;
  if (!place.instruction.empty()) text += ": " + place.instruction;
  if (!place.access.empty()) text += " " + place.access;
  return text + " at " + observe::short_line(place.where) + "\n";
}

std::string range_text(const Finding& finding) {
  if (finding.space.empty()) return "";
  std::string text = "  " + finding.space + " bytes " + std::to_string(finding.addr) + " to " +
                     std::to_string(finding.addr + finding.bytes);
  if (!finding.tensor.empty()) text += ", " + finding.tensor;
  return text + "\n";
}

}  // namespace

const std::vector<std::string>& source_lines(const std::string& path) {
  static std::unordered_map<std::string, std::vector<std::string>> files;
  const auto known = files.find(path);
  if (known != files.end()) return known->second;
  std::vector<std::string> lines;
  std::ifstream file(located(path));
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return files.emplace(path, std::move(lines)).first->second;
}

std::string allowance(Class cls, isa::SourceLocation where) {
  if (where.line() == 0) return "";
  const std::vector<std::string>& lines = source_lines(where.file_name());
  if (where.line() > lines.size()) return "";
  std::string reason = reason_in(lines[where.line() - 1], cls);
  if (!reason.empty() || where.line() == 1) return reason;
  const std::string& above = lines[where.line() - 2];
  return only_a_comment(above) ? reason_in(above, cls) : "";
}

void Findings::add(const Occurrence& made, const std::function<Finding()>& describe) {
  // Further occurrences of a race tell no more of its cause.
  constexpr std::size_t kMostWays = 64;
  const Key key{made.cls,           made.shared,     made.first.file_name(),
                made.first.line(),  made.first_pipe, made.second.file_name(),
                made.second.line(), made.second_pipe};
  const auto [at, is_new] = index_.try_emplace(key, findings_.size());
  if (is_new) {
    Finding finding = described(describe);
    finding.cls = made.cls;
    finding.shared = made.shared;
    finding.moved = made.moved;
    finding.allowed = allowance(made.cls, made.second);
    if (finding.allowed.empty()) finding.allowed = allowance(made.cls, made.first);
    findings_.push_back(std::move(finding));
    counted_.push_back(0);
  } else if (made.moved > findings_[at->second].moved) {
    show(findings_[at->second], described(describe));
    findings_[at->second].moved = made.moved;
  }
  if (counted_[at->second] == made.stamp) return;
  counted_[at->second] = made.stamp;
  Finding& finding = findings_[at->second];
  ++finding.count;
  if (made.way.second.stamp != 0 && finding.ways.size() < kMostWays) {
    finding.ways.push_back(made.way);
  }
}

void Findings::forget(const std::function<bool(const Finding&)>& is_none) {
  constexpr std::size_t kDropped = ~std::size_t{0};
  std::vector<Finding> all = std::exchange(findings_, {});
  const std::vector<Stamp> counted = std::exchange(counted_, {});
  std::vector<std::size_t> moved(all.size(), kDropped);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_none(all[i])) continue;
    moved[i] = findings_.size();
    findings_.push_back(std::move(all[i]));
    counted_.push_back(counted[i]);
  }
  std::erase_if(index_, [&](const auto& entry) { return moved[entry.second] == kDropped; });
  for (auto& [key, place] : index_) place = moved[place];
}

std::size_t Findings::open() const {
  return static_cast<std::size_t>(
      std::count_if(findings_.begin(), findings_.end(),
                    [](const Finding& finding) { return finding.allowed.empty(); }));
}

void Findings::clear() {
  findings_.clear();
  counted_.clear();
  index_.clear();
}

std::string text_of(const Findings& findings) {
  std::string text;
  std::size_t silenced = 0;
  for (const Finding& finding : findings.all()) {
    if (!finding.allowed.empty()) {
      ++silenced;
      continue;
    }
    const std::string heading = std::string(class_name(finding.cls)) + ": ";
    text += (finding.message.starts_with(heading) ? "" : heading) + finding.message;
    if (finding.pairs > 1) {
      text += " (" + std::to_string(finding.count) + " times, " + std::to_string(finding.pairs) +
              " pairs of lines)";
    } else if (finding.count > 1) {
      text += " (" + std::to_string(finding.count) + " times)";
    }
    text += "\n";
    if (finding.first.known()) text += place_text(finding.first);
    if (finding.second.known()) text += place_text(finding.second);
    text += range_text(finding);
  }
  text += std::to_string(findings.open()) + " findings";
  if (silenced > 0) text += ", " + std::to_string(silenced) + " more allowed by source lines";
  return text + "\n";
}

}  // namespace davsim::checker
