// Calls the functions that an operator registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/platform_infos_def.h"
#include "runtime/op_host/node.hpp"

namespace davsim::op_host {

/// A function of an operator failed, or left behind what no launch can have.
class FunctionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Tiling {
  std::uint32_t block_dim = 1;
  std::uint64_t key = 0;
  std::uint64_t workspace_bytes = 0;  ///< sum of all workspaces
  std::vector<std::uint64_t> data;    ///< for the kernel, filled up to whole words
  std::size_t data_bytes = 0;
};

/// Runs the tiling function, after the one that prepares it. An operator without a tiling function
/// has one block, key 0 and no data. Throws FunctionError.
Tiling run_tiling(const Definition& definition, const Arguments& arguments,
                  fe::PlatFormInfos platform);

/// Shapes of the outputs by the operator's inference. An operator without one has none. Throws
/// FunctionError.
std::vector<gert::Shape> infer_shapes(const Definition& definition, const Arguments& arguments);

}  // namespace davsim::op_host
