// The inner part of a transposition, compiled for several host instruction sets.
#pragma once

#include <cstdint>

#include "isa/exec/transpose.hpp"

namespace davsim::isa {

/// Transposes sixteen rows of `columns` elements of `bytes` bytes each: `to` gets the columns, each
/// of sixteen elements. `columns` x `bytes` is 16 or 32.
void transpose_tile(const std::byte* const (&rows)[kTransposeBlocks], std::byte* to,
                    std::uint32_t bytes);

}  // namespace davsim::isa
