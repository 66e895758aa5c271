#include "cli/output_files.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <filesystem>
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
  const std::string whole = fs::weakly_canonical(fs::absolute(path), error).string();
  return error || whole.empty() ? path : whole;
}

}  // namespace

void require_distinct_outputs(const po::variables_map& values, std::vector<std::string> options) {
  std::sort(options.begin(), options.end());
  std::set<std::string> files;
  for (const std::string& option : options) {
    if (values.count(option) == 0) continue;
    const std::string path = text_option(values, option);
    if (files.insert(identity_of(path)).second) continue;
    throw UsageError("two options name the same output file '" + path + "'");
  }
}

std::unique_ptr<io::PendingFile> pending_file(const po::variables_map& values,
                                              const std::string& option) {
  if (values.count(option) == 0) return nullptr;
  return std::make_unique<io::PendingFile>(text_option(values, option));
}

}  // namespace davsim::cli
