// The table of kernels in a library of operators, which davsim-opbuild generates.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace davsim::op_host {

/// The kernel of one column of an operator and one tiling key. Names last as long as the process.
struct OperatorKernel {
  const char* op_type;       ///< "AddCustom"
  const char* compute_unit;  ///< "ascend910b": whose columns are counted
  std::uint32_t column;
  std::uint64_t tiling_key;
  const char* name;    ///< as reports show it: "add_custom"
  const char* kernel;  ///< as the registry of kernels has it: "add_custom_c1_k3"
};

bool RegisterOperatorKernels(std::initializer_list<OperatorKernel> kernels);

}  // namespace davsim::op_host
