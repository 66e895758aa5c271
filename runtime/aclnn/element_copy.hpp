// Copies of tensors element by element, which take no simulated time: to and from views with
// strides, and between data types.
#pragma once

#include <memory>
#include <string>

#include "runtime/aclnn/bound_call.hpp"
#include "runtime/core/simulator.hpp"

namespace davsim::runtime {

/// Throws ApiError unless the tensor lies in memory of the device.
void require_place(Simulator& simulator, const BoundTensor& tensor, const std::string& name);

/// Whether elements of one type can become those of another: both have numbers of whole bytes, or
/// the types are the same and have whole bytes.
bool can_copy(ge::DataType to, ge::DataType from);

/// Queues a copy between two tensors with the same sizes. Whole numbers are cut off, and numbers
/// beyond those of the target's type become its nearest. A device that went wrong copies nothing.
void queue_copy(Simulator& simulator, const std::shared_ptr<Stream>& stream, const BoundTensor& to,
                const BoundTensor& from);

/// Queues zeros for all elements.
void queue_zeros(Simulator& simulator, const std::shared_ptr<Stream>& stream,
                 const BoundTensor& to);

}  // namespace davsim::runtime
