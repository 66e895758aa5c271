// A library to be preloaded: lets one of a program's writes to files fail, as a full disk does.
// Calls are counted from 1; DAVSIM_FAIL_AT chooses, DAVSIM_FAIL_LOG names a file that says which
// call it was.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<long> calls{0};

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// Terminals and pipes are not meant: messages go there.
bool is_file(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

bool fails(const char* name) {
  static const char* const at = std::getenv("DAVSIM_FAIL_AT");
  if (at == nullptr || ++calls != std::atol(at)) return false;
  if (const char* log = std::getenv("DAVSIM_FAIL_LOG")) {
    const int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
    real(file, name, std::strlen(name));
    close(file);
  }
  errno = ENOSPC;
  return true;
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (is_file(descriptor) && fails("write")) return -1;
  return real(descriptor, bytes, count);
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
  static const auto real = next<ssize_t (*)(int, const iovec*, int)>("writev");
  if (is_file(descriptor) && fails("writev")) return -1;
  return real(descriptor, parts, count);
}

int fsync(int descriptor) {
  static const auto real = next<int (*)(int)>("fsync");
  return is_file(descriptor) && fails("fsync") ? -1 : real(descriptor);
}

int rename(const char* from, const char* to) {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return fails("rename") ? -1 : real(from, to);
}

int mkdir(const char* path, mode_t mode) {
  static const auto real = next<int (*)(const char*, mode_t)>("mkdir");
  return fails("mkdir") ? -1 : real(path, mode);
}

int close(int descriptor) {
  static const auto real = next<int (*)(int)>("close");
  if (!is_file(descriptor) || (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY) {
    return real(descriptor);
  }
  if (!fails("close")) return real(descriptor);
  real(descriptor);  // it is gone all the same, and what was written late is lost
  errno = ENOSPC;
  return -1;
}

}  // extern "C"
