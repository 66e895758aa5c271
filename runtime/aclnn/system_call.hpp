// Calls of davsim's own operators that run on several devices together, by their aclnn functions.
// The operators are in a library of their own, which the first call loads.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aclnn/acl_meta.h"
#include "runtime/core/group_call.hpp"
#include "sim/soc/soc_config.hpp"

namespace davsim::runtime {

/// A tensor of a call.
struct SystemTensor {
  enum class Role : std::uint8_t { kInput, kOptionalInput, kOutput, kOptionalOutput };
  std::string parameter;  ///< as the function calls it
  std::string name;       ///< as the operator calls it
  const aclTensor* tensor = nullptr;
  Role role = Role::kInput;
};

/// What a device's call of a function says.
struct SystemArguments {
  std::string name;             ///< of the operator
  std::string group;            ///< its communicator
  std::uint32_t groups_of = 1;  ///< devices for each rank of the communicator
  std::vector<SystemTensor> tensors;
  boost::json::object attributes;
};

/// A result of a device's part of a call.
struct SystemOutput {
  std::string name;  ///< as the operator calls it
  aclDataType type = ACL_DT_UNDEFINED;
  std::vector<std::int64_t> shape;
};

/// The library of these operators.
class SystemOperators {
 public:
  virtual ~SystemOperators() = default;
  /// The part of a rank of `ranks`. Throws ApiError(161001) for tensors that are missing,
  /// ApiError(161002) for what the rules of the operator refuse. Rules about the values of tensors
  /// are left to the run, before which other work may write them.
  virtual std::shared_ptr<GroupCall> part(const SystemArguments& arguments, std::uint32_t rank,
                                          std::uint32_t ranks, const sim::SocConfig& soc) const = 0;
  /// The results of a rank's part whose outputs are not there yet, if the parts of the others
  /// have the same shapes. Throws as part().
  virtual std::vector<SystemOutput> outputs(const SystemArguments& arguments, std::uint32_t rank,
                                            std::uint32_t ranks,
                                            const sim::SocConfig& soc) const = 0;
};

/// What the library exports, under this name.
inline constexpr const char* kSystemOperators = "davsim_system_operators";
using SystemOperatorsFunction = const SystemOperators* (*)();

/// For callers that know no functions: what the calling thread's device will get, and the call
/// itself in one phase. Both throw ApiError.
std::vector<SystemOutput> outputs_of_system_call(const SystemArguments& arguments);
void queue_system_call(const SystemArguments& arguments, aclrtStream stream);

/// The two phases. `function` is the name of the second one.
aclnnStatus prepare_system_call(const std::string& function, const SystemArguments& arguments,
                                std::uint64_t* workspace_size, aclOpExecutor** executor);
aclnnStatus run_system_call(const std::string& function, const std::string& name, void* workspace,
                            std::uint64_t bytes, aclOpExecutor* executor, aclrtStream stream);

}  // namespace davsim::runtime
