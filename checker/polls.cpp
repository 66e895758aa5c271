#include "checker/polls.hpp"

#include <algorithm>
#include <string_view>

namespace davsim::checker {

void Polls::begin_launch(bool several_dies) {
  several_dies_ = several_dies;
  writes_.clear();
  found_.clear();
  core_writes_.clear();
}

void Polls::core_writes(std::uint32_t core, Stamp stamp) {
  if (core >= core_writes_.size()) core_writes_.resize(core + 1);
  std::vector<Stamp>& stamps = core_writes_[core];
  if (stamps.empty() || stamps.back() != stamp) stamps.push_back(stamp);
}

bool Polls::wrote_between(std::uint32_t core, Stamp first, Stamp second) const {
  if (core >= core_writes_.size()) return false;
  const std::vector<Stamp>& stamps = core_writes_[core];
  const auto next = std::upper_bound(stamps.begin(), stamps.end(), first);
  return next != stamps.end() && *next < second;
}

void Polls::polls(std::uint32_t site, std::uint64_t bytes) {
  std::uint64_t& most = sites_[site];
  most = std::max(most, bytes);
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
  const auto agent = static_cast<Agent>(old.agent);
  const auto same = std::find_if(readers.begin(), readers.end(), [&](const Reader& reader) {
    return reader.agent == agent && reader.site == old.site;
  });
  if (same == readers.end()) {
    readers.push_back({agent, old.stamp, old.site});
  } else {
    same->stamp = std::max<Stamp>(same->stamp, old.stamp);
  }
}

bool Polls::looks_again(const Mark& mark, const Written& written) const {
  const auto agent = static_cast<Agent>(mark.agent);
  return std::any_of(written.readers.begin(), written.readers.end(), [&](const Reader& reader) {
    return reader.agent == agent && reader.site == mark.site &&
           !wrote_between(core_of(agent), reader.stamp, mark.stamp);
  });
}

void Polls::looked_too_early(const Mark& mark, std::uint64_t bytes, const Mark& write) {
  const auto entry = writes_.find(write.stamp);
  if (entry == writes_.end()) return;
  if (looks_again(mark, entry->second)) polls(mark.site, bytes);
  overwrote(write, mark);
}

const Clock* Polls::found(const Mark& mark, std::uint64_t bytes, const Mark& write) {
  const auto entry = writes_.find(write.stamp);
  if (entry == writes_.end()) return nullptr;
  Written& written = entry->second;
  const auto agent = static_cast<Agent>(mark.agent);
  if (looks_again(mark, written)) polls(mark.site, bytes);
  if (!several_dies_) {
    const auto known = sites_.find(mark.site);
    if (known == sites_.end() || known->second < bytes) return nullptr;
  }
  const auto own = [&](const Found& found) { return core_of(found.agent) == core_of(agent); };
  std::vector<Found>& polls = found_[write.stamp];
  if (std::none_of(polls.begin(), polls.end(), own)) {
    polls.push_back({agent, mark.stamp, mark.site});
  }
  return &written.clock;
}

void Polls::read_again(const Mark& mark, std::uint64_t bytes, const Mark& write) {
  const auto entry = found_.find(write.stamp);
  if (entry == found_.end()) return;
  const std::vector<Found>& found = entry->second;
  const auto before = [&](const Found& poll) {
    return poll.agent == mark.agent && poll.site == mark.site && poll.stamp != mark.stamp &&
           !wrote_between(core_of(poll.agent), poll.stamp, mark.stamp);
  };
  if (std::any_of(found.begin(), found.end(), before)) polls(mark.site, bytes);
}

void Polls::looked_in_vain(const Mark& first, const Mark& second, std::uint64_t bytes) {
  const std::uint32_t core = core_of(static_cast<Agent>(second.agent));
  if (!wrote_between(core, first.stamp, second.stamp)) polls(second.site, bytes);
}

bool Polls::is_over(const Mark& write, std::uint32_t core, const Clock& clock) const {
  const auto entry = found_.find(write.stamp);
  if (entry == found_.end()) return false;
  const std::vector<Found>& found = entry->second;
  return std::any_of(found.begin(), found.end(), [&](const Found& poll) {
    return core_of(poll.agent) == core || poll.stamp <= clock.known(poll.agent);
  });
}

bool Polls::explains(const Finding& finding, const Sites& sites) const {
  if (finding.cls != Class::kRace || finding.first.core == finding.second.core) return false;
  return std::any_of(sites_.begin(), sites_.end(), [&](const auto& site) {
    const isa::SourceLocation& polls = sites[site.first].where;
    const auto is_it = [&](const Place& place) {
      return place.access == "reads" && place.where.line() == polls.line() &&
             std::string_view(place.where.file_name()) == polls.file_name();
    };
    return finding.moved <= site.second && (is_it(finding.first) || is_it(finding.second));
  });
}

}  // namespace davsim::checker
