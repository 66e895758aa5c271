// Which kernel of a library a call gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "runtime/op_host/definition.hpp"

namespace davsim::op_host {

/// There is no such kernel. `rule` says which there are, `found` what was asked for.
class KernelMissing : public std::runtime_error {
 public:
  KernelMissing(const std::string& rule, const std::string& found)
      : std::runtime_error(rule + "; " + found), rule(rule), found(found) {}
  std::string rule, found;
};

/// Why the operator has no AI core kernel on any compute unit; empty for one whose definition
/// configures some.
std::string lacking_ai_core(const Definition& definition);

/// The kernel of a column of the operator on a compute unit, for a tiling key. Throws KernelMissing
/// naming the keys that the kernel's source has, or what the definition has instead of one.
OperatorKernel kernel_for(const Definition& definition, const std::string& unit, std::size_t column,
                          std::uint64_t key);

}  // namespace davsim::op_host
