#include "runtime/core/communicators.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "runtime/core/api_error.hpp"
#include "runtime/core/simulator.hpp"
#include "runtime/core/timeout.hpp"

namespace davsim::runtime {
namespace {

/// How long ranks wait for each other. Documented: 120 s, and 120 to 7200 in the variable; programs
/// that are tried out may take less here.
std::chrono::seconds most_wait() {
  constexpr long kDefault = 120, kMost = 7200;
  const char* const given = std::getenv("HCCL_CONNECT_TIMEOUT");
  if (given == nullptr || *given == '\0') return std::chrono::seconds(kDefault);
  char* end = nullptr;
  const long seconds = std::strtol(given, &end, 10);
  if (*end != '\0' || seconds < 1 || seconds > kMost) {
    throw ApiError(ACL_ERROR_INVALID_PARAM, "HCCL_CONNECT_TIMEOUT is '" + std::string(given) +
                                                "'; it is a number of seconds from 1 to 7200");
  }
  return std::chrono::seconds(seconds);
}

/// Roots begin with this and the process that made them. A table of ranks is a root of any process.
const std::string kRoot = "root_";

void require_own_root(const std::string& root) {
  if (root.rfind(kRoot, 0) != 0) return;
  const long maker = std::strtol(root.c_str() + kRoot.size(), nullptr, 10);
  if (maker == getpid()) return;
  throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                 "the root information is that of process " + std::to_string(maker) +
                     ", this is process " + std::to_string(getpid()) +
                     ": all ranks are threads of one process here, each with a device of its own");
}

[[noreturn]] void refuse_communicator(const std::string& what) {
  throw ApiError(ACL_ERROR_INVALID_PARAM, what);
}

}  // namespace

void HostCommunicators::require_devices(std::size_t ranks) {
  const std::uint32_t devices = Simulator::instance().devices();
  if (ranks <= devices) return;
  const std::string hint = devices == 1 ? "; with DAVSIM_SYSTEM=atlas_a2_server it has eight" : "";
  throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                 "a communicator has " + std::to_string(ranks) + " ranks, the process " +
                     std::to_string(devices) + (devices == 1 ? " device" : " devices") + hint);
}

HostCommunicators& HostCommunicators::instance() {
  static auto* communicators = new HostCommunicators();  // static variables may still use it
  return *communicators;
}

std::string HostCommunicators::new_root() {
  const std::lock_guard lock(mutex_);
  return kRoot + std::to_string(getpid()) + "_" + std::to_string(++names_);
}

std::vector<CommunicatorRank*> HostCommunicators::create(std::string name,
                                                         std::vector<std::uint32_t> devices,
                                                         std::uint64_t window_bytes) {
  const std::lock_guard lock(mutex_);
  return make(std::move(name), std::move(devices), window_bytes);
}

CommunicatorRank* HostCommunicators::find_or_create(const std::string& name, std::uint32_t device,
                                                    std::vector<std::uint32_t> devices,
                                                    std::uint64_t window_bytes) {
  const std::lock_guard lock(mutex_);
  if (CommunicatorRank* const found = find(name, device)) return found;
  make(name, std::move(devices), window_bytes);
  return find(name, device);
}

std::vector<CommunicatorRank*> HostCommunicators::make(std::string name,
                                                       std::vector<std::uint32_t> devices,
                                                       std::uint64_t window_bytes) {
  Simulator& simulator = Simulator::instance();
  sim::Communicators& communicators = *simulator.communicators();
  require_devices(devices.size());
  if (name.empty()) name = "hccl_world_group_" + std::to_string(++names_);
  if (window_bytes == 0) window_bytes = communicators.system().collectives().window;
  try {
    simulator.queue().between_work([&] { communicators.create(name, devices, window_bytes); });
  } catch (const std::bad_alloc&) {
    throw ApiError(ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "a device has no room for the windows of communicator '" + name + "'");
  } catch (const std::invalid_argument& error) {
    refuse_communicator(error.what());
  }
  const sim::Communicator& of = *communicators.named(name);
  std::vector<CommunicatorRank*> made;
  for (std::uint32_t rank = 0; rank < devices.size(); ++rank) {
    const auto adopt = [&](std::uint64_t start, std::uint64_t bytes) {
      simulator.memory().adopt(reinterpret_cast<const void*>(start), bytes);
    };
    adopt(of.windows_in[rank], 2 * of.window_bytes);
    adopt(of.windows_status[rank], of.status_bytes);
    adopt(of.contexts[rank], of.context_bytes);
    ranks_.push_back(std::make_unique<CommunicatorRank>(CommunicatorRank{name, devices, rank}));
    made.push_back(ranks_.back().get());
  }
  return made;
}

