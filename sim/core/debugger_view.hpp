// What a debugger sees of the running core, without calling anything: runtime/gdb/davsim_gdb.py
// reads it in programs whose simulator has no debug information. Nothing else reads it.
#pragma once

#include <array>
#include <cstdint>

#include "isa/core/core_memory.hpp"
#include "isa/core/core_sink.hpp"

namespace davsim::sim {

struct DebuggerView {
  std::int64_t block = 0;
  std::int64_t sub_block = 0;
  std::int64_t is_cube = 0;
  struct Buffer {
    const std::byte* bytes = nullptr;
    std::uint64_t size = 0;
  };
  std::array<Buffer, isa::kSpaceCount> buffers{};  ///< by isa::Space

  DebuggerView() = default;
  DebuggerView(const isa::CoreIdentity& identity, const isa::CoreMemory& memory)
      : block(identity.block_idx),
        sub_block(identity.sub_block_idx),
        is_cube(identity.type == isa::CoreType::AIC) {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const auto space = static_cast<isa::Space>(i);
      if (memory.size(space) > 0) buffers[i] = {memory.host(space, 0), memory.size(space)};
    }
  }
};

}  // namespace davsim::sim

/// Of the core whose kernel runs; null outside kernels.
extern "C" const davsim::sim::DebuggerView* davsim_debugged_core;
