// davsim-opbuild: reads what the op_host sources of a project register, and writes what its build
// needs. cmake/DavsimOperators.cmake runs it.
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/op_host/library.hpp"
#include "runtime/opbuild/kernel_list.hpp"

namespace davsim::opbuild {
namespace {

constexpr const char* kUsage =
    R"(usage: davsim-opbuild LIBRARY --kernels FOLDER --out FOLDER [options] -- COMPILER [FLAGS...]

Loads LIBRARY, the op_host sources of a project as a shared library, and writes into --out, for
every operator that they register:
  OPERATOR_tiling_data.h  the structs of its tiling data
  *_kernel.cpp            a source for each kernel to compile
  operators.cmake         the calls of davsim_add_kernel
  operators_table.cpp     which launch gets which kernel

  --kernels FOLDER        the kernels' sources, AddCustom in add_custom.cpp; may be repeated
  --kernel TYPE=FILE      the source of one operator's kernel; may be repeated
  --unit UNIT             compute unit, such as ascend910b; may be repeated
COMPILER and FLAGS preprocess the kernels' sources, to find tiling keys and types in them.
)";

struct Arguments {
  std::string library;
  BuildOptions build;
};

[[noreturn]] void refuse(const std::string& what) {
  throw std::invalid_argument(what + "\n" + kUsage);
}

void set_option(Arguments& arguments, const std::string& name, const std::string& value) {
  if (name == "--kernels") {
    arguments.build.kernels.emplace_back(value);
  } else if (name == "--out") {
    arguments.build.out = value;
  } else if (name == "--unit") {
    arguments.build.units.push_back(value);
  } else if (name == "--kernel") {
    const std::size_t equals = value.find('=');
    if (equals == std::string::npos) refuse("--kernel is '" + value + "'; it takes TYPE=FILE");
    arguments.build.files[value.substr(0, equals)] = value.substr(equals + 1);
  } else {
    refuse("unknown option '" + name + "'");
  }
}

Arguments parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") {
      arguments.build.compiler.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                      words.end());
      break;
    }
    if (!words[i].starts_with("--")) {
      if (!arguments.library.empty()) refuse("unexpected argument '" + words[i] + "'");
      arguments.library = words[i];
      continue;
    }
    if (i + 1 == words.size()) refuse("option " + words[i] + " lacks its value");
    set_option(arguments, words[i], words[i + 1]);
    ++i;
  }
  const BuildOptions& build = arguments.build;
  if (arguments.library.empty() || build.out.empty() || build.compiler.empty()) {
    refuse("LIBRARY, --out and a COMPILER are required");
  }
  return arguments;
}

}  // namespace
}  // namespace davsim::opbuild

int main(int argc, char** argv) {
  try {
    const davsim::opbuild::Arguments arguments = davsim::opbuild::parse({argv + 1, argv + argc});
    davsim::op_host::load_library(arguments.library);
    davsim::opbuild::write_kernels(arguments.build);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "davsim-opbuild: " << error.what() << "\n";
    return 2;
  }
}
