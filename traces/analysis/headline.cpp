#include "traces/analysis/headline.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "traces/analysis/scalar_bound.hpp"

namespace davsim::traces {
namespace {

namespace json = boost::json;

/// A kind of time of a pipe, and its share of the launch.
struct Part {
  std::string cycle_class;
  double share = 0;
};

/// What the path spent on one pipe of the cores of a type.
struct Group {
  std::string type, pipe;
  double share = 0;
  std::vector<Part> parts;  ///< most first
};

std::string member_text(const json::value& entry, const char* key) {
  const json::value* member = entry.as_object().if_contains(key);
  return member != nullptr && member->is_string() ? std::string(member->as_string()) : "";
}

std::string share_text(double share) {
  char text[24];
  std::snprintf(text, sizeof text, share < 0.1 ? "%.1f %%" : "%.0f %%", 100 * share);
  return text;
}

std::vector<Group> groups_of(const json::object& path) {
  std::vector<Group> groups;
  for (const json::value& cause : path.at("causes").as_array()) {
    const std::string type = member_text(cause, "type"), pipe = member_text(cause, "pipe");
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& g) { return g.type == type && g.pipe == pipe; });
    if (group == groups.end()) {
      groups.push_back({type, pipe, 0, {}});
      group = std::prev(groups.end());
    }
    const double share = cause.at("share").to_number<double>();
    group->share += share;
    group->parts.push_back({member_text(cause, "class"), share});
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.share > b.share; });
  return groups;
}

/// What a pipe does, as part of "88 % of the launch is ...".
std::string doing(const std::string& pipe, const std::string& cycle_class) {
  if (cycle_class == "memory") return "waiting for L2 or HBM";
  if (cycle_class == "bank_conflict") return "stalled by bank conflicts in UB";
  if (cycle_class == "wait_flag") return "waiting for flags";
  if (cycle_class == "wait_cross_core") return "flags on their way between cores";
  if (cycle_class == "unit_flag") return "waiting for blocks of L0C";
  if (cycle_class == "launch") return "blocks that have not begun";
  if (cycle_class == "instruction_fetch") return "fetching code";
  if (cycle_class != "busy") return cycle_class;
  if (pipe == "MTE2") return "loading from global memory";
  if (pipe == "MTE1") return "loading L0A and L0B from L1";
  if (pipe == "MTE3") return "storing to global memory";
  if (pipe == "FIX") return "moving results out of L0C";
  if (pipe == "M") return "multiplying";
  if (pipe == "V") return "computing vectors";
  return "executing scalar code and issuing instructions";
}

std::string cores_of(const std::string& type) {
  return type == "AIC" ? "the cube cores" : "the vector cores";
}

/// What makes the class of a pipe shorter.
std::string change_for(const std::string& pipe, const std::string& cycle_class) {
  if (cycle_class == "memory") {
    return "Move fewer bytes through L2 and HBM: larger tiles that are used again, an order of "
           "blocks "
           "that shares what lies in L2, moves of at least some KiB, and more of them in flight.";
  }
  if (cycle_class == "bank_conflict") {
    return "Place operands of one instruction in different bank groups of UB, and avoid strides of "
           "whole banks.";
  }
  if (cycle_class == "wait_cross_core") {
    return "Hand over larger pieces of work between cores, so that fewer flags are sent, and let "
           "the "
           "receiver have other work until they come.";
  }
  if (cycle_class == "launch") return "Start fewer blocks, and let each of them do more work.";
  if (cycle_class == "instruction_fetch") return "Make loops smaller than the instruction cache.";
  if (pipe == "MTE2") {
    return "The port of each core is the limit: load every byte once (larger tiles, results of one "
           "step kept on the core for the next), use narrower types, or use more cores.";
  }
  if (pipe == "MTE1") {
    return "Reuse what lies in L0A and L0B for more products: larger base blocks, or an order in "
           "which "
           "one side stays.";
  }
  if (pipe == "MTE3" || pipe == "FIX") {
    return "Write less or earlier: narrower results, whole rows a move, and stores that overlap "
           "with "
           "the work on the next tile.";
  }
  if (pipe == "M") {
    return "The cubes compute: only narrower types, fewer products or more cores make it faster.";
  }
  if (pipe == "V") {
    return "The vector units compute: fewer passes over the data, narrower types, full masks and "
           "long "
           "repeats, or more cores.";
  }
  return "Issue fewer and longer instructions: move scalar code out of inner loops, use repeats "
         "and "
         "counts instead of loops, and read scalars before they are needed.";
}

