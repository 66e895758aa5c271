// davsim run-system: a collective operation between the dies of a system, or what the system is.
#include <algorithm>
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <cmath>
#include <iostream>
#include <map>

#include "cli/commands.hpp"
#include "cli/errors.hpp"
#include "cli/link_report.hpp"
#include "cli/link_trace.hpp"
#include "cli/output_files.hpp"
#include "cli/system_operator_run.hpp"
#include "cli/system_picture.hpp"
#include "cli/table.hpp"
#include "cli/work.hpp"
#include "session/chosen_system.hpp"
#include "session/ranks.hpp"
#include "sim/device/device.hpp"
#include "sim/soc/soc_parameters.hpp"
#include "sim/system/collective_plan.hpp"
#include "sim/system/collective_values.hpp"
#include "sim/system/communicators.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;
namespace po = boost::program_options;
using isa::CollectiveKind;

struct Operation {
  CollectiveKind kind;
  /// Blocks of the larger buffer of a rank: one for each rank, or one.
  bool block_for_each_rank;
  bool reduces;
  /// Bytes over the links of a rank, as a multiple of the bytes of its buffer, for p ranks.
  double (*bus_factor)(double p);
};

double whole_twice(double p) {
  return 2 * (p - 1) / p;
}
double whole_once(double p) {
  return (p - 1) / p;
}
double one(double) {
  return 1;
}

const std::map<std::string, Operation> kOperations = {
    {"all-reduce", {CollectiveKind::kAllReduce, false, true, whole_twice}},
    {"all-gather", {CollectiveKind::kAllGather, true, false, whole_once}},
    {"reduce-scatter", {CollectiveKind::kReduceScatter, true, true, whole_once}},
    {"all-to-all", {CollectiveKind::kAllToAll, true, false, whole_once}},
    {"broadcast", {CollectiveKind::kBroadcast, false, false, one}},
    {"reduce", {CollectiveKind::kReduce, false, true, one}},
    {"scatter", {CollectiveKind::kScatter, true, false, whole_once}}};
/// HcclDataType and HcclReduceOp by name.
const std::map<std::string, std::uint32_t> kTypes = {
    {"int8", 0},    {"int16", 1}, {"int32", 2},    {"fp16", 3},     {"fp32", 4},    {"int64", 5},
    {"uint64", 6},  {"uint8", 7}, {"uint16", 8},   {"uint32", 9},   {"fp64", 10},   {"bf16", 11},
    {"int128", 12}, {"hif8", 14}, {"fp8e4m3", 15}, {"fp8e5m2", 16}, {"fp8e8m0", 17}};
const std::map<std::string, std::uint32_t> kReductions = {
    {"sum", 0}, {"prod", 1}, {"max", 2}, {"min", 3}};

template <class Map>
std::vector<std::string> keys(const Map& map) {
  std::vector<std::string> all;
  for (const auto& [key, value] : map) all.push_back(key);
  return all;
}

template <class Map>
auto chosen(const Map& map, const std::string& option, const std::string& name) {
  const auto found = map.find(name);
  if (found != map.end()) return found->second;
  throw UsageError(option + " is '" + name + "'; it is one of " + joined(keys(map)));
}

json::object system_json(const sim::SystemConfig& system) {
  json::object constants;
  for (const auto& [name, constant] : system.constants()) {
    constants[name] = {
        {"value", constant.value}, {"unit", constant.unit}, {"source", constant.source}};
  }
  return {{"system", system.name()},
          {"soc", system.soc()},
          {"dies", system.dies()},
          {"constants", std::move(constants)}};
}

std::string system_text(const sim::SystemConfig& system) {
  std::string text = system.name() + ": " + std::to_string(system.dies()) + " dies of " +
                     system.soc() + "\n\nLinks\n";
  Table links({"class", "dies", "a port for", "GB/s", "write us", "read us"});
  links.right_from(3);
  for (const sim::LinkClass& link : system.links()) {
    links.add({link.name, "each " + std::to_string(link.within),
               link.port_for_each_peer ? "each peer" : "the die (" + link.port + ")",
               fixed(link.bytes_per_second / 1e9, 1), fixed(link.write_seconds * 1e6, 2),
               fixed(link.read_seconds * 1e6, 2)});
  }
  text += links.text() + "\nConstants\n";
  Table constants({"name", "", "source"});
  for (const auto& [name, constant] : system.constants()) {
    constants.add({name, fixed(constant.value, 2) + " " + constant.unit, constant.source});
  }
  return text + constants.text();
}

struct Request {
  std::string name, type;
  Operation operation;
  std::uint64_t bytes = 0;  ///< of the larger buffer of a rank
  std::uint64_t count = 0;
  std::uint32_t reduction = 0;
  bool in_place = false;
};

