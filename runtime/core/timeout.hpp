// Timeouts of the interface, and when a wait of the host is long.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/core/api_error.hpp"

namespace davsim::runtime {

/// Wall time that the host waits for other ranks or streams before a line on standard error says
/// for what. Our choice: programs that run well seldom wait as long.
inline constexpr std::chrono::seconds kQuietWait{5};

/// `who` waits for whom or what.
inline ApiError waited_too_long(const std::string& who, std::chrono::seconds limit) {
  return {ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, who + " for more than " +
                                                std::to_string(limit.count()) +
                                                " s, which DAVSIM_HOST_TIMEOUT sets"};
}

/// Milliseconds; -1: none. Throws ApiError for other negative numbers.
inline std::optional<std::chrono::milliseconds> timeout_of(std::int32_t milliseconds) {
  if (milliseconds < -1) {
    throw ApiError(ACL_ERROR_RT_PARAM_INVALID, "timeout is " + std::to_string(milliseconds) +
                                                   "; it is -1, for ever, or at least 0");
  }
  if (milliseconds == -1) return std::nullopt;
  return std::chrono::milliseconds(milliseconds);
}

/// What is left of a limit since `start`.
inline std::optional<std::chrono::milliseconds> left_of(
    std::optional<std::chrono::milliseconds> limit, std::chrono::steady_clock::time_point start) {
  if (!limit) return std::nullopt;
  const auto gone = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  return std::max(*limit - gone, std::chrono::milliseconds(0));
}

}  // namespace davsim::runtime
