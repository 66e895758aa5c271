#include "sim/wait_graph.hpp"

#include <algorithm>
#include <optional>

namespace davsim::sim {
namespace {

class WaitGraph {
 public:
  WaitGraph(const std::vector<WaitPoint>& points,
            const std::function<bool(std::uint32_t, const isa::FlagParams&)>& set_queued,
            const std::function<std::vector<std::uint32_t>(std::uint32_t)>& partners)
      : points_(points), set_queued_(set_queued), partners_(partners) {}

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
        for (const std::uint32_t partner : partners_(point.core)) {
          if (const auto there = any_of(partner, true)) return there;
        }
        return std::nullopt;
      case WaitPoint::For::kMemory:
        return std::nullopt;
    }
    return std::nullopt;
  }

  const std::vector<WaitPoint>& points_;
  const std::function<bool(std::uint32_t, const isa::FlagParams&)>& set_queued_;
  const std::function<std::vector<std::uint32_t>(std::uint32_t)>& partners_;
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

std::string explain_waits(
    const std::vector<WaitPoint>& points,
    const std::function<bool(std::uint32_t core, const isa::FlagParams& flag)>& set_queued,
    const std::function<std::vector<std::uint32_t>(std::uint32_t core)>& partners) {
  const WaitGraph graph(points, set_queued, partners);
  std::vector<std::size_t> end;
  for (std::size_t start = 0; start < points.size(); ++start) {
    const std::vector<std::size_t> chain = graph.chain_from(start);
    if (chain.size() > 1 && chain.front() == chain.back()) {
      return "\nthe waits go round:" + chain_text(points, chain);
    }
    if (end.empty() || chain.size() < end.size()) end = chain;
  }
  if (end.empty()) return "";
  return "\nnothing is left that could end this wait:\n  " + points[end.back()].text;
}

}  // namespace davsim::sim