Request request_of(const po::variables_map& values, std::uint32_t ranks) {
  Request request;
  request.name = text_option(values, "op");
  request.type = text_option(values, "dtype");
  request.operation = chosen(kOperations, "--op", request.name);
  const std::uint64_t size = sim::bytes_of_type(chosen(kTypes, "--dtype", request.type));
  double bytes = 0;
  try {
    bytes = sim::read_quantity(text_option(values, "bytes"), "bytes", 0, 1);
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--bytes: ") + error.what());
  }
  constexpr double kMost = 16.0 * (1 << 30);
  if (!(bytes >= 1 && bytes <= kMost)) {
    throw UsageError("--bytes is '" + text_option(values, "bytes") +
                     "'; it is from 1 byte to 16 GiB");
  }
  request.in_place = flag_option(values, "in-place");
  const std::string reduction = text_option(values, "reduction");
  request.reduction = chosen(kReductions, "--reduction", reduction);
  if (!request.operation.reduces && is_given(values, "reduction")) {
    throw UsageError("--reduction: " + request.name + " reduces nothing");
  }
  if (request.operation.reduces && !sim::can_reduce(kTypes.at(request.type), request.reduction)) {
    throw UsageError("--dtype: values of " + request.type + " cannot be reduced");
  }
  const bool parts = request.operation.block_for_each_rank;
  request.count = static_cast<std::uint64_t>(
      std::ceil(bytes / static_cast<double>(size * (parts ? ranks : 1))));
  request.bytes = request.count * size * (parts ? ranks : 1);
  return request;
}

double microseconds(sim::Device& device, const Request& request, bool keeps_uses) {
  std::vector<std::uint32_t> dies;
  std::vector<isa::Collective> ranks;
  for (std::uint32_t die = 0; die < device.dies(); ++die) {
    dies.push_back(die);
    isa::Collective& of = ranks.emplace_back();
    const auto buffer = [&](const char* name) {
      return reinterpret_cast<std::uint64_t>(device.memory(die).allocate(request.bytes, name));
    };
    of.kind = request.operation.kind;
    of.count = request.count;
    of.type = kTypes.at(request.type);
    of.op = request.reduction;
    of.send = buffer("input");
    const bool one = request.in_place || of.kind == CollectiveKind::kBroadcast;
    of.recv = one ? of.send : buffer("output");
    // A rank's own block, as the documentation places it.
    const std::uint64_t own = die * request.count * sim::bytes_of_type(of.type);
    if (request.in_place && of.kind == CollectiveKind::kAllGather) of.send += own;
    if (request.in_place && of.kind == CollectiveKind::kReduceScatter) of.recv += own;
  }
  sim::Communicators& communicators = *device.communicators();
  communicators.create("world", dies, communicators.system().collectives().window);
  if (keeps_uses) communicators.keep_link_uses();
  communicators.run("world", ranks);
  return static_cast<double>(device.finish_transfers()) / device.soc().frequency_mhz();
}

void report(const sim::Device& device, const LinkReport& links, const Request& request, double us,
            bool as_json) {
  const double ranks = device.dies();
  const double bandwidth = static_cast<double>(request.bytes) / us / 1e3;
  const double bus = bandwidth * request.operation.bus_factor(ranks);
  if (as_json) {
    const json::object all = {{"op", request.name},     {"dtype", request.type},
                              {"ranks", device.dies()}, {"bytes", request.bytes},
                              {"time_us", us},          {"gb_per_s", bandwidth},
                              {"bus_gb_per_s", bus},    {"links", links.json}};
    std::cout << json::serialize(all) << "\n";
    return;
  }
  std::cout << request.name << " of " << request.bytes << " bytes a rank, " << device.dies()
            << " ranks: " << fixed(us, 1) << " us, " << fixed(bandwidth, 1) << " GB/s, "
            << fixed(bus, 1) << " GB/s on the links of a rank\n\n"
            << links.text;
}

