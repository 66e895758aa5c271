#include "driver/launch_functions.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "driver/class_names.hpp"
#include "driver/process.hpp"

namespace davsim::driver {
namespace {

/// A type as a header says it.
struct HostType {
  std::string name;
  bool hidden = false;  ///< no declaration can name it without the file that defines it
};

/// A kernel with the types of its parameters, as the host's declarations say them.
struct LaunchFunction {
  std::string name;       ///< the kernel's without namespaces
  std::string qualified;  ///< ::ns::k
  std::vector<HostType> types;
  std::set<std::string> declarations;  ///< of the classes among these: struct Tiling;
  std::set<std::string> files;         ///< that define the hidden types

  bool hides() const { return !files.empty(); }
};

/// The type of one parameter: its tokens without name and default.
std::string host_type(const TokenList& tokens, std::size_t begin, const Parameter& parameter) {
  const std::size_t end = parameter.name_before - (parameter.name.empty() ? 0 : 1);
  const std::string type = tokens.joined(begin, end);
  if (type.ends_with("*") || type == "GM_ADDR" || type.ends_with("::GM_ADDR") ||
      type.find("*__restrict") != type.npos) {
    return "void*";
  }
  return type;
}

using DefinedTypes = std::map<std::string, DefinedType>;

/// The types of a kernel's parameters, as far as the source defines them.
class KnownTypes {
 public:
  explicit KnownTypes(const TokenList& tokens) : types_(type_names(tokens)) {}

  /// Of a type that a kernel in the namespaces of `scope`, a::b::, takes by value, the whole name;
  /// adds its declaration to the function's. Other types stay.
  HostType add(const std::string& type, std::string scope, LaunchFunction& function) const {
    const std::string constant = type.starts_with("const ") ? "const " : "";
    std::string name = type.substr(constant.size());
    if (name.starts_with("struct ")) name = name.substr(7);
    if (name.starts_with("::")) name = name.substr(2);
    while (!types_.contains(scope + name)) {
      if (scope.empty()) return {type};
      const std::size_t colons = scope.rfind("::", scope.size() - 3);
      scope.resize(scope.size() < 3 || colons == scope.npos ? 0 : colons + 2);
    }
    const std::string whole = scope + name;
    const DefinedType& known = types_.at(whole);
    if (known.declaration.empty()) {
      function.files.insert(known.file);
      // Programs in C take the declaration as well.
      return {constant + (whole.find("::") == whole.npos ? "" : "::") + whole, true};
    }
    std::string text, braces;
    std::size_t at = 0;
    for (std::size_t next; (next = whole.find("::", at)) != whole.npos; at = next + 2) {
      text += "namespace " + whole.substr(at, next - at) + " { ";
      braces += " }";
    }
    function.declarations.insert(text + known.declaration + braces);
    return {constant + "::" + whole};
  }

