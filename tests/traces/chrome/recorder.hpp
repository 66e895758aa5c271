// A Chrome trace under construction, and what its document says.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traces/chrome/chrome_trace.hpp"

namespace davsim::traces {

namespace json = boost::json;
using isa::Opcode;
using isa::Pipe;
using isa::Space;

inline constexpr std::uint64_t kGmBase = 0x7f0000000000;

inline LaunchDescription description(double mhz = 1850) {
  LaunchDescription launch;
  launch.soc = "Ascend910B1";
  launch.kernel = "kernel";
  launch.frequency_mhz = mhz;
  launch.block_dim = 2;
  launch.gm_base = kGmBase;
  launch.cores = {{0, isa::CoreType::AIC, "core0.cubecore0"},
                  {24, isa::CoreType::AIV, "core0.veccore0"},
                  {25, isa::CoreType::AIV, "core0.veccore1", 0, 1}};
  return launch;
}

inline isa::DecodedInstr make(Opcode op, Pipe pipe, isa::Params params = {}) {
  isa::DecodedInstr instr;
  instr.op = op;
  instr.pipe = pipe;
  instr.params = params;
  return instr;
}

/// A trace under construction and its document.
class Recorder {
 public:
  explicit Recorder(double mhz = 1850) { trace_.launch_begins(description(mhz)); }

  void add(const isa::DecodedInstr& instr, Cycle start, Cycle end, std::uint64_t flow = 0,
           std::uint32_t core = 24) {
    trace_.instruction({core, &instr, start, start, end, flow});
  }
  ChromeTrace& trace() { return trace_; }

  /// Events of the finished trace with this `ph`.
  std::vector<json::object> events(std::string_view phase) {
    trace_.finish();
    std::vector<json::object> found;
    const json::value document = json::parse(stream_.str());
    for (const json::value& event : document.at("traceEvents").as_array()) {
      if (event.at("ph").as_string() == json::string_view(phase.data(), phase.size())) {
        found.push_back(event.as_object());
      }
    }
    return found;
  }

 private:
  std::ostringstream stream_;
  ChromeTrace trace_{stream_};
};

inline std::string text(const json::value& value) {
  return std::string(value.as_string());
}

/// Names of threads by (pid, tid).
inline std::map<std::pair<std::int64_t, std::int64_t>, std::string> thread_names(
    Recorder& recorder) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> names;
  for (const json::object& event : recorder.events("M")) {
    if (text(event.at("name")) != "thread_name") continue;
    names[{event.at("pid").as_int64(), event.at("tid").as_int64()}] =
        text(event.at("args").at("name"));
  }
  return names;
}

inline std::string thread_of(Recorder& recorder, const json::object& event) {
  return thread_names(recorder).at({event.at("pid").as_int64(), event.at("tid").as_int64()});
}

}  // namespace davsim::traces
