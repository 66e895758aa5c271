// Files of `davsim run` that hold tensors, attributes and figures. Those of exporters are in
// cli/exports.hpp.
#pragma once

#include <boost/json/object.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <memory>
#include <string>
#include <vector>

#include "io/pending_file.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::cli {

/// Files the user asked for. They exist as temporary files from the start.
class RunFiles {
 public:
  static void add_options(boost::program_options::options_description_easy_init add);
  /// Options that name an output file.
  static std::vector<std::string> output_options();

  /// Throws io::FileError.
  explicit RunFiles(const boost::program_options::variables_map& values);

  bool wants_report() const { return report_ != nullptr; }
  /// Paths as given; "": not asked for.
  std::string outputs_path() const { return outputs_ ? outputs_->path() : ""; }
  std::string report_path() const { return report_ ? report_->path() : ""; }

  /// Writes --save-inputs and --save-attrs and puts them in their places.
  void save_call(const operators::Call& call);
  /// Writes the other files. `report` is the result of report_json().
  void write(const operators::TensorMap& outputs, const boost::json::object& report);
  /// Puts the other files in their places.
  void commit();

 private:
  std::unique_ptr<io::PendingFile> outputs_, report_, inputs_, attrs_;
};

}  // namespace davsim::cli
