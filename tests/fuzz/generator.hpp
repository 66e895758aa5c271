// What the generators of calls and kernels share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace davsim::test {

/// Of bytes: equal bytes give equal numbers.
inline std::uint64_t digest(const void* data, std::size_t count, std::uint64_t start = 0) {
  std::uint64_t hash = start ^ 0xcbf29ce484222325u;
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

/// A number of the environment, for longer runs of a generator.
inline std::uint64_t generator_option(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace davsim::test
