// How many cores the operators of a thread may use. Tiling functions learn these numbers as the
// platform's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "acl/acl_rt.h"

namespace davsim::runtime {

struct Stream;

/// What a program set, by type of core.
class CoreLimits {
 public:
  void set(aclrtDevResLimitType type, std::uint32_t cores) { most_.at(type) = cores; }
  void reset() { most_ = {}; }
  bool has(aclrtDevResLimitType type) const { return most_.at(type).has_value(); }
  /// `cores` if nothing is set; what is set never makes more of them.
  std::uint32_t limited(aclrtDevResLimitType type, std::uint32_t cores) const;

 private:
  std::array<std::optional<std::uint32_t>, 2> most_;
};

/// Throws ApiError for a type that does not exist.
void require_type(aclrtDevResLimitType type);

void limit_device(std::uint32_t device, aclrtDevResLimitType type, std::uint32_t cores);
void unlimit_device(std::uint32_t device);
void limit_stream(Stream& stream, aclrtDevResLimitType type, std::uint32_t cores);
void unlimit_stream(Stream& stream);
/// The calling thread has the limits of the stream, before those of its device; null: not any more.
void use_limits_of(std::shared_ptr<Stream> stream);

std::uint32_t cores_of_device(std::uint32_t device, aclrtDevResLimitType type);
/// A stream of the calling thread's device.
std::uint32_t cores_of_stream(Stream& stream, aclrtDevResLimitType type);
std::uint32_t cores_of_thread(aclrtDevResLimitType type);

}  // namespace davsim::runtime
