#include "cli/output_files.hpp"

#include <algorithm>
#include <boost/any.hpp>
#include <boost/program_options.hpp>
#include <filesystem>
#include <map>
#include <set>

#include "cli/errors.hpp"
#include "cli/options.hpp"

namespace davsim::cli {
namespace {

namespace po = boost::program_options;

/// The file that `path` leads to, however it is written.
std::string identity_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) return path;
  const std::string whole = fs::weakly_canonical(absolute, error).string();
  return error || whole.empty() ? path : whole;
}

/// Devices and pipes take the bytes of several options. Standard output holds one document.
bool holds_one(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return path == io::kStandardStream || !fs::exists(status) || fs::is_regular_file(status) ||
         fs::is_directory(status);
}

}  // namespace

void require_distinct_outputs(const po::variables_map& values, std::vector<std::string> options) {
  std::sort(options.begin(), options.end());
  std::set<std::string> files;
  std::map<std::string, std::string> inputs;
  for (const char* option : {"inputs", "attrs", "soc"}) {
    const auto given = values.find(option);
    if (given == values.end()) continue;
    const auto* path = boost::any_cast<std::string>(&given->second.value());
    if (path != nullptr && *path != io::kStandardStream) inputs[identity_of(*path)] = option;
  }
  for (const std::string& option : options) {
    if (values.count(option) == 0) continue;
    const std::string path = text_option(values, option);
    if (!holds_one(path)) continue;
    if (!files.insert(identity_of(path)).second) {
      throw UsageError("two options name the same output file '" + path + "'");
    }
    const auto input = inputs.find(identity_of(path));
    if (input != inputs.end()) {
      throw UsageError("--" + option + " would overwrite '" + path + "', which --" + input->second +
                       " reads");
    }
  }
}

bool writes_standard_output(const po::variables_map& values,
                            const std::vector<std::string>& options) {
  return std::any_of(options.begin(), options.end(), [&](const std::string& option) {
    return values.count(option) > 0 && text_option(values, option) == io::kStandardStream;
  });
}

std::unique_ptr<io::PendingFile> pending_file(const po::variables_map& values,
                                              const std::string& option) {
  if (values.count(option) == 0) return nullptr;
  return std::make_unique<io::PendingFile>(text_option(values, option));
}

}  // namespace davsim::cli
