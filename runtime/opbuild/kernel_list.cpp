#include "runtime/opbuild/kernel_list.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <stdexcept>

#include "runtime/op_host/kernel_choice.hpp"
#include "runtime/opbuild/column_macros.hpp"
#include "runtime/opbuild/launch_calls.hpp"
#include "runtime/opbuild/template_instances.hpp"
#include "runtime/opbuild/tiling_header.hpp"
#include "runtime/opbuild/write_file.hpp"

namespace davsim::opbuild {
namespace {

namespace fs = std::filesystem;
using op_host::Definition;
using Macros = std::map<std::string, std::string>;

/// One operator on one compute unit after the other; compilations that are the same are shared.
class OperatorKernels {
 public:
  OperatorKernels(const BuildOptions& options, std::string type)
      : options_(options), type_(std::move(type)) {}

  void add_unit(const std::string& unit) {
    const Definition definition = op_host::definition_of(type_, unit);
    const fs::path source = source_of(definition);
    for (std::size_t column = 0; column < definition.columns; ++column) {
      if (has_foreign_type(definition, column)) continue;
      add_column(definition, unit, column, source);
    }
  }

  std::string cmake_lines, table_rows;

 private:
  struct Scanned {
    KernelScan scan;
    Macros macros;
  };

  fs::path source_of(const Definition& definition) const {
    const auto given = options_.files.find(type_);
    std::vector<fs::path> sources;
    if (given != options_.files.end()) {
      sources.push_back(given->second);
    } else {
      for (const fs::path& folder : options_.kernels) {
        sources.push_back(folder / (definition.file + ".cpp"));
      }
    }
    std::string places;
    for (const fs::path& source : sources) {
      if (fs::is_regular_file(source)) return fs::absolute(source);
      places += (places.empty() ? "" : " or ") + source.string();
    }
    throw std::invalid_argument("the kernel of operator " + type_ + " is in " + places +
                                "; there is no such file");
  }

  /// What is compiled for a column: one tiling key, one instance of a template.
  struct Variant {
    std::uint64_t key = 0;
    std::string own_struct;  ///< tiling data of this instance alone; empty: that of all
    std::string type;        ///< of the kernel, as davsim_add_kernel takes it
    std::string arguments;   ///< of the template; empty: the kernel is none
  };

  std::vector<Variant> variants_of(const Definition& definition, std::size_t column,
                                   const KernelScan& scan) const {
    std::vector<Variant> variants;
    if (const op_host::Template* declared = op_host::registered_template(type_)) {
      for (const TemplateInstance& one : template_instances(*declared, definition, column)) {
        variants.push_back({one.key, one.tiling_struct, one.type.empty() ? type_of(scan) : one.type,
                            one.arguments});
      }
      return variants;
    }
    for (const std::uint64_t key : scan.keys) {
      variants.push_back({key, "", type_of(scan), ""});
    }
    if (variants.empty()) variants.push_back({0, "", type_of(scan), ""});
    return variants;
  }

  void add_column(const Definition& definition, const std::string& unit, std::size_t column,
                  const fs::path& source) {
    const Macros macros = column_macros(definition, column);
    const KernelScan& scan = scanned(definition, macros, source);
    std::string used;
    for (const auto& [name, value] : macros) {
      if (scan.used_macros.count(name) > 0) used += "\n" + name + "=" + value;
    }
    for (const Variant& variant : variants_of(definition, column, scan)) {
      const std::string kernel = compiled(definition, source, variant, used, macros);
      table_rows += "    {\"" + type_ + "\", \"" + unit + "\", " + std::to_string(column) + ", " +
                    std::to_string(variant.key) + "u, \"" + definition.kernel + "\", \"" + kernel +
                    "\"},\n";
    }
  }

  const KernelScan& scanned(const Definition& definition, const Macros& macros,
                            const fs::path& source) {
    for (const Scanned& known : scans_) {
      const auto same = [&](const std::string& used) {
        return known.macros.at(used) == macros.at(used);
      };
      // A source that uses none of them is the same for all columns.
      if (std::all_of(known.scan.used_macros.begin(), known.scan.used_macros.end(), same)) {
        return known.scan;
      }
    }
    std::set<std::string> interesting;
    for (const auto& macro : macros) interesting.insert(macro.first);
    const fs::path path = options_.out / (definition.kernel + "_scan.cpp");
    write_file(path, text_of(definition, source, macros, ""));
    CompilerCommand compiler = options_.compiler;
    for (const std::string& option : own_options(definition)) {
      if (option.rfind("--", 0) != 0) compiler.push_back(option);
    }
    scans_.push_back({scan_kernel(compiler, path, interesting), macros});
    return scans_.back().scan;
  }

