// The work of `run` and `compare`: an operator and its call.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/shaped_tensor.hpp"
#include "kernels/registry/operator.hpp"
#include "session/chosen_soc.hpp"

namespace davsim::cli {

using session::kDefaultSoc;

struct Work {
  const operators::Operator* op = nullptr;
  std::string inputs;                               ///< file, or empty
  const operators::ExampleCase* example = nullptr;  ///< or null
  std::vector<ShapedTensor> tensors;                ///< or none
  std::string attrs;                                ///< file, or empty
  std::vector<std::string> attr;                    ///< "name=value"
  std::vector<std::string> set;                     ///< "NAME=VALUE", parameters of the SoC
  bool warm = false;
  bool verify = true;       ///< compare the result of a case with its reference
  bool times_only = false;  ///< instructions take their time and compute nothing
  std::uint64_t max_cycles = 0;
  std::uint32_t host_timeout = 0;  ///< seconds

  std::vector<operators::ExampleCase> cases;  ///< of the operator; `example` points into it
};

/// Throws UsageError with the names that may be meant.
const operators::Operator& operator_named(const std::string& name);

/// The options that make up Work, for a command's description of its options.
void add_work_options(boost::program_options::options_description_easy_init add);
/// Throws UsageError. Opens no file yet.
Work work_of(const boost::program_options::variables_map& values);
/// The same options as arguments for another davsim.
std::vector<std::string> work_arguments(const boost::program_options::variables_map& values);

/// Puts the attributes of a file ("": none) and those of --attr into `attributes`, by the types of
/// the operator's. Throws UsageError, io::FileError.
void read_attributes(const operators::OperatorInfo& info, const std::string& file,
                     const std::vector<std::string>& assignments, boost::json::object& attributes);

/// The SoC of a run that names none: the one that its case needs, or else kDefaultSoc.
std::string default_soc(const Work& work);

/// A built-in SoC by name, or a description file (anything with a '/' or ending in ".ini"), with
/// the values of --set replaced. Throws UsageError.
sim::SocConfig soc_config(const std::string& soc, const std::vector<std::string>& set);

/// The tensors and attributes of the command line, not validated. Tensors are placed in `memory` in
/// the order of their names, whatever their source. The same call therefore has the same addresses
/// and the same cycles.
/// Throws UsageError, io::FileError.
operators::Call load_call(const Work& work, const sim::SocConfig& soc,
                          memory::GlobalMemory& memory);

}  // namespace davsim::cli
