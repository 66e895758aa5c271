// Atomic writes: L2 combines the written data with the present contents of global memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/instr/params.hpp"

namespace davsim::isa {

/// Throws Fault(kParameter) if L2 has no such operation: it takes float, half, bfloat16, int32,
/// int16 and int8.
void require_atomic_type(AtomicOp op, DType type);

/// dst[i] = dst[i] op src[i] for `bytes` bytes of elements of `type`; plain copy for kNone. Floats
/// are rounded once to nearest even, integers saturate.
void combine(AtomicOp op, DType type, std::byte* dst, const std::byte* src, std::size_t bytes);

}  // namespace davsim::isa
