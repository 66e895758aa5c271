// davsim compare: the same work on several SoCs or with other parameters, side by side.
#include <algorithm>
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <functional>
#include <iostream>
#include <set>

#include "cli/commands.hpp"
#include "cli/errors.hpp"
#include "cli/output_files.hpp"
#include "cli/progress.hpp"
#include "cli/roofline.hpp"
#include "cli/table.hpp"
#include "cli/variant.hpp"
#include "cli/work.hpp"
#include "sim/soc/soc_parameters.hpp"
#include "traces/html/html_page.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;
namespace po = boost::program_options;

constexpr std::size_t kMaxColumns = 64;

/// The result of one variant.
struct Column {
  Variant variant;
  Outcome outcome;

  bool has_result() const { return !outcome.result.empty(); }
};

std::vector<Column> run_all(const Arguments& work, const std::vector<Variant>& variants,
                            unsigned jobs) {
  std::vector<Arguments> argument_lists;
  std::vector<Column> columns;
  for (const Variant& variant : variants) {
    argument_lists.push_back(run_arguments(work, variant));
    columns.push_back({variant, {}});
  }
  run_children(argument_lists, jobs, [&columns](std::size_t index, const ChildResult& child) {
    columns[index].outcome = outcome_of(child);
  });
  return columns;
}

json::array columns_json(const std::vector<Column>& columns) {
  json::array list;
  for (const Column& column : columns) {
    json::object entry = {
        {"soc", column.variant.soc},
        {"set", json::array(column.variant.set.begin(), column.variant.set.end())},
        {"status", column.outcome.status}};
    if (column.has_result()) entry["result"] = column.outcome.result;
    if (!column.outcome.error.empty()) entry["error"] = column.outcome.error;
    list.push_back(std::move(entry));
  }
  return list;
}

/// The same for a page, with the ceilings of each column.
json::array columns_with_peaks(const std::vector<Column>& columns) {
  json::array list = columns_json(columns);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Variant& variant = columns[i].variant;
    list[i].as_object()["peaks"] = peaks_json(soc_config(variant.soc, variant.set));
  }
  return list;
}

double number(const json::value& value) {
  return value.to_number<double>();
}

/// Adds a row. `cell` reads it from a result; a column without a result gets a dash.
void add_row(Table& table, const std::string& name, const std::vector<Column>& columns,
             const std::function<std::string(const json::object&)>& cell) {
  std::vector<std::string> row = {name};
  for (const Column& column : columns) {
    row.push_back(column.has_result() ? cell(column.outcome.result) : "-");
  }
  table.add(std::move(row));
}

void add_busy(Table& table, const std::vector<Column>& columns) {
  std::vector<std::pair<std::string, std::string>>
      pipes;  // in the order of the first SoC that has them
  for (const Column& column : columns) {
    if (!column.has_result()) continue;
    for (const auto& type : column.outcome.result.at("busy").as_object()) {
      for (const auto& pipe : type.value().as_object()) {
        const std::pair<std::string, std::string> name = {type.key(), pipe.key()};
        if (std::find(pipes.begin(), pipes.end(), name) == pipes.end()) pipes.push_back(name);
      }
    }
  }
  for (const auto& [type, pipe] : pipes) {
    const std::string name = type + " " + pipe + " busy %";
    add_row(table, name, columns, [&type = type, &pipe = pipe](const json::object& result) {
      const json::value* cores = result.at("busy").as_object().if_contains(type);
      const json::value* share = cores ? cores->as_object().if_contains(pipe) : nullptr;
      return share ? fixed(100 * number(*share), 1) : std::string("-");
    });
  }
}

/// Adds the speed of each column relative to the first column that has a result.
void add_speedup(Table& table, const std::vector<Column>& columns) {
  const auto first = std::find_if(columns.begin(), columns.end(), std::mem_fn(&Column::has_result));
  if (first == columns.end()) return;
  const double base = number(first->outcome.result.at("time_us"));
  const auto place = std::to_string(first - columns.begin() + 1);
  add_row(table, "speed, column " + place + " = 1", columns, [base](const json::object& result) {
    const double time = number(result.at("time_us"));
    return time > 0 ? fixed(base / time, 2) : std::string("-");
  });
}

