#include "traces/html/html_data.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/json.hpp>
#include <numeric>

#include "traces/html/packed_numbers.hpp"

namespace davsim::traces {
namespace {

namespace json = boost::json;
using isa::Pipe;

constexpr std::size_t kMostBins = 1000;
constexpr Cycle kFirstGrain = 8;

json::string shown_text(std::string_view text) {
  return json::string(text.data(), text.size());
}

/// Which tensor a place of global memory belongs to.
class Tensors {
 public:
  Tensors(const std::vector<NamedMemory>& memories, const HtmlRecorder& recorder)
      : memories_(memories), moved_(memories.size() + 1), rank_(memories.size() + 1) {
    for (const auto& [place, moved] : recorder.moved()) {
      HtmlRecorder::Moved& sum = moved_[memory_at(place)];
      sum.read += moved.read;
      sum.written += moved.written;
      sum.moves += moved.moves;
    }
    order_.resize(moved_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return bytes(a) > bytes(b); });
    for (std::size_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
  }

  /// Index among json().
  std::size_t at(std::uint64_t place) const { return rank_[memory_at(place)]; }

  json::array json() const {
    json::array list;
    for (const std::size_t i : order_) {
      if (moved_[i].moves == 0) continue;
      const bool known = i < memories_.size();
      list.push_back({{"name", known ? memories_[i].name : "memory without a name"},
                      {"bytes", known ? json::value(memories_[i].bytes) : json::value()},
                      {"read", moved_[i].read},
                      {"written", moved_[i].written},
                      {"moves", moved_[i].moves}});
    }
    return list;
  }

 private:
  std::uint64_t bytes(std::size_t i) const { return moved_[i].read + moved_[i].written; }
  /// Memories are in the order of their addresses; the last index stands for those without a name.
  std::size_t memory_at(std::uint64_t place) const {
    auto after = std::upper_bound(
        memories_.begin(), memories_.end(), place,
        [](std::uint64_t at, const NamedMemory& memory) { return at < memory.start; });
    if (after == memories_.begin()) return memories_.size();
    --after;
    if (place >= after->start + after->bytes) return memories_.size();
    return static_cast<std::size_t>(after - memories_.begin());
  }

  const std::vector<NamedMemory>& memories_;
  std::vector<HtmlRecorder::Moved> moved_;
  std::vector<std::size_t> order_, rank_;
};

/// Events of a pipe by start, as indices.
std::vector<std::size_t> by_start(const std::vector<TimelineEvent>& events) {
  std::vector<std::size_t> order(events.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return events[a].start < events[b].start; });
  return order;
}

/// Writes the pipes of one core.
class PipeWriter {
 public:
  PipeWriter(const Timeline& timeline, const Tensors& tensors, Cycle shortest)
      : timeline_(timeline), tensors_(tensors), shortest_(shortest) {}

  json::object pipe(const std::vector<TimelineEvent>& events,
                    const std::vector<std::uint64_t>& places, const StateTrack& track) const {
    PackedNumbers states, packed;
    for (const StateTrack::State& state : track.states()) {
      states.add(state.cycles * 16 + static_cast<std::uint64_t>(state.cycle_class));
    }
    std::size_t count = 0;
    Cycle before = timeline_.start;
    for (const std::size_t i : by_start(events)) {
      const TimelineEvent& e = events[i];
      const Cycle length = std::max(e.end, e.start) - e.start;
      if (e.kind == EventKind::kWork && length < shortest_) continue;
      ++count;
      packed.add(e.start - before);
      packed.add(length);
      packed.add(std::uint64_t{e.name} * 4 + static_cast<std::uint64_t>(e.kind));
      packed.add(e.line);
      packed.add(e.kind == EventKind::kWork
                     ? tensor(i < places.size() ? places[i] : HtmlRecorder::kNoPlace)
                     : e.flow);
      before = e.start;
    }
    return {{"states", states.base64()},
            {"state_count", track.states().size()},
            {"events", packed.base64()},
            {"event_count", count}};
  }

 private:
  std::uint64_t tensor(std::uint64_t place) const {
    return place == HtmlRecorder::kNoPlace ? 0 : tensors_.at(place) + 1;
  }

