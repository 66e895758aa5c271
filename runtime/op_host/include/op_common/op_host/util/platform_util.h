// Sizes of the device for tiling functions, from gert::TilingContext or gert::TilingParseContext.
// What needs the platform is 0 without one.
#pragma once

#include <cstdint>

#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "op_common/log/log.h"
#include "tiling/platform/platform_ascendc.h"

namespace Ops {
namespace Base {

namespace davsim_detail {
/// What `get` says of the context's platform; 0 without one.
template <class Context, class Get>
std::uint32_t of_platform(const Context* context, const char* caller, Get get) {
  auto* const platform = context == nullptr ? nullptr : context->GetPlatformInfo();
  if (platform == nullptr) {
    OP_LOGE(caller, "there is no platform");
    return 0;
  }
  return static_cast<std::uint32_t>(get(platform_ascendc::PlatformAscendC(platform)));
}
}  // namespace davsim_detail

template <class Context>
std::uint32_t GetAivCoreNum(const Context* context) {
  return davsim_detail::of_platform(context, "GetAivCoreNum",
                                    [](const auto& platform) { return platform.GetCoreNumAiv(); });
}

template <class Context>
std::uint32_t GetAicCoreNum(const Context* context) {
  return davsim_detail::of_platform(context, "GetAicCoreNum",
                                    [](const auto& platform) { return platform.GetCoreNumAic(); });
}

/// Bytes.
template <class Context>
std::uint32_t GetUbSize(const Context* context) {
  return davsim_detail::of_platform(context, "GetUbSize", [](const auto& platform) {
    std::uint64_t bytes = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, bytes);
    return bytes;
  });
}

/// Bytes of what the library's functions take of the workspace.
template <class Context>
std::uint32_t GetWorkspaceSize(const Context* context) {
  return davsim_detail::of_platform(context, "GetWorkspaceSize", [](const auto& platform) {
    return platform.GetLibApiWorkSpaceSize();
  });
}

/// Bytes: a DataBlock of UB, what a vector instruction takes in one repeat, a line of the cache.
template <class Context>
std::uint32_t GetUbBlockSize([[maybe_unused]] const Context* context) {
  return 32;
}
template <class Context>
std::uint32_t GetVRegSize([[maybe_unused]] const Context* context) {
  return 256;
}
template <class Context>
std::uint32_t GetCacheLineSize([[maybe_unused]] const Context* context) {
  return 256;
}

}  // namespace Base
}  // namespace Ops
