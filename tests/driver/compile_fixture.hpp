// Programs from davsim-cc: compiled, linked and run by a test in a folder of its own.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "tests/scratch_folder.hpp"

namespace davsim::driver {

namespace fs = std::filesystem;

struct Outcome {
  int status = 0;  ///< exit status; -signal if a signal ended it
  std::string out, err;
};

inline std::string file_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A test with a folder of its own, in which the driver and the programs run.
class CompileTest : public ::testing::Test {
 protected:
  Outcome run(const std::string& program, const std::vector<std::string>& arguments) const {
    const fs::path out = folder_ / "stdout", err = folder_ / "stderr";
    std::vector<char*> argv = {const_cast<char*>(program.c_str())};
    for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const pid_t pid = fork();
    if (pid == 0) {
      const auto redirect = [](const fs::path& path, int to) {
        dup2(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), to);
      };
      redirect(out, STDOUT_FILENO);
      redirect(err, STDERR_FILENO);
      // What tests compile stays out of the user's cache.
      setenv("DAVSIM_CC_CACHE", cache_.c_str(), 1);
      if (chdir(folder_.path().c_str()) == 0) execv(program.c_str(), argv.data());
      _exit(127);
    }
    int status = 0;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), file_text(out),
            file_text(err)};
  }
  Outcome davsim_cc(const std::vector<std::string>& arguments) const {
    return run(DAVSIM_CC_PROGRAM, arguments);
  }
  Outcome program(const std::string& name) const { return run(folder_ / name, {}); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  void compiles(const std::vector<std::string>& arguments) const {
    const Outcome outcome = davsim_cc(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }
  void prints(const std::string& name, const std::string& expected) const {
    const Outcome outcome = program(name);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, expected) << outcome.err;
  }

  ScratchFolder folder_;
  std::string cache_;
};

/// Host code that tests share: device memory that the host sees after synchronising.
inline constexpr const char* kHostHeader = R"(#pragma once
#include <cstdio>
#include "acl/acl.h"
inline aclrtStream start() {
  aclrtStream stream = nullptr;
  if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0) {
    std::printf("no device\n");
  }
  return stream;
}
template <class T>
T* words(int count) {
  void* memory = nullptr;
  aclrtMalloc(&memory, count * sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemset(memory, count * sizeof(T), 0, count * sizeof(T));
  return static_cast<T*>(memory);
}
template <class T>
void show(aclrtStream stream, const T* device, int count) {
  if (aclrtSynchronizeStream(stream) != 0) std::printf("error ");
  T host[64];
  aclrtMemcpy(host, sizeof host, device, count * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST);
  for (int i = 0; i < count; ++i) std::printf("%g ", static_cast<double>(host[i]));
  std::printf("\n");
}
)";

}  // namespace davsim::driver