  const Timeline& timeline_;
  const Tensors& tensors_;
  Cycle shortest_;
};

/// The length that instructions must have for at most `most` to be left.
Cycle shortest_event(const Timeline& timeline, std::size_t most) {
  std::array<std::size_t, 64> longer{};  // by the power of two of their length
  for (const TimelineCore& core : timeline.cores) {
    for (const auto& events : core.pipes) {
      for (const TimelineEvent& e : events) {
        const Cycle length = std::max(e.end, e.start) - e.start;
        ++longer[e.kind == EventKind::kWork ? std::bit_width(length) : 63];
      }
    }
  }
  std::size_t left = std::accumulate(longer.begin(), longer.end(), std::size_t{0});
  if (left <= most) return 0;
  std::size_t power = 0;
  for (; power < 63 && left > most; ++power) left -= longer[power];
  return Cycle{1} << power >> 1;
}

std::size_t state_count(const std::vector<HtmlRecorder::Core>& cores) {
  std::size_t sum = 0;
  for (const HtmlRecorder::Core& core : cores) {
    for (const StateTrack& track : core.tracks) sum += track.states().size();
  }
  return sum;
}

/// Returns the grain, 0 if nothing had to be joined.
Cycle coarsen(std::vector<HtmlRecorder::Core>& cores, std::size_t most, Cycle cycles) {
  Cycle grain = 0;
  for (Cycle next = kFirstGrain; state_count(cores) > most && next < cycles; next *= 2) {
    grain = next;
    for (HtmlRecorder::Core& core : cores) {
      for (StateTrack& track : core.tracks) track.coarsen(grain);
    }
  }
  return grain;
}

json::object bandwidth(const std::vector<MemorySample>& samples, const Timeline& timeline) {
  const Cycle cycles = std::max<Cycle>(timeline.end - timeline.start, 1);
  Cycle sample_span = 1;
  for (const MemorySample& sample : samples) sample_span = std::max(sample_span, sample.span);
  const Cycle span = std::max(sample_span, (cycles + kMostBins - 1) / kMostBins);
  const std::size_t bins = (cycles + span - 1) / span;
  std::vector<std::uint64_t> l2(bins), read(bins), written(bins);
  for (const MemorySample& sample : samples) {
    const Cycle at = std::max(sample.start, timeline.start) - timeline.start;
    const std::size_t bin = std::min<std::size_t>(at / span, bins - 1);
    l2[bin] += sample.l2_bytes;
    read[bin] += sample.hbm_read_bytes;
    written[bin] += sample.hbm_write_bytes;
  }
  return {{"span", span},
          {"l2", json::array(l2.begin(), l2.end())},
          {"hbm_read", json::array(read.begin(), read.end())},
          {"hbm_written", json::array(written.begin(), written.end())}};
}

json::object path_json(const std::vector<PathStep>& path, const std::vector<std::size_t>& shown) {
  PackedNumbers packed;
  for (const PathStep& step : path) {
    packed.add(step.end - step.begin);
    packed.add(step.core < shown.size() ? shown[step.core] : 0);
    packed.add(static_cast<std::uint64_t>(step.pipe) * 16 +
               static_cast<std::uint64_t>(step.cycle_class));
    packed.add(step.name);
    packed.add(step.line);
  }
  return {{"steps", packed.base64()}, {"step_count", path.size()}};
}

}  // namespace

json::object html_timeline(const Timeline& timeline, HtmlRecorder& recorder,
                           const std::vector<NamedMemory>& memories,
                           const std::vector<PathStep>& path, const HtmlLimits& limits) {
  const Tensors tensors(memories, recorder);
  const Cycle shortest = shortest_event(timeline, limits.events);
  recorder.cores().resize(timeline.cores.size());
  const Cycle grain = coarsen(recorder.cores(), limits.states, timeline.end - timeline.start);
  const PipeWriter writer(timeline, tensors, shortest);
  json::array cores;
  std::vector<std::size_t> shown(timeline.cores.size());
  for (std::size_t id = 0; id < timeline.cores.size(); ++id) {
    const TimelineCore& core = timeline.cores[id];
    const HtmlRecorder::Core& recorded = recorder.cores()[id];
    json::object pipes;
    for (std::size_t p = 0; p < isa::kPipeCount; ++p) {
      const bool scalar = static_cast<Pipe>(p) == Pipe::S;
      if (core.pipes[p].empty() && !(scalar && !core.blocks.empty())) continue;
      pipes[shown_text(isa::pipe_name(static_cast<Pipe>(p)))] =
          writer.pipe(core.pipes[p], recorded.places[p], recorded.tracks[p]);
    }
    if (pipes.empty()) continue;
    shown[id] = cores.size();
    cores.push_back({{"name", core.name},
                     {"type", shown_text(isa::core_type_name(core.type))},
                     {"pipes", std::move(pipes)}});
  }
  return {{"start", timeline.start},
          {"end", timeline.end},
          {"texts", json::array(timeline.texts.begin(), timeline.texts.end())},
          {"shortest", shortest},
          {"grain", grain},
          {"cores", std::move(cores)},
          {"tensors", tensors.json()},
          {"bandwidth", bandwidth(recorder.samples(), timeline)},
          {"path", path_json(path, shown)}};
}

}  // namespace davsim::traces
