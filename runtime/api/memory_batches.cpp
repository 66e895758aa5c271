// Several copies by one call, copies that memory describes, and copies that reduce.
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"
#include "sim/system/collective_values.hpp"

using namespace davsim::runtime;

namespace {

constexpr std::size_t kNotKnown = std::numeric_limits<std::size_t>::max();

struct Batch {
  void** to;
  std::size_t* most;
  void** from;
  std::size_t* sizes;
  std::size_t count;
};

/// Lets `copy` copy one after the other. `failed`: the first that is refused.
template <class Copy>
void copy_all(const Batch& batch, std::size_t& failed, Copy copy) {
  failed = kNotKnown;
  require_pointer(batch.to, "dsts");
  require_pointer(batch.most, "destMax");
  require_pointer(batch.from, "srcs");
  require_pointer(batch.sizes, "sizes");
  if (batch.count == 0) throw ApiError(ACL_ERROR_INVALID_PARAM, "numBatches is 0");
  for (std::size_t i = 0; i < batch.count; ++i) {
    failed = i;
    require_success(copy(batch.to[i], batch.most[i], batch.from[i], batch.sizes[i]),
                    "copy " + std::to_string(i) + ": ");
  }
  failed = kNotKnown;
}

aclError at_once(void* to, std::size_t most, const void* from, std::size_t size) {
  return aclrtMemcpy(to, most, from, size, ACL_MEMCPY_DEFAULT);
}

auto on(aclrtStream stream) {
  return [stream](void* to, std::size_t most, const void* from, std::size_t size) {
    return aclrtMemcpyAsync(to, most, from, size, ACL_MEMCPY_DEFAULT, stream);
  };
}

/// What memory of the device says of a copy.
struct CopyDescription {
  void *to, *from;
  std::uint64_t bytes;

  void require_blocks() const {
    const DeviceMemory& memory = Simulator::instance().memory();
    if (!memory.require_room(from, bytes, "srcAddr") ||
        !memory.require_room(to, bytes, "dstAddr")) {
      refuse_rt("srcAddr and dstAddr lie in blocks of aclrtMalloc");
    }
  }
};

void require_within_device(aclrtMemcpyKind kind) {
  if (kind == ACL_MEMCPY_DEVICE_TO_DEVICE || kind == ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) return;
  throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                 "kind is " + std::to_string(kind) + "; copies within the device are described");
}

/// The number that collective operations have for a type; empty: it cannot be reduced on a copy.
std::optional<std::uint32_t> reduced_type(aclDataType type) {
  switch (type) {
    case ACL_INT8:
      return 0;
    case ACL_INT16:
      return 1;
    case ACL_INT32:
      return 2;
    case ACL_FLOAT16:
      return 3;
    case ACL_FLOAT:
      return 4;
    case ACL_UINT32:
      return 9;
    case ACL_BF16:
      return 11;
    default:
      return std::nullopt;
  }
}

davsim::sim::ReduceOp reduction_of(aclrtReduceKind kind) {
  switch (kind) {
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM:
      return davsim::sim::ReduceOp::kSum;
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX:
      return davsim::sim::ReduceOp::kMax;
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN:
      return davsim::sim::ReduceOp::kMin;
  }
  refuse_rt("kind is " + std::to_string(kind) + ", allowed are 10 to 12");
}

/// A block of the device, with room behind the address.
void require_on_device(const void* address, std::size_t bytes, const char* name) {
  require_pointer(address, name);
  const auto block = Simulator::instance().memory().require_room(address, bytes, name);
  if (!block || !block->device) refuse_rt(std::string(name) + " is no memory of a device");
}

}  // namespace

aclError aclrtMemcpyBatch(void** dsts, size_t* destMax, void** srcs, size_t* sizes,
                          size_t numBatches, aclrtMemcpyBatchAttr*, size_t*, size_t,
                          size_t* failIndex) {
  return api_call("aclrtMemcpyBatch", [&] {
    require_pointer(failIndex, "failIndex");
    copy_all({dsts, destMax, srcs, sizes, numBatches}, *failIndex, at_once);
  });
}

aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMax, void** srcs, size_t* sizes,
                            size_t numBatches, aclrtMemcpyBatchAttr*, size_t*, size_t) {
  return api_call("aclrtMemcpyBatchV2", [&] {
    std::size_t failed = 0;
    copy_all({dsts, destMax, srcs, sizes, numBatches}, failed, at_once);
  });
}

aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMax, void** srcs, size_t* sizes,
                               size_t numBatches, aclrtMemcpyBatchAttr*, size_t*, size_t,
                               size_t* failIndex, aclrtStream stream) {
  return api_call("aclrtMemcpyBatchAsync", [&] {
    require_pointer(failIndex, "failIndex");
    copy_all({dsts, destMax, srcs, sizes, numBatches}, *failIndex, on(stream));
  });
}

aclError aclrtMemcpyBatchAsyncV2(void** dsts, size_t* destMax, void** srcs, size_t* sizes,
                                 size_t numBatches, aclrtMemcpyBatchAttr*, size_t*, size_t,
                                 aclrtStream stream) {
  return api_call("aclrtMemcpyBatchAsyncV2", [&] {
    std::size_t failed = 0;
    copy_all({dsts, destMax, srcs, sizes, numBatches}, failed, on(stream));
  });
}

aclError aclrtReduceAsync(void* dst, const void* src, uint64_t count, aclrtReduceKind kind,
                          aclDataType type, aclrtStream stream, void*) {
  return api_call("aclrtReduceAsync", [&] {
    const davsim::sim::ReduceOp op = reduction_of(kind);
    const std::optional<std::uint32_t> reduced = reduced_type(type);
    if (!reduced) refuse_rt("type " + std::to_string(type) + " cannot be reduced");
    const std::size_t size = aclDataTypeSize(type);
    if (count == 0 || count % size != 0) {
      refuse_rt("count is " + std::to_string(count) + " bytes, allowed are multiples of " +
                std::to_string(size));
    }
    require_on_device(dst, count, "dst");
    require_on_device(src, count, "src");
    const auto to = Process::instance().stream(stream);
    Simulator& simulator = Simulator::instance();
    simulator.queue_on(to, [=, &simulator] {
      davsim::sim::reduce(static_cast<std::byte*>(dst), static_cast<const std::byte*>(src), count,
                          *reduced, op);
      simulator.memory().host_wrote(dst, count);
      return simulator.copy_demand(Direction::kWithin, count);
    });
    simulator.touched(*to, dst, src);
  });
}

aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src, size_t count,
                                       aclrtMemcpyKind kind, aclrtStream stream) {
  return aclrtMemcpyAsync(dst, destMax, src, count, kind, stream);
}

aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t* descSize) {
  return api_call("aclrtGetMemcpyDescSize", [&] {
    require_pointer(descSize, "descSize");
    require_within_device(kind);
    *descSize = sizeof(CopyDescription);
  });
}

aclError aclrtSetMemcpyDesc(void* desc, aclrtMemcpyKind kind, void* srcAddr, void* dstAddr,
                            size_t count, void*) {
  return api_call("aclrtSetMemcpyDesc", [&] {
    require_pointer(desc, "desc");
    require_pointer(srcAddr, "srcAddr");
    require_pointer(dstAddr, "dstAddr");
    require_within_device(kind);
    require_size(count);
    const CopyDescription copy{dstAddr, srcAddr, count};
    copy.require_blocks();
    require_success(aclrtMemcpy(desc, sizeof copy, &copy, sizeof copy, ACL_MEMCPY_HOST_TO_DEVICE));
  });
}

aclError aclrtMemcpyAsyncWithDesc(void* desc, aclrtMemcpyKind kind, aclrtStream stream) {
  return api_call("aclrtMemcpyAsyncWithDesc", [&] {
    require_pointer(desc, "desc");
    require_within_device(kind);
    CopyDescription copy{};
    require_success(aclrtMemcpy(&copy, sizeof copy, desc, sizeof copy, ACL_MEMCPY_DEVICE_TO_HOST));
    copy.require_blocks();
    require_success(aclrtMemcpyAsync(copy.to, copy.bytes, copy.from, copy.bytes, kind, stream));
  });
}