int run(const Command& command, const Arguments& arguments) {
  const po::variables_map values = parse(command, arguments);
  const sim::SystemConfig system = session::chosen_system(text_option(values, command.positional));
  const bool as_json = flag_option(values, "json");
  if (const std::string name = text_option(values, command.second_positional); !name.empty()) {
    if (is_given(values, "op")) throw UsageError("give either OPERATOR or --op");
    return run_system_operator(values, system, name, arguments);
  }
  for (const std::string& option : system_operator_options()) {
    if (is_given(values, option)) throw UsageError("--" + option + " belongs to an OPERATOR");
  }
  require_distinct_outputs(values, {"picture", "trace"}, {command.positional});
  if (!is_given(values, "op")) {
    for (const char* option :
         {"bytes", "dtype", "reduction", "in-place", "set", "times-only", "trace"}) {
      if (is_given(values, option)) {
        throw UsageError("--" + std::string(option) + " belongs to an OPERATOR or --op");
      }
    }
  } else if (is_given(values, "picture")) {
    throw UsageError("--picture runs nothing: give it without --op");
  }
  if (is_given(values, "picture")) {
    if (session::launched_rank() > 0) return kDone;
    const auto picture = pending_file(values, "picture");
    picture->stream() << system_picture(system);
    picture->commit();
    return kDone;
  }
  if (!is_given(values, "op")) {
    if (session::launched_rank() > 0) return kDone;
    std::cout << (as_json ? json::serialize(system_json(system)) + "\n" : system_text(system));
    return kDone;
  }
  if (system.dies() < 2) throw UsageError("a collective operation needs at least 2 dies");
  const Request request = request_of(values, system.dies());
  sim::DeviceOptions options;
  options.values = !flag_option(values, "times-only");
  options.cores = false;
  options.group = session::rank_group();
  if (options.group != nullptr) session::require_alike(*options.group, joined(arguments, " "));
  sim::Device device(soc_config(system.soc(), list_option(values, "set")), system, options);
  const bool traced = is_given(values, "trace");
  const double us = microseconds(device, request, traced);
  const LinkReport links = link_report(device, us * device.soc().frequency_mhz());
  std::vector<sim::LinkUse> uses;
  if (traced) uses = device.communicators()->link_uses();
  if (options.group != nullptr && options.group->rank() > 0) return kDone;
  if (const auto file = pending_file(values, "trace")) {
    write_link_trace(file->stream(), uses, device.soc().frequency_mhz());
    file->commit();
  }
  report(device, links, request, us, as_json);
  return kDone;
}

Command make_command() {
  Command command;
  command.name = "run-system";
  command.summary = "run an operator or a collective operation on the dies of a system";
  command.usage = "SYSTEM [OPERATOR | --op OPERATION --bytes SIZE] [options]";
  command.positional = "SYSTEM";
  command.second_positional = "OPERATOR";
  command.description =
      "Simulates an operation between all dies of a system, as its servers carry it out, and "
      "prints\n"
      "its time and what passed the ports of the dies. SYSTEM is a built-in system, NAME:4 for "
      "its\n"
      "first four dies, or a description file. With OPERATOR, an operator of several dies runs on\n"
      "SYSTEM, rank r on die r (`davsim describe OPERATOR` shows tensors, attributes and cases).\n"
      "Without OPERATOR and --op the description is printed. Under mpirun the processes simulate "
      "a\n"
      "part of the dies each; the first one prints.";
  command.examples =
      "  davsim run-system atlas_a2_server --op all-reduce --bytes 64MiB\n"
      "  davsim run-system atlas_a3_server npu_moe_distribute_dispatch_v2 --case MDD2-3\n"
      "  davsim run-system cloudmatrix384:32 --op all-to-all --bytes 8MiB --times-only --json\n"
      "  mpirun -n 4 davsim run-system cloudmatrix384:64 --op all-gather --times-only\n";
  auto add = command.options.add_options();
  add("op", po::value<std::string>(),
      "all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, reduce, scatter");
  add("bytes", po::value<std::string>()->default_value("16MiB"),
      "bytes of a rank's buffer, of the larger one where they differ");
  add("dtype", po::value<std::string>()->default_value("fp16"),
      "int8 to int64, uint8 to uint64, fp16, fp32, fp64 or bf16; what is not reduced also int128, "
      "hif8, fp8e4m3, fp8e5m2, fp8e8m0");
  add("reduction", po::value<std::string>()->default_value("sum"), "sum, prod, max or min");
  add("in-place", po::bool_switch(), "input and output in one buffer");
  add("set", po::value<std::vector<std::string>>()->composing(),
      "replace a parameter of the SoC: NAME=VALUE; may be repeated");
  add("times-only", po::bool_switch(), "compute no values");
  add("trace", po::value<std::string>()->value_name("FILE"),
      "write what passed each port and when, for Perfetto; of an OPERATOR also what its cores did, "
      "for `davsim explain` too");
  add("json", po::bool_switch(), "print one JSON object");
  add("picture", po::value<std::string>()->value_name("FILE"),
      "draw the system as an SVG, and run nothing");
  add_system_operator_options(command.options.add_options());
  command.run = run;
  return command;
}

}  // namespace

const Command& run_system_command() {
  static const Command command = make_command();
  return command;
}

}  // namespace davsim::cli
