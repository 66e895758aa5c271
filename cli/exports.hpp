// The exporters that the command line of a run asks for: an option each.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <string>
#include <vector>

#include "session/exports.hpp"

namespace davsim::cli {

class Exports : public session::Exports {
 public:
  /// Adds the option of every exporter.
  static void add_options(boost::program_options::options_description_easy_init add);
  /// The options of all exporters. They need a timed run.
  static std::vector<std::string> options();
  /// The options that name an output file or folder.
  static std::vector<std::string> output_options();

  /// Throws io::FileError.
  explicit Exports(const boost::program_options::variables_map& values);
};

}  // namespace davsim::cli