CommunicatorRank* HostCommunicators::join(const std::string& root, std::uint32_t ranks,
                                          std::uint32_t rank, std::uint32_t device,
                                          std::string name, std::uint64_t window_bytes) {
  require_devices(ranks);
  require_own_root(root);
  const std::chrono::seconds limit = most_wait();
  std::unique_lock lock(mutex_);
  Meeting& meeting = meetings_[root];
  if (meeting.ranks == 0) meeting.ranks = ranks;
  if (ranks != meeting.ranks || rank >= ranks || meeting.devices.contains(rank)) {
    refuse_communicator("rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                        " is there already, or the others have another number of ranks");
  }
  meeting.devices[rank] = device;
  if (meeting.devices.size() == ranks) {
    std::vector<std::uint32_t> devices;
    for (const auto& [number, at] : meeting.devices) devices.push_back(at);
    try {
      meeting.made = make(std::move(name), std::move(devices), window_bytes);
    } catch (...) {
      meeting.failed = true;
      changed_.notify_all();
      throw;
    }
    changed_.notify_all();
  }
  const auto over = [&] { return meeting.failed || !meeting.made.empty(); };
  if (!changed_.wait_for(lock, std::min(limit, kQuietWait), over)) {
    std::fprintf(
        stderr,
        "davsim: rank %u waits for the other ranks of its communicator, of which %zu of %u "
        "are there; all ranks are threads of one process\n",
        rank, meeting.devices.size(), ranks);
  }
  const bool met = changed_.wait_for(lock, limit - std::min(limit, kQuietWait), over);
  if (!met || meeting.failed) {
    meeting.devices.erase(rank);
    if (meeting.devices.empty()) meetings_.erase(root);
    throw ApiError(ACL_ERROR_RT_FAILURE,
                   met ? std::string("the communicator could not be made")
                       : "not all ranks came within " + std::to_string(limit.count()) +
                             " s (HCCL_CONNECT_TIMEOUT): they are threads of one process here, "
                             "each with a device of its own");
  }
  CommunicatorRank* const mine = meeting.made.at(rank);
  if (++meeting.left == ranks) meetings_.erase(root);
  return mine;
}

void HostCommunicators::destroy(CommunicatorRank* rank) {
  const std::lock_guard lock(mutex_);
  const std::string name = rank->name;
  std::erase_if(ranks_, [rank](const auto& other) { return other.get() == rank; });
  const bool others = std::any_of(ranks_.begin(), ranks_.end(),
                                  [&](const auto& other) { return other->name == name; });
  if (others) return;
  Simulator& simulator = Simulator::instance();
  const sim::Communicator of = *simulator.communicators()->named(name);
  for (std::uint32_t number = 0; number < of.dies.size(); ++number) {
    for (const std::uint64_t start :
         {of.windows_in[number], of.windows_status[number], of.contexts[number]}) {
      simulator.memory().forget(reinterpret_cast<const void*>(start));
    }
  }
  simulator.queue().between_work([&] { simulator.communicators()->destroy(name); });
}

CommunicatorRank& HostCommunicators::of(void* handle) {
  const std::lock_guard lock(mutex_);
  for (const auto& rank : ranks_) {
    if (rank.get() == handle) return *rank;
  }
  throw ApiError(ACL_ERROR_INVALID_PARAM, "the communicator does not exist, or not any more");
}

CommunicatorRank* HostCommunicators::named(const std::string& name, std::uint32_t device) {
  const std::lock_guard lock(mutex_);
  return find(name, device);
}

CommunicatorRank* HostCommunicators::find(const std::string& name, std::uint32_t device) {
  for (const auto& rank : ranks_) {
    if (rank->name == name && rank->devices[rank->rank] == device) return rank.get();
  }
  return nullptr;
}

}  // namespace davsim::runtime
