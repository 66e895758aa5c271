// --operators: libraries of operators that users built out of projects of their own.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>

namespace davsim::cli {

/// Adds --operators to a command's options.
void add_operators_option(boost::program_options::options_description_easy_init add);

/// Loads the libraries that the command line names; their operators stand beside davsim's own.
/// Throws UsageError naming the library and what is wrong with it.
void load_operator_libraries(const boost::program_options::variables_map& values);

}  // namespace davsim::cli
