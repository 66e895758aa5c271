// A call of an operator by its name, with descriptions of tensors and buffers: aclopExecuteV2.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "acl/acl_op.h"
#include "register/op_def.h"

/// Attributes by name. Numbers are kept as they were set.
struct aclopAttr {
  std::map<std::string, ops::OpAttrDef::Value> values;
};

namespace davsim::runtime {

struct NamedTensor {
  const aclTensorDesc* desc = nullptr;
  const aclDataBuffer* buffer = nullptr;
};

struct NamedCall {
  std::string type;
  std::vector<NamedTensor> inputs, outputs;
  const aclopAttr* attributes = nullptr;  ///< null: all have their defaults
};

/// Finds the operator, runs its tiling function and queues its kernel on the stream, with a
/// workspace of the runtime's own. Inputs and outputs are those of the operator's definition, in
/// its order; a DYNAMIC one takes as many as are left. An optional input that is missing has a
/// description of type ACL_DT_UNDEFINED, or is left out behind the others.
/// Throws ApiError: ACL_ERROR_OP_NOT_FOUND, ACL_ERROR_OP_INPUT_NOT_MATCH, _OUTPUT_NOT_MATCH,
/// _ATTR_NOT_MATCH, or what the operator says against the call.
void run_named(const NamedCall& call, aclrtStream stream);

/// The same up to the kernel: whether the call can be made. Needs no buffers.
void find_named(const std::string& type);

}  // namespace davsim::runtime
