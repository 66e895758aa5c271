// The timeline of a page. It stays small enough for a browser, however large the launch is.
#include <algorithm>
#include <boost/json.hpp>

#include "traces/html/html_page.hpp"

namespace davsim::traces {
namespace {

namespace json = boost::json;

/// An event of the page: an instruction, or several short ones one after the other.
struct Span {
  Cycle start, end;
  std::uint32_t name, line;
  EventKind kind;
  std::uint64_t count;
};

using Spans = std::vector<Span>;

Spans spans_of(const std::vector<TimelineEvent>& events) {
  Spans spans;
  spans.reserve(events.size());
  for (const TimelineEvent& e : events) {
    if (e.kind == EventKind::kSet) continue;  // takes no time
    spans.push_back({e.start, std::max(e.end, e.start), e.name, e.line, e.kind, 1});
  }
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& a, const Span& b) { return a.start < b.start; });
  return spans;
}

/// Joins neighbours of one kind that are no longer than `grain` and no further apart.
void coarsen(Spans& spans, Cycle grain) {
  Spans joined;
  for (const Span& span : spans) {
    Span* last = joined.empty() ? nullptr : &joined.back();
    const bool near = last != nullptr && last->kind == span.kind &&
                      span.start <= last->end + grain && span.end - span.start <= grain &&
                      (last->count > 1 || last->end - last->start <= grain) &&
                      span.end - last->start <= 16 * grain;
    if (!near) {
      joined.push_back(span);
      continue;
    }
    last->end = std::max(last->end, span.end);
    last->count += span.count;
  }
  spans = std::move(joined);
}

json::array numbers(const Spans& spans, Cycle start) {
  json::array list;
  list.reserve(spans.size() * 6);
  for (const Span& span : spans) {
    list.push_back(span.start - start);
    list.push_back(span.end - span.start);
    list.push_back(span.name);
    list.push_back(span.line);
    list.push_back(static_cast<unsigned>(span.kind));
    list.push_back(span.count);
    start = span.start;
  }
  return list;
}

struct Row {
  std::size_t core;
  isa::Pipe pipe;
  Spans spans;
};

std::size_t total(const std::vector<Row>& rows) {
  std::size_t sum = 0;
  for (const Row& row : rows) sum += row.spans.size();
  return sum;
}

}  // namespace

json::object html_timeline(const Timeline& timeline, std::size_t most) {
  std::vector<Row> rows;
  for (std::size_t core = 0; core < timeline.cores.size(); ++core) {
    for (std::size_t p = 0; p < isa::kPipeCount; ++p) {
      Spans spans = spans_of(timeline.cores[core].pipes[p]);
      if (!spans.empty()) rows.push_back({core, static_cast<isa::Pipe>(p), std::move(spans)});
    }
  }
  bool merged = false;
  for (Cycle grain = 8; total(rows) > most && grain < timeline.end - timeline.start; grain *= 2) {
    for (Row& row : rows) coarsen(row.spans, grain);
    merged = true;
  }
  json::array cores;
  json::object* pipes = nullptr;
  std::size_t last = timeline.cores.size();
  for (const Row& row : rows) {
    if (pipes == nullptr || row.core != last) {
      const TimelineCore& core = timeline.cores[row.core];
      const std::string_view type = isa::core_type_name(core.type);
      cores.push_back({{"name", core.name},
                       {"type", json::string(type.data(), type.size())},
                       {"pipes", json::object()}});
      pipes = &cores.back().get_object()["pipes"].get_object();
      last = row.core;
    }
    const std::string_view pipe = isa::pipe_name(row.pipe);
    (*pipes)[json::string_view(pipe.data(), pipe.size())] = numbers(row.spans, timeline.start);
  }
  return {{"start", timeline.start},
          {"end", timeline.end},
          {"merged", merged},
          {"texts", json::array(timeline.texts.begin(), timeline.texts.end())},
          {"cores", std::move(cores)}};
}

}  // namespace davsim::traces