 private:
  DefinedTypes types_;
};

std::vector<LaunchFunction> functions_of(const TokenList& tokens, const Scan& scan) {
  std::vector<LaunchFunction> functions;
  std::set<std::string> names;
  const KnownTypes known(tokens);
  for (const Kernel& kernel : scan.kernels) {
    if (!kernel.defined || kernel.is_template || !kernel.template_parameters.empty()) continue;
    LaunchFunction function;
    const std::size_t colon = kernel.name.rfind(':');
    function.name = colon == kernel.name.npos ? kernel.name : kernel.name.substr(colon + 1);
    // A specialisation is launched through its template.
    if (kernel.own_name.ends_with('>')) continue;
    if (kernel.name.find("(anonymous namespace)") != std::string::npos) continue;
    function.qualified = "::" + kernel.name;
    if (!names.insert(function.name).second) {
      throw std::invalid_argument("two kernels are named " + function.name + ", and aclrtlaunch_" +
                                  function.name + " would launch both");
    }
    std::size_t begin = kernel.parameter_tokens.begin;
    for (const Parameter& parameter : kernel.parameters) {
      const std::string scope = colon == kernel.name.npos ? "" : kernel.name.substr(0, colon + 1);
      function.types.push_back(known.add(host_type(tokens, begin, parameter), scope, function));
      begin = parameter.end + 1;
    }
    functions.push_back(std::move(function));
  }
  return functions;
}

/// How a declaration says the parameters behind blocks and stream.
enum class Form { kPlain, kPointers, kTemplate };

std::string declaration(const LaunchFunction& function, Form form = Form::kPlain) {
  std::string text = "unsigned int ";
  text += form == Form::kPointers ? "davsim_launch_" : "aclrtlaunch_";
  text += function.name + "(unsigned int blocks, void* stream";
  for (std::size_t i = 0; i < function.types.size(); ++i) {
    const std::string number = std::to_string(i);
    const HostType& type = function.types[i];
    text += ", ";
    if (!type.hidden || form == Form::kPlain) {
      text += type.name;
    } else {
      text += form == Form::kPointers ? "const void*" : "const Type_" + number + "&";
    }
    text += " argument_" + number;
  }
  return text + ")";
}

/// ", argument_0, argument_1"; `hidden` writes those of hidden types.
template <class Hidden>
std::string arguments(const LaunchFunction& function, Hidden hidden) {
  std::string text;
  for (std::size_t i = 0; i < function.types.size(); ++i) {
    const std::string name = "argument_" + std::to_string(i);
    text += ", " + (function.types[i].hidden ? hidden(function.types[i], name) : name);
  }
  return text;
}

/// A function that takes the arguments of hidden types by their addresses.
std::string definition_by_pointers(const LaunchFunction& function) {
  return "extern \"C\" " + declaration(function, Form::kPointers) + " { return aclrtlaunch_" +
         function.name + "(blocks, stream" +
         arguments(function,
                   [](const HostType& type, const std::string& name) {
                     const bool constant = type.name.starts_with("const ");
                     return "*static_cast<" + std::string(constant ? "" : "const ") + type.name +
                            "*>(" + name + ")";
                   }) +
         "); }\n";
}

/// The macro by which a file guards itself; empty where there is none.
std::string guard_of(const std::string& file) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return "";
  std::istringstream lines(read_file(file));
  std::string word, name, defined;
  while (lines >> word && word != "#ifndef") {
  }
  lines >> name >> word >> defined;
  return word == "#define" && name == defined ? name : "";
}

/// Takes the arguments of hidden types as what they are, before the file that defines them is
/// included; behind it, which its guard tells, the plain declaration does.
std::string header_of_hidden(const LaunchFunction& function) {
  std::string guards, parameters;
  bool guarded = true;
  for (const std::string& file : function.files) {
    const std::string guard = guard_of(file);
    guarded = guarded && !guard.empty();
    guards += (guards.empty() ? "defined(" : " && defined(") + guard + ")";
  }
  for (std::size_t i = 0; i < function.types.size(); ++i) {
    if (!function.types[i].hidden) continue;
    parameters += (parameters.empty() ? "class Type_" : ", class Type_") + std::to_string(i);
  }
  return "#if !defined(__cplusplus)" + (guarded ? " || " + guards : "") +
         "\n#ifdef __cplusplus\nextern \"C\"\n#endif\n" + declaration(function) +
         ";\n#else\nextern \"C\" " + declaration(function, Form::kPointers) + ";\ntemplate <" +
         parameters + ">\n" + declaration(function, Form::kTemplate) +
         " {\n  return davsim_launch_" + function.name + "(blocks, stream" +
         arguments(function, [](const HostType&, const std::string& name) { return "&" + name; }) +
         ");\n}\n#endif\n";
}

}  // namespace

std::string launch_functions(const TokenList& tokens, const Scan& scan) {
  std::string text = "\n# 1 \"<aclrtlaunch>\" 3\n";
  for (const LaunchFunction& function : functions_of(tokens, scan)) {
    text += "extern \"C\" " + declaration(function) + " { return ::davsim::launch::queue(&" +
            function.qualified + ", blocks, stream";
    for (std::size_t i = 0; i < function.types.size(); ++i) {
      text += ", argument_" + std::to_string(i);
    }
    text += "); }\n";
    if (function.hides()) text += definition_by_pointers(function);
  }
  return text;
}

void write_launch_headers(const TokenList& tokens, const Scan& scan, const std::string& folder) {
  std::filesystem::create_directories(folder);
  for (const LaunchFunction& function : functions_of(tokens, scan)) {
    const std::string guard = "DAVSIM_ACLRTLAUNCH_" + function.name;
    std::string classes;
    for (const std::string& one : function.declarations) classes += one + "\n";
    const std::string text =
        "// Generated by davsim-cc: launches the kernel " + function.name + ".\n#ifndef " + guard +
        "\n#define " + guard +
        "\n#include <stdint.h>\n#ifndef ACLRT_LAUNCH_KERNEL\n#define ACLRT_LAUNCH_KERNEL(kernel) "
        "aclrtlaunch_##kernel\n#endif\n#ifdef __cplusplus\n" +
        classes +
        (function.hides() ? "#endif\n" + header_of_hidden(function)
                          : "extern \"C\"\n#endif\n" + declaration(function) + ";\n") +
        "#endif\n";
    const std::string path = folder + "/aclrtlaunch_" + function.name + ".h";
    if (!std::filesystem::exists(path) || read_file(path) != text) write_file(path, text);
  }
}

}  // namespace davsim::driver
