#include "sim/sync/wait_causes.hpp"

#include <algorithm>

#include "observe/cycle_classes.hpp"

namespace davsim::sim {
namespace {

using Names = std::function<std::string(std::uint32_t)>;

/// Flags, and cores, that are named one by one.
constexpr std::size_t kMostNamed = 4;

std::string at(const isa::SourceLocation& where) {
  return where.line() == 0 ? std::string() : " at " + observe::short_line(where);
}

std::string names(const std::vector<std::uint32_t>& cores, const Names& name_of) {
  std::string text;
  for (std::size_t i = 0; i < std::min(cores.size(), kMostNamed); ++i) {
    text += (i == 0 ? "" : ", ") + name_of(cores[i]);
  }
  if (cores.size() > kMostNamed) {
    text += " and " + std::to_string(cores.size() - kMostNamed) + " more";
  }
  return text;
}

/// How alike the flags are: the id alone is the likeliest slip, then one of the pipes.
int likeness(const isa::FlagParams& wanted, const isa::FlagParams& set) {
  const bool from = wanted.set_pipe == set.set_pipe, to = wanted.wait_pipe == set.wait_pipe;
  const bool id = wanted.id == set.id;
  const bool turned = wanted.set_pipe == set.wait_pipe && wanted.wait_pipe == set.set_pipe;
  if (from && to) return 4;
  if (turned) return 2 + (id ? 1 : 0);
  return id && (from || to) ? 1 : 0;
}

std::string instead_of(const isa::FlagParams& wanted, const isa::FlagParams& set) {
  if (wanted.set_pipe == set.set_pipe && wanted.wait_pipe == set.wait_pipe) return "another id";
  if (wanted.set_pipe == set.wait_pipe && wanted.wait_pipe == set.set_pipe) {
    return "the other direction";
  }
  return "another pair of pipes";
}

/// What a set of `mode` raises, for those who used another than they meant.
std::string reach_of(std::uint8_t mode) {
  if (mode == 0) return "mode 0 raises it on all cores of the setters' own type";
  if (mode == 1) return "mode 1 raises it on the two vector cores of the AI core";
  return "mode 2 raises it on the other half of the setter's AI core";
}

}  // namespace

std::string explain_event(const WaitPoint& point, const std::vector<EventFlags::Raised>& raised) {
  const isa::FlagParams& wanted = point.flag;
  std::string text = "\nno set of " + EventFlags::name(wanted) + " is on its way: a SetFlag on " +
                     std::string(isa::pipe_name(wanted.set_pipe)) + " of this core would end the " +
                     "wait" + at(point.where);
  std::vector<EventFlags::Raised> like;
  for (const EventFlags::Raised& flag : raised) {
    if (likeness(wanted, flag.flag) > 0) like.push_back(flag);
  }
  std::stable_sort(like.begin(), like.end(), [&](const auto& a, const auto& b) {
    return likeness(wanted, a.flag) > likeness(wanted, b.flag);
  });
  if (like.size() > kMostNamed) like.resize(kMostNamed);
  for (const EventFlags::Raised& flag : like) {
    text += "\n  " + EventFlags::name(flag.flag) + " was set" + at(flag.where) +
            " and nobody awaits it: " + instead_of(wanted, flag.flag);
  }
  return text;
}

std::string explain_cross_core(const WaitPoint& point, const CrossCoreFlags& flags,
                               std::uint32_t place, const Names& name_of) {
  std::string text;
  const auto reaches = [&](std::uint8_t mode, std::uint32_t setter) {
    const std::vector<std::uint32_t> all = flags.setters(place, mode);
    return std::find(all.begin(), all.end(), setter) != all.end();
  };
  bool half = false;
  for (const CrossCoreFlags::HalfSet& set : flags.half_set()) {
    if (set.id != point.cross_id) continue;
    if (reaches(set.mode, set.by.front())) {
      half = true;
    } else {
      text += "\n  flag " + std::to_string(set.id) + " was set by " + names(set.by, name_of) +
              " with mode " + std::to_string(set.mode) + " instead: " + reach_of(set.mode);
    }
  }
  std::size_t told = 0;
  for (const CrossCoreFlags::Raised& raised : flags.raised()) {
    const bool same_id = raised.id == point.cross_id;
    if (raised.core != place && !same_id) continue;
    if (++told > kMostNamed) break;
    text += "\n  flag " + std::to_string(raised.id) + " is raised on " + name_of(raised.core) +
            ", by the set of mode " + std::to_string(raised.mode) + at(raised.where) +
            ", and nobody awaits it: " +
            (raised.core == place ? std::string("another id") : reach_of(raised.mode));
  }
  if (half) return text;
  const std::vector<std::uint32_t> others = flags.setters(place, 2);
  const std::vector<std::uint32_t> alike = flags.setters(place, 0);
  const std::uint32_t taken = flags.taken(place, point.cross_id);
  std::string head = "\nflag " + std::to_string(point.cross_id) + " of " + name_of(place);
  head += taken == 0 ? " was never set: "
                     : " was raised " + std::to_string(taken) + (taken == 1 ? " time" : " times") +
                           ", for the waits before this one: ";
  if (!others.empty()) head += names(others, name_of) + " would raise it with mode 2, ";
  head += "all cores of its type with mode 0 (" + std::to_string(alike.size()) + " of them)";
  return head + text;
}

}  // namespace davsim::sim
