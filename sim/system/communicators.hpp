// The communicators of a system and the links between its dies, as programs around a device see
// them. Nothing here needs SystemC.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/core/collectives.hpp"
#include "sim/soc/system_config.hpp"

namespace davsim::sim {

/// A communicator. Addresses are host addresses, by rank.
struct Communicator {
  std::string name;
  std::vector<std::uint32_t> dies;  ///< by rank
  std::uint64_t window_bytes = 0, status_bytes = 0, context_bytes = 0;
  /// A window for output follows the one for input of the same rank.
  std::vector<std::uint64_t> windows_in, windows_out, windows_status, contexts;
  std::vector<std::uint64_t> messages;  ///< to the servers
};

/// Where the memory of a rank lies.
struct RankMemory {
  std::uint64_t windows = 0, status = 0, messages = 0, context = 0;
};

/// What passed a port of a die in one direction.
struct LinkCounters {
  std::string link;        ///< the class of the link, or the port that classes share
  std::uint32_t die = 0;   ///< whose port
  std::int64_t peer = -1;  ///< the die at the other end, of a link for one pair
  bool out = true;
  std::uint64_t bytes = 0, messages = 0;
  double busy = 0;    ///< cycles in which the port served
  double waited = 0;  ///< cycles for which transfers waited for the port, summed up
};

/// A transfer's pass through a port.
struct LinkUse {
  LinkCounters port;        ///< which one; its counts are 0
  std::uint32_t other = 0;  ///< the die that the transfer comes from or goes to
  std::uint64_t bytes = 0;
  double came = 0, began = 0, ended = 0;  ///< cycles; it waited until it began
};

class Communicators {
 public:
  virtual ~Communicators() = default;
  /// Makes a communicator of these dies, the first of them rank 0: windows of `window_bytes` each
  /// and a context on each die. Throws std::invalid_argument for dies that are there twice or not
  /// at all, std::bad_alloc where a die's memory is full.
  virtual const Communicator& create(std::string name, std::vector<std::uint32_t> dies,
                                     std::uint64_t window_bytes) = 0;
  /// Takes the memory that a rank on `die` will have in a communicator whose other ranks may be in
  /// other processes. Throws std::bad_alloc where there is none.
  virtual RankMemory reserve(const std::string& name, std::uint32_t die, std::uint32_t ranks,
                             std::uint64_t window_bytes) = 0;
  virtual void give_back(std::uint32_t die, const RankMemory& reserved) = 0;
  /// Makes a communicator whose ranks have these memories: those that `here` says have been
  /// reserved by this process; the others, by processes whose dies have the same addresses.
  virtual const Communicator& create(std::string name, std::vector<std::uint32_t> dies,
                                     std::uint64_t window_bytes,
                                     const std::vector<RankMemory>& memories,
                                     const std::vector<bool>& here) = 0;
  /// Gives its memory back. Throws std::invalid_argument if it does not exist.
  virtual void destroy(const std::string& name) = 0;
  /// Lets kernels use one of another process, whose memories this one visits, until
  /// forget_visitors().
  virtual void add_visitor(const Communicator& of) = 0;
  virtual void forget_visitors() = 0;
  /// nullptr: there is none.
  virtual const Communicator* named(const std::string& name) const = 0;
  /// The communicator that has a context at this host address, or a window around it; nullptr:
  /// none.
  virtual const Communicator* at(std::uint64_t address) const = 0;
  virtual const SystemConfig& system() const = 0;
  /// Begins an operation that no kernel prepares, one request a rank. Throws isa::Fault for what
  /// is wrong with it, std::invalid_argument for a communicator that does not exist.
  virtual void run(const std::string& communicator, const std::vector<isa::Collective>& ranks) = 0;
  /// From now on every use of a port is kept.
  virtual void keep_link_uses() = 0;
  /// Those that were kept, by port and then by time. Every rank of a group asks.
  virtual std::vector<LinkUse> link_uses() const = 0;
};

}  // namespace davsim::sim
