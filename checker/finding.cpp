#include "checker/finding.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "observe/cycle_classes.hpp"

namespace davsim::checker {
namespace {

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

bool within_a_pipe(const Finding& finding) {
  return finding.cls == Class::kRace && finding.first.core == finding.second.core &&
         finding.first.pipe == finding.second.pipe;
}

/// Whether one flag, barrier or other order between the same pipes would mend both races: both lead
/// forward, and there is a place in the kernel that both pass, or both lead back to the start of a
/// loop.
bool of_one_cause(const Finding& a, const Finding& b) {
  if (a.cls != Class::kRace || b.cls != Class::kRace || a.kernel != b.kernel) return false;
  if (a.allowed.empty() != b.allowed.empty()) return false;
  const bool crosses = a.first.core != a.second.core;
  if (crosses != (b.first.core != b.second.core)) return false;
  if (a.first.pipe != b.first.pipe || a.second.pipe != b.second.pipe) return false;
  const std::string_view file = a.first.where.file_name();
  for (const Place* place : {&a.second, &b.first, &b.second}) {
    if (file != place->where.file_name()) return false;
  }
  const auto first_a = a.first.where.line(), second_a = a.second.where.line();
  const auto first_b = b.first.where.line(), second_b = b.second.where.line();
  const bool forward_a = first_a < second_a, forward_b = first_b < second_b;
  if (forward_a != forward_b) return false;
  if (forward_a) return std::max(first_a, first_b) < std::min(second_a, second_b);
  return std::max(second_a, second_b) <= std::min(first_a, first_b);
}

/// The findings' places in the list, races within a pipe behind other races: a missing order
/// between pipes or cores may be why one within a pipe is missing. Other findings keep their
/// places.
std::vector<std::size_t> in_order_of_causes(const std::vector<Finding>& findings) {
  std::vector<std::size_t> races;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].cls == Class::kRace) races.push_back(i);
  }
  std::vector<std::size_t> sorted = races, order(findings.size());
  std::stable_partition(sorted.begin(), sorted.end(),
                        [&](std::size_t i) { return !within_a_pipe(findings[i]); });
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < races.size(); ++i) order[races[i]] = sorted[i];
  return order;
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

void Findings::add(Class cls, Stamp stamp, isa::SourceLocation first, isa::SourceLocation second,
                   const std::function<Finding()>& describe) {
  const Key key{cls, first.file_name(), first.line(), second.file_name(), second.line()};
  const auto [at, is_new] = index_.try_emplace(key, findings_.size());
  if (is_new) {
    findings_.push_back(describe());
    Finding& made = findings_.back();
    made.cls = cls;
    made.allowed = allowance(cls, second);
    if (made.allowed.empty()) made.allowed = allowance(cls, first);
    made.count = 1;
    counted_.push_back(stamp);
    return;
  }
  if (counted_[at->second] == stamp) return;
  counted_[at->second] = stamp;
  ++findings_[at->second].count;
}

