#include "cli/link_report.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <vector>

#include "cli/table.hpp"
#include "sim/system/communicators.hpp"

namespace davsim::cli {
namespace {

/// The counters of all ports of a link class in one direction.
struct LinkSums {
  std::uint64_t ports = 0, bytes = 0, messages = 0;
  double busy = 0, most_busy = 0, waited = 0;
};

std::map<std::string, LinkSums> sums(const std::vector<sim::LinkCounters>& links) {
  std::map<std::string, LinkSums> all;
  for (const sim::LinkCounters& link : links) {
    LinkSums& sum = all[link.link + (link.out ? " out" : " in")];
    ++sum.ports;
    sum.bytes += link.bytes;
    sum.messages += link.messages;
    sum.busy += link.busy;
    sum.most_busy = std::max(sum.most_busy, link.busy);
    sum.waited += link.waited;
  }
  return all;
}

}  // namespace

LinkReport link_report(const sim::Device& device, double cycles) {
  LinkReport report;
  Table table({"ports", "", "bytes", "messages", "busy %", "busiest %", "waited us"});
  table.right_from(1);
  for (const auto& [name, sum] : sums(device.links())) {
    const double busy = 100 * sum.busy / static_cast<double>(sum.ports) / cycles;
    const double waited = sum.waited / device.soc().frequency_mhz();
    report.json[name] = {{"ports", sum.ports},
                         {"bytes", sum.bytes},
                         {"messages", sum.messages},
                         {"busy_percent", busy},
                         {"busiest_percent", 100 * sum.most_busy / cycles},
                         {"waited_us", waited}};
    table.add({name, std::to_string(sum.ports), std::to_string(sum.bytes),
               std::to_string(sum.messages), fixed(busy, 1), fixed(100 * sum.most_busy / cycles, 1),
               fixed(waited, 1)});
  }
  report.text = table.text();
  return report;
}

}  // namespace davsim::cli
