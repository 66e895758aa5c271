// davsim compare: the same work on several SoCs, side by side.
#include <algorithm>
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <functional>
#include <iostream>
#include <set>
#include <thread>

#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/errors.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "cli/work.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;
namespace po = boost::program_options;

constexpr std::uint64_t kMaxJobs = 1024;

/// What one SoC made of the work.
struct Column {
  std::string soc;
  int status = kDone;
  json::object result;  ///< empty: there is none
  json::object error;   ///< empty: there is none
};

/// The last line of a child's output as a JSON object; empty if it is none.
json::object parse_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  boost::system::error_code error;
  const json::value value = json::parse(text.substr(text.rfind('\n') + 1), error);
  return !error && value.is_object() ? value.get_object() : json::object();
}

Column column_of(const std::string& soc, const ChildResult& child) {
  Column column;
  column.soc = soc;
  column.status = child.status;
  column.result = parse_line(child.out);
  const json::object failure = parse_line(child.err);
  if (failure.contains("error")) column.error = failure.at("error").as_object();
  if (column.error.empty() && child.status != kDone) {
    const std::string how = child.status > 128 ? "signal " + std::to_string(child.status - 128)
                                               : "status " + std::to_string(child.status);
    column.error = {{"class", "internal"}, {"message", "the run ended with " + how}, {"rule", ""}};
  }
  return column;
}

std::vector<Column> run_all(const po::variables_map& values, const std::vector<std::string>& socs,
                            unsigned jobs) {
  std::vector<Arguments> argument_lists;
  for (const std::string& soc : socs) {
    Arguments arguments = work_arguments(values);
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--soc=" + soc, "--json"});
    argument_lists.push_back(std::move(arguments));
  }
  const std::vector<ChildResult> children = run_children(argument_lists, jobs);
  std::vector<Column> columns;
  for (std::size_t i = 0; i < socs.size(); ++i) columns.push_back(column_of(socs[i], children[i]));
  return columns;
}

json::array columns_json(const std::vector<Column>& columns) {
  json::array list;
  for (const Column& column : columns) {
    json::object entry = {{"soc", column.soc}, {"status", column.status}};
    if (!column.result.empty()) entry["result"] = column.result;
    if (!column.error.empty()) entry["error"] = column.error;
    list.push_back(std::move(entry));
  }
  return list;
}

double number(const json::value& value) {
  return value.to_number<double>();
}

/// A row: what it is called, and how it is read from a result. Columns without result get a dash.
void add_row(Table& table, const std::string& name, const std::vector<Column>& columns,
             const std::function<std::string(const json::object&)>& cell) {
  std::vector<std::string> row = {name};
  for (const Column& column : columns) {
    row.push_back(column.result.empty() ? "-" : cell(column.result));
  }
  table.add(std::move(row));
}

void add_utilization(Table& table, const std::vector<Column>& columns) {
  std::vector<std::pair<std::string, std::string>>
      pipes;  // in the order of the first SoC that has them
  for (const Column& column : columns) {
    if (column.result.empty()) continue;
    for (const auto& type : column.result.at("utilization").as_object()) {
      for (const auto& pipe : type.value().as_object()) {
        const std::pair<std::string, std::string> name = {type.key(), pipe.key()};
        if (std::find(pipes.begin(), pipes.end(), name) == pipes.end()) pipes.push_back(name);
      }
    }
  }
  for (const auto& [type, pipe] : pipes) {
    const std::string name = type + " " + pipe + " busy %";
    add_row(table, name, columns, [&type = type, &pipe = pipe](const json::object& result) {
      const json::value* cores = result.at("utilization").as_object().if_contains(type);
      const json::value* share = cores ? cores->as_object().if_contains(pipe) : nullptr;
      return share ? fixed(100 * number(*share), 1) : std::string("-");
    });
  }
}

/// How many times as fast as the first SoC that has a result.
void add_speedup(Table& table, const std::vector<Column>& columns) {
  const auto first = std::find_if(columns.begin(), columns.end(),
                                  [](const Column& column) { return !column.result.empty(); });
  if (first == columns.end()) return;
  const double base = number(first->result.at("time_us"));
  add_row(table, "speed, " + first->soc + " = 1", columns, [base](const json::object& result) {
    const double time = number(result.at("time_us"));
    return time > 0 ? fixed(base / time, 2) : std::string("-");
  });
}

