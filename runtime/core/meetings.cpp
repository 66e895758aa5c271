#include "runtime/core/meetings.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <utility>

#include "runtime/core/api_error.hpp"
#include "runtime/core/peer_processes.hpp"
#include "runtime/core/timeout.hpp"

namespace davsim::runtime {
namespace {

/// Roots of new_root() begin with this and the process that made them.
const std::string kRoot = "root_";

/// The process that made a root. Throws ApiError for what is none.
pid_t maker_of(const std::string& root) {
  if (root.rfind(kRoot, 0) != 0) {
    throw ApiError(ACL_ERROR_INVALID_PARAM, "this is no root information of HcclGetRootInfo");
  }
  return static_cast<pid_t>(std::strtol(root.c_str() + kRoot.size(), nullptr, 10));
}

const std::string kTable = "table_";

/// What a request is answered with: a code, and behind it the meeting or why there was none.
Parcel answer(const Met& met) {
  Parcel parcel;
  parcel.put(aclError{ACL_SUCCESS});
  parcel.put(met.key);
  parcel.put(static_cast<std::uint64_t>(met.members.size()));
  for (const Member& member : met.members) parcel.put(member);
  return parcel;
}
Parcel answer(const ApiError& error) {
  Parcel parcel;
  parcel.put(error.code);
  parcel.put(std::string(error.what()));
  return parcel;
}

Met opened(OpenedParcel answer) {
  const auto code = answer.take<aclError>();
  if (code != ACL_SUCCESS) throw ApiError(code, answer.take_text());
  Met met;
  met.key = answer.take_text();
  met.members.resize(answer.take<std::uint64_t>());
  for (Member& member : met.members) member = answer.take<Member>();
  return met;
}

/// Asks the process that listens by this name, which answers when all have come.
Met ask(const std::string& name, const std::string& root, std::uint32_t ranks, std::uint32_t rank,
        Member member) {
  Parcel request;
  request.put(Purpose::kMeeting);
  request.put(root);
  request.put(ranks);
  request.put(rank);
  request.put(member);
  PeerSocket socket = PeerSocket::to(name);
  socket.send(request.bytes());
  return opened(OpenedParcel(socket.receive()));
}

}  // namespace

Meetings& Meetings::instance() {
  static auto* meetings = new Meetings();  // threads and static variables may still use it
  return *meetings;
}

/// Documented: 120 s, and 120 to 7200 in the variable; programs
/// that are tried out may take less here.
std::chrono::seconds Meetings::most_wait() {
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

std::string Meetings::new_root() {
  PeerProcesses::instance();  // from now on other processes may come
  const std::lock_guard lock(mutex_);
  return kRoot + std::to_string(getpid()) + "_" + std::to_string(++roots_);
}

std::string Meetings::root_of_table(const std::string& file) {
  return root_of_name(std::filesystem::weakly_canonical(file).string());
}

std::string Meetings::root_of_name(const std::string& name) {
  // Names of sockets are short.
  return kTable + std::to_string(std::hash<std::string>()(name));
}

void Meetings::hold_for_table(const std::string& root) {
  const auto listener = std::make_shared<PeerListener>(PeerProcesses::unique_name(root));
  {
    const std::lock_guard lock(mutex_);
    meetings_[root].listener = listener;
  }
  PeerProcesses::serve(listener);
}

Met Meetings::join(const std::string& root, std::uint32_t ranks, std::uint32_t rank,
                   std::uint32_t device) {
  most_wait();
  PeerProcesses::instance();  // the others will connect
  const Member member{device, getpid()};
  std::string place, whose;
  if (root.rfind(kTable, 0) == 0) {
    try {
      hold_for_table(root);
      return meet(root, ranks, rank, member);
    } catch (const NameTaken&) {
      place = PeerProcesses::unique_name(root);
      whose = "the process of the table's first rank";
    }
  } else {
    const pid_t maker = maker_of(root);
    if (maker == getpid()) return meet(root, ranks, rank, member);
    place = PeerProcesses::address_of(maker);
    whose = "process " + std::to_string(maker) + ", which made the root information,";
  }
  try {
    return ask(place, root, ranks, rank, member);
  } catch (const PeerLost& error) {
    throw ApiError(ACL_ERROR_RT_FAILURE,
                   whose + " is not there or has ended (" + error.what() +
                       "): ranks are threads of one process or of processes of one machine");
  }
}

void Meetings::serve(PeerSocket& socket, OpenedParcel& request) {
  const std::string root = request.take_text();
  const auto ranks = request.take<std::uint32_t>(), rank = request.take<std::uint32_t>();
  const auto member = request.take<Member>();
  try {
    socket.send(answer(meet(root, ranks, rank, member)).bytes());
  } catch (const ApiError& error) {
    socket.send(answer(error).bytes());
  }
}

Met Meetings::meet(const std::string& root, std::uint32_t ranks, std::uint32_t rank,
                   Member member) {
  const std::chrono::seconds limit = most_wait();
  std::unique_lock lock(mutex_);
  Meeting& meeting = meetings_[root];
  if (meeting.ranks == 0) meeting.ranks = ranks;
  if (ranks != meeting.ranks || rank >= ranks || meeting.members.contains(rank)) {
    throw ApiError(ACL_ERROR_INVALID_PARAM,
                   "rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                       " is there already, or the others have another number of ranks");
  }
  meeting.members[rank] = member;
  if (meeting.members.size() == ranks) {
    meeting.key = root + "_" + std::to_string(getpid()) + "_" + std::to_string(++held_);
    if (meeting.listener != nullptr) std::exchange(meeting.listener, nullptr)->stop();
    changed_.notify_all();
  }
  const auto over = [&] { return !meeting.key.empty(); };
  if (!changed_.wait_for(lock, std::min(limit, kQuietWait), over)) {
    std::fprintf(stderr,
                 "davsim: rank %u waits for the other ranks of its communicator, of which %zu of "
                 "%u are there; they are threads or processes of this machine\n",
                 rank, meeting.members.size(), ranks);
  }
  if (!changed_.wait_for(lock, limit - std::min(limit, kQuietWait), over)) {
    meeting.members.erase(rank);
    if (meeting.members.empty()) meetings_.erase(root);
    throw ApiError(ACL_ERROR_RT_FAILURE,
                   "not all ranks came within " + std::to_string(limit.count()) +
                       " s (HCCL_CONNECT_TIMEOUT): they are threads or processes of this machine, "
                       "each with a device of its own");
  }
  Met met{meeting.key, {}};
  for (const auto& [number, of] : meeting.members) met.members.push_back(of);
  if (++meeting.left == ranks) meetings_.erase(root);
  return met;
}

}  // namespace davsim::runtime
