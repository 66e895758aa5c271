// A system of dies as its description file defines it: which SoC they are, how they are linked, and
// what the servers of collective operations cost. docs/systems.md describes the format.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/soc/soc_config.hpp"

namespace davsim::sim {

/// The links between dies of one level: of a package, of a server, of everything.
struct LinkClass {
  std::string name;
  std::uint32_t within = 0;  ///< dies: this many in a row are linked so, unless an inner class is
  /// True: each pair of dies has a link of its own. False: a die has one port, and all traffic of
  /// the class shares it.
  bool port_for_each_peer = false;
  std::string port;                   ///< classes with the same port share it
  double bytes_per_second = 0;        ///< of a port, in each direction
  double write_bytes_per_second = 0;  ///< the same for what cores write
  double write_seconds = 0;       ///< from the port of the source to the port of the destination
  double read_seconds = 0;        ///< both ways, without the memory's time
  double message_seconds = 0;     ///< a port is busy for a message besides its bytes
  std::uint64_t outstanding = 0;  ///< bytes of one engine that are on their way at most
};

/// Costs of the programs and engines that carry collective operations out.
struct CollectiveTiming {
  double message_seconds = 0;  ///< from the commit of the last rank to the first transfer
  double step_seconds = 0;     ///< from the end of a step on all ranks to the next one
  double link_share = 1;       ///< of the links' bandwidth that the copies of an engine reach
  std::uint64_t piece = 0;     ///< bytes of a copy that an engine moves at a time
  std::uint64_t one_shot = 0;  ///< reductions of at most so many bytes take one step
  std::string reduction;       ///< "mesh" or "ring": how larger reductions and gathers go
  std::uint64_t window = 0;    ///< bytes of each window of a communicator
  /// Dies of a server; groups of several servers go in two levels. 0: there is one level.
  std::uint32_t server = 0;
};

class SystemConfig {
 public:
  /// Reads a built-in description. Throws std::invalid_argument naming the systems that exist.
  static SystemConfig named(std::string_view name);
  /// Reads a file of the user's own, which may `include` built-in ones. Throws
  /// std::invalid_argument "file:line: what is wrong".
  static SystemConfig from_file(const std::string& path);
  static std::vector<std::string> names();

  const std::string& name() const { return name_; }
  const std::string& soc() const { return soc_; }
  std::uint32_t dies() const { return dies_; }
  /// The same system with fewer dies. Throws std::invalid_argument unless there are 1 to dies().
  void use_dies(std::uint32_t dies);
  /// Inner classes first.
  const std::vector<LinkClass>& links() const { return links_; }
  /// The class that links two different dies.
  const LinkClass& link(std::uint32_t from, std::uint32_t to) const;
  const CollectiveTiming& collectives() const { return collectives_; }
  /// Every constant with unit and source, by "Section.key", for `davsim describe`.
  const std::map<std::string, Constant>& constants() const { return constants_; }

 private:
  SystemConfig(std::string name, const Description& description);
  Constant constant(const Description& description, const std::string& section,
                    const std::string& key);
  LinkClass read_link(const Description& description, const std::string& section);
  void read_collectives(const Description& description);

  std::string name_, soc_;
  std::uint32_t dies_ = 0;
  std::vector<LinkClass> links_;
  CollectiveTiming collectives_;
  std::map<std::string, Constant> constants_;
};

}  // namespace davsim::sim