/// What the ports that `pipe` loads or stores through moved while it worked, as a share of what
/// those of the cores that ran can move. 1 if it is not known.
double port_share(const std::string& type, const std::string& pipe, const json::object& report,
                  const json::object& peaks) {
  const json::value* ports = peaks.if_contains("ports");
  if (ports == nullptr || (pipe != "MTE2" && pipe != "MTE3")) return 1;
  const bool loads = pipe == "MTE2", cube = type == "AIC";
  const char* path = loads ? (cube ? "GM->L1" : "GM->UB") : (cube ? "L1->GM" : "UB->GM");
  const json::value* bytes = report.at("bytes").as_object().if_contains(path);
  const double us = report.at("time_us").to_number<double>();
  if (bytes == nullptr || us <= 0) return 1;
  const json::object& totals = report.at("totals").at(type).as_object();
  const double used =
      totals.at("cores").to_number<double>() / peaks.at("cores").at(type).to_number<double>();
  const json::value* pipes = totals.if_contains("pipes");
  const json::value* counters = pipes != nullptr ? pipes->as_object().if_contains(pipe) : nullptr;
  const double busy = counters != nullptr ? counters->at("busy_share").to_number<double>() : 1;
  if (busy <= 0) return 1;
  return bytes->to_number<double>() / (us * 1e-6) /
         (ports->at(path).to_number<double>() * used * busy);
}

/// What HBM moved as a share of what it can. 0 if it is not known.
double hbm_share(const json::object& report, const json::object& peaks) {
  const json::value* peak = peaks.if_contains("hbm");
  const json::value* hbm = report.if_contains("hbm");
  if (peak == nullptr || hbm == nullptr) return 0;
  return hbm->at("gb_per_s").to_number<double>() * 1e9 / peak->to_number<double>();
}

std::string slow_moves(const std::string& pipe, double share) {
  return "While " + pipe + " works, it moves only " + share_text(share) +
         " of what the ports of these cores can. Short rows, many small moves and changes of "
         "layout (nd2nz) are slower than the port: move whole rows and larger pieces, keep "
         "operands in the layout that the core needs, and load every byte once.";
}

std::string change_of(const Group& group, const json::object& report, const json::object& peaks) {
  constexpr double kNearPort = 0.75;
  const std::string& cycle_class = group.parts.front().cycle_class;
  const bool moves = group.pipe == "MTE2" || group.pipe == "MTE3";
  if (const double hbm = hbm_share(report, peaks); moves && hbm > kNearPort) {
    return "HBM moves " + share_text(hbm) +
           " of what it can, all over the launch: read fewer bytes from it (narrower types, every "
           "byte once, what is used again kept in L2). A faster order of moves gains little.";
  }
  if (cycle_class == "busy") {
    const double port = port_share(group.type, group.pipe, report, peaks);
    if (port < kNearPort) return slow_moves(group.pipe, port);
  }
  return change_for(group.pipe, cycle_class);
}

std::string path_sentence(const std::vector<Group>& groups) {
  const Group& first = groups.front();
  std::string text = share_text(first.share) + " of the launch is " + first.pipe + " of " +
                     cores_of(first.type) + " on the critical path: ";
  constexpr std::size_t kMostParts = 2;
  for (std::size_t i = 0; i < first.parts.size() && i < kMostParts; ++i) {
    if (i > 0 && first.parts[i].share < 0.01) break;
    text += (i > 0 ? ", " : "") + share_text(first.parts[i].share) + " " +
            doing(first.pipe, first.parts[i].cycle_class);
  }
  if (groups.size() > 1 && groups[1].share >= 0.05) {
    const Group& second = groups[1];
    text += "; then " + second.pipe + " of " + cores_of(second.type) + " with " +
            share_text(second.share) + ", mostly " +
            doing(second.pipe, second.parts.front().cycle_class);
  }
  return text + ".";
}

/// "The scalar units bound the launch: ..." as scalar_bound_text() says it, without its line break.
std::string scalar_sentence(const ScalarBound& bound) {
  std::string text = scalar_bound_text(bound);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (!text.empty()) text.front() = 'S';
  return text + ".";
}

}  // namespace

json::object headline_json(const json::object& report, const json::object& path,
                           const json::object& peaks) {
  const std::vector<Group> groups = groups_of(path);
  if (groups.empty()) {
    return {{"text", "The launch took no time."},
            {"path", "The launch took no time."},
            {"change", ""},
            {"type", nullptr},
            {"pipe", nullptr},
            {"share", 0.0}};
  }
  const Group& first = groups.front();
  const json::value* member = report.if_contains("scalar_bound");
  const auto bound = member != nullptr ? scalar_bound_of(*member) : std::nullopt;
  const std::string sentence = path_sentence(groups);
  json::object headline = {{"text", sentence},   {"path", sentence},   {"change", ""},
                           {"type", first.type}, {"pipe", first.pipe}, {"share", first.share}};
  if (bound) {
    headline["text"] = scalar_sentence(*bound) + " " + sentence;
    headline["change"] = change_for("S", "busy");
    return headline;
  }
  std::string change = change_of(first, report, peaks);
  constexpr double kNearFirst = 0.6;
  if (groups.size() > 1 && groups[1].share > kNearFirst * first.share) {
    change += " For the " + groups[1].pipe + " part: " + change_of(groups[1], report, peaks);
  }
  headline["change"] = change;
  return headline;
}

}  // namespace davsim::traces
