// How host programs make communicators, and what they ask of them.
#include <algorithm>
#include <atomic>
#include <boost/json/array.hpp>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "io/strict_json.hpp"
#include "io/text_file.hpp"
#include "runtime/api/hccl_call.hpp"
#include "runtime/core/visible_devices.hpp"

using namespace davsim::runtime;

namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;

std::uint64_t window_bytes(const HcclCommConfig* config) {
  const bool set = config != nullptr && config->hcclBufferSize != 0 &&
                   config->hcclBufferSize != HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET;
  if (set) return config->hcclBufferSize * kMegabyte;
  const char* const size = std::getenv("HCCL_BUFFSIZE");
  if (size == nullptr) return 0;
  const long megabytes = std::strtol(size, nullptr, 10);
  if (megabytes < 1) throw ApiError(ACL_ERROR_INVALID_PARAM, "HCCL_BUFFSIZE is at least 1 MB");
  return static_cast<std::uint64_t>(megabytes) * kMegabyte;
}

std::string name_in(const HcclCommConfig* config) {
  if (config == nullptr) return "";
  return {config->hcclCommName, strnlen(config->hcclCommName, sizeof config->hcclCommName)};
}

/// Ranks of a table of ranks. Which device a rank has says the thread that joins by it.
std::uint32_t ranks_of_table(const char* path) {
  const auto refuse = [path](const std::string& what) {
    throw ApiError(ACL_ERROR_INVALID_PARAM, "table of ranks '" + std::string(path) + "': " + what);
  };
  const auto file = davsim::io::open_text(path);
  if (file == nullptr) refuse("the file cannot be read");
  const std::string text{std::istreambuf_iterator<char>(*file), {}};
  std::size_t ranks = 0;
  try {
    const boost::json::value table = davsim::io::parse_strict_json(text);
    for (const boost::json::value& server : table.at("server_list").as_array()) {
      ranks += server.at("device").as_array().size();
    }
  } catch (const std::exception& error) {
    refuse("it is no JSON with the devices of a server_list: " + std::string(error.what()));
  }
  if (ranks == 0) refuse("it has no device");
  return static_cast<std::uint32_t>(ranks);
}

/// Joins a communicator, at the end of the group of calls if there is one.
void join_later(const std::string& root, std::uint32_t ranks, std::uint32_t rank,
                const HcclCommConfig* config, HcclComm* comm) {
  HcclGroup::now_or_later([root, ranks, rank, name = name_in(config), window = window_bytes(config),
                           device = own_device(), comm] {
    *comm = HostCommunicators::instance().join(root, ranks, rank, device, name, window);
  });
}

/// The devices of some ranks of a communicator, of which the calling one is number `own`.
std::vector<std::uint32_t> devices_of_part(const CommunicatorRank& whole,
                                           const std::vector<std::uint32_t>& ranks,
                                           std::uint32_t own) {
  std::vector<std::uint32_t> devices;
  for (const std::uint32_t rank : ranks) {
    if (rank >= whole.devices.size()) {
      throw ApiError(ACL_ERROR_INVALID_PARAM, "rankIds has " + std::to_string(rank) +
                                                  ", ranks are 0 to " +
                                                  std::to_string(whole.devices.size() - 1));
    }
    devices.push_back(whole.devices[rank]);
  }
  if (own >= ranks.size() || ranks[own] != whole.rank) {
    throw ApiError(ACL_ERROR_INVALID_PARAM, "subCommRankId is " + std::to_string(own) +
                                                ", where rankIds does not have rank " +
                                                std::to_string(whole.rank) + ", which calls");
  }
  return devices;
}

/// The only setting of all communicators. Reductions are deterministic whatever it says.
std::atomic<std::int32_t>& deterministic() {
  static std::atomic<std::int32_t> value = 0;
  return value;
}
void require_deterministic(HcclConfig config) {
  if (config == HCCL_DETERMINISTIC) return;
  throw ApiError(ACL_ERROR_INVALID_PARAM,
                 "config is " + std::to_string(config) + ", which HcclConfig does not have");
}

}  // namespace

HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms) {
  if (null("HcclCommInitAll", {devices, comms})) return HCCL_E_PTR;
  return hccl_call("HcclCommInitAll", [&] {
    HostCommunicators::require_devices(ndev);
    std::vector<std::uint32_t> dies;
    for (uint32_t i = 0; i < ndev; ++i) {
      dies.push_back(die_of(devices[i]));
    }
    const auto made = HostCommunicators::instance().create("", dies, window_bytes(nullptr));
    std::copy(made.begin(), made.end(), comms);
  });
}

HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo) {
  if (null("HcclGetRootInfo", {rootInfo})) return HCCL_E_PTR;
  return hccl_call("HcclGetRootInfo", [&] {
    std::memset(rootInfo, 0, sizeof *rootInfo);
    const std::string name = Meetings::instance().new_root();
    name.copy(rootInfo->internal, sizeof rootInfo->internal - 1);
  });
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                      const HcclCommConfig* config, HcclComm* comm) {
  if (null("HcclCommInitRootInfo", {rootInfo, comm})) return HCCL_E_PTR;
  return hccl_call("HcclCommInitRootInfo", [&] {
    const std::string root(rootInfo->internal,
                           strnlen(rootInfo->internal, sizeof rootInfo->internal));
    join_later(root, nRanks, rank, config, comm);
  });
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                HcclComm* comm) {
  return HcclCommInitRootInfoConfig(nRanks, rootInfo, rank, nullptr, comm);
}

