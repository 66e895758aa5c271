// Runs davsim-cc for programs that compile kernels while they run, or that load objects of
// davsim-cc.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace davsim::runtime {

/// How a run of davsim-cc ended.
struct CompilerRun {
  int status = 0;   ///< its exit status
  std::string log;  ///< what it wrote
};

/// Runs the davsim-cc beside this library, or the one in PATH. Throws ApiError if there is none.
CompilerRun run_compiler(const std::vector<std::string>& arguments);

/// A folder that disappears with this.
class CompilerFolder {
 public:
  CompilerFolder();
  ~CompilerFolder();
  CompilerFolder(const CompilerFolder&) = delete;
  CompilerFolder& operator=(const CompilerFolder&) = delete;

  std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace davsim::runtime
