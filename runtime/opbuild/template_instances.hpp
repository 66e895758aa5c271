// The combinations of template arguments that an operator's kernel is compiled for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/op_host/definition.hpp"

namespace davsim::opbuild {

struct TemplateInstance {
  std::uint64_t key = 0;
  std::string arguments;      ///< "half, 8, 1"
  std::string tiling_struct;  ///< of this combination; empty: not said
  std::string type;           ///< of the kernel, as davsim_add_kernel takes it; empty: not said
};

/// All that are selected for a column of the operator. Throws std::invalid_argument for a selection
/// that names no parameter, for a type that kernels do not have, and for more than 4096.
std::vector<TemplateInstance> template_instances(const op_host::Template& declared,
                                                 const op_host::Definition& definition,
                                                 std::size_t column);

}  // namespace davsim::opbuild
