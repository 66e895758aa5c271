// A processing element of SHMEM: a device, its symmetric heap, and the teams it is in. The heap is
// the window of a communicator of all PEs, so that kernels reach those of others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/core/communicators.hpp"
#include "runtime/shmem/heap_rooms.hpp"
#include "shmem/types.h"

namespace davsim::shmem {

class Pe {
 public:
  /// Joins the job that has this root (runtime::Meetings), and waits for all its PEs. Throws
  /// ApiError.
  Pe(const std::string& root, const aclshmemx_init_attr_t& attributes, std::uint32_t die);
  /// Leaves it.
  ~Pe();
  Pe(const Pe&) = delete;
  Pe& operator=(const Pe&) = delete;

  int number() const { return static_cast<int>(rank_->rank); }
  int pes() const { return static_cast<int>(rank_->devices.size()); }
  std::uint32_t die() const { return die_; }
  const runtime::CommunicatorRank& rank() const { return *rank_; }
  /// Waits until all PEs of a team of this one are here.
  void meet(int team = ACLSHMEM_TEAM_WORLD) { most_of(team, 0); }

  /// Memory at the same place on all PEs that ask alike; null: there is no room.
  std::byte* allocate(std::uint64_t bytes, std::uint64_t alignment);
  /// False for what was not allocated.
  bool free(const void* start);
  bool in_heap(const void* address) const;
  /// Where PE `pe` has what lies at this address of the own heap. Throws ApiError for what does
  /// not.
  std::uint64_t on_pe(const void* address, int pe) const;

  /// A number for a team that the PEs of `parent` make, the first of `teams` in a row: none of them
  /// has had one of these. Throws ApiError where no number is left.
  int number_teams(int parent, int teams);
  /// Makes a team of this number, which is one of this PE only if this one is in it.
  void add_team(int number, int start, int stride, int size);
  void remove_team(int number);
  /// Null: this PE is in no such team.
  const aclshmemx_team_t* team(int number) const;
  /// The communicator of a team, which its PEs make together when one first needs it.
  const runtime::CommunicatorRank& communicator_of(int team);

  const aclshmem_device_host_state_t& state() const { return *state_; }
  /// Changes it while no kernel runs.
  void change_state(const std::function<void(aclshmem_device_host_state_t&)>& change);

 private:
  std::uint64_t window(int pe) const;
  void write_state(std::uint64_t heap_bytes);
  void tell_kernels(const void* start, std::uint64_t bytes) const;

  /// The largest of the numbers that the PEs of a team give; waits for all of them.
  std::uint32_t most_of(int team, std::uint32_t own);

  std::string root_;
  std::map<int, std::uint64_t> meetings_;  ///< by team
  std::uint32_t die_;
  runtime::CommunicatorRank* rank_ = nullptr;
  aclshmem_device_host_state_t* state_ = nullptr;
  HeapRooms rooms_;
  int teams_ = 1;  ///< numbers that teams have had
  std::map<int, runtime::CommunicatorRank*> communicators_;
};

/// The PEs of this process. Calls may come from any thread.
class Pes {
 public:
  static Pes& instance();
  void add(std::uint32_t die, std::shared_ptr<Pe> pe);
  void remove(std::uint32_t die);
  /// That of the calling thread's device; of a process with one PE, that one. Null: none.
  std::shared_ptr<Pe> of_thread() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint32_t, std::shared_ptr<Pe>> pes_;
};

}  // namespace davsim::shmem
