// davsim describe: the tensors, attributes and limits of an operator, or the description of a SoC.
#include <algorithm>
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <iostream>

#include "cli/commands.hpp"
#include "cli/errors.hpp"
#include "cli/operator_json.hpp"
#include "cli/operator_libraries.hpp"
#include "cli/table.hpp"
#include "cli/work.hpp"
#include "session/chosen_soc.hpp"
#include "sim/soc/soc_parameters.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;
namespace po = boost::program_options;

std::string default_text(const operators::AttributeSpec& spec) {
  if (!spec.def) return "required";
  return spec.def->is_null() ? "none" : json::serialize(*spec.def);
}

std::string cases_text(const operators::Operator& op) {
  Table table({"case", "refused with", "SoC", ""});
  for (const operators::ExampleCase& example : op.cases()) {
    table.add({example.id,
               example.refused ? std::string(operators::error_class_name(*example.refused)) : "",
               example.soc, example.note});
  }
  return table.text();
}

std::string cases_text(const operators::SystemOperator& op) {
  Table table({"case", "refused with", "system", "ranks", ""});
  for (const operators::SystemCase& each : op.cases()) {
    const operators::ExampleCase& example = each.example;
    table.add({example.id,
               example.refused ? std::string(operators::error_class_name(*example.refused)) : "",
               each.system, std::to_string(each.ranks), example.note});
  }
  return table.text();
}

std::string info_text(const operators::OperatorInfo& info) {
  std::string text = info.name + " (" + joined(info.products) + ")\n" + info.summary + "\n";
  Table tensors({"tensor", "", "dtype", "format", "shape", "given", ""});
  for (const operators::TensorSpec& spec : info.tensors) {
    tensors.add({spec.name, direction_name(spec.direction), joined(dtype_names(spec)), spec.format,
                 spec.shape, spec.need, spec.doc});
  }
  text += "\nTensors\n" + tensors.text();
  if (!info.attributes.empty()) {
    Table attributes({"attribute", "type", "default", ""});
    for (const operators::AttributeSpec& spec : info.attributes) {
      attributes.add({spec.name, spec.type, default_text(spec), spec.doc});
    }
    text += "\nAttributes\n" + attributes.text();
  }
  if (!info.limits.empty()) text += "\nLimits\n";
  for (const std::string& limit : info.limits) text += "  " + limit + "\n";
  return text;
}

std::string operator_text(const operators::SystemOperator& op) {
  const auto cases = op.cases();
  return info_text(op.info()) + "\nExample cases\n" + cases_text(op) + "\nTry: davsim run-system " +
         cases.front().system + " " + op.info().name + " --case " + cases.front().example.id + "\n";
}

std::string operator_text(const operators::Operator& op) {
  const operators::OperatorInfo& info = op.info();
  std::string text = info_text(info);
  const auto cases = op.cases();
  if (cases.empty()) return text;
  text += "\nExample cases\n" + cases_text(op);
  return text + "\nTry: davsim run " + info.name + " --case " + cases.front().id + "\n";
}

json::object parameters_json(const sim::SocConfig& soc) {
  json::object parameters;
  for (const sim::SocParameter& parameter : sim::soc_parameters(soc)) {
    const json::value value = parameter.is_name()
                                  ? json::value(sim::parameter_text(soc, parameter))
                                  : json::value(sim::parameter_value(soc, parameter));
    parameters[parameter.name] = {
        {"value", value}, {"unit", parameter.unit}, {"description", parameter.long_name()}};
  }
  return parameters;
}

json::object soc_json(const sim::SocConfig& soc) {
  json::object sections, constants;
  for (const auto& [section, keys] : soc.sections()) {
    json::object values;
    for (const auto& [key, value] : keys) values[key] = value;
    sections[section] = std::move(values);
  }
  for (const auto& [name, constant] : soc.constants()) {
    constants[name] = {{"value", constant.value},
                       {"unit", constant.unit},
                       {"source", constant.source},
                       {"where", constant.file_line}};
  }
  return {{"soc", soc.name()},
          {"product", soc.product()},
          {"short_version", soc.short_version()},
          {"parameters", parameters_json(soc)},
          {"sections", std::move(sections)},
          {"constants", std::move(constants)}};
}

