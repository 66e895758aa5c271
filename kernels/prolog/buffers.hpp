// A validated call's tensors as the kernels take them, with the workspaces and the converted
// weights that live as long as the launch.
#pragma once

#include <string>
#include <vector>

#include "kernels/prolog/naming.hpp"
#include "kernels/prolog/prolog_tiling.h"
#include "kernels/registry/operator.hpp"

namespace davsim::operators::prolog {

/// Memory of one launch beside the call's own tensors.
class Workspace {
 public:
  explicit Workspace(memory::GlobalMemory& memory) : memory_(memory) {}

  std::uint8_t* allocate(isa::DType dtype, Shape shape, const std::string& name);
  /// A copy of [K, N] matrices of the same K and type in fractals, side by side as one of the sum
  /// of their widths: [N/C0, K/16, 16, C0].
  std::uint8_t* in_fractals(const std::vector<Tensor>& matrices, const std::string& name);

 private:
  memory::GlobalMemory& memory_;
  std::vector<Tensor> tensors_;
};

/// `q_norm` and `q_norm_scale` are outputs, or workspaces where the operator has no such outputs.
MlaBuffers mla_buffers(const Naming& name, const Call& call, const TensorMap& outputs,
                       Workspace& workspace);
/// `mla`: whose q_norm to use; nullptr: the call's inputs.
IndexerBuffers indexer_buffers(const Naming& name, const Call& call, const TensorMap& outputs,
                               const MlaBuffers* mla, Workspace& workspace);

}  // namespace davsim::operators::prolog
