// What files held when something was made of them, so that one can tell later whether it still
// holds: by content, because times differ where the content is the same, and the other way around.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace davsim::driver {

/// Two hashes of a text, as hexadecimal numbers: one of 64 bits is not enough to stand for a
/// source.
std::string content_key(std::string_view text);

/// Nanoseconds of the clock that files get their times from.
std::int64_t file_clock_now();

/// One line for each file: size, time, content. Empty if one cannot be read, or was written after
/// `since`, and may thus not be what was read.
std::string describe_files(const std::set<std::string>& files, std::int64_t since);

/// Whether all files of such a description are what they were. A file whose size and time are the
/// same is not read.
bool describes_files(const std::string& description);

/// The files that a rule of make, written by -MD, names as prerequisites.
std::set<std::string> prerequisites(const std::string& rule);

/// Adds the files that the line markers of a preprocessed text name.
void add_marked_files(std::string_view preprocessed, std::set<std::string>& files);

}  // namespace davsim::driver
