// davsim-opbuild: reads what the op_host sources of a project register, and writes what its build
// needs. cmake/DavsimOperators.cmake runs it.
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/op_host/library.hpp"
#include "runtime/opbuild/aclnn_functions.hpp"
#include "runtime/opbuild/kernel_list.hpp"

namespace davsim::opbuild {
namespace {

constexpr const char* kUsage =
    R"(usage: davsim-opbuild LIBRARY --kernels FOLDER --out FOLDER [options] -- COMPILER [FLAGS...]
       davsim-opbuild LIBRARY --aclnn FOLDER --library NAME [options]

Loads LIBRARY, the op_host sources of a project as a shared library, and writes into --out, for
every operator that they register:
  OPERATOR_tiling_data.h  the structs of its tiling data
  *_kernel.cpp            a source for each kernel to compile
  operators.cmake         the calls of davsim_add_kernel
  operators_table.cpp     which launch gets which kernel
and into --aclnn:
  aclnn_OPERATOR.h, .cpp  the functions that programs call the operator by
  aclnnInner_OPERATOR.h   the same for functions that are written by hand
  aclnn.cmake             lists of the first two kinds

  --kernels FOLDER        the kernels' sources, AddCustom in add_custom.cpp; may be repeated
  --kernel TYPE=FILE      the source of one operator's kernel; may be repeated
  --option TYPE=OPTION    -DMACRO, -IFOLDER or --cce-auto-sync=off for one operator's kernel; may be
                          repeated
  --unit UNIT             compute unit, such as ascend910b; may be repeated
  --library NAME          file name of the library that will have the kernels: libcust.so
COMPILER and FLAGS preprocess the kernels' sources, to find tiling keys and types in them.
)";

struct Arguments {
  std::string library;
  std::string aclnn;          ///< folder; empty: no functions are written
  std::string built_library;  ///< of the kernels
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
  } else if (name == "--aclnn") {
    arguments.aclnn = value;
  } else if (name == "--library") {
    arguments.built_library = value;
  } else if (name == "--unit") {
    arguments.build.units.push_back(value);
  } else if (name == "--kernel" || name == "--option") {
    const std::size_t equals = value.find('=');
    const std::string type = value.substr(0, equals);
    if (equals == std::string::npos) {
      refuse(name + " is '" + value +
             "'; it takes TYPE=" + (name == "--kernel" ? "FILE" : "OPTION"));
    } else if (name == "--kernel") {
      arguments.build.files[type] = value.substr(equals + 1);
    } else {
      arguments.build.options[type].push_back(value.substr(equals + 1));
    }
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
  if (arguments.library.empty()) refuse("LIBRARY is required");
  if (build.out.empty() && arguments.aclnn.empty()) refuse("--out or --aclnn is required");
  if (!build.out.empty() && build.compiler.empty()) refuse("--out needs a COMPILER");
  if (!arguments.aclnn.empty() && arguments.built_library.empty()) {
    refuse("--aclnn needs --library");
  }
  return arguments;
}

}  // namespace
}  // namespace davsim::opbuild

int main(int argc, char** argv) {
  try {
    const davsim::opbuild::Arguments arguments = davsim::opbuild::parse({argv + 1, argv + argc});
    davsim::op_host::load_library(arguments.library);
    if (!arguments.build.out.empty()) davsim::opbuild::write_kernels(arguments.build);
    if (!arguments.aclnn.empty()) {
      davsim::opbuild::write_aclnn_functions(arguments.aclnn, arguments.built_library);
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "davsim-opbuild: " << error.what() << "\n";
    return 2;
  }
}
