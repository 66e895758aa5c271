// The communicators of a host program: which device is which rank, and which process has it.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/core/meetings.hpp"
#include "runtime/core/rank_memories.hpp"
#include "runtime/core/timeline.hpp"

namespace davsim::runtime {

/// A communicator that has ranks in other processes.
struct Spread {
  std::string key;               ///< the processes name it so
  std::vector<pid_t> processes;  ///< by rank
  std::size_t own = 0;           ///< ranks of this process
  std::uint64_t operations = 0;  ///< that were begun; guarded by the simulator's mutex of groups
  Microseconds met_at = 0;       ///< on the clock of this process; all ranks met at once
  /// Set before anybody sees the communicator; empty: of a pair that passes messages.
  RankMemories memories = {};

  /// It simulates the kernels and operators of all ranks.
  pid_t leader() const { return processes.front(); }
  /// Whether this process has the rank.
  bool is_here(std::size_t rank) const;
  /// The ranks of other processes, and these.
  std::map<std::uint32_t, pid_t> other_ranks() const;
  std::set<pid_t> other_processes() const;
};

/// A rank of a communicator: what a HcclComm points to.
struct CommunicatorRank {
  std::string name;                    ///< of the communicator; the group of operators
  std::vector<std::uint32_t> devices;  ///< by rank
  std::uint32_t rank = 0;
  std::string met;                 ///< the meeting at which it was made; empty: none
  std::shared_ptr<Spread> spread;  ///< null: this process has all ranks
};

/// Calls may come from any thread. What is wrong is thrown as ApiError.
class HostCommunicators {
 public:
  static HostCommunicators& instance();
  /// Throws ApiError unless the process has so many devices.
  static void require_devices(std::size_t ranks);

  /// All ranks at once. An empty name stands for a fresh one, 0 bytes for the window of the system.
  std::vector<CommunicatorRank*> create(std::string name, std::vector<std::uint32_t> devices,
                                        std::uint64_t window_bytes);
  /// The part of rank `of` in the communicator of this name, which some devices of its own one
  /// have. Its ranks are made when the first of them asks.
  CommunicatorRank* find_or_create(const std::string& name, const CommunicatorRank& of,
                                   std::vector<std::uint32_t> devices, std::uint64_t window_bytes);
  /// The same for two devices that pass messages and no more: kernels reach none of its windows, so
  /// that a process need not wait for that of the other one.
  CommunicatorRank* find_or_create_pair(const std::string& name, const CommunicatorRank& of,
                                        std::vector<std::uint32_t> devices);
  /// Waits until `ranks` ranks have joined by this root (Meetings::join), each with a device of its
  /// own.
  CommunicatorRank* join(const std::string& root, std::uint32_t ranks, std::uint32_t rank,
                         std::uint32_t device, std::string name, std::uint64_t window_bytes);
  /// The communicator goes with its last rank.
  void destroy(CommunicatorRank* rank);
  /// Throws ApiError unless the handle is a rank that exists.
  CommunicatorRank& of(void* handle);
  /// The rank of a device in the communicator of this name; nullptr: there is none.
  CommunicatorRank* named(const std::string& name, std::uint32_t device);
  /// Null if this process has all ranks of the communicator.
  std::shared_ptr<Spread> spread_of(const std::string& name);

 private:
  // The mutex is held.
  CommunicatorRank* find(const std::string& name, std::uint32_t device);
  CommunicatorRank* find_met(const std::string& key, std::uint32_t rank);
  /// The ranks of this process.
  std::vector<CommunicatorRank*> make(std::string name, std::vector<std::uint32_t> devices,
                                      std::uint64_t window_bytes,
                                      const std::shared_ptr<Spread>& spread = nullptr);
  /// The same for a communicator with ranks in other processes, which make it as well. `lock` of
  /// the mutex is open meanwhile, and other threads that want it wait in await_making().
  std::vector<CommunicatorRank*> make_spread(std::unique_lock<std::mutex>& lock, std::string name,
                                             std::vector<std::uint32_t> devices,
                                             std::uint64_t window_bytes,
                                             const std::shared_ptr<Spread>& spread);
  /// Waits until no thread makes the communicator of this key.
  void await_making(std::unique_lock<std::mutex>& lock, const std::string& key);

  std::mutex mutex_;
  std::condition_variable made_;
  std::set<std::string> making_;  ///< keys
  std::vector<std::unique_ptr<CommunicatorRank>> ranks_;
  std::uint64_t names_ = 0;
};

}  // namespace davsim::runtime
