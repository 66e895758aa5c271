#include "driver/header_cache.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <limits>

#include "driver/file_states.hpp"
#include "driver/object_cache.hpp"
#include "driver/process.hpp"

namespace davsim::driver {
namespace {

namespace fs = std::filesystem;

/// Makes `folder`/header.h.gch in a process that nobody waits for.
void compile_beside(const Toolchain& toolchain, const fs::path& folder,
                    const std::vector<std::string>& flags) {
  const std::string lock = folder / "lock";
  struct stat status {};
  // A lock of a process that ended early does not hold for ever.
  if (stat(lock.c_str(), &status) == 0 && time(nullptr) - status.st_mtime > 120) {
    unlink(lock.c_str());
  }
  const int descriptor = open(lock.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (descriptor < 0) return;
  close(descriptor);

  const pid_t child = fork();
  if (child < 0) return;
  if (child > 0) {
    waitpid(child, nullptr, 0);
    return;
  }
  // The grandchild belongs to nobody who would wait for it.
  if (setsid() < 0 || fork() != 0) _exit(0);
  const int nothing = open("/dev/null", O_RDWR);
  for (int standard = 0; standard <= 2; ++standard) dup2(nothing, standard);
  // Whoever started the driver may wait until all copies of its pipes are closed.
  for (int other = 3; other < 256; ++other) close(other);
  if (nice(19) < 0) _exit(0);
  try {
    const std::string draft = folder / "draft.gch";
    const std::int64_t began = file_clock_now();
    Command command = {toolchain.compiler, "-x", "c++-header"};
    command.insert(command.end(), flags.begin(), flags.end());
    for (const std::string& include : toolchain.includes) {
      command.insert(command.end(), {"-isystem", include});
    }
    command.insert(command.end(),
                   {"-MD", "-MF", folder / "header.d", folder / "header.h", "-o", draft});
    if (Process(command).wait() == 0) {
      // What the header itself says is in the folder's name. It was written a moment ago, and a
      // file that may have changed while it was read is not described.
      std::set<std::string> read = prerequisites(read_file(folder / "header.d"));
      read.erase((folder / "header.h").string());
      const std::string files = describe_files(read, began);
      // In between the old one fits no description.
      fs::remove(folder / "files");
      const fs::path made = folder / "header.h.gch";
      fs::rename(draft, made);
      // A disk that was full, or who tidies up, may leave another one than was made.
      const std::string itself = describe_files({made}, std::numeric_limits<std::int64_t>::max());
      if (!files.empty() && !itself.empty()) write_file(folder / "files", files + itself);
    }
  } catch (const std::exception&) {
    // Without it everything works as well.
  }
  unlink(lock.c_str());
  _exit(0);
}

std::optional<CachedHeader> known_header(const std::string& header, const fs::path& folder) {
  try {
    const std::string files = read_file(folder / "files");
    if (!describes_files(files)) return std::nullopt;
    CachedHeader known{header, identity_of(header + ".gch"),
                       prerequisites(read_file(folder / "header.d"))};
    return known;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<CachedHeader> cached_header(const Toolchain& toolchain,
                                          const std::vector<std::string>& names,
                                          const std::vector<std::string>& flags) {
  if (toolchain.cache.empty() || !toolchain.uses_compiled_headers) return std::nullopt;
  std::string key = identity_of(toolchain.compiler) + toolchain.version;
  std::string text;
  for (const std::string& include : toolchain.includes) key += " " + include;
  for (const std::string& flag : flags) key += " " + flag;
  for (const std::string& name : names) text += "#include \"" + name + "\"\n";
  const fs::path folder =
      fs::path(toolchain.cache) / "headers" / hexadecimal(std::hash<std::string>{}(key + text));
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return std::nullopt;
  const std::string header = folder / "header.h";
  if (std::optional<CachedHeader> known = known_header(header, folder)) return known;
  if (!fs::exists(header)) {
    try {
      write_file(header, text);
    } catch (const std::runtime_error&) {
      return std::nullopt;
    }
  }
  compile_beside(toolchain, folder, flags);
  return std::nullopt;
}

void forget_header(const CachedHeader& header) {
  std::error_code error;
  fs::remove(fs::path(header.header).parent_path() / "files", error);
}

}  // namespace davsim::driver