/// Adds a row for each parameter that some column replaces, with its value in every column.
void add_parameters(Table& table, const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) {
    for (const std::string& assignment : column.variant.set) {
      const std::string name = assignment.substr(0, assignment.find('='));
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  for (const std::string& name : names) {
    std::vector<std::string> row = {name};
    for (const Column& column : columns) {
      const sim::SocConfig soc = soc_config(column.variant.soc, column.variant.set);
      row.push_back(sim::parameter_text(soc, *sim::find_parameter(soc, name)));
    }
    table.add(std::move(row));
  }
}

Table columns_table(const std::vector<Column>& columns) {
  std::vector<std::string> heading = {""};
  for (const Column& column : columns) heading.push_back(column.variant.soc);
  Table table(std::move(heading));
  table.right_from(1);
  add_parameters(table, columns);
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
  add_busy(table, columns);
  return table;
}

void write_html(io::PendingFile& file, const Work& work, const std::vector<Column>& columns) {
  json::array rows;
  const Table table = columns_table(columns);
  const auto& cells = table.rows();
  for (std::size_t i = 1; i < cells.size(); ++i) {
    rows.emplace_back(json::array(cells[i].begin(), cells[i].end()));
  }
  const std::string title =
      work.op->info().name + (work.example != nullptr ? " " + work.example->id : "");
  const json::object comparison = {{"columns", columns_with_peaks(columns)},
                                   {"rows", std::move(rows)}};
  traces::write_html_page(file.stream(), title, {{"title", title}, {"comparison", comparison}});
  file.commit();
}

/// Prints the errors, column by column, on standard error.
void report_errors(const std::vector<Column>& columns) {
  for (const Column& column : columns) {
    const json::object& error = column.outcome.error;
    if (error.empty()) continue;
    std::cerr << "davsim: " << column.variant.label() << ": "
              << error.at("class").as_string().c_str() << ": "
              << error.at("message").as_string().c_str() << "\n";
  }
}

/// The exit status of the first column that failed.
int first_status(const std::vector<Column>& columns) {
  for (const Column& column : columns) {
    const int status = column.outcome.status;
    if (status != kDone) return status > kInternal ? kInternal : status;
  }
  return kDone;
}

std::vector<std::string> socs_of(const po::variables_map& values, const Work& work) {
  std::vector<std::string> socs = list_option(values, "soc");
  if (socs.empty()) socs = {default_soc(work)};
  if (std::set<std::string>(socs.begin(), socs.end()).size() != socs.size()) {
    throw UsageError("--soc names the same SoC twice");
  }
  return socs;
}

/// The variants: each SoC without changes, then with each combination of the values of --set.
/// Throws UsageError for wrong names.
std::vector<Variant> variants_of(const po::variables_map& values, const Work& work) {
  const auto sets =
      work.set.empty() ? std::vector<std::vector<std::string>>{} : combinations(work.set);
  std::vector<Variant> variants;
  for (const std::string& soc : socs_of(values, work)) {
    variants.push_back({soc, {}});
    for (const auto& set : sets) variants.push_back({soc, set});
  }
  if (variants.size() < 2) {
    throw UsageError("compare needs something to compare with: give --soc twice, or --set");
  }
  if (variants.size() > kMaxColumns) {
    throw UsageError("that is " + std::to_string(variants.size()) + " columns; at most " +
                     std::to_string(kMaxColumns) + " are allowed");
  }
  for (const Variant& variant : variants) soc_config(variant.soc, variant.set);
  return variants;
}

/// The arguments that all columns have in common.
Arguments shared_arguments(po::variables_map values) {
  values.erase("set");
  return work_arguments(values);
}

int run(const Command& command, const Arguments& arguments) {
  const po::variables_map values = parse(command, arguments);
  const Work work = work_of(values);
  const std::vector<Variant> variants = variants_of(values, work);
  const bool as_json = flag_option(values, "json");
  const unsigned jobs = jobs_option(values);
  require_distinct_outputs(values, {"html"});
  const auto html = pending_file(values, "html");

  std::vector<Column> columns;
  {
    const Progress progress(
        "davsim: " + work.op->info().name + ", " + std::to_string(variants.size()) + " runs",
        !as_json);
    columns = run_all(shared_arguments(values), variants, jobs);
  }
  if (html) write_html(*html, work, columns);
  if (as_json) {
    const json::object all = {
        {"operator", work.op->info().name},
        {"case", work.example ? json::value(work.example->id) : json::value()},
        {"results", columns_json(columns)}};
    std::cout << json::serialize(all) << "\n";
  } else {
    std::cout << work.op->info().name << (work.example ? ", case " + work.example->id : "")
              << "\n\n"
              << columns_table(columns).text(0);
    std::cout.flush();
    report_errors(columns);
  }
  return first_status(columns);
}

constexpr const char* kDescription =
    R"(Runs one operator on the same tensors several times and prints the results in columns:
cycles, core time (launch to the end of the last core), task time (with the overhead of a
launch), compute and bandwidth achieved, and how busy each pipe was on the cores that ran.

Columns are the SoCs of --soc as they are and, with --set, each of them again with those
parameters replaced. A --set with several values, separated by commas, makes a column of each.
Each column is a process of its own; as many run at once as the host has cores.

Where a SoC refuses the call or the kernel goes wrong, the column is empty and a line on
standard error says why. The exit status is that of the first column that did not come through,
else 0 (`davsim help run` lists the statuses).)";

constexpr const char* kExamples =
    R"(  davsim compare rope_quant_kvcache --case RQK-4 --soc Ascend910B1 --soc Ascend910B3
  davsim compare rope_quant_kvcache --case RQK-1 --set l2.size=96MiB --set hbm.bandwidth=0.8TB/s
  davsim compare rope_quant_kvcache --case RQK-1 --set clock=1.2GHz,1.5GHz
  davsim compare rope_quant_kvcache --case RQK-4 --soc Ascend910B3 --soc my_soc.ini --json
)";

Command make_command() {
  Command command;
  command.name = "compare";
  command.summary = "run the same work on several SoCs or with other parameters, side by side";
  command.usage =
      "OPERATOR (--case ID | --inputs FILE | --tensor ...) [--soc SOC ...] [--set NAME=VALUE ...] "
      "[options]";
  command.positional = "OPERATOR";
  command.description = kDescription;
  command.examples = kExamples;
  command.options.add_options()(
      "soc", po::value<std::vector<std::string>>()->composing()->value_name("SOC"),
      "a SoC (`davsim list`), or a description file of your own (path or *.ini); may be repeated. "
      "Default: the one the case is about, or else Ascend910B3");
  add_work_options(command.options.add_options());
  command.options.add_options()("jobs", po::value<std::string>()->value_name("N"),
                                "processes at once; default: the host's cores")(
      "html", po::value<std::string>()->value_name("FILE"),
      "write the table, the times and a roofline as a page to look at in a browser")(
      "json", po::bool_switch(),
      "print one JSON object; it holds the result or the error of each column");
  command.run = run;
  return command;
}

}  // namespace

const Command& compare_command() {
  static const Command command = make_command();
  return command;
}

}  // namespace davsim::cli
