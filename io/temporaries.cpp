#include "io/temporaries.hpp"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <vector>

namespace davsim::io::temporaries {
namespace {

std::array<std::atomic<const char*>, kMost> names{};
std::atomic<int> makers{0};
std::atomic<bool> ending{false};

/// A maker is done within microseconds. One on a file system that hangs is not waited for.
void await_makers() noexcept {
  constexpr int kLooks = 2000;
  const timespec pause{0, 500'000};
  for (int look = 0; makers > 0 && look < kLooks; ++look) nanosleep(&pause, nullptr);
}

}  // namespace

Making::Making() {
  sigset_t all;
  sigfillset(&all);
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&all, crash);
  pthread_sigmask(SIG_BLOCK, &all, &before_);
  ++makers;
  if (!ending) return;
  --makers;
  for (;;) pause();
}

Making::~Making() {
  --makers;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::size_t remember(const char* name) {
  for (std::size_t slot = 0; slot < names.size(); ++slot) {
    const char* free = nullptr;
    if (names[slot].compare_exchange_strong(free, name)) return slot;
  }
  return names.size();
}

void forget(std::size_t slot) {
  if (slot < names.size()) names[slot] = nullptr;
}

void remove_abandoned(const std::string& target) {
  namespace fs = std::filesystem;
  const fs::path path(target);
  const std::string start = path.filename().string() + ".part-";
  std::error_code error;  // what cannot be removed stays
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(start)) continue;
    pid_t process = 0;
    const char* first = name.data() + start.size();
    const char* last = name.data() + name.size();
    const auto [stop, fault] = std::from_chars(first, last, process);
    if (fault != std::errc() || stop == last || *stop != '-' || process <= 0) continue;
    if (kill(process, 0) == 0 || errno != ESRCH) continue;
    abandoned.push_back(at->path());
  }
  for (const fs::path& part : abandoned) fs::remove_all(part, error);
}

void remove_all() noexcept {
  ending = true;
  await_makers();
  for (const auto& slot : names) {
    if (const char* name = slot.load()) unlink(name);
  }
  // Folders are remembered before what is in them.
  for (std::size_t i = names.size(); i-- > 0;) {
    if (const char* name = names[i].load()) rmdir(name);
  }
}

}  // namespace davsim::io::temporaries
