// davsim's own operators of one die as steps of a call.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/tensors.hpp"

namespace davsim::basic {

/// A tensor of the operator. Null and, unless it is required, without elements: not given.
struct OperatorTensor {
  std::string name;  ///< the operator's
  const aclTensor* tensor;
  const char* parameter;  ///< the function's
};

struct OperatorCall {
  std::string name;                    ///< as `davsim list` prints it
  std::vector<OperatorTensor> inputs;  ///< and those that are updated in place
  std::vector<OperatorTensor> outputs;
  boost::json::object attributes;

  /// The tensors of a list, as name.0, name.1 and so on; one alone has the name itself.
  void add_list(const std::string& of, const aclTensorList* list, const char* parameter);
};

/// Adds the operator to the work. Inputs with strides are copied. An output that the operator makes
/// and the call does not take lies in the workspace. Throws ApiError with the code for the
/// operator's refusal: 161001 for E_NULL, else 161002. Rules about values in tensors are checked
/// when the stream is there.
void add_device_operator(WorkList& work, const OperatorCall& call);

}  // namespace davsim::basic
