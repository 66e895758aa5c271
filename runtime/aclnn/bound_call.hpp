// A call of an operator by an aclnn function: its arguments against the operator's definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "davsim/operator_call.h"
#include "opdev/common_types.h"
#include "runtime/op_host/node.hpp"

namespace davsim::runtime {

/// A tensor of a call, by value: the program may destroy its aclTensor before the second phase.
struct BoundTensor {
  ge::DataType type = ge::DT_UNDEFINED;
  ge::Format format = ge::FORMAT_ND;
  gert::Shape shape;                  ///< as it lies in memory
  std::vector<std::int64_t> strides;  ///< elements; empty if they follow each other
  /// Strides that the operator's functions see and the kernel's argument does not: the operator
  /// takes the memory as it is (IgnoreContiguous).
  std::vector<std::int64_t> ignored_strides;
  std::uint64_t offset = 0;  ///< elements from `data`
  void* data = nullptr;
  /// Of a tensor of a hand-written function's: `data` is known when the second phase begins.
  std::shared_ptr<op_api::Storage> storage;
  const aclTensor* origin = nullptr;  ///< the program's tensor, which may be gone
  /// Elements that the host gave: an array or a scalar. They have no `data`.
  std::vector<std::byte> values;
  bool from_host = false;

  std::uint64_t elements() const { return static_cast<std::uint64_t>(shape.GetShapeSize()); }
  /// Of the elements that a kernel sees.
  std::uint64_t bytes() const;
  /// From the first element to behind the last one in memory.
  std::uint64_t span_bytes() const;
  std::byte* first() const;
};
/// A tensor's type, format and place. Shape and strides follow from the format that a call takes.
BoundTensor bound_without_shape(const aclTensor& tensor);

using BoundParameter = std::vector<BoundTensor>;

struct BoundCall {
  op_host::Definition definition;
  std::size_t column = 0;
  std::vector<BoundParameter> inputs;
  std::vector<BoundParameter> outputs;  ///< nothing in those that are inputs
  std::vector<::ops::OpAttrDef::Value> attributes;

  /// As the operator's functions see it.
  op_host::Arguments arguments() const;
};

/// Throws ApiError(161001) for a required argument that is missing, ApiError(161002) for types,
/// formats and strides that the operator does not take.
BoundCall bind_call(op_host::Definition definition, const DavsimArgument* arguments,
                    std::size_t count);

}  // namespace davsim::runtime
