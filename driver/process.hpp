// Programs that the driver runs, and the folder of its temporary files.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace davsim::driver {

using Command = std::vector<std::string>;

/// A program failed and has said why; the driver ends with this status.
struct Failed {
  int status;
};

/// A running program.
class Process {
 public:
  /// What the program writes to stderr goes to the file `errors`, if one is named, and to stdout to
  /// `output`. Throws std::runtime_error if there is no such program.
  Process(const Command& command, const std::string& errors = {}, const std::string& output = {});
  Process(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  /// Waits: no program outlives the driver's temporary files.
  ~Process();

  /// Waits for the end. Returns the exit status, 128 + n for signal n.
  int wait();

 private:
  pid_t id_ = -1;
};

/// Shows every command that is run on stderr.
void show_commands(bool show);

/// Runs a command to its end. Throws Failed.
void run(const Command& command);

/// A folder that disappears with this.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Throws std::runtime_error naming the file.
std::string read_file(const std::string& path);
/// Writes a file that appears when it is complete.
void write_file(const std::string& path, std::string_view text);

}  // namespace davsim::driver
