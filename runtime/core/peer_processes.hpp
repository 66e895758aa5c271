// The processes of this machine that have ranks of the same communicators as this one, and what
// they tell each other of these ranks: one message a rank for each thing that they do together.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <compare>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/core/peer_socket.hpp"

namespace davsim::runtime {

/// What a connection is for; its first message begins with it.
enum class Purpose : std::uint8_t {
  kMeeting,  ///< a rank comes to a meeting of the listening process
  kMessages  ///< a process tells of its ranks
};

/// What processes do together, by a key that nothing else has, such as that of a communicator, and
/// a number.
struct OperationId {
  std::string key;
  std::uint64_t number = 0;
  std::strong_ordering operator<=>(const OperationId&) const = default;
};

/// Calls may come from any thread.
class PeerProcesses {
 public:
  /// Those of this process; from the first call on others can connect to it.
  static PeerProcesses& instance();
  /// A name of sockets that processes of other containers do not have.
  static std::string unique_name(const std::string& name);
  /// How the others of a process reach it.
  static std::string address_of(pid_t process);
  /// Takes connections in threads of their own until the listener is stopped.
  static void serve(const std::shared_ptr<PeerListener>& listener);

  /// Connects to processes, and waits until they have connected to this one. Throws ApiError.
  void connect(std::set<pid_t> processes, std::chrono::seconds limit);
  void tell(pid_t process, const OperationId& operation, std::uint32_t rank,
            const std::string& message);
  /// This process waits for messages of these ranks.
  void expect(const OperationId& operation, std::map<std::uint32_t, pid_t> ranks);
  /// Whether they are there, or never will be.
  bool is_settled(const OperationId& operation) const;
  /// Those that came, by rank.
  struct Settled {
    std::map<std::uint32_t, std::string> messages;
    std::string missing;  ///< a rank whose message will not come, and why; empty: none
  };
  Settled take(const OperationId& operation);
  /// Waits for the messages of these ranks; one that does not come in time is missing.
  Settled settle(const OperationId& operation, std::map<std::uint32_t, pid_t> ranks,
                 std::chrono::seconds limit);
  /// Waits for the messages of these ranks. Throws ApiError if one of them does not come in time.
  std::map<std::uint32_t, std::string> await(const OperationId& operation,
                                             std::map<std::uint32_t, pid_t> ranks,
                                             std::chrono::seconds limit);
  /// A rank that some operation waits for, as text; empty: none.
  std::string awaited() const;

 private:
  PeerProcesses();
  static void welcome(PeerSocket socket);
  void listen_to(pid_t process, PeerSocket& socket);
  // The mutex is held.
  bool settled(const OperationId& operation) const;
  std::string missing(const OperationId& operation, bool for_ever) const;

  const pid_t own_;
  mutable std::mutex mutex_;
  /// A connection to a process, for what this one tells it.
  struct Link {
    PeerSocket socket;
    std::mutex mutex = {};
  };
  std::map<pid_t, std::shared_ptr<Link>> links_;
  std::map<OperationId, std::map<std::uint32_t, std::string>> told_;
  std::map<OperationId, std::map<std::uint32_t, pid_t>> expected_;
  std::condition_variable changed_;
  std::set<pid_t> heard_;  ///< that have connected to this process
  std::set<pid_t> ended_;  ///< those whose connection has ended
};

}  // namespace davsim::runtime