HcclResult HcclCommInitClusterInfoConfig(const char* clusterInfo, uint32_t rank,
                                         HcclCommConfig* config, HcclComm* comm) {
  if (null("HcclCommInitClusterInfo", {clusterInfo, comm})) return HCCL_E_PTR;
  return hccl_call("HcclCommInitClusterInfo", [&] {
    join_later(Meetings::root_of_table(clusterInfo), ranks_of_table(clusterInfo), rank, config,
               comm);
  });
}

HcclResult HcclCommInitClusterInfo(const char* clusterInfo, uint32_t rank, HcclComm* comm) {
  return HcclCommInitClusterInfoConfig(clusterInfo, rank, nullptr, comm);
}

HcclResult HcclCreateSubCommConfig(HcclComm* comm, uint32_t rankNum, uint32_t* rankIds,
                                   uint64_t subCommId, uint32_t subCommRankId,
                                   HcclCommConfig* config, HcclComm* subComm) {
  constexpr std::uint64_t kNoPart = 0xFFFFFFFF;
  if (rankIds == nullptr && subCommId == kNoPart) return HCCL_SUCCESS;
  if (null("HcclCreateSubCommConfig", {comm, rankIds, subComm})) return HCCL_E_PTR;
  return hccl_call("HcclCreateSubCommConfig", [&] {
    const CommunicatorRank& whole = HostCommunicators::instance().of(*comm);
    std::string name = name_in(config);
    if (name.empty()) name = whole.name + "_sub_" + std::to_string(subCommId);
    *subComm = HostCommunicators::instance().find_or_create(
        name, whole, devices_of_part(whole, {rankIds, rankIds + rankNum}, subCommRankId),
        window_bytes(config));
  });
}

HcclResult HcclCommDestroy(HcclComm comm) {
  if (null("HcclCommDestroy", {comm})) return HCCL_E_PTR;
  return hccl_call("HcclCommDestroy", [&] {
    CommunicatorRank& rank = HostCommunicators::instance().of(comm);
    Simulator::instance().synchronise_all();
    HostCommunicators::instance().destroy(&rank);
  });
}

HcclResult HcclCommSuspend(HcclComm comm) {
  if (null("HcclCommSuspend", {comm})) return HCCL_E_PTR;
  return hccl_call("HcclCommSuspend", [&] { HostCommunicators::instance().of(comm); });
}

HcclResult HcclCommResume(HcclComm comm) {
  if (null("HcclCommResume", {comm})) return HCCL_E_PTR;
  return hccl_call("HcclCommResume", [&] { HostCommunicators::instance().of(comm); });
}

void HcclCommConfigInit(HcclCommConfig* config) {
  if (config != nullptr) *config = {};
}

uint32_t HcclGetCommConfigCapability() {
  return HCCL_COMM_CONFIG_RESERVED;
}

HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue) {
  return hccl_call("HcclSetConfig", [&] {
    require_deterministic(config);
    if (configValue.value < 0 || configValue.value > 2) {
      throw ApiError(
          ACL_ERROR_INVALID_PARAM,
          "HCCL_DETERMINISTIC is " + std::to_string(configValue.value) + ", allowed are 0 to 2");
    }
    deterministic() = configValue.value;
  });
}

HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue* configValue) {
  if (null("HcclGetConfig", {configValue})) return HCCL_E_PTR;
  return hccl_call("HcclGetConfig", [&] {
    require_deterministic(config);
    configValue->value = deterministic();
  });
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize) {
  if (null("HcclGetRankSize", {comm, rankSize})) return HCCL_E_PTR;
  return hccl_call("HcclGetRankSize", [&] {
    *rankSize = static_cast<uint32_t>(HostCommunicators::instance().of(comm).devices.size());
  });
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank) {
  if (null("HcclGetRankId", {comm, rank})) return HCCL_E_PTR;
  return hccl_call("HcclGetRankId", [&] { *rank = HostCommunicators::instance().of(comm).rank; });
}

HcclResult HcclGetCommName(HcclComm comm, char* commName) {
  if (null("HcclGetCommName", {comm, commName})) return HCCL_E_PTR;
  return hccl_call("HcclGetCommName", [&] {
    const std::string& name = HostCommunicators::instance().of(comm).name;
    commName[name.copy(commName, COMM_NAME_MAX_LENGTH - 1)] = '\0';
  });
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError) {
  if (null("HcclGetCommAsyncError", {comm, asyncError})) return HCCL_E_PTR;
  return hccl_call("HcclGetCommAsyncError", [&] {
    HostCommunicators::instance().of(comm);
    *asyncError = Simulator::instance().failure() ? HCCL_E_REMOTE : HCCL_SUCCESS;
  });
}

const char* HcclGetErrorString(HcclResult code) {
  switch (code) {
    case HCCL_SUCCESS:
      return "no error";
    case HCCL_E_PARA:
      return "parameter error";
    case HCCL_E_PTR:
      return "empty pointer";
    case HCCL_E_MEMORY:
      return "memory error";
    case HCCL_E_NOT_SUPPORT:
      return "not supported";
    case HCCL_E_NOT_FOUND:
      return "not found";
    case HCCL_E_TIMEOUT:
      return "timeout";
    case HCCL_E_RUNTIME:
      return "error in the runtime";
    default:
      return "other error";
  }
}
