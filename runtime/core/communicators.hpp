// The communicators of a host program: which device is which rank, and how ranks find each other.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace davsim::runtime {

/// A rank of a communicator: what a HcclComm points to.
struct CommunicatorRank {
  std::string name;                    ///< of the communicator; the group of operators
  std::vector<std::uint32_t> devices;  ///< by rank
  std::uint32_t rank = 0;
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
  /// The calling rank's part, which is on `device`, of the communicator of this name. Its ranks are
  /// made when the first of them asks.
  CommunicatorRank* find_or_create(const std::string& name, std::uint32_t device,
                                   std::vector<std::uint32_t> devices, std::uint64_t window_bytes);
  /// A fresh name, by which ranks find each other in join().
  std::string new_root();
  /// Waits until `ranks` ranks have joined by this root, each with a device of its own.
  CommunicatorRank* join(const std::string& root, std::uint32_t ranks, std::uint32_t rank,
                         std::uint32_t device, std::string name, std::uint64_t window_bytes);
  /// The communicator goes with its last rank.
  void destroy(CommunicatorRank* rank);
  /// Throws ApiError unless the handle is a rank that exists.
  CommunicatorRank& of(void* handle);
  /// The rank of a device in the communicator of this name; nullptr: there is none.
  CommunicatorRank* named(const std::string& name, std::uint32_t device);

 private:
  struct Meeting {
    std::uint32_t ranks = 0, left = 0;
    std::map<std::uint32_t, std::uint32_t> devices;  ///< by rank
    std::vector<CommunicatorRank*> made;
    bool failed = false;
  };

  /// The same, with the mutex held.
  CommunicatorRank* find(const std::string& name, std::uint32_t device);
  std::vector<CommunicatorRank*> make(std::string name, std::vector<std::uint32_t> devices,
                                      std::uint64_t window_bytes);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<CommunicatorRank>> ranks_;
  std::map<std::string, Meeting> meetings_;
  std::uint64_t names_ = 0;
};

}  // namespace davsim::runtime
