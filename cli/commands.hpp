// The subcommands; each lives in the file of its name.
#pragma once

#include "cli/options.hpp"

namespace davsim::cli {

const Command& list_command();
const Command& describe_command();
const Command& run_command();
const Command& compare_command();
const Command& sweep_command();
const Command& explain_command();
const Command& check_command();
const Command& serve_command();
const Command& run_system_command();

}  // namespace davsim::cli
