// What the calls of collective communication share: their results, their errors, and how an
// operation joins those of other ranks.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "hccl/hccl.h"
#include "isa/core/collectives.hpp"
#include "runtime/api/hccl_group.hpp"
#include "runtime/core/api_error.hpp"
#include "runtime/core/communicators.hpp"
#include "runtime/core/process.hpp"
#include "sim/system/collective_checks.hpp"

namespace davsim::runtime {

/// What a call of this interface returns for a code of AscendCL.
inline HcclResult result_of(aclError code) {
  switch (code) {
    case ACL_SUCCESS:
      return HCCL_SUCCESS;
    case ACL_ERROR_INVALID_PARAM:
    case ACL_ERROR_RT_PARAM_INVALID:
    case ACL_ERROR_RT_INVALID_DEVICEID:
      return HCCL_E_PARA;
    case ACL_ERROR_RT_MEMORY_ALLOCATION:
    case ACL_ERROR_BAD_ALLOC:
      return HCCL_E_MEMORY;
    case ACL_ERROR_RT_FEATURE_NOT_SUPPORT:
      return HCCL_E_NOT_SUPPORT;
    case ACL_ERROR_INTERNAL_ERROR:
      return HCCL_E_INTERNAL;
    default:
      return HCCL_E_RUNTIME;
  }
}

template <class Body>
HcclResult hccl_call(const char* function, Body&& body) {
  return result_of(api_call(function, body));
}

/// A pointer of a caller's. HCCL_E_PTR is what the interface has for a null one.
inline bool null(const char* function, std::initializer_list<const void*> pointers) {
  const bool any = std::find(pointers.begin(), pointers.end(), nullptr) != pointers.end();
  if (any) remember_error(function, ACL_ERROR_INVALID_PARAM, "a pointer is null");
  return any;
}

/// The device of the calling thread.
inline std::uint32_t own_device() {
  return static_cast<std::uint32_t>(Process::instance().context()->device);
}

/// Adds the part of this rank to an operation of its communicator. The stream is one of its device.
/// Throws ApiError if it is not, or if there is no such operation.
inline void join(const CommunicatorRank& rank, aclrtStream stream, const isa::Collective& operation,
                 std::array<std::vector<std::uint64_t>, 4> counts) {
  const std::string wrong = sim::wrong_with(operation, rank.devices.size());
  if (!wrong.empty()) throw ApiError(ACL_ERROR_INVALID_PARAM, wrong);
  if (HcclGroup::open() != nullptr) {
    return HcclGroup::now_or_later([&rank, stream, operation, counts = std::move(counts)] {
      join(rank, stream, operation, counts);
    });
  }
  GroupPart part;
  part.stream = Process::instance().stream(stream);
  const auto device = static_cast<std::uint32_t>(part.stream->context->device);
  if (device != rank.devices[rank.rank]) {
    throw ApiError(ACL_ERROR_INVALID_PARAM, "the communicator's rank is on device " +
                                                std::to_string(rank.devices[rank.rank]) +
                                                ", the stream on device " + std::to_string(device));
  }
  auto& [send_counts, send_offsets, recv_counts, recv_offsets] = counts;
  part.operation = {operation, std::move(send_counts), std::move(send_offsets),
                    std::move(recv_counts), std::move(recv_offsets)};
  Simulator& simulator = Simulator::instance();
  require_sound(simulator, *part.stream);
  simulator.join(rank.name, std::move(part));
}

}  // namespace davsim::runtime
