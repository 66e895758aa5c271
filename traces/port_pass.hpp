// What passed the links between the dies of a system.
#pragma once

#include <cstdint>
#include <string>

namespace davsim::traces {

/// A transfer's pass through a port of a die.
struct PortPass {
  std::uint32_t die = 0, other = 0;  ///< whose port, and where the transfer comes from or goes to
  std::string port;                  ///< the name of its row
  bool out = true;
  std::uint64_t bytes = 0;
  double came = 0, began = 0, ended = 0;  ///< cycles; it waited until it began
};

}  // namespace davsim::traces
