// Joins findings that have one cause, and drops those that follow from another finding.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "checker/finding.hpp"

namespace davsim::checker {
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

bool within_a_pipe(const Finding& finding) {
  return finding.cls == Class::kRace && finding.shared == Shared::kBlock &&
         finding.first.pipe == finding.second.pipe;
}

/// Whether the kernel comes by `a` before `b`. Two accesses that are in order came in that order,
/// so that the run tells it where the positions are not known.
bool comes_before(const Moment& a, const Moment& b) {
  if (a.position != 0 && b.position != 0) return a.position < b.position;
  return a.stamp < b.stamp;
}

bool meet(const Way& a, const Way& b) {
  return a.where == b.where && comes_before(a.first, b.second) && comes_before(b.first, a.second);
}

/// As many occurrences of a race are looked at; others of them are found among all that are kept.
constexpr std::size_t kJudgedWays = 8;

template <class IsIt>
bool any_way(const Finding& finding, IsIt is_it) {
  const std::size_t count = std::min(finding.ways.size(), kJudgedWays);
  return std::any_of(finding.ways.begin(),
                     finding.ways.begin() + static_cast<std::ptrdiff_t>(count), is_it);
}

/// Whether an order at one place of the kernel may mend two races of several blocks or cores whose
/// positions in the kernel are not known, because the cores did not come the same way. Of such
/// races nothing but the lines can be compared: both lead forward, and there is a line that both
/// pass, or both lead back to the start of a loop.
bool lines_meet(const Finding& a, const Finding& b) {
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

/// Whether one flag, barrier or other order between the same pipes would mend both races.
bool of_one_cause(const Finding& a, const Finding& b) {
  if (a.cls != Class::kRace || b.cls != Class::kRace || a.kernel != b.kernel) return false;
  if (a.allowed.empty() != b.allowed.empty() || a.shared != b.shared) return false;
  if (a.first.pipe != b.first.pipe || a.second.pipe != b.second.pipe) return false;
  if (a.ways.empty() || b.ways.empty()) return lines_meet(a, b);
  return any_way(a, [&](const Way& way) {
    return any_way(b, [&](const Way& other) { return meet(way, other); });
  });
}

/// Whether what mends `inner` mends `outer` too, because the kernel passes it on its way.
bool lies_within(const Finding& inner, const Finding& outer) {
  return any_way(inner, [&](const Way& way) {
    return any_way(outer, [&](const Way& around) {
      return around.where == way.where && !comes_before(way.first, around.first) &&
             !comes_before(around.second, way.second);
    });
  });
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

/// Whether a source line allows that these two accesses are not in order.
bool stays_without_order(const std::vector<Finding>& all, std::uint32_t core, const Moment& from,
                         const Moment& to) {
  return std::any_of(all.begin(), all.end(), [&](const Finding& finding) {
    return finding.cls == Class::kRace && !finding.allowed.empty() &&
           std::any_of(finding.ways.begin(), finding.ways.end(), [&](const Way& way) {
             return way.where == core && way.first.stamp == from.stamp &&
                    way.second.stamp == to.stamp;
           });
  });
}

/// Whether two accesses of one pipe would be in order if another pipe's access were in order with
/// one of them, as it is not in `missing`: it lies between the two, and what is left of the way
/// from one to the other is in order or another finding.
bool mended_by(const Way& race, const Way& missing, bool by_scalar,
               const std::vector<Finding>& all) {
  if (race.where != missing.where) return false;
  const bool leads_back = missing.second.stamp == race.second.stamp;
  if (!leads_back && missing.first.stamp != race.first.stamp) return false;
  const Moment& middle = leads_back ? missing.first : missing.second;
  if (!comes_before(race.first, middle) || !comes_before(middle, race.second)) return false;
  const Moment& other = leads_back ? race.first : race.second;
  // Two reads need no order. Only what the scalar unit waits for holds up all that follows.
  if (!other.writes && !middle.writes && (leads_back || !by_scalar)) return false;
  return !stays_without_order(all, race.where, leads_back ? other : middle,
                              leads_back ? middle : other);
}

/// Whether orders between pipes that are missing anyway would mend a race within a pipe.
bool follows_from_pipes(const Finding& race, const std::vector<Finding>& all) {
  if (!within_a_pipe(race)) return false;
  return !any_way(race, [&](const Way& way) {
    return std::none_of(all.begin(), all.end(), [&](const Finding& missing) {
      if (missing.cls != Class::kRace || missing.shared != Shared::kBlock) return false;
      if (within_a_pipe(missing) || !missing.allowed.empty()) return false;
      if (missing.kernel != race.kernel || missing.tensor != race.tensor) return false;
      return std::any_of(missing.ways.begin(), missing.ways.end(), [&](const Way& lacking) {
        return mended_by(way, lacking, missing.second.pipe == "S", all);
      });
    });
  });
}

/// Adds to a finding what has the same cause. Tells the pair that lies within the other: what mends
/// it mends both.
void join(Finding& group, Finding&& more) {
  const std::uint64_t count = group.count + more.count, pairs = group.pairs + more.pairs;
  if (lies_within(more, group) && !lies_within(group, more)) std::swap(group, more);
  group.count = count;
  group.pairs = pairs;
}

}  // namespace

void Findings::settle() {
  const auto access = [](const Place& place) {
    return std::tuple(place.where.file_name(), place.where.line(), place.pipe);
  };
  std::set<std::tuple<const char*, std::uint32_t, std::string>> wrong;
  for (const Finding& finding : findings_) {
    if (finding.cls != Class::kRace && finding.cls != Class::kOverrun) continue;
    wrong.insert(access(finding.first));
    wrong.insert(access(finding.second));
  }
  std::vector<Finding> causes;
  std::copy_if(findings_.begin(), findings_.end(), std::back_inserter(causes), [](const auto& f) {
    return f.allowed.empty() &&
           (f.cls == Class::kQueue || f.cls == Class::kOverlap || f.cls == Class::kOverrun);
  });
  std::vector<bool> mended(findings_.size());
  for (std::size_t i = 0; i < findings_.size(); ++i) {
    mended[i] = follows_from_pipes(findings_[i], findings_);
  }
  const std::vector<std::size_t> order = in_order_of_causes(findings_);
  std::vector<Finding> all = std::exchange(findings_, {});
  const std::vector<Stamp> counted = std::exchange(counted_, {});
  constexpr std::size_t kDropped = ~std::size_t{0};
  std::vector<std::size_t> moved(all.size(), kDropped);
  for (const std::size_t i : order) {
    if (all[i].cls == Class::kUninitialised && wrong.count(access(all[i].second)) > 0) continue;
    if (mended[i]) continue;
    const auto caused = [&](const Finding& cause) { return follows_from(all[i], cause); };
    if (std::any_of(causes.begin(), causes.end(), caused)) continue;
    const auto same = std::find_if(findings_.begin(), findings_.end(), [&](const Finding& group) {
      return of_one_cause(group, all[i]);
    });
    moved[i] = static_cast<std::size_t>(same - findings_.begin());
    if (same != findings_.end()) {
      join(*same, std::move(all[i]));
      continue;
    }
    findings_.push_back(std::move(all[i]));
    counted_.push_back(counted[i]);
  }
  std::erase_if(index_, [&](const auto& entry) { return moved[entry.second] == kDropped; });
  for (auto& [key, place] : index_) place = moved[place];
  for (Finding& finding : findings_) finding.ways.clear();
}

}  // namespace davsim::checker
