#include "runtime/opbuild/aclnn_functions.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "runtime/op_host/definition.hpp"
#include "runtime/op_host/registry.hpp"
#include "runtime/opbuild/write_file.hpp"

namespace davsim::opbuild {
namespace {

using op_host::Definition;
using op_host::Parameter;
using Kind = ::ops::OpAttrDef::Kind;

struct FunctionParameter {
  std::string type;  ///< with the space or the star before the name
  std::string name;
};

/// One pair of functions: the operator has a second one where inputs are arrays or tensors.
struct Function {
  std::string name;  ///< "aclnnAddCustom"
  bool tensors;      ///< inputs that may be either are tensors

  /// What does the work, under the name by which hand-written functions call it: these have the
  /// first name where a project has some.
  Function inner() const { return {"aclnnInner" + name.substr(5), tensors}; }
};

/// "x_grad" as functions write it: "xGrad".
std::string camel_case(const std::string& name) {
  std::string result;
  bool up = false;
  for (const char letter : name) {
    if (letter == '_') {
      up = !result.empty();
      continue;
    }
    const auto byte = static_cast<unsigned char>(letter);
    result += up ? static_cast<char>(std::toupper(byte)) : letter;
    up = false;
  }
  return result;
}

std::string array_type(ge::DataType element) {
  switch (element) {
    case ge::DT_INT64:
      return "const aclIntArray *";
    case ge::DT_FLOAT:
      return "const aclFloatArray *";
    default:
      return "const aclBoolArray *";
  }
}

std::string input_type(const Parameter& input, bool in_place, bool tensors) {
  if (input.scalar) return "const aclScalar *";
  if (input.scalar_list) return "const aclScalarList *";
  const ge::DataType element = op_host::host_array_of(input);
  if (element != ge::DT_UNDEFINED && !(tensors && input.host_values_or_tensor)) {
    return array_type(element);
  }
  const std::string constant = in_place ? "" : "const ";
  return constant + (input.kind == ::ops::DYNAMIC ? "aclTensorList *" : "aclTensor *");
}

/// Empty for an attribute that functions do not have: it keeps its default.
std::string attribute_type(Kind kind) {
  switch (kind) {
    case Kind::kBool:
      return "bool ";
    case Kind::kFloat:
      return "double ";
    case Kind::kInt:
      return "int64_t ";
    case Kind::kString:
      return "char *";
    case Kind::kListBool:
      return "const aclBoolArray *";
    case Kind::kListFloat:
      return "const aclFloatArray *";
    case Kind::kListInt:
      return "const aclIntArray *";
    default:
      return "";
  }
}

std::vector<FunctionParameter> parameters_of(const Definition& definition, bool tensors) {
  std::vector<FunctionParameter> all;
  for (std::size_t i = 0; i < definition.inputs.size(); ++i) {
    const Parameter& input = definition.inputs[i];
    const bool in_place = std::any_of(definition.outputs.begin(), definition.outputs.end(),
                                      [i](const Parameter& output) { return output.input == i; });
    const char* suffix = in_place ? "Ref" : input.kind == ::ops::OPTIONAL ? "Optional" : "";
    all.push_back({input_type(input, in_place, tensors), camel_case(input.name) + suffix});
  }
  for (const ::ops::OpAttrDef& attribute : definition.attributes) {
    const std::string type = attribute_type(attribute.kind());
    if (type.empty()) continue;
    const bool may_miss = !attribute.required() && type.back() == '*';
    all.push_back({type, camel_case(attribute.name()) + (may_miss ? "Optional" : "")});
  }
  for (const Parameter& output : definition.outputs) {
    if (output.input) continue;
    const std::string name =
        definition.outputs.size() == 1 ? "out" : camel_case(output.name) + "Out";
    all.push_back(
        {output.kind == ::ops::DYNAMIC ? "const aclTensorList *" : "const aclTensor *", name});
  }
  return all;
}

std::vector<Function> functions_of(const Definition& definition) {
  std::vector<Function> functions = {{"aclnn" + definition.type, false}};
  const bool either =
      std::any_of(definition.inputs.begin(), definition.inputs.end(), [](const Parameter& input) {
        return input.host_values_or_tensor && op_host::host_array_of(input) != ge::DT_UNDEFINED;
      });
  if (either) functions.push_back({"aclnn" + definition.type + "Tensor", true});
  return functions;
}

std::string first_phase(const Definition& definition, const Function& function) {
  std::string text = "aclnnStatus " + function.name + "GetWorkspaceSize(\n";
  for (const FunctionParameter& parameter : parameters_of(definition, function.tensors)) {
    text += "    " + parameter.type + parameter.name + ",\n";
  }
  return text + "    uint64_t *workspaceSize,\n    aclOpExecutor **executor)";
}

std::string second_phase(const Function& function) {
  return "aclnnStatus " + function.name +
         "(\n    void *workspace,\n    uint64_t workspaceSize,\n    aclOpExecutor *executor,\n"
         "    aclrtStream stream)";
}

/// The parameters of a first phase by their names, to pass them on.
std::string names_of(const Definition& definition, const Function& function, const char* form) {
  std::string text;
  for (const FunctionParameter& parameter : parameters_of(definition, function.tensors)) {
    text += (text.empty() ? "" : ", ") + std::string(form) +
            (*form == '\0' ? parameter.name : "(" + parameter.name + ")");
  }
  return text;
}

std::string definitions(const Definition& definition, const Function& function,
                        const std::string& library) {
  const Function inner = function.inner();
  const std::string which = "kOf_" + function.name;
  const std::string arguments = names_of(definition, function, "davsim::argument");
  const std::string names = names_of(definition, function, "");
  const std::size_t count = parameters_of(definition, function.tensors).size();
  const char* const weak = "__attribute__((weak))\n";
  return "extern \"C\" {\n" + first_phase(definition, inner) + ";\n" + second_phase(inner) +
         ";\n}\n\nstatic const DavsimOperator " + which + " = {\"" + definition.type + "\", \"" +
         function.name + "\", DAVSIM_KERNELS_OF(\"" + library +
         "\"), reinterpret_cast<const void*>(&" + inner.name + ")};\nstatic const int " + which +
         "_known = davsim_operator_known(&" + which + ");\n\n" + first_phase(definition, inner) +
         " {\n  const DavsimArgument arguments[] = {" + arguments +
         "};\n  return davsim_operator_prepare(&" + which + ", arguments, " +
         std::to_string(count) + ", workspaceSize, executor);\n}\n\n" + second_phase(inner) +
         " {\n  return davsim_operator_run(&" + which +
         ", workspace, workspaceSize, executor, stream);\n}\n\n" + weak +
         first_phase(definition, function) + " {\n  return " + inner.name + "GetWorkspaceSize(" +
         names + (names.empty() ? "" : ", ") + "workspaceSize, executor);\n}\n\n" + weak +
         second_phase(function) + " {\n  return " + inner.name +
         "(workspace, workspaceSize, executor, stream);\n}\n\n";
}

std::string header_of(const Definition& definition, const std::string& name,
                      const std::vector<Function>& functions) {
  std::string guard = name + "_H_";
  for (char& letter : guard) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  std::string text = "/* Generated by davsim-opbuild from the definition of " + definition.type +
                     ". */\n#ifndef " + guard + "\n#define " + guard +
                     "\n\n#include \"aclnn/acl_meta.h\"\n\n#ifdef __cplusplus\nextern \"C\" {\n"
                     "#endif\n\n";
  for (const Function& function : functions) {
    text +=
        "/* The first of two phases: checks the call and says how much memory of the device "
        "it needs\n * for `workspace`. Outputs have the caller's shapes. */\n"
        "__attribute__((visibility(\"default\")))\n" +
        first_phase(definition, function) +
        ";\n\n/* The second phase: queues the kernel on the stream. */\n"
        "__attribute__((visibility(\"default\")))\n" +
        second_phase(function) + ";\n\n";
  }
  return text + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace

std::string aclnn_header(const std::string& type) {
  const Definition definition = op_host::definition_of(type, "");
  return header_of(definition, "aclnn_" + definition.kernel, functions_of(definition));
}

std::string inner_header(const std::string& type) {
  const Definition definition = op_host::definition_of(type, "");
  std::vector<Function> inner;
  for (const Function& function : functions_of(definition)) inner.push_back(function.inner());
  return header_of(definition, "aclnnInner_" + definition.kernel, inner);
}

std::string aclnn_source(const std::string& type, const std::string& library) {
  const Definition definition = op_host::definition_of(type, "");
  std::string text = "// Generated by davsim-opbuild from the definition of " + type +
                     ".\n#include \"aclnn_" + definition.kernel +
                     ".h\"\n\n#include \"davsim/operator_call.h\"\n\n";
  for (const Function& function : functions_of(definition)) {
    text += definitions(definition, function, library);
  }
  return text;
}

void write_aclnn_functions(const std::filesystem::path& folder, const std::string& library) {
  std::filesystem::create_directories(folder);
  std::string sources, headers;
  for (const std::string& type : op_host::registered_operators()) {
    const std::filesystem::path base = folder / ("aclnn_" + op_host::snake_case(type));
    write_file(base.string() + ".h", aclnn_header(type));
    write_file(base.string() + ".cpp", aclnn_source(type, library));
    write_file(folder / ("aclnnInner_" + op_host::snake_case(type) + ".h"), inner_header(type));
    sources += "\n    \"" + base.string() + ".cpp\"";
    headers += "\n    \"" + base.string() + ".h\"";
  }
  write_file(folder / "aclnn.cmake", "# Generated by davsim-opbuild.\nset(davsim_aclnn_sources" +
                                         sources + ")\nset(davsim_aclnn_headers" + headers + ")\n");
}

}  // namespace davsim::opbuild
