#include "traces/analysis/polls.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace davsim::traces {

using isa::Pipe;

Polls::Polls(const Timeline& timeline) : timeline_(timeline) {
  find_waits();
  find_reads();
  join_words();
  find_writes();
}

void Polls::find_waits() {
  std::unordered_map<std::uint64_t, std::uint32_t> setters;  // by flow
  const auto for_each = [this](EventKind kind, auto visit) {
    for (std::uint32_t core = 0; core < timeline_.cores.size(); ++core) {
      for (const auto& events : timeline_.cores[core].pipes) {
        for (const TimelineEvent& e : events) {
          if (e.kind == kind && e.flow != 0) visit(core, e);
        }
      }
    }
  };
  for_each(EventKind::kSet,
           [&](std::uint32_t core, const TimelineEvent& e) { setters[e.flow] = core; });
  waits_.resize(timeline_.cores.size());
  for_each(EventKind::kWait, [&](std::uint32_t core, const TimelineEvent& e) {
    const auto set = setters.find(e.flow);
    if (set != setters.end() && set->second != core) waits_[core].push_back(e.end);
  });
  for (auto& ends : waits_) std::sort(ends.begin(), ends.end());
}

void Polls::find_reads() {
  for (std::uint32_t core = 0; core < timeline_.cores.size(); ++core) {
    for (const Pipe pipe : {Pipe::MTE2, Pipe::S}) {
      std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, std::size_t> last;
      const auto& events = timeline_.cores[core].of(pipe);
      for (std::size_t i = 0; i < events.size(); ++i) {
        const TimelineEvent& e = events[i];
        if (e.kind != EventKind::kWork || e.global_bytes == 0 || e.global_write) continue;
        const auto [at, is_new] = last.try_emplace({e.line, e.global, e.global_bytes}, i);
        if (is_new) continue;
        before_[{core, pipe, i}] = at->second;
        at->second = i;
        words_.push_back({e.global, e.global + e.global_bytes, {}});
      }
    }
  }
}

void Polls::join_words() {
  std::sort(words_.begin(), words_.end(),
            [](const Words& a, const Words& b) { return a.begin < b.begin; });
  std::vector<Words> joined;
  for (const Words& words : words_) {
    if (!joined.empty() && words.begin < joined.back().end) {
      joined.back().end = std::max(joined.back().end, words.end);
    } else {
      joined.push_back(words);
    }
  }
  words_ = std::move(joined);
}

const Polls::Words* Polls::words_at(std::uint64_t from, std::uint64_t to) const {
  const auto behind = std::partition_point(words_.begin(), words_.end(),
                                           [&](const Words& words) { return words.end <= from; });
  return behind == words_.end() || behind->begin >= to ? nullptr : &*behind;
}

void Polls::find_writes() {
  if (words_.empty()) return;
  for (std::uint32_t core = 0; core < timeline_.cores.size(); ++core) {
    for (const Pipe pipe : {Pipe::MTE3, Pipe::FIX, Pipe::S}) {
      const auto& events = timeline_.cores[core].of(pipe);
      for (std::size_t i = 0; i < events.size(); ++i) {
        const TimelineEvent& e = events[i];
        if (e.kind != EventKind::kWork || !e.global_write || e.global_bytes == 0) continue;
        const std::uint64_t to = e.global + e.global_bytes;
        const Words* found = words_at(e.global, to);
        if (found == nullptr) continue;
        auto words = words_.begin() + (found - words_.data());
        for (; words != words_.end() && words->begin < to; ++words) {
          words->writes.push_back({core, pipe, i});
        }
      }
    }
  }
  for (Words& words : words_) {
    std::stable_sort(
        words.writes.begin(), words.writes.end(),
        [this](const Place& a, const Place& b) { return event(a).end < event(b).end; });
  }
}

std::optional<Place> Polls::ended_by(const Place& read) const {
  const auto before = before_.find(read);
  if (before == before_.end()) return std::nullopt;
  const TimelineEvent& e = event(read);
  const TimelineEvent& earlier = event({read.core, read.pipe, before->second});
  const auto& waits = waits_[read.core];
  const auto wait = std::upper_bound(waits.begin(), waits.end(), earlier.end);
  if (wait != waits.end() && *wait <= e.start) return std::nullopt;
  const std::uint64_t to = e.global + e.global_bytes;
  const Words* const words = words_at(e.global, to);
  if (words == nullptr) return std::nullopt;
  auto at = std::partition_point(words->writes.begin(), words->writes.end(),
                                 [&](const Place& write) { return event(write).end <= e.end; });
  while (at != words->writes.begin()) {
    --at;
    const TimelineEvent& write = event(*at);
    if (write.end <= earlier.end) return std::nullopt;
    const bool meets = write.global < to && e.global < write.global + write.global_bytes;
    if (meets && at->core != read.core) return *at;
  }
  return std::nullopt;
}

}  // namespace davsim::traces
