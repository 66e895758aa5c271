// The tensors of a validated call as the kernels need them, with the workspaces and the converted
// weights of the launch.
#pragma once

#include <string>
#include <vector>

#include "kernels/prolog/naming.hpp"
#include "kernels/prolog/prolog_tiling.h"
#include "kernels/registry/operator.hpp"

namespace davsim::operators::prolog {

/// The memory of one launch, without the tensors of the call.
class Workspace {
 public:
  explicit Workspace(memory::GlobalMemory& memory) : memory_(memory) {}

  std::uint8_t* allocate(isa::DType dtype, Shape shape, const std::string& name);
  /// A copy in fractals of [K, N] matrices with the same K and type. They are side by side, as one
  /// matrix with the sum of their widths: [N/C0, K/16, 16, C0].
  std::uint8_t* in_fractals(const std::vector<Tensor>& matrices, const std::string& name);
  /// `index`, or a copy without the tokens whose rows later tokens are written to.
  std::uint8_t* of_last_writers(const Tensor& index, const std::string& name);

 private:
  memory::GlobalMemory& memory_;
  std::vector<Tensor> tensors_;
};

/// `q_norm` and `q_norm_scale` are outputs. They are workspaces if the operator has no such
/// outputs.
MlaBuffers mla_buffers(const Naming& name, const Call& call, const TensorMap& outputs,
                       Workspace& workspace);
/// The indexer uses the q_norm of `mla`. If `mla` is nullptr, it uses the inputs of the call.
IndexerBuffers indexer_buffers(const Naming& name, const Call& call, const TensorMap& outputs,
                               const MlaBuffers* mla, Workspace& workspace);

}  // namespace davsim::operators::prolog
