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

/// Perfetto gives process 0 a meaning of its own.
std::uint64_t process_of(const sim::LinkUse& use) {
  return std::uint64_t{use.port.die} + 1;
}

json::object named(const char* what, std::uint64_t process, std::uint64_t track, std::string name) {
  return {{"ph", "M"},
          {"name", what},
          {"pid", process},
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
      write(
          named("process_name", process_of(use), track + 1, "die" + std::to_string(use.port.die)));
    }
    if (before == nullptr || !same_port(*before, use.port)) {
      write(named("thread_name", process_of(use), ++track, session::port_name(use.port)));
    }
    before = &use.port;
    write({{"ph", "X"},
           {"name", std::to_string(use.bytes) + " bytes"},
           {"pid", process_of(use)},
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
