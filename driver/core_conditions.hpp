// What the user's files behind a preprocessed source say before the preprocessor has read them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace davsim::driver {

/// The text of each of the user's files in `preprocessed`, which line markers name.
std::vector<std::string> user_files(std::string_view preprocessed);

/// Whether one of the files has a condition on the kind of core. Conditions are gone from the
/// preprocessed text.
bool asks_for_core(const std::vector<std::string>& files);

/// Whether one of the files has pointers into a buffer of the core, such as __ubuf__ T*. Kernels
/// may dereference those into UB, and get the reason for others.
bool has_local_pointers(const std::vector<std::string>& files);
/// Whether these files use SHMEM.
bool has_symmetric_memory(const std::vector<std::string>& files);

/// Whether one of the files has device code in terms of the vendor's compiler alone.
bool uses_intrinsics(const std::vector<std::string>& files);

}  // namespace davsim::driver
