// Files that the command line asks to be written.
#pragma once

#include <boost/program_options/variables_map.hpp>
#include <memory>
#include <string>
#include <vector>

#include "io/pending_file.hpp"

namespace davsim::cli {

/// Throws UsageError if two of `options` name the same file or folder, however it is written, or if
/// one names a file that the command reads: by --inputs, --attrs, --soc or one of the
/// positional arguments `reads`. Several may write to one device or pipe.
void require_distinct_outputs(const boost::program_options::variables_map& values,
                              std::vector<std::string> options,
                              const std::vector<std::string>& reads = {});

/// Whether two paths lead to the same file, however they are written.
bool same_file(const std::string& one, const std::string& other);

/// Whether one of `options` writes to standard output.
bool writes_standard_output(const boost::program_options::variables_map& values,
                            const std::vector<std::string>& options);

/// The temporary file of an option that names an output file; nullptr if the option is not given.
/// Throws io::FileError.
std::unique_ptr<io::PendingFile> pending_file(const boost::program_options::variables_map& values,
                                              const std::string& option);

}  // namespace davsim::cli
