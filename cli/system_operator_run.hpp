// davsim run-system SYSTEM OPERATOR: an operator on several dies.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <string>
#include <vector>

#include "sim/soc/system_config.hpp"

namespace davsim::cli {

/// Options of runs of operators: cases, tensors, attributes, files, limits.
void add_system_operator_options(boost::program_options::options_description_easy_init add);
/// Their names, to refuse them where no operator runs.
std::vector<std::string> system_operator_options();

/// Runs the operator as the options say, in all processes that were started with these
/// `arguments`. The exit status. Throws UsageError, Refusal, Fault,
/// WrongResultError.
int run_system_operator(const boost::program_options::variables_map& values,
                        sim::SystemConfig system, const std::string& operator_name,
                        const std::vector<std::string>& arguments);

}  // namespace davsim::cli
