// What a function is given that says which shapes the outputs have.
#pragma once

#include <cstddef>

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

class InferShapeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  const Shape* GetInputShape(std::size_t index) const;
  const Shape* GetRequiredInputShape(std::size_t parameter) const;
  const Shape* GetOptionalInputShape(std::size_t parameter) const;
  const Shape* GetDynamicInputShape(std::size_t parameter, std::size_t i) const;
  const Tensor* GetInputTensor(std::size_t index) const;
  const Tensor* GetRequiredInputTensor(std::size_t parameter) const;
  const Tensor* GetOptionalInputTensor(std::size_t parameter) const;
  const Tensor* GetDynamicInputTensor(std::size_t parameter, std::size_t i) const;
  Shape* GetOutputShape(std::size_t index);
};

}  // namespace gert