std::string columns_text(const std::vector<Column>& columns) {
  std::vector<std::string> heading = {""};
  for (const Column& column : columns) heading.push_back(column.soc);
  Table table(std::move(heading));
  table.right_from(1);
  const auto figure = [](const char* key, int digits) {
    return [=](const json::object& result) { return fixed(number(result.at(key)), digits); };
  };
  add_row(table, "check", columns,
          [](const json::object& result) { return std::string(result.at("check").as_string()); });
  add_row(table, "cycles", columns, figure("cycles", 0));
  add_row(table, "core time us", columns, figure("time_us", 3));
  add_row(table, "task time us", columns, figure("task_time_us", 3));
  add_speedup(table, columns);
  add_row(table, "TFLOPS", columns, figure("tflops", 3));
  add_row(table, "% of peak", columns, [](const json::object& result) {
    return fixed(100 * number(result.at("peak_share")), 1);
  });
  add_row(table, "GB/s", columns, figure("gb_per_s", 1));
  add_row(table, "HBM MB", columns, [](const json::object& result) {
    return fixed(number(result.at("hbm").at("bytes")) * 1e-6, 3);
  });
  add_row(table, "% of roofline", columns, [](const json::object& result) {
    return fixed(100 * number(result.at("roofline").at("share")), 1);
  });
  add_utilization(table, columns);
  return table.text(0);
}

/// What went wrong, SoC by SoC, on standard error.
void report_errors(const std::vector<Column>& columns) {
  for (const Column& column : columns) {
    if (column.error.empty()) continue;
    std::cerr << "davsim: " << column.soc << ": " << column.error.at("class").as_string().c_str()
              << ": " << column.error.at("message").as_string().c_str() << "\n";
  }
}

/// Status of the first SoC, in the order of the command line, that did not come through.
int first_status(const std::vector<Column>& columns) {
  for (const Column& column : columns) {
    if (column.status != kDone) return column.status > kInternal ? kInternal : column.status;
  }
  return kDone;
}

std::vector<std::string> checked_socs(const po::variables_map& values, const Work& work) {
  std::vector<std::string> socs = list_option(values, "soc");
  if (socs.size() < 2) throw UsageError("compare takes --soc at least twice");
  if (std::set<std::string>(socs.begin(), socs.end()).size() != socs.size()) {
    throw UsageError("--soc names the same SoC twice");
  }
  for (const std::string& soc : socs) soc_config(soc, work.set);  // unknown ones end it here
  return socs;
}

int run(const Command& command, const Arguments& arguments) {
  const po::variables_map values = parse(command, arguments);
  const Work work = work_of(values);
  const std::vector<std::string> socs = checked_socs(values, work);
  const bool as_json = flag_option(values, "json");
  const auto cores = std::max(1u, std::thread::hardware_concurrency());
  const auto jobs = static_cast<unsigned>(number_option(values, "jobs", cores, kMaxJobs));
  if (jobs == 0) throw UsageError("--jobs is at least 1");

  std::vector<Column> columns;
  {
    const Progress progress(
        "davsim: " + work.op->info().name + " on " + std::to_string(socs.size()) + " SoCs",
        !as_json);
    columns = run_all(values, socs, jobs);
  }
  if (as_json) {
    const json::object all = {
        {"operator", work.op->info().name},
        {"case", work.example ? json::value(work.example->id) : json::value()},
        {"results", columns_json(columns)}};
    std::cout << json::serialize(all) << "\n";
  } else {
    std::cout << work.op->info().name << (work.example ? ", case " + work.example->id : "")
              << "\n\n"
              << columns_text(columns);
    std::cout.flush();
    report_errors(columns);
  }
  return first_status(columns);
}

Command make_command() {
  Command command;
  command.name = "compare";
  command.summary = "run the same work on several SoCs, side by side";
  command.usage = "OPERATOR --soc SOC --soc SOC ... (--case ID | --inputs FILE) [options]";
  command.positional = "OPERATOR";
  command.description =
      "Runs one operator on the same tensors on several SoCs and prints the results in columns:\n"
      "cycles, core time (launch to the end of the last core), task time (with the overhead of a\n"
      "launch), compute and bandwidth achieved, and how busy each pipe was on the cores that ran.\n"
      "Each SoC is a process of its own; as many run at once as the host has cores.\n"
      "\n"
      "A SoC that refuses the call or on which the kernel goes wrong has an empty column and a "
      "line\n"
      "on standard error. The exit status is that of the first SoC that did not come through, else "
      "0\n"
      "(`davsim help run` lists the statuses).";
  command.examples =
      "  davsim compare rope_quant_kvcache --case RQK-4 --soc Ascend910B1 --soc Ascend910B3\n"
      "  davsim compare rope_quant_kvcache --case RQK-4 --soc Ascend910B3 --soc my_soc.ini "
      "--json\n";
  command.options.add_options()(
      "soc", po::value<std::vector<std::string>>()->composing()->value_name("SOC"),
      "a SoC (`davsim list`), or a description file of your own (path or *.ini); at least two");
  add_work_options(command.options.add_options());
  command.options.add_options()("jobs", po::value<std::string>()->value_name("N"),
                                "processes at once; default: the host's cores")(
      "json", po::bool_switch(),
      "print one JSON object; it holds the result or the error of each SoC");
  command.run = run;
  return command;
}

}  // namespace

const Command& compare_command() {
  static const Command command = make_command();
  return command;
}

}  // namespace davsim::cli
