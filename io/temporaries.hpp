// The names of the existing temporary files and folders, stored so that a signal handler can read
// them.
#pragma once

#include <csignal>
#include <cstddef>
#include <string>

namespace davsim::io::temporaries {

/// A process writes a few files, and at most a few hundred if it writes a folder.
inline constexpr std::size_t kMost = 1024;

/// Making a temporary file or folder: for as long as this lives, no signal that ends the process is
/// handled, so that remove_all() finds every one that was made. Its name is remembered first. Once
/// the process is ending, a thread that begins to make one stays here.
class Making {
 public:
  Making();
  ~Making();
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

 private:
  sigset_t before_;
};

/// `name` must live until forget(). If there is no free slot, remove_all() does not remove the
/// file.
std::size_t remember(const char* name);
void forget(std::size_t slot);
/// Removes the temporary files and folders beside `target`, "target.part-PID-N", whose process was
/// killed.
void remove_abandoned(const std::string& target);
/// Can be called in a signal handler that ends the process: nothing can be made afterwards.
void remove_all() noexcept;

}  // namespace davsim::io::temporaries
