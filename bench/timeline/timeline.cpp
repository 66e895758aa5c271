#include "bench/timeline/timeline.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <istream>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace davsim::timeline {
namespace {

namespace json = boost::json;

/// Gaps up to this share of the whole time do not end a stretch: they would not be seen.
constexpr double kUnseen = 0.004;

struct Instruction {
  double begin, end;
  std::string products;  ///< of a cube core: their type
};

/// Something that a source file with a label does, on any pipe.
struct Mark {
  double begin;
  std::string label;
};

struct Core {
  std::string name;
  bool cube = false;
  std::int64_t die = 0, ai_core = 0, sub_block = 0;  ///< its place
  std::vector<Instruction> instructions;
  std::vector<Mark> marks;
  std::vector<double> barriers;  ///< ends of those of all pipes
};

template <class T>
void sort_by_begin(std::vector<T>& items) {
  std::stable_sort(items.begin(), items.end(),
                   [](const T& a, const T& b) { return a.begin < b.begin; });
}

std::string file_of(const json::object& args) {
  const json::value* code = args.if_contains("code");
  if (code == nullptr) return "";
  std::string file(code->as_string());
  file.erase(std::min(file.rfind(':'), file.size()));
  return file.substr(file.rfind('/') + 1);
}

bool is_flag(std::string_view name) {
  return name.find("FLAG") != name.npos || name.find("CROSS_CORE") != name.npos || name == "BAR";
}

class Reader {
 public:
  explicit Reader(const Labels& labels) : labels_(labels) {}

  void read(std::istream& trace) {
    std::string line;
    for (std::size_t number = 1; std::getline(trace, line); ++number) {
      const std::size_t begin = line.find("{\"ph\":");
      if (begin == line.npos) continue;  // the frame around the events
      const std::size_t end = line.rfind('}');
      try {
        const json::value event = json::parse(line.substr(begin, end - begin + 1));
        const json::object& fields = event.as_object();
        if (fields.at("ph").as_string() == "M") name(fields);
        if (fields.at("ph").as_string() == "X") add(fields);
      } catch (const std::exception& error) {
        throw std::runtime_error("line " + std::to_string(number) +
                                 " of the trace is no event: " + error.what());
      }
    }
  }

  Timeline condensed() {
    Timeline timeline;
    timeline.soc = soc_;
    timeline.kernel = kernel_;
    timeline.end = end_;
    std::vector<Core*> cores;
    for (auto& [pid, core] : cores_) cores.push_back(&core);
    std::sort(cores.begin(), cores.end(),
              [](const Core* a, const Core* b) { return order_of(*a) < order_of(*b); });
    for (Core* core : cores) {
      timeline.dies = std::max(timeline.dies, core->die + 1);
      timeline.lanes.push_back({core->name, core->cube, core->die, stretches_of(*core)});
    }
    return timeline;
  }

 private:
  static std::tuple<std::int64_t, bool, std::int64_t, std::int64_t> order_of(const Core& core) {
    return {core.die, !core.cube, core.ai_core, core.sub_block};
  }

  /// "die3.core0.cubecore0" is of die 3; names in traces of one die say nothing of it.
  static std::int64_t die_of(const std::string& core) {
    std::int64_t die = 0;
    if (core.starts_with("die")) std::from_chars(core.data() + 3, core.data() + core.size(), die);
    return die;
  }

  void name(const json::object& event) {
    const std::int64_t pid = event.at("pid").as_int64();
    const json::object& args = event.at("args").as_object();
    const std::string text(args.contains("name") ? args.at("name").as_string() : json::string());
    if (event.at("name").as_string() == "thread_name") {
      pipes_[{pid, event.at("tid").as_int64()}] = text.substr(0, text.find('.'));
    } else if (event.at("name").as_string() == "process_name") {
      if (const json::value* type = args.if_contains("type")) {
        Core& core = cores_[pid];
        core.name = text;
        core.die = die_of(text);
        core.cube = type->as_string() == "AIC";
        core.ai_core = args.at("ai_core").to_number<std::int64_t>();
        core.sub_block = args.at("sub_block").to_number<std::int64_t>();
      } else if (soc_.empty()) {  // later ones are links of dies
        soc_ = text;
      }
    }
  }

  void add(const json::object& event) {
    const auto core = cores_.find(event.at("pid").as_int64());
    const std::string_view what = event.at("name").as_string();
    if (core == cores_.end()) {  // the row of launches
      kernel_ = what;
      return;
    }
    const std::string& pipe = pipes_[{core->first, event.at("tid").as_int64()}];
    const double begin = event.at("ts").to_number<double>();
    const double end = begin + event.at("dur").to_number<double>();
    const json::object& args = event.at("args").as_object();
    end_ = std::max(end_, end);
    if (pipe == "S" && what == "BAR") core->second.barriers.push_back(end);
    if (const auto label = labels_.find(file_of(args)); label != labels_.end()) {
      core->second.marks.push_back({begin, label->second});
    }
    if (is_flag(what) || (pipe != "M" && pipe != "V")) return;
    const json::value* type = args.if_contains("src_type");
    core->second.instructions.push_back(
        {begin, end, type == nullptr ? "" : std::string(type->as_string()) + " products"});
  }

  std::vector<Stretch> stretches_of(Core& core) const {
    sort_by_begin(core.instructions);
    sort_by_begin(core.marks);
    std::sort(core.barriers.begin(), core.barriers.end());
    std::vector<Stretch> stretches;
    std::size_t barrier = 0;
    for (std::size_t i = 0; i < core.instructions.size(); ++i) {
      const Instruction& now = core.instructions[i];
      bool first = i == 0;
      for (; barrier < core.barriers.size() && core.barriers[barrier] <= now.begin; ++barrier) {
        first = true;
      }
      const std::string work = core.cube ? now.products
                               : first   ? stage_before(core, barrier)
                                         : stretches.back().work;
      const bool joins = !stretches.empty() && stretches.back().work == work &&
                         now.begin - stretches.back().end < kUnseen * end_;
      if (!joins) stretches.push_back({now.begin, now.begin, 0, work});
      Stretch& stretch = stretches.back();
      stretch.busy += std::max(0.0, now.end - std::max(now.begin, stretch.end));
      stretch.end = std::max(stretch.end, now.end);
    }
    return stretches;
  }

  /// The first label between two barriers, the later one of this number.
  static std::string stage_before(const Core& core, std::size_t barrier) {
    const double from = barrier == 0 ? 0 : core.barriers[barrier - 1];
    const auto mark = std::find_if(core.marks.begin(), core.marks.end(),
                                   [&](const Mark& each) { return each.begin >= from; });
    const bool inside = mark != core.marks.end() &&
                        (barrier == core.barriers.size() || mark->begin < core.barriers[barrier]);
    return inside ? mark->label : "vector work";
  }

  const Labels& labels_;
  std::string soc_, kernel_;
  double end_ = 0;
  std::map<std::int64_t, Core> cores_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> pipes_;
};

}  // namespace

Timeline read_timeline(std::istream& trace, const Labels& labels) {
  Reader reader(labels);
  reader.read(trace);
  return reader.condensed();
}

}  // namespace davsim::timeline
