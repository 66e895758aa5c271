// A process of its own for each device of a test: a process has one device.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>

namespace davsim::test {

/// What `body` returns in a process of its own, or how that process ended.
inline std::string in_child(const std::function<std::string()>& body) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    std::string text;
    try {
      text = body();
    } catch (const std::exception& error) {
      text = std::string("it threw: ") + error.what();
    }
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = write(ends[1], text.data() + done, text.size() - done);
      if (written <= 0) break;
      done += static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) text += "it was killed by signal " + std::to_string(WTERMSIG(status));
  return text;
}

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
