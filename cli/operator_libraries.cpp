#include "cli/operator_libraries.hpp"

#include <boost/program_options.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/errors.hpp"
#include "cli/options.hpp"
#include "runtime/operator_library/load.hpp"

namespace davsim::cli {

namespace po = boost::program_options;

void add_operators_option(po::options_description_easy_init add) {
  add("operators", po::value<std::vector<std::string>>()->composing()->value_name("LIBRARY"),
      "use the operators of a library that an operator project was built to "
      "(docs/operator-projects.md). May be repeated");
}

void load_operator_libraries(const po::variables_map& values) {
  for (const std::string& path : list_option(values, "operators")) {
    try {
      op_library::load_operators(path);
    } catch (const std::invalid_argument& error) {
      throw UsageError(std::string("--operators: ") + error.what());
    }
  }
}

}  // namespace davsim::cli
