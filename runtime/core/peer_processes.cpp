#include "runtime/core/peer_processes.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "runtime/core/api_error.hpp"
#include "runtime/core/meetings.hpp"
#include "runtime/core/parcel.hpp"
#include "runtime/core/simulator.hpp"

namespace davsim::runtime {
namespace {

void wake_device() {
  if (Simulator* const simulator = Simulator::if_started()) simulator->queue().look_again();
}

}  // namespace

PeerProcesses& PeerProcesses::instance() {
  static std::mutex making;
  static PeerProcesses* processes = nullptr;  // threads and static variables may use it for ever
  const std::lock_guard lock(making);
  // A child that was forked has none of the threads of its parent's.
  if (processes == nullptr || processes->own_ != getpid()) {
    serve(std::make_shared<PeerListener>(address_of(getpid())));
    processes = new PeerProcesses();
  }
  return *processes;
}

/// Containers may number their processes alike and share the names of sockets all the same.
std::string PeerProcesses::unique_name(const std::string& name) {
  struct stat numbering {};
  stat("/proc/self/ns/pid", &numbering);
  return "davsim_" + std::to_string(numbering.st_ino) + "_" + name;
}

std::string PeerProcesses::address_of(pid_t process) {
  return unique_name(std::to_string(process));
}

PeerProcesses::PeerProcesses() : own_(getpid()) {}

void PeerProcesses::serve(const std::shared_ptr<PeerListener>& listener) {
  std::thread([listener] {
    try {
      for (;;) {
        std::thread(&PeerProcesses::welcome, listener->accept()).detach();
      }
    } catch (const std::exception&) {
      // It was stopped, or the host has no descriptors left; who waits for this process has a
      // limit.
    }
  }).detach();
}

void PeerProcesses::welcome(PeerSocket socket) {
  try {
    OpenedParcel first(socket.receive());
    if (first.take<Purpose>() == Purpose::kMeeting) {
      Meetings::instance().serve(socket, first);
    } else {
      instance().listen_to(first.take<pid_t>(), socket);
    }
  } catch (const std::exception&) {
    // The other process has ended, or is no davsim of this build.
  }
}

void PeerProcesses::listen_to(pid_t process, PeerSocket& socket) {
  {
    const std::lock_guard lock(mutex_);
    heard_.insert(process);
    ended_.erase(process);  // another one had this number before
    changed_.notify_all();
  }
  try {
    for (;;) {
      OpenedParcel parcel(socket.receive());
      OperationId operation{parcel.take_text(), 0};
      operation.number = parcel.take<std::uint64_t>();
      const auto rank = parcel.take<std::uint32_t>();
      {
        const std::lock_guard lock(mutex_);
        told_[operation][rank] = parcel.take_text();
        changed_.notify_all();
      }
      wake_device();
    }
  } catch (const std::exception&) {
    const std::lock_guard lock(mutex_);
    ended_.insert(process);
    changed_.notify_all();
  }
  wake_device();
}

void PeerProcesses::connect(std::set<pid_t> processes, std::chrono::seconds limit) {
  std::unique_lock lock(mutex_);
  for (const pid_t process : processes) {
    if (process == own_ || links_.contains(process)) continue;
    try {
      auto link = std::make_shared<Link>(PeerSocket::to(address_of(process)));
      Parcel hello;
      hello.put(Purpose::kMessages);
      hello.put(own_);
      link->socket.send(hello.bytes());
      links_[process] = std::move(link);
    } catch (const PeerLost& error) {
      throw ApiError(ACL_ERROR_RT_FAILURE,
                     "process " + std::to_string(process) +
                         " with a rank of the communicator is not there: " + error.what());
    }
  }
  // A process that ends from here on has told all that it had to tell.
  processes.erase(own_);
  const auto all_heard = [&] {
    return std::includes(heard_.begin(), heard_.end(), processes.begin(), processes.end());
  };
  if (changed_.wait_for(lock, limit, all_heard)) return;
  throw ApiError(ACL_ERROR_RT_FAILURE,
                 "not all processes with ranks of the communicator have connected to this one");
}

/// The process that does not hear has ended, and needs nothing any more. Where something of it is
/// still awaited, its own connection says that it has ended.
void PeerProcesses::tell(pid_t process, const OperationId& operation, std::uint32_t rank,
                         const std::string& message) {
  std::shared_ptr<Link> link;
  {
    const std::lock_guard lock(mutex_);
    link = links_.at(process);
  }
  Parcel parcel;
  parcel.put(operation.key);
  parcel.put(operation.number);
  parcel.put(rank);
  parcel.put(message);
  const std::lock_guard lock(link->mutex);
  try {
    link->socket.send(parcel.bytes());
  } catch (const PeerLost&) {
  }
}

void PeerProcesses::expect(const OperationId& operation, std::map<std::uint32_t, pid_t> ranks) {
  const std::lock_guard lock(mutex_);
  expected_[operation] = std::move(ranks);
}

std::string PeerProcesses::missing(const OperationId& operation, bool for_ever) const {
  const auto expected = expected_.find(operation);
  if (expected == expected_.end()) return "";
  const auto told = told_.find(operation);
  for (const auto& [rank, process] : expected->second) {
    if (told != told_.end() && told->second.contains(rank)) continue;
    if (for_ever && !ended_.contains(process)) continue;
    return "rank " + std::to_string(rank) + " in process " + std::to_string(process);
  }
  return "";
}

bool PeerProcesses::settled(const OperationId& operation) const {
  return missing(operation, false).empty() || !missing(operation, true).empty();
}

bool PeerProcesses::is_settled(const OperationId& operation) const {
  const std::lock_guard lock(mutex_);
  return settled(operation);
}

PeerProcesses::Settled PeerProcesses::take(const OperationId& operation) {
  const std::lock_guard lock(mutex_);
  Settled settled;
  settled.missing = missing(operation, true);
  if (!settled.missing.empty()) settled.missing += " has ended";
  expected_.erase(operation);
  const auto told = told_.find(operation);
  if (told == told_.end()) return settled;
  settled.messages = std::move(told->second);
  told_.erase(told);
  return settled;
}

PeerProcesses::Settled PeerProcesses::settle(const OperationId& operation,
                                             std::map<std::uint32_t, pid_t> ranks,
                                             std::chrono::seconds limit) {
  expect(operation, std::move(ranks));
  std::string late;
  {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, limit, [&] { return settled(operation); })) {
      late = missing(operation, false) + " did not come within " + std::to_string(limit.count()) +
             " s";
    }
  }
  Settled all = take(operation);
  if (all.missing.empty()) all.missing = late;
  return all;
}

std::map<std::uint32_t, std::string> PeerProcesses::await(const OperationId& operation,
                                                          std::map<std::uint32_t, pid_t> ranks,
                                                          std::chrono::seconds limit) {
  Settled all = settle(operation, std::move(ranks), limit);
  if (all.missing.empty()) return std::move(all.messages);
  throw ApiError(ACL_ERROR_RT_FAILURE, all.missing + " (HCCL_CONNECT_TIMEOUT)");
}

std::string PeerProcesses::awaited() const {
  const std::lock_guard lock(mutex_);
  for (const auto& [operation, ranks] : expected_) {
    const std::string whom = missing(operation, false);
    if (!whom.empty()) return whom;
  }
  return "";
}

}  // namespace davsim::runtime