/// Timing constants follow section by section; their short names come from these.
std::string parameters_text(const sim::SocConfig& soc) {
  Table table({"  parameter", "value", ""});
  for (const sim::SocParameter& parameter : sim::soc_parameters(soc)) {
    const bool row = parameter.section == "Timing.Vector";
    if (row && parameter.key != "VADD.fixed" && parameter.key != "VADD.b16") continue;
    table.add({"  " + parameter.name, sim::parameter_text(soc, parameter), parameter.doc});
  }
  return "\nWhat --set of run and compare takes, and a sweep\n" + table.text(0) +
         "  vector.*            every other value of [Timing.Vector] likewise\n";
}

std::string soc_text(const sim::SocConfig& soc) {
  std::string text = soc.name() + " (" + soc.product() + ")\n" + parameters_text(soc);
  for (const auto& [section, keys] : soc.sections()) {
    Table table({"[" + section + "]", ""});
    for (const auto& [key, value] : keys) table.add({"  " + key, value});
    text += "\n" + table.text(0);
  }
  return text;
}

const operators::Operator* operator_if_any(const std::string& name) {
  const auto all = operators::all_operators();
  const auto found = std::find_if(all.begin(), all.end(), [&](const operators::Operator* op) {
    return op->info().name == name;
  });
  return found == all.end() ? nullptr : *found;
}

/// A name that is neither an operator nor a SoC gets a hint from both.
sim::SocConfig soc_or_hint(const std::string& name) {
  const bool is_file = name.find('/') != std::string::npos || name.ends_with(".ini");
  const std::vector<std::string> socs = sim::SocConfig::names();
  if (is_file || std::find(socs.begin(), socs.end(), name) != socs.end()) {
    return soc_config(name, {});
  }
  std::vector<std::string> known;
  for (const operators::Operator* op : operators::all_operators()) known.push_back(op->info().name);
  for (const auto* op : operators::all_system_operators()) known.push_back(op->info().name);
  const std::string hint = session::meant_soc(name, known);
  throw UsageError("'" + name + "' is neither an operator nor a SoC" +
                   (hint.empty() ? "; `davsim list` shows both" : hint));
}

int run(const Command& command, const Arguments& arguments) {
  const po::variables_map values = parse(command, arguments);
  load_operator_libraries(values);
  const std::string name = text_option(values, command.positional);
  const bool as_json = flag_option(values, "json");
  if (const auto* of_system = operators::find_system_operator(name)) {
    std::cout << (as_json ? json::serialize(operator_json(*of_system)) + "\n"
                          : operator_text(*of_system));
  } else if (const operators::Operator* op = operator_if_any(name)) {
    std::cout << (as_json ? json::serialize(operator_json(*op)) + "\n" : operator_text(*op));
  } else {
    const sim::SocConfig soc = soc_or_hint(name);
    std::cout << (as_json ? json::serialize(soc_json(soc)) + "\n" : soc_text(soc));
  }
  return kDone;
}

Command make_command() {
  Command command;
  command.name = "describe";
  command.summary = "describe an operator or a SoC";
  command.usage = "OPERATOR|SOC [--operators LIBRARY] [--json]";
  command.positional = "OPERATOR|SOC";
  command.description =
      "For an operator: its tensors (names, dtypes, shapes, when they are given), its attributes "
      "with\n"
      "types and defaults, its limits, and the example cases that `davsim run --case` takes.\n"
      "For a SoC, or a description file of your own: the parameters that --set of run and compare\n"
      "takes, and every value of its description; values of the Timing sections come with "
      "unit\n"
      "and source.";
  command.examples =
      "  davsim describe rope_quant_kvcache\n"
      "  davsim describe Ascend910B3 --json\n";
  add_operators_option(command.options.add_options());
  command.options.add_options()("json", po::bool_switch(), "print one JSON object");
  command.run = run;
  return command;
}

}  // namespace

const Command& describe_command() {
  static const Command command = make_command();
  return command;
}

}  // namespace davsim::cli
