// Names of the temporary files and folders that exist now, where a signal handler can read them.
#pragma once

#include <cstddef>

namespace davsim::io::temporaries {

/// A process writes a handful of files, and at most a few hundred where it writes a folder.
inline constexpr std::size_t kMost = 1024;

/// `name` must live until forget(). One that finds no slot is only not removed by remove_all().
std::size_t remember(const char* name);
void forget(std::size_t slot);
/// Safe in a signal handler, after which the process ends.
void remove_all() noexcept;

}  // namespace davsim::io::temporaries
