#include "cli/result.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "cli/roofline.hpp"
#include "cli/table.hpp"
#include "traces/report/report.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;

/// The figures that depend on the operator.
json::object operator_figures(const Result& result) {
  json::object figures = {
      {"operator", result.op->info().name},
      {"case", result.case_id.empty() ? json::value() : json::value(result.case_id)},
      {"product", result.soc->product()},
      {"set", json::array(result.set.begin(), result.set.end())},
      {"l2_start", result.warm ? "warm" : "cold"},
      {"check", result.verdict()},
      {"comparisons", comparisons_json(result.comparisons)},
      {"allowed_findings", result.allowed_findings},
      {"warnings", json::array(result.warnings.begin(), result.warnings.end())},
      {"cost", cost_json(result.cost)}};
  if (!result.report.timed) return figures;
  const Roofline roofline(result.cost, *result.soc, result.report.time_us());
  figures["tflops"] = roofline.tflops;
  figures["peak_tflops"] = roofline.peak_tflops;
  figures["peak_share"] = roofline.peak_share;
  figures["gb_per_s"] = roofline.gb_per_s;
  figures["roofline"] = roofline.json();
  return figures;
}

void add_all(json::object& to, const json::object& from) {
  for (const auto& member : from) to[member.key()] = member.value();
}

/// {"AIC": {"M": 0.9, ...}, "AIV": {...}}: the `share` of each pipe, "utilization" or "busy_share",
/// as a mean over the cores of a type that ran.
json::object shares(const json::object& totals, const char* share) {
  json::object types;
  for (const char* type : {"AIC", "AIV"}) {
    json::object pipes;
    for (const auto& pipe : totals.at(type).at("pipes").as_object()) {
      pipes[pipe.key()] = pipe.value().at(share);
    }
    if (!pipes.empty()) types[type] = std::move(pipes);
  }
  return types;
}

/// "cubes at 8 bit": the types that are multiplied, whose rates make the peak.
std::string cubes_at(const operators::Cost& cost) {
  std::string types;
  for (const auto& [flops, type] : {std::pair{cost.cube_flops_8bit, "8"},
                                    {cost.cube_flops_16bit, "16"},
                                    {cost.cube_flops_32bit, "32"}}) {
    if (flops > 0) types += (types.empty() ? "" : " and ") + std::string(type);
  }
  return "cubes at " + types + " bit";
}

/// The ceiling that is nearest. What bounds the launch may be another thing, which --explain says.
std::string ceiling_words(const std::string& bound) {
  return bound == "cube"     ? "the cubes alone"
         : bound == "vector" ? "the vector units alone"
                             : "HBM alone";
}

std::string achieved_text(const Result& result) {
  const Roofline roofline(result.cost, *result.soc, result.report.time_us());
  const bool cube = roofline.cube_us > 0;
  const double hbm = static_cast<double>(result.report.memory.hbm_read_bytes +
                                         result.report.memory.hbm_write_bytes);
  return "compute    " + fixed(roofline.tflops, 3) + " TFLOPS, " +
         fixed(100 * roofline.peak_share, 1) + " % of the peak (" + fixed(roofline.peak_tflops, 1) +
         (cube ? " TFLOPS, " + cubes_at(result.cost) + ")\n"
               : std::string(" TFLOPS, vector units at 16 bit)\n")) +
         "bandwidth  " + fixed(roofline.gb_per_s, 1) + " GB/s for the " +
         fixed(result.cost.min_bytes * 1e-6, 3) + " MB the work needs at least; HBM moved " +
         fixed(hbm * 1e-6, 3) + " MB\n" + "roofline   " + ceiling_words(roofline.bound) +
         " would need " + fixed(roofline.ideal_us, 3) + " us, " + fixed(100 * roofline.share, 1) +
         " % of the time it took\n";
}

}  // namespace

json::array comparisons_json(const std::vector<reference::Comparison>& comparisons) {
  json::array list;
  for (const reference::Comparison& c : comparisons) {
    list.push_back({{"tensor", c.tensor},
                    {"passed", c.passed},
                    {"elements", c.elements},
                    {"max_abs_diff", c.max_abs_diff},
                    {"outside", c.outside},
                    {"outside_share", c.outside_share()},
                    {"nonfinite", c.nonfinite},
                    {"changed_bytes", c.changed_bytes},
                    {"detail", c.detail}});
  }
  return list;
}

std::string Result::verdict() const {
  if (!verified) return "not checked";
  return failed() ? "failed" : "passed";
}

std::string Result::title() const {
  return op->info().name + (case_id.empty() ? "" : " " + case_id);
}

json::object result_json(const Result& result) {
  const json::object launch = traces::report_json(result.report);
  json::object figures = operator_figures(result);
  for (const char* key : {"soc", "kernel", "timed", "block_dim", "frequency_mhz", "cycles",
                          "time_us", "launch_overhead_us", "task_time_us", "bytes", "l2", "hbm"}) {
    figures[key] = launch.at(key);
  }
  const json::object& totals = launch.at("totals").as_object();
  figures["utilization"] = shares(totals, "utilization");
  figures["busy"] = shares(totals, "busy_share");
  json::object files;
  if (!result.outputs.empty()) files["outputs"] = result.outputs;
  if (!result.report_file.empty()) files["report"] = result.report_file;
  for (const auto& [option, path] : result.exported) files[option] = path;
  figures["files"] = std::move(files);
  return figures;
}

json::object report_json(const Result& result) {
  json::object report = operator_figures(result);
  add_all(report, traces::report_json(result.report));
  return report;
}

std::string result_text(const Result& result) {
  std::string text = result.op->info().name;
  if (!result.case_id.empty()) text += ", case " + result.case_id;
  text += ", on " + result.soc->name();
  if (!result.set.empty()) text += " with " + joined(result.set);
  text += std::string(", L2 ") + (result.warm ? "warm" : "cold") + "\n";
  text += "check      " + result.verdict() + "\n";
  for (const reference::Comparison& comparison : result.comparisons) {
    text += "           " + reference::to_string(comparison) + "\n";
  }
  if (result.report.timed) text += achieved_text(result);
  if (!result.outputs.empty()) text += "outputs    " + result.outputs + "\n";
  if (!result.report_file.empty()) text += "report     " + result.report_file + "\n";
  for (const auto& [option, path] : result.exported) {
    text += option +
            std::string(std::max<std::size_t>(11, option.size() + 1) - option.size(), ' ') + path +
            "\n";
  }
  return text + "\n" + traces::report_text(result.report);
}

}  // namespace davsim::cli
