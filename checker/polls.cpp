#include "checker/polls.hpp"

#include <algorithm>
#include <string_view>

namespace davsim::checker {

void Polls::begin_launch(bool several_dies) {
  on_ = several_dies;
  writes_.clear();
}

void Polls::wrote(const Mark& mark, const Clock& clock, const Cell& cell) {
  const auto [entry, is_new] = writes_.try_emplace(mark.stamp);
  if (is_new) entry->second.clock = clock;
  // Who reads a sum has seen all that was added to it.
  if ((mark.traits & kAtomicBits) == 0 || (cell.write.traits & kAtomicBits) == 0) return;
  const auto before = writes_.find(cell.write.stamp);
  if (before != writes_.end() && before != entry) {
    entry->second.clock.join_from(before->second.clock);
  }
}

void Polls::overwrote(const Mark& mark, const Mark& old) {
  const auto entry = writes_.find(mark.stamp);
  if (entry == writes_.end()) return;
  auto& readers = entry->second.readers;
  const std::pair<Agent, std::uint32_t> reader{static_cast<Agent>(old.agent), old.site};
  if (std::find(readers.begin(), readers.end(), reader) == readers.end()) {
    readers.push_back(reader);
  }
}

const Clock* Polls::found(const Mark& mark, const Mark& write) {
  const auto entry = writes_.find(write.stamp);
  if (entry == writes_.end()) return nullptr;
  Written& written = entry->second;
  const auto agent = static_cast<Agent>(mark.agent);
  const std::pair<Agent, std::uint32_t> reader{agent, mark.site};
  if (std::find(written.readers.begin(), written.readers.end(), reader) != written.readers.end()) {
    sites_.insert(mark.site);
  }
  const auto own = [&](const Found& found) { return core_of(found.agent) == core_of(agent); };
  if (std::none_of(written.found.begin(), written.found.end(), own)) {
    written.found.push_back({agent, mark.stamp, mark.site});
  }
  return &written.clock;
}

void Polls::read_again(const Mark& mark, const Mark& write) {
  const auto entry = writes_.find(write.stamp);
  if (entry == writes_.end()) return;
  const auto& found = entry->second.found;
  const auto before = [&](const Found& poll) {
    return poll.agent == mark.agent && poll.site == mark.site && poll.stamp != mark.stamp;
  };
  if (std::any_of(found.begin(), found.end(), before)) sites_.insert(mark.site);
}

bool Polls::is_over(const Mark& write, std::uint32_t core, const Clock& clock) const {
  const auto entry = writes_.find(write.stamp);
  if (entry == writes_.end()) return false;
  const auto& found = entry->second.found;
  return std::any_of(found.begin(), found.end(), [&](const Found& poll) {
    return core_of(poll.agent) == core || poll.stamp <= clock.known(poll.agent);
  });
}

bool Polls::explains(const Finding& finding, const Sites& sites) const {
  if (finding.cls != Class::kRace || finding.first.core == finding.second.core) return false;
  return std::any_of(sites_.begin(), sites_.end(), [&](std::uint32_t number) {
    const isa::SourceLocation& polls = sites[number].where;
    const auto is_it = [&](const Place& place) {
      return place.access == "reads" && place.where.line() == polls.line() &&
             std::string_view(place.where.file_name()) == polls.file_name();
    };
    return is_it(finding.first) || is_it(finding.second);
  });
}

}  // namespace davsim::checker
