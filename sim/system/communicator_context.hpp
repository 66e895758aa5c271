// The contexts of communicators in global memory: structs that kernels read on their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace davsim::sim {

/// What a context says. Addresses are host addresses, by rank.
struct ContextContents {
  std::string name;
  std::uint32_t rank = 0;
  std::uint64_t workspace = 0, workspace_bytes = 0, window_bytes = 0, status_bytes = 0;
  std::vector<std::uint64_t> windows_in, windows_out, windows_status;
};

/// Bytes of a context of so many ranks.
std::uint64_t context_bytes(const std::string& product, std::uint32_t ranks);
/// Writes it to [to, to + context_bytes()), which are zero.
void write_context(const std::string& product, const ContextContents& contents, std::byte* to);

}  // namespace davsim::sim
