#include "runtime/core/rank_memories.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <map>
#include <new>
#include <set>
#include <system_error>

#include "runtime/core/api_error.hpp"
#include "runtime/core/communicators.hpp"
#include "runtime/core/meetings.hpp"
#include "runtime/core/parcel.hpp"
#include "runtime/core/peer_processes.hpp"
#include "runtime/core/simulator.hpp"

namespace davsim::runtime {
namespace {

/// What a process tells of one of its ranks.
struct RankPlace {
  std::string failure;     ///< why it has no memory; empty: it has
  std::uint64_t base = 0;  ///< of its device's memory
  int file = -1;           ///< with the bytes of that memory, by the number that it has there
  sim::RankMemory memory;

  std::string packed() const {
    Parcel parcel;
    parcel.put(failure);
    parcel.put(base);
    parcel.put(file);
    parcel.put(memory);
    return parcel.bytes();
  }
  static RankPlace opened(std::string message) {
    OpenedParcel parcel(std::move(message));
    RankPlace place;
    place.failure = parcel.take_text();
    place.base = parcel.take<std::uint64_t>();
    place.file = parcel.take<int>();
    place.memory = parcel.take<sim::RankMemory>();
    return place;
  }
};

RankPlace reserve(const std::string& name, std::uint32_t device, std::uint32_t ranks,
                  std::uint64_t window_bytes) {
  Simulator& simulator = Simulator::instance();
  RankPlace place;
  try {
    simulator.queue().between_work([&] {
      memory::GlobalMemory& memory = simulator.memory().of(device);
      place.base = memory.base();
      place.file = memory.share_with_processes();
      place.memory = simulator.communicators()->reserve(name, device, ranks, window_bytes);
    });
  } catch (const std::bad_alloc&) {
    place.failure = "device " + std::to_string(device) + " has no room for the windows";
  } catch (const std::system_error& error) {
    place.failure = error.what();
  }
  return place;
}

/// The same addresses where the memory of the die begins at `base`.
sim::RankMemory moved(const RankPlace& place, std::uint64_t base) {
  sim::RankMemory memory = place.memory;
  for (std::uint64_t* start :
       {&memory.windows, &memory.status, &memory.messages, &memory.context}) {
    *start += base - place.base;
  }
  return memory;
}

}  // namespace

OpenFile open_in(pid_t process, int file) {
  const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(file);
  return OpenFile(::open(path.c_str(), O_RDWR | O_CLOEXEC));
}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

RankMemories agree_on_memories(const std::string& name, const std::vector<std::uint32_t>& devices,
                               std::uint64_t window_bytes, const Spread& spread) {
  const auto ranks = static_cast<std::uint32_t>(devices.size());
  const OperationId agreement{"memories of " + spread.key, 0};
  PeerProcesses& peers = PeerProcesses::instance();
  const std::map<std::uint32_t, pid_t> others = spread.other_ranks();
  const std::set<pid_t> told = spread.other_processes();
  std::map<std::uint32_t, RankPlace> places;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (others.contains(rank)) continue;
    places[rank] = reserve(name, devices[rank], ranks, window_bytes);
    for (const pid_t process : told) peers.tell(process, agreement, rank, places[rank].packed());
  }
  for (auto& [rank, message] : peers.await(agreement, others, Meetings::most_wait())) {
    places[rank] = RankPlace::opened(message);
  }
  RankMemories agreed;
  DeviceMemory& memory = Simulator::instance().memory();
  for (const auto& [rank, place] : places) {
    if (!place.failure.empty()) {
      throw ApiError(ACL_ERROR_RT_MEMORY_ALLOCATION,
                     "rank " + std::to_string(rank) + ": " + place.failure);
    }
    const std::uint64_t base = memory.of(devices[rank]).base();
    agreed.memories.push_back(moved(place, base));
    agreed.here.push_back(!others.contains(rank));
    agreed.files.push_back(agreed.here.back() ? OpenFile() : open_in(others.at(rank), place.file));
    const std::string whose = "the memory of device " + std::to_string(devices[rank]);
    if (base != place.base) {
      agreed.apart = whose + " has other addresses in another process";
    } else if (!agreed.here.back() && agreed.files.back().descriptor() < 0) {
      agreed.apart = "the host does not let a process open " + whose + " in another one";
    }
  }
  return agreed;
}

}  // namespace davsim::runtime