  /// The name of the kernel with these macros and this key; a new one is added to the list.
  std::string compiled(const Definition& definition, const fs::path& source, const Variant& variant,
                       const std::string& used, const Macros& macros) {
    const std::string identity = source.string() + "\n" + std::to_string(variant.key) + used;
    const auto known = kernels_.find(identity);
    if (known != kernels_.end()) return known->second;
    const std::string& kernel = definition.kernel;
    const std::string name =
        kernel + (kernels_.empty() ? "" : "_" + std::to_string(kernels_.size()));
    kernels_[identity] = name;
    std::string head = "#define DAVSIM_TILING_KEY " + std::to_string(variant.key) + "u\n";
    const std::string described = tiling_struct(type_, variant.key);
    if (!variant.own_struct.empty()) {
      head += "#define DAVSIM_OWN_TILING " + variant.own_struct + "\n";
    }
    if (!described.empty()) head += "#define DAVSIM_DEFAULT_TILING " + described + "\n";
    if (name != kernel) head += "#define " + kernel + " " + name + "\n";
    const fs::path path = options_.out / (name + "_kernel.cpp");
    write_file(path, text_of(definition, source, macros, head) +
                         instance_text(definition, name, variant.arguments));
    cmake_lines += "davsim_add_kernel(${davsim_operators_target} NAME " + name + " SOURCE \"" +
                   path.string() + "\" TYPE " + variant.type + "\n                  INCLUDES \"" +
                   source.parent_path().string() + "\"" + own_arguments(definition) + ")\n";
    return name;
  }

  /// Options for this operator alone.
  std::vector<std::string> own_options(const Definition& definition) const {
    std::vector<std::string> all;
    for (const std::string& name : {type_, definition.kernel}) {
      const auto found = options_.options.find(name);
      if (found != options_.options.end()) {
        all.insert(all.end(), found->second.begin(), found->second.end());
      }
    }
    return all;
  }

  /// The end of a call of davsim_add_kernel, from further folders of INCLUDES on.
  std::string own_arguments(const Definition& definition) const {
    std::string includes, macros, others;
    const auto quoted = [](const std::string& text) {
      std::string word = " \"";
      for (const char letter : text) {
        if (letter == '"' || letter == '\\' || letter == '$') word += '\\';
        word += letter;
      }
      return word + "\"";
    };
    for (const std::string& option : own_options(definition)) {
      if (option.rfind("-I", 0) == 0) includes += quoted(option.substr(2));
      if (option.rfind("-D", 0) == 0) macros += quoted(option.substr(2));
      if (option == "--cce-auto-sync=off") others = " AUTO_SYNC OFF";
      if (option == "--cce-auto-sync=on" || option == "--cce-auto-sync") others = " AUTO_SYNC ON";
    }
    return includes + " ${davsim_operators_includes} DEFINITIONS" + macros +
           " ${davsim_operators_definitions}" + others;
  }

  /// The function that is launched where the kernel is a template: a function may have its name.
  static std::string instance_text(const Definition& definition, const std::string& name,
                                   const std::string& arguments) {
    if (arguments.empty()) return "";
    std::string parameters, values;
    // Inputs, outputs, workspace, tiling.
    for (std::size_t i = 0; i < definition.inputs.size() + definition.outputs.size() + 2; ++i) {
      const std::string separator = i > 0 ? ", " : "";
      parameters += separator + "GM_ADDR p" + std::to_string(i);
      values += separator + "p" + std::to_string(i);
    }
    return "#undef " + definition.kernel + "\nextern \"C\" __global__ __aicore__ void " + name +
           "(" + parameters + ") {\n  " + name + "<" + arguments + ">(" + values + ");\n}\n";
  }

  static std::string type_of(const KernelScan& scan) {
    if (!scan.multiplies) return "AIV_ONLY";
    return scan.computes_vectors ? "MIX_AIC_1_2" : "AIC_ONLY";
  }

