// The interface of operators that run on several dies together. A call has one part for each rank:
// tensors in the memory of its die, and attributes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/registry/operator.hpp"

namespace davsim::operators {

/// The parts of a call, by rank.
using SystemCall = std::vector<Call>;

/// An example case, and the system of dies that it is about. Its `soc` is empty.
struct SystemCase {
  ExampleCase example;
  std::string system;  ///< a built-in one
  std::uint32_t ranks = 0;
};

class SystemOperator {
 public:
  virtual ~SystemOperator() = default;
  /// Tensors and attributes of one rank.
  virtual const OperatorInfo& info() const = 0;

  /// Whether the kernels' control flow depends on values that the run computes, such as flags.
  virtual bool needs_values() const { return true; }
  /// Fills in the attributes that say which rank a part is.
  virtual void number_ranks(SystemCall& call) const = 0;
  /// The operator's own rules about the part of a rank, in their documented order, as
  /// Operator::validate(). Throws Refusal.
  virtual void validate(const Call& part, const sim::SocConfig& soc, std::uint32_t rank,
                        std::uint32_t ranks) const = 0;
  /// Rules about the parts together. Throws Refusal.
  virtual void validate_together(const SystemCall& call, const sim::SocConfig& soc) const = 0;
  /// Shapes of a rank's outputs, of a call that passed validation.
  virtual std::vector<TensorShape> infer(const SystemCall& call, std::uint32_t rank,
                                         const sim::SocConfig& soc) const = 0;
  /// Runs a validated call; `outputs` holds the tensors of infer(), and `dies` where they are, both
  /// by rank. The reports are by rank.
  virtual std::vector<observe::LaunchReport> launch(
      const SystemCall& call, std::vector<TensorMap>& outputs, sim::Device& device,
      const std::vector<std::uint32_t>& dies) const = 0;
  /// Bytes that the ranks receive from others at least, on the average.
  virtual double received_bytes(const SystemCall& call, const sim::SocConfig& soc) const = 0;
  /// Floating-point operations of each rank on the cube units.
  virtual double cube_flops(const SystemCall&) const { return 0; }

  virtual std::vector<SystemCase> cases() const = 0;
  /// The parts of a case, with tensors in the memories of its ranks. Throws std::invalid_argument
  /// for an unknown id.
  virtual SystemCall make_case(std::string_view id,
                               const std::vector<memory::GlobalMemory*>& memories) const = 0;
};

struct SystemOperatorRegistrar {
  explicit SystemOperatorRegistrar(std::unique_ptr<SystemOperator> op);
};
/// nullptr: there is none of that name.
const SystemOperator* find_system_operator(std::string_view name);
std::vector<const SystemOperator*> all_system_operators();  ///< by name

struct SystemRunResult {
  std::vector<TensorMap> outputs;              ///< outputs and in-place tensors, by rank
  std::vector<observe::LaunchReport> reports;  ///< by rank
};

/// As for operators of one die, rank by rank, then the rules about the parts together. A message
/// names the rank. Throws Refusal.
SystemCall validated(const SystemOperator& op, SystemCall call, const sim::SocConfig& soc);
/// validated() and launch() on the first dies of the device, rank r on die r. Throws Refusal
/// (nothing written) or isa::Fault.
SystemRunResult run(const SystemOperator& op, SystemCall call, sim::Device& device);

/// What the rules of a call need to know of its operator.
struct CallRules {
  const OperatorInfo& info;
  std::function<void(const Call&)> before_dtypes;  ///< may be empty
  std::function<void(const Call&)> own;
};
/// Fills in attribute defaults and validates: the rules of every operator, then its own. Throws
/// Refusal.
Call validated(const CallRules& rules, Call call, const sim::SocConfig& soc);

}  // namespace davsim::operators
