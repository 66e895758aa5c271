// An operator that several devices carry out together, as the device sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/device/device.hpp"

namespace davsim::runtime {

/// The part of one device.
class GroupCall {
 public:
  virtual ~GroupCall() = default;
  virtual const std::string& name() const = 0;  ///< of the operator
  /// Of its tensors.
  virtual std::vector<std::uint64_t> addresses() const = 0;
  /// Carries the parts of all ranks out; called for the first of them. `dies` says where each is.
  /// The reports are by rank. Throws isa::Fault, ApiError.
  virtual std::vector<observe::LaunchReport> run(const std::vector<GroupCall*>& parts,
                                                 const std::vector<std::uint32_t>& dies,
                                                 sim::Device& device) const = 0;
  /// The part as a message to another process, which has the tensors at the same addresses.
  virtual std::string packed() const = 0;
  /// Such a part of another process, of the same operator.
  virtual std::shared_ptr<GroupCall> of_other(const std::string& packed) const = 0;
};

}  // namespace davsim::runtime
