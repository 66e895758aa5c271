// davsim list: the operators and the SoCs.
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <iostream>

#include "cli/commands.hpp"
#include "cli/operator_libraries.hpp"
#include "cli/roofline.hpp"
#include "cli/table.hpp"
#include "kernels/registry/system_operator.hpp"
#include "sim/soc/system_config.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;
namespace po = boost::program_options;

json::object list_json() {
  json::array operators, system_operators, systems, socs;
  for (const operators::Operator* op : operators::all_operators()) {
    const operators::OperatorInfo& info = op->info();
    operators.push_back({{"name", info.name},
                         {"summary", info.summary},
                         {"products", json::array(info.products.begin(), info.products.end())}});
  }
  for (const operators::SystemOperator* op : operators::all_system_operators()) {
    const operators::OperatorInfo& info = op->info();
    system_operators.push_back(
        {{"name", info.name},
         {"summary", info.summary},
         {"products", json::array(info.products.begin(), info.products.end())}});
  }
  for (const std::string& name : sim::SystemConfig::names()) {
    const sim::SystemConfig system = sim::SystemConfig::named(name);
    systems.push_back({{"name", name}, {"soc", system.soc()}, {"dies", system.dies()}});
  }
  for (const std::string& name : sim::SocConfig::names()) {
    const sim::SocConfig soc = sim::SocConfig::named(name);
    socs.push_back({{"name", name},
                    {"product", soc.product()},
                    {"aic", soc.aic_count()},
                    {"aiv", soc.aiv_count()},
                    {"frequency_mhz", soc.frequency_mhz()},
                    {"hbm_bytes", soc.hbm_bytes()},
                    {"l2_bytes", soc.l2_bytes()},
                    {"peak_tflops_16bit", Peaks(soc).cube_16bit * 1e-12}});
  }
  return {{"operators", std::move(operators)},
          {"system_operators", std::move(system_operators)},
          {"systems", std::move(systems)},
          {"socs", std::move(socs)}};
}

std::string list_text() {
  Table operators({"operator", "products", "cases", ""});
  for (const operators::Operator* op : operators::all_operators()) {
    const operators::OperatorInfo& info = op->info();
    operators.add(
        {info.name, joined(info.products), std::to_string(op->cases().size()), info.summary});
  }
  Table system_operators({"operator", "products", "cases", ""});
  for (const operators::SystemOperator* op : operators::all_system_operators()) {
    const operators::OperatorInfo& info = op->info();
    system_operators.add(
        {info.name, joined(info.products), std::to_string(op->cases().size()), info.summary});
  }
  Table systems({"system", "SoC", "dies"});
  systems.right_from(2);
  for (const std::string& name : sim::SystemConfig::names()) {
    const sim::SystemConfig system = sim::SystemConfig::named(name);
    systems.add({name, system.soc(), std::to_string(system.dies())});
  }
  Table socs({"SoC", "product", "AIC", "AIV", "MHz", "HBM GiB", "L2 MiB", "fp16 TFLOPS"});
  socs.right_from(2);
  for (const std::string& name : sim::SocConfig::names()) {
    const sim::SocConfig soc = sim::SocConfig::named(name);
    socs.add({name, soc.product(), std::to_string(soc.aic_count()), std::to_string(soc.aiv_count()),
              fixed(soc.frequency_mhz(), 0), std::to_string(soc.hbm_bytes() >> 30),
              std::to_string(soc.l2_bytes() >> 20), fixed(Peaks(soc).cube_16bit * 1e-12, 1)});
  }
  // Scripts read the first two tables, so newer ones come behind them.
  return "Operators (`davsim describe OPERATOR`)\n" + operators.text() +
         "\nSoCs (`davsim describe SOC`)\n" + socs.text() +
         "\nOperators of several dies (`davsim run-system SYSTEM OPERATOR`)\n" +
         system_operators.text() + "\nSystems (`davsim run-system SYSTEM`)\n" + systems.text();
}

int run(const Command& command, const Arguments& arguments) {
  const po::variables_map values = parse(command, arguments);
  load_operator_libraries(values);
  if (flag_option(values, "json")) {
    std::cout << json::serialize(list_json()) << "\n";
  } else {
    std::cout << list_text();
  }
  return 0;
}

Command make_command() {
  Command command;
  command.name = "list";
  command.summary = "list the operators and the SoCs";
  command.usage = "[--operators LIBRARY] [--json]";
  command.description =
      "Lists the operators that can be run and the SoCs that can be simulated.\n"
      "A2 is Atlas A2 (910B family), A3 is Atlas A3 (910C family; one die of a package is one "
      "SoC).";
  add_operators_option(command.options.add_options());
  command.options.add_options()("json", po::bool_switch(), "print one JSON object");
  command.run = run;
  return command;
}

}  // namespace

const Command& list_command() {
  static const Command command = make_command();
  return command;
}

}  // namespace davsim::cli
