// Tensors in files: the safetensors format (8 bytes little-endian header length, a JSON header,
// then the bytes of all tensors without gaps).
#pragma once

#include <iosfwd>
#include <map>
#include <string>

#include "io/file_error.hpp"
#include "memory/tensor.hpp"

namespace davsim::io {

using memory::TensorMap;

/// Longest header that is read. Headers name tensors; a longer one is a broken or hostile file.
inline constexpr std::uint64_t kMaxSafetensorsHeader = 16u << 20;

/// Reads every tensor of a file straight into `memory`, allocating in the order of their names.
/// Accepts F16, BF16, F32, I8, U8, BOOL, I16, U16, I32, U32, I64 and U64, and "__metadata__".
/// Throws FileError for a file that cannot be read or breaks the format, and where the tensors do
/// not fit in `memory` or in the host; nothing stays allocated then.
TensorMap read_safetensors(const std::string& path, memory::GlobalMemory& memory);

/// Writes all of a file or nothing: the bytes go to a temporary file beside `path` that is renamed
/// at the end. Throws FileError, std::invalid_argument for a dtype the format has not (int4).
void write_safetensors(const std::string& path, const TensorMap& tensors,
                       const std::map<std::string, std::string>& metadata = {});
/// The same bytes into an open stream; the caller looks at its state.
void write_safetensors(std::ostream& out, const TensorMap& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace davsim::io