namespace {

bool same_line(const isa::SourceLocation& a, const isa::SourceLocation& b) {
  return a.line() == b.line() && std::string_view(a.file_name()) == b.file_name();
}

/// Whether a race is only what follows from the other finding: a tensor that is used after it was
/// freed is filled anew meanwhile, an access that leaves its tensor meets those of its neighbour,
/// and tensors that overlap are written one over the other.
bool follows_from(const Finding& race, const Finding& cause) {
  if (race.cls != Class::kRace) return false;
  if (cause.cls == Class::kQueue) return same_line(race.first.where, cause.second.where);
  if (cause.cls == Class::kOverrun) {
    const auto runs_over = [&](const Place& place) {
      return place.pipe == cause.second.pipe && same_line(place.where, cause.second.where);
    };
    return race.space == cause.space && (runs_over(race.first) || runs_over(race.second));
  }
  return cause.cls == Class::kOverlap && cause.first.known() &&
         race.first.pipe == race.second.pipe && race.tensor == cause.tensor &&
         same_line(race.second.where, cause.first.where);
}

bool at_same_place(const Place& a, const Place& b) {
  return a.pipe == b.pipe && a.core == b.core && same_line(a.where, b.where);
}

/// Whether the kernel comes by `middle` on its way from `from` to `to`, in a loop if need be.
bool passes(const Place& from, const Place& middle, const Place& to) {
  const auto first = from.where.line(), at = middle.where.line(), last = to.where.line();
  return first < last ? first < at && at < last : at > first || at < last;
}

/// Whether two accesses of one pipe would be in order if the order between pipes that `missing`
/// lacks were there: one of the two is that order's end, the other end lies between them, and what
/// is left of the way from one to the other lacks nothing.
bool mended_by(const Finding& race, const Finding& missing, const std::vector<Finding>& all) {
  if (missing.cls != Class::kRace || within_a_pipe(missing) || !missing.allowed.empty())
    return false;
  if (missing.kernel != race.kernel || missing.tensor != race.tensor ||
      missing.first.core != missing.second.core) {
    return false;
  }
  const bool leads_back = at_same_place(missing.second, race.second);
  if (!leads_back && !at_same_place(missing.first, race.first)) return false;
  const Place& middle = leads_back ? missing.first : missing.second;
  if (!passes(race.first, middle, race.second)) return false;
  const Place& other = leads_back ? race.first : race.second;
  // Two reads need no order. Only what the scalar unit waits for holds up all that follows.
  const bool seen =
      other.access == "writes" || middle.access == "writes" || (!leads_back && middle.pipe == "S");
  const Place& from = leads_back ? other : middle;
  const Place& to = leads_back ? middle : other;
  return seen && std::none_of(all.begin(), all.end(), [&](const Finding& left) {
           return left.cls == Class::kRace && left.tensor == race.tensor &&
                  at_same_place(left.first, from) && at_same_place(left.second, to);
         });
}

}  // namespace

void Findings::settle() {
  std::set<std::pair<const char*, std::uint32_t>> wrong;
  for (const Finding& finding : findings_) {
    if (finding.cls != Class::kRace && finding.cls != Class::kOverrun) continue;
    wrong.emplace(finding.first.where.file_name(), finding.first.where.line());
    wrong.emplace(finding.second.where.file_name(), finding.second.where.line());
  }
  std::vector<Finding> causes;
  std::copy_if(findings_.begin(), findings_.end(), std::back_inserter(causes), [](const auto& f) {
    return f.allowed.empty() &&
           (f.cls == Class::kQueue || f.cls == Class::kOverlap || f.cls == Class::kOverrun);
  });
  std::vector<bool> follows_from_pipes(findings_.size());
  for (std::size_t i = 0; i < findings_.size(); ++i) {
    follows_from_pipes[i] =
        within_a_pipe(findings_[i]) &&
        std::any_of(findings_.begin(), findings_.end(), [&](const Finding& missing) {
          return mended_by(findings_[i], missing, findings_);
        });
  }
  const std::vector<std::size_t> order = in_order_of_causes(findings_);
  std::vector<Finding> all = std::exchange(findings_, {});
  const std::vector<Stamp> counted = std::exchange(counted_, {});
  constexpr std::size_t kDropped = ~std::size_t{0};
  std::vector<std::size_t> moved(all.size(), kDropped);
  for (const std::size_t i : order) {
    const isa::SourceLocation& where = all[i].second.where;
    const bool follows = wrong.count({where.file_name(), where.line()}) > 0;
    if (all[i].cls == Class::kUninitialised && follows) continue;
    if (follows_from_pipes[i]) continue;
    const auto caused = [&](const Finding& cause) { return follows_from(all[i], cause); };
    if (std::any_of(causes.begin(), causes.end(), caused)) continue;
    const auto same = std::find_if(findings_.begin(), findings_.end(), [&](const Finding& group) {
      return of_one_cause(group, all[i]);
    });
    moved[i] = static_cast<std::size_t>(same - findings_.begin());
    if (same != findings_.end()) {
      same->count += all[i].count;
      same->pairs += all[i].pairs;
      continue;
    }
    findings_.push_back(std::move(all[i]));
    counted_.push_back(counted[i]);
  }
  std::erase_if(index_, [&](const auto& entry) { return moved[entry.second] == kDropped; });
  for (auto& [key, place] : index_) place = moved[place];
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
