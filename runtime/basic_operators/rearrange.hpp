// Moves of single elements whose targets follow each other, by gathering them within UB.
#pragma once

#include "runtime/basic_operators/loop_nest.hpp"
#include "runtime/basic_operators/tensors.hpp"

namespace davsim::basic {

/// Adds the kernel to the work. False where it does not do: elements of 8 bits, targets with gaps,
/// or too little that lies close to each other in the source.
bool add_rearrangement(WorkList& work, const LoopNest& nest, const aclTensor& to,
                       const aclTensor& from);

}  // namespace davsim::basic
