#include "runtime/core/communicators.hpp"

#include <unistd.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "runtime/core/api_error.hpp"
#include "runtime/core/peer_processes.hpp"
#include "runtime/core/simulator.hpp"

namespace davsim::runtime {
namespace {

[[noreturn]] void refuse_communicator(const std::string& what) {
  throw ApiError(ACL_ERROR_INVALID_PARAM, what);
}

/// Null if this process has all ranks.
std::shared_ptr<Spread> spread_over(std::string key, std::vector<pid_t> processes,
                                    Microseconds met_at) {
  const auto own = std::count(processes.begin(), processes.end(), getpid());
  if (static_cast<std::size_t>(own) == processes.size()) return nullptr;
  auto spread = std::make_shared<Spread>();
  spread->key = std::move(key);
  spread->processes = std::move(processes);
  spread->own = static_cast<std::size_t>(own);
  spread->met_at = met_at;
  return spread;
}

/// 0 bytes stand for those of the system.
std::uint64_t window_bytes_of(std::uint64_t given) {
  if (given != 0) return given;
  return Simulator::instance().communicators()->system().collectives().window;
}

/// The same for some devices of another communicator.
std::shared_ptr<Spread> spread_of_part(const std::string& name, const CommunicatorRank& whole,
                                       const std::vector<std::uint32_t>& devices) {
  if (whole.spread == nullptr) return nullptr;
  std::vector<pid_t> processes;
  for (const std::uint32_t device : devices) {
    const auto at = std::find(whole.devices.begin(), whole.devices.end(), device);
    processes.push_back(
        whole.spread->processes[static_cast<std::size_t>(at - whole.devices.begin())]);
  }
  return spread_over(whole.spread->key + " " + name, std::move(processes), whole.spread->met_at);
}

}  // namespace

bool Spread::is_here(std::size_t rank) const {
  return processes[rank] == getpid();
}

std::map<std::uint32_t, pid_t> Spread::other_ranks() const {
  std::map<std::uint32_t, pid_t> others;
  for (std::uint32_t rank = 0; rank < processes.size(); ++rank) {
    if (!is_here(rank)) others[rank] = processes[rank];
  }
  return others;
}

std::set<pid_t> Spread::other_processes() const {
  std::set<pid_t> others(processes.begin(), processes.end());
  others.erase(getpid());
  return others;
}

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

std::vector<CommunicatorRank*> HostCommunicators::create(std::string name,
                                                         std::vector<std::uint32_t> devices,
                                                         std::uint64_t window_bytes) {
  const std::lock_guard lock(mutex_);
  return make(std::move(name), std::move(devices), window_bytes);
}

CommunicatorRank* HostCommunicators::find_or_create(const std::string& name,
                                                    const CommunicatorRank& of,
                                                    std::vector<std::uint32_t> devices,
                                                    std::uint64_t window_bytes) {
  const std::uint32_t device = of.devices[of.rank];
  const std::shared_ptr<Spread> spread = spread_of_part(name, of, devices);
  std::unique_lock lock(mutex_);
  if (spread != nullptr) await_making(lock, spread->key);
  if (CommunicatorRank* const found = find(name, device)) return found;
  make_spread(lock, name, std::move(devices), window_bytes, spread);
  return find(name, device);
}

CommunicatorRank* HostCommunicators::find_or_create_pair(const std::string& name,
                                                         const CommunicatorRank& of,
                                                         std::vector<std::uint32_t> devices) {
  constexpr std::uint64_t kLeastWindow = 1 << 20;
  const std::shared_ptr<Spread> spread = spread_of_part(name, of, devices);
  const std::lock_guard lock(mutex_);
  const std::uint32_t device = of.devices[of.rank];
  if (CommunicatorRank* const found = find(name, device)) return found;
  make(name, std::move(devices), kLeastWindow, spread);
  return find(name, device);
}

void HostCommunicators::await_making(std::unique_lock<std::mutex>& lock, const std::string& key) {
  made_.wait(lock, [&] { return !making_.contains(key); });
}

std::vector<CommunicatorRank*> HostCommunicators::make_spread(
    std::unique_lock<std::mutex>& lock, std::string name, std::vector<std::uint32_t> devices,
    std::uint64_t window_bytes, const std::shared_ptr<Spread>& spread) {
  if (spread == nullptr) return make(std::move(name), std::move(devices), window_bytes);
  making_.insert(spread->key);
  struct Made {
    HostCommunicators& all;
    const std::string& key;
    ~Made() {
      all.making_.erase(key);
      all.made_.notify_all();
    }
  } const made{*this, spread->key};
  const std::uint64_t bytes = window_bytes_of(window_bytes);
  lock.unlock();
  try {
    spread->memories = agree_on_memories(name, devices, bytes, *spread);
  } catch (...) {
    lock.lock();
    throw;
  }
  lock.lock();
  return make(std::move(name), std::move(devices), bytes, spread);
}

std::vector<CommunicatorRank*> HostCommunicators::make(std::string name,
                                                       std::vector<std::uint32_t> devices,
                                                       std::uint64_t window_bytes,
                                                       const std::shared_ptr<Spread>& spread) {
  Simulator& simulator = Simulator::instance();
  sim::Communicators& communicators = *simulator.communicators();
  require_devices(devices.size());
  if (name.empty()) name = "hccl_world_group_" + std::to_string(++names_);
  window_bytes = window_bytes_of(window_bytes);
  try {
    simulator.queue().between_work([&] {
      if (spread == nullptr || spread->memories.memories.empty()) {
        communicators.create(name, devices, window_bytes);
      } else {
        communicators.create(name, devices, window_bytes, spread->memories.memories,
                             spread->memories.here);
      }
    });
  } catch (const std::bad_alloc&) {
    throw ApiError(ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "a device has no room for the windows of communicator '" + name + "'");
  } catch (const std::invalid_argument& error) {
    refuse_communicator(error.what());
  }
  const sim::Communicator& of = *communicators.named(name);
  std::vector<CommunicatorRank*> made;
  for (std::uint32_t rank = 0; rank < devices.size(); ++rank) {
    // What lies here for ranks of other processes holds nothing of theirs.
    if (spread != nullptr && !spread->is_here(rank)) continue;
    const auto adopt = [&](std::uint64_t start, std::uint64_t bytes) {
      simulator.memory().adopt(reinterpret_cast<const void*>(start), bytes);
    };
    adopt(of.windows_in[rank], 2 * of.window_bytes);
    adopt(of.windows_status[rank], of.status_bytes);
    adopt(of.contexts[rank], of.context_bytes);
    ranks_.push_back(
        std::make_unique<CommunicatorRank>(CommunicatorRank{name, devices, rank, "", spread}));
    made.push_back(ranks_.back().get());
  }
  return made;
}

CommunicatorRank* HostCommunicators::join(const std::string& root, std::uint32_t ranks,
                                          std::uint32_t rank, std::uint32_t device,
                                          std::string name, std::uint64_t window_bytes) {
  require_devices(ranks);
  const Met met = Meetings::instance().join(root, ranks, rank, device);
  std::vector<std::uint32_t> devices;
  std::vector<pid_t> processes;
  for (const Member& member : met.members) {
    devices.push_back(member.device);
    processes.push_back(member.process);
  }
  PeerProcesses::instance().connect({processes.begin(), processes.end()}, Meetings::most_wait());
  const Microseconds now = Simulator::instance().time_of_host();
  std::unique_lock lock(mutex_);
  await_making(lock, met.key);
  if (CommunicatorRank* const made = find_met(met.key, rank)) return made;
  const std::shared_ptr<Spread> spread = spread_over(met.key, processes, now);
  // The name has to be the same in all processes.
  if (spread != nullptr && name.empty()) name = "hccl_world_group_of_" + met.key;
  for (CommunicatorRank* const made :
       make_spread(lock, std::move(name), std::move(devices), window_bytes, spread)) {
    made->met = met.key;
  }
  return find_met(met.key, rank);
}

void HostCommunicators::destroy(CommunicatorRank* rank) {
  const std::lock_guard lock(mutex_);
  const std::string name = rank->name;
  const std::shared_ptr<Spread> spread = rank->spread;
  std::erase_if(ranks_, [rank](const auto& other) { return other.get() == rank; });
  const bool others = std::any_of(ranks_.begin(), ranks_.end(),
                                  [&](const auto& other) { return other->name == name; });
  if (others) return;
  Simulator& simulator = Simulator::instance();
  const sim::Communicator of = *simulator.communicators()->named(name);
  for (std::uint32_t number = 0; number < of.dies.size(); ++number) {
    if (spread != nullptr && !spread->is_here(number)) continue;
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

CommunicatorRank* HostCommunicators::find_met(const std::string& key, std::uint32_t rank) {
  for (const auto& made : ranks_) {
    if (made->met == key && made->rank == rank) return made.get();
  }
  return nullptr;
}

std::shared_ptr<Spread> HostCommunicators::spread_of(const std::string& name) {
  const std::lock_guard lock(mutex_);
  for (const auto& rank : ranks_) {
    if (rank->name == name) return rank->spread;
  }
  return nullptr;
}

CommunicatorRank* HostCommunicators::find(const std::string& name, std::uint32_t device) {
  for (const auto& rank : ranks_) {
    if (rank->name == name && rank->devices[rank->rank] == device) return rank.get();
  }
  return nullptr;
}

}  // namespace davsim::runtime