  std::string text_of(const Definition& definition, const fs::path& source, const Macros& macros,
                      const std::string& head) const {
    std::string text = "// Generated by davsim-opbuild from " + source.string() +
                       ".\n#define DAVSIM_KERNEL_COMPILATION\n#define __CCE_IS_AICORE__ "
                       "1\n#include \"kernel_operator.h\"\n";
    if (!tiling_header(type_).empty()) {
      text +=
          "#include \"" + (options_.out / (definition.kernel + "_tiling_data.h")).string() + "\"\n";
    }
    text += constant_macros();
    for (const auto& [name, value] : macros) text += "#define " + name + " " + value + "\n";
    return text + head + "#include \"ascendc/operator_tiling.h\"\n#include \"" +
           compilable(definition, source).string() + "\"\n";
  }

  /// The source itself, or a copy of it without launches. Names in #include are found by the folder
  /// of the source, which is among those of the compilation.
  fs::path compilable(const Definition& definition, const fs::path& source) const {
    std::ifstream file(source, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    if (text.find("<<<") == text.npos) return source;
    const fs::path copy = options_.out / (definition.kernel + "_source.cpp");
    write_file(copy, "#line 1 \"" + source.string() + "\"\n" + without_launches(text));
    return copy;
  }

  const BuildOptions& options_;
  std::string type_;
  std::vector<Scanned> scans_;
  std::map<std::string, std::string> kernels_;  ///< names by what is compiled
};

/// Tells that a kernel is built for another compute unit than its project is for.
void warn_of_foreign_units(const Definition& definition, const BuildOptions& options) {
  std::string names;
  for (const std::string& unit : definition.foreign_units) {
    if (std::find(options.units.begin(), options.units.end(), unit) != options.units.end()) return;
    names += (names.empty() ? "" : ", ") + unit;
  }
  if (names.empty()) return;
  std::cerr << "operator " << definition.type << " is configured for " << names
            << " only; it is built for ascend910b and ascend910_93, whose cores are others\n";
}

/// Tells that options are for no operator of the project.
void warn_of_foreign_options(const BuildOptions& options) {
  std::set<std::string> known;
  for (const std::string& type : op_host::registered_operators()) {
    known.insert({type, op_host::definition_of(type, "").kernel});
  }
  for (const auto& [name, unused] : options.options) {
    if (known.count(name) > 0) continue;
    std::cerr << "the options for the kernel of " << name << " have no effect: there is no such "
              << "operator\n";
  }
}

/// Tells that an operator gets no kernel, which its calls are refused for.
void warn_of_lacking_ai_core(const Definition& definition) {
  const std::string lack = op_host::lacking_ai_core(definition);
  if (lack.empty()) return;
  std::cerr << "operator " << definition.type << " has no AI core kernel: " << lack << "\n";
}

/// Those of the units that the operator is configured for.
std::vector<std::string> units_of(const std::string& type, const BuildOptions& options) {
  const Definition definition = op_host::definition_of(type, "");
  warn_of_foreign_units(definition, options);
  warn_of_lacking_ai_core(definition);
  std::vector<std::string> units;
  for (const std::string& unit : options.units) {
    const auto& configured = definition.units;
    if (std::find(configured.begin(), configured.end(), unit) != configured.end()) {
      units.push_back(unit);
    }
  }
  return units;
}

}  // namespace

void write_kernels(const BuildOptions& options) {
  fs::create_directories(options.out);
  std::string cmake = "# Generated by davsim-opbuild.\n";
  std::string rows;
  warn_of_foreign_options(options);
  for (const std::string& type : op_host::registered_operators()) {
    const std::string header = tiling_header(type);
    if (!header.empty()) {
      write_file(options.out / (op_host::snake_case(type) + "_tiling_data.h"), header);
    }
    OperatorKernels kernels(options, type);
    for (const std::string& unit : units_of(type, options)) kernels.add_unit(unit);
    cmake += kernels.cmake_lines;
    rows += kernels.table_rows;
  }
  write_file(options.out / "operators_table.cpp",
             "// Generated by davsim-opbuild: the kernel of each column and tiling key.\n#include "
             "\"davsim/operator_kernels.h\"\n\n[[maybe_unused]] static const bool "
             "davsim_operator_kernels =\n    davsim::op_host::RegisterOperatorKernels({\n" +
                 rows + "    });\n");
  write_file(options.out / "operators.cmake", cmake);
}

}  // namespace davsim::opbuild
