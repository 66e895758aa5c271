#include "session/link_passes.hpp"

namespace davsim::session {

std::string port_name(const sim::LinkCounters& port) {
  std::string name = port.link + (port.out ? " out" : " in");
  if (port.peer < 0) return name;
  return name + (port.out ? " to die" : " from die") + std::to_string(port.peer);
}

std::vector<traces::PortPass> link_passes(const std::vector<sim::LinkUse>& uses) {
  std::vector<traces::PortPass> passes;
  for (const sim::LinkUse& use : uses) {
    passes.push_back({use.port.die, use.other, port_name(use.port), use.port.out, use.bytes,
                      use.came, use.began, use.ended});
  }
  return passes;
}

}  // namespace davsim::session
