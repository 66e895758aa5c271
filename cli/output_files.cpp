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

/// The file that `path` leads to, however it is written. Links may lead to what is not there yet.
std::string identity_of(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;
  std::error_code error;
  fs::path absolute = fs::absolute(path, error);
  if (error) return path;
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(absolute, error)); ++i) {
    absolute = absolute.parent_path() / fs::read_symlink(absolute, error);
    if (error) return path;
  }
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

namespace {

/// The files that options and the positional arguments `reads` read, with what the usage calls
/// them.
std::map<std::string, std::string> inputs_of(const po::variables_map& values,
                                             const std::vector<std::string>& reads) {
  std::map<std::string, std::string> called = {
      {"inputs", "--inputs"}, {"attrs", "--attrs"}, {"soc", "--soc"}};
  for (const std::string& argument : reads) called[argument] = argument;
  std::map<std::string, std::string> inputs;
  for (const auto& [option, name] : called) {
    const auto given = values.find(option);
    if (given == values.end()) continue;
    std::vector<std::string> paths;
    if (const auto* one = boost::any_cast<std::string>(&given->second.value())) paths = {*one};
    if (const auto* all = boost::any_cast<std::vector<std::string>>(&given->second.value())) {
      paths = *all;
    }
    for (const std::string& path : paths) {
      if (path != io::kStandardStream) inputs[identity_of(path)] = name;
    }
  }
  return inputs;
}

/// What an option writes: a waveform has two files beside it.
std::vector<std::string> files_of(const std::string& option, const std::string& path) {
  if (option == "vcd") return {path, path + ".states", path + ".gtkw"};
  return {path};
}

}  // namespace

void require_distinct_outputs(const po::variables_map& values, std::vector<std::string> options,
                              const std::vector<std::string>& reads) {
  std::sort(options.begin(), options.end());
  std::set<std::string> written;
  const std::map<std::string, std::string> inputs = inputs_of(values, reads);
  for (const std::string& option : options) {
    if (values.count(option) == 0) continue;
    const std::string given = text_option(values, option);
    if (!holds_one(given)) continue;
    for (const std::string& path : files_of(option, given)) {
      if (!written.insert(identity_of(path)).second) {
        throw UsageError("two options name the same output file '" + path + "'");
      }
      const auto input = inputs.find(identity_of(path));
      if (input == inputs.end()) continue;
      throw UsageError("--" + option + " would overwrite '" + path + "', which " + input->second +
                       " reads");
    }
  }
}

bool same_file(const std::string& one, const std::string& other) {
  return identity_of(one) == identity_of(other);
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
