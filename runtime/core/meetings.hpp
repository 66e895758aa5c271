// Where the ranks of a communicator meet: threads of this process, and of others that have got the
// root information of this one.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/core/parcel.hpp"
#include "runtime/core/peer_socket.hpp"

namespace davsim::runtime {

/// What others know of a rank.
struct Member {
  std::uint32_t device = 0;
  pid_t process = 0;
};
/// A meeting at which all have come.
struct Met {
  std::string key;              ///< no other meeting of this machine has it
  std::vector<Member> members;  ///< by rank
};

/// Calls may come from any thread. What is wrong is thrown as ApiError.
class Meetings {
 public:
  static Meetings& instance();
  /// How long ranks wait for each other. Throws ApiError where HCCL_CONNECT_TIMEOUT is wrong.
  static std::chrono::seconds most_wait();
  /// A fresh root, by which ranks of this and of other processes join().
  std::string new_root();
  /// The root of a table of ranks, for all processes that read this file.
  static std::string root_of_table(const std::string& file);
  /// The same for all that have this name from somewhere.
  static std::string root_of_name(const std::string& name);
  /// Waits until `ranks` ranks have joined by this root. A root of new_root() leads to the process
  /// that made it; those of a table meet in the process of the first one.
  Met join(const std::string& root, std::uint32_t ranks, std::uint32_t rank, std::uint32_t device);
  /// For a rank of another process, which has asked by its first message.
  void serve(PeerSocket& socket, OpenedParcel& request);

 private:
  struct Meeting {
    std::uint32_t ranks = 0, left = 0;
    std::map<std::uint32_t, Member> members;
    std::string key;                         ///< once all have come
    std::shared_ptr<PeerListener> listener;  ///< of a table, until all have come
  };
  /// Lets the ranks of a table come to this process. Throws NameTaken if they come to another one.
  void hold_for_table(const std::string& root);
  Met meet(const std::string& root, std::uint32_t ranks, std::uint32_t rank, Member member);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Meeting> meetings_;
  std::uint64_t roots_ = 0, held_ = 0;
};

}  // namespace davsim::runtime
