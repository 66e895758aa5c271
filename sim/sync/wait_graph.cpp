#include "sim/sync/wait_graph.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace davsim::sim {
namespace {

/// Cores of a report that are named one by one.
constexpr std::size_t kMaxNames = 8;

/// What a wait says behind its core's name.
std::string without_core(const std::string& text) {
  return text.substr(std::min(text.find(' '), text.size()));
}

class WaitGraph {
 public:
  WaitGraph(const std::vector<WaitPoint>& points, const SetQueued& set_queued,
            const SettersFor& setters_for)
      : points_(points), set_queued_(set_queued), setters_for_(setters_for) {}

  /// Follows the waits from `start` until one comes again or nobody is left to wait for.
  std::vector<std::size_t> chain_from(std::size_t start) const {
    std::vector<std::size_t> chain;
    for (std::optional<std::size_t> at = start; at; at = next(*at)) {
      const auto seen = std::find(chain.begin(), chain.end(), *at);
      if (seen != chain.end()) {
        chain.erase(chain.begin(), seen);
        chain.push_back(*at);
        return chain;
      }
      chain.push_back(*at);
    }
    return chain;
  }

 private:
  std::optional<std::size_t> find(std::uint32_t core, isa::Pipe pipe) const {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (points_[i].core == core && points_[i].pipe == pipe) return i;
    }
    return std::nullopt;
  }

  /// The scalar unit of a core if it waits, but not at its kernel's end: new sets come from there.
  std::optional<std::size_t> find_scalar(std::uint32_t core) const {
    const auto scalar = find(core, isa::Pipe::S);
    return scalar && points_[*scalar].where.line() != 0 ? scalar : std::nullopt;
  }

  /// Any pipe of the core that waits, its scalar unit first.
  std::optional<std::size_t> any_of(std::uint32_t core, bool with_scalar) const {
    if (with_scalar) {
      if (const auto scalar = find_scalar(core)) return scalar;
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (points_[i].core == core && points_[i].pipe != isa::Pipe::S) return i;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> next(std::size_t at) const {
    const WaitPoint& point = points_[at];
    switch (point.what) {
      case WaitPoint::For::kFlag:
        // The set stands behind something in its own queue, or the kernel has not come to it.
        return set_queued_(point.core, point.flag) ? find(point.core, point.flag.set_pipe)
                                                   : find_scalar(point.core);
      case WaitPoint::For::kRoom:
        return find(point.core, point.full);
      case WaitPoint::For::kAllPipes:
        return any_of(point.core, false);
      case WaitPoint::For::kCrossCoreFlag:
        for (const std::uint32_t setter : setters_for_(point.core, point.cross_id)) {
          if (const auto there = any_of(setter, true)) return there;
        }
        return std::nullopt;
      case WaitPoint::For::kMemory:
        return std::nullopt;
    }
    return std::nullopt;
  }

  const std::vector<WaitPoint>& points_;
  const SetQueued& set_queued_;
  const SettersFor& setters_for_;
};

std::string chain_text(const std::vector<WaitPoint>& points,
                       const std::vector<std::size_t>& chain) {
  std::string text;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    text += "\n  " + std::string(i == 0 ? "" : "which waits for ") + points[chain[i]].text;
  }
  return text;
}

}  // namespace

std::string list_waits(const std::vector<WaitPoint>& points) {
  std::map<std::string, std::size_t> alike, told;
  for (const WaitPoint& point : points) ++alike[without_core(point.text)];
  std::string text;
  for (const WaitPoint& point : points) {
    const std::string wait = without_core(point.text);
    const std::size_t count = alike[wait];
    if (++told[wait] > 1 && count > kMaxNames) continue;
    text += "\n  " + point.text;
    if (count > kMaxNames) text += ", and " + std::to_string(count - 1) + " other cores likewise";
  }
  return text;
}

std::string explain_half_set(const std::vector<CrossCoreFlags::HalfSet>& sets,
                             const std::function<std::string(std::uint32_t core)>& name_of) {
  std::string text;
  for (const CrossCoreFlags::HalfSet& set : sets) {
    text += "\ncross-core flag " + std::to_string(set.id) + " of mode " + std::to_string(set.mode) +
            " was set by " + std::to_string(set.by.size()) + " of " + std::to_string(set.of) +
            " cores";
    for (std::size_t i = 0; i < std::min(set.missing.size(), kMaxNames); ++i) {
      text += (i == 0 ? ", not by " : ", ") + name_of(set.missing[i]);
    }
    if (set.missing.size() > kMaxNames) {
      text += " and " + std::to_string(set.missing.size() - kMaxNames) + " more";
    }
  }
  return text;
}

namespace {

/// The first round of waits, its first also as its last, or else the shortest chain.
std::vector<std::size_t> telling_chain(const std::vector<WaitPoint>& points,
                                       const SetQueued& set_queued, const SettersFor& setters_for) {
  const WaitGraph graph(points, set_queued, setters_for);
  std::vector<std::size_t> end;
  for (std::size_t start = 0; start < points.size(); ++start) {
    std::vector<std::size_t> chain = graph.chain_from(start);
    if (chain.size() > 1 && chain.front() == chain.back()) return chain;
    if (end.empty() || chain.size() < end.size()) end = std::move(chain);
  }
  return end;
}

bool goes_round(const std::vector<std::size_t>& chain) {
  return chain.size() > 1 && chain.front() == chain.back();
}

}  // namespace

std::size_t last_of_waits(const std::vector<WaitPoint>& points, const SetQueued& set_queued,
                          const SettersFor& setters_for) {
  const std::vector<std::size_t> chain = telling_chain(points, set_queued, setters_for);
  return chain.empty() || goes_round(chain) ? points.size() : chain.back();
}

std::string explain_waits(const std::vector<WaitPoint>& points, const SetQueued& set_queued,
                          const SettersFor& setters_for) {
  const std::vector<std::size_t> chain = telling_chain(points, set_queued, setters_for);
  if (chain.empty()) return "";
  if (goes_round(chain)) return "\nthe waits go round:" + chain_text(points, chain);
  return "\nnothing is left that could end this wait:\n  " + points[chain.back()].text;
}

}  // namespace davsim::sim
