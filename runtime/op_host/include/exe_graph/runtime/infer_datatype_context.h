// What a function is given that says which data types the outputs have.
#pragma once

#include <cstddef>

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

/// Inputs that do not exist have DT_UNDEFINED.
class InferDataTypeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  ge::DataType GetInputDataType(std::size_t index) const;
  ge::DataType GetRequiredInputDataType(std::size_t parameter) const;
  ge::DataType GetOptionalInputDataType(std::size_t parameter) const;
  ge::DataType GetDynamicInputDataType(std::size_t parameter, std::size_t i) const;
  ge::DataType GetOutputDataType(std::size_t index) const;
  ge::graphStatus SetOutputDataType(std::size_t index, ge::DataType type);
};

}  // namespace gert
