// Functions that compute each element of the result from one element of each operand.
#pragma once

#include <optional>
#include <vector>

#include "runtime/basic_operators/device/pointwise_tiling.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/tensors.hpp"

namespace davsim::basic {

using davsim_basic::PointwiseOp;

/// A tensor or a number, with the name of the parameter.
struct Operand {
  Operand(const aclTensor* of, const char* parameter) : tensor(of), name(parameter) {}
  /// Throws ApiError(161001) for a null pointer.
  Operand(const aclScalar* of, const char* parameter);
  /// A number that counts as one of float.
  explicit Operand(double value) : number(value), number_type(ge::DT_FLOAT), name("") {}

  bool is_number() const { return number_type != ge::DT_UNDEFINED; }

  const aclTensor* tensor = nullptr;
  double number = 0;
  std::int64_t whole = 0;  ///< the number, if it is a whole one
  DataType number_type = ge::DT_UNDEFINED;
  const char* name;
};

/// Of what type the result is where the operands have another one.
enum class ResultType {
  kPromoted,  ///< the type that the operands become where they meet
  kReal,      ///< the same, but float instead of whole numbers
  kBool,
};

struct Pointwise {
  PointwiseOp op;
  std::vector<Operand> operands;
  const aclTensor* out = nullptr;
  const char* out_name = "out";
  ResultType result = ResultType::kPromoted;
  DataType type = ge::DT_UNDEFINED;  ///< what the operands become; undefined: where they meet
  /// Numbers of the call, see PointwiseOp; of a whole type where the operands are.
  double a = 0, b = 0, c = 0;
};

/// The shape that the tensors among the operands are repeated to. Throws ApiError(161002).
Shape common_shape(const std::vector<Operand>& operands);

/// Adds what computes `call` to the work: a kernel, or a task of the host for types that the vector
/// units do not compute with. Operands are repeated to a common shape, which is that of `out`.
/// Throws ApiError(161001, 161002).
void add_pointwise(WorkList& work, const Pointwise& call);

/// The type as kernels know it; nothing if they do not.
std::optional<davsim_basic::Element> element_of(DataType type);

/// out = the elements of `from` in the type of `out`.
void add_cast(WorkList& work, const aclTensor& from, const aclTensor& out);

}  // namespace davsim::basic
