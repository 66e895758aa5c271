#include "cli/link_trace.hpp"

#include <boost/json.hpp>
#include <ostream>
#include <string>

#include "session/link_passes.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;

bool same_port(const sim::LinkCounters& a, const sim::LinkCounters& b) {
  return a.die == b.die && a.link == b.link && a.peer == b.peer && a.out == b.out;
}

json::object named(const char* what, std::uint32_t die, std::uint64_t track, std::string name) {
  return {{"ph", "M"},
          {"name", what},
          {"pid", die},
          {"tid", track},
          {"args", json::object{{"name", std::move(name)}}}};
}

}  // namespace

void write_link_trace(std::ostream& out, const std::vector<sim::LinkUse>& uses, double mhz) {
  out << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  const char* between = "\n";
  const auto write = [&](const json::object& event) {
    out << between << json::serialize(event);
    between = ",\n";
  };
  std::uint64_t track = 0;
  const sim::LinkCounters* before = nullptr;
  for (const sim::LinkUse& use : uses) {
    if (before == nullptr || before->die != use.port.die) {
      write(named("process_name", use.port.die, 0, "die" + std::to_string(use.port.die)));
    }
    if (before == nullptr || !same_port(*before, use.port)) {
      write(named("thread_name", use.port.die, ++track, session::port_name(use.port)));
    }
    before = &use.port;
    write({{"ph", "X"},
           {"name", std::to_string(use.bytes) + " bytes"},
           {"pid", use.port.die},
           {"tid", track},
           {"ts", use.began / mhz},
           {"dur", (use.ended - use.began) / mhz},
           {"args", json::object{{use.port.out ? "to" : "from", use.other},
                                 {"bytes", use.bytes},
                                 {"waited_us", (use.began - use.came) / mhz}}}});
  }
  out << "\n]}\n";
}

}  // namespace davsim::cli
