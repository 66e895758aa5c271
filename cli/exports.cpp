#include "cli/exports.hpp"

#include <boost/program_options.hpp>

#include "cli/options.hpp"

namespace davsim::cli {

namespace po = boost::program_options;
using traces::Exporter;
using traces::ExportTarget;

namespace {

std::vector<session::ExportRequest> requests(const po::variables_map& values) {
  std::vector<session::ExportRequest> asked;
  for (const Exporter* exporter : traces::exporters()) {
    if (!is_given(values, exporter->name)) continue;
    const bool has_path = exporter->target != ExportTarget::kNone;
    asked.push_back({exporter, has_path ? text_option(values, exporter->name) : ""});
  }
  return asked;
}

}  // namespace

void Exports::add_options(po::options_description_easy_init add) {
  for (const Exporter* exporter : traces::exporters()) {
    if (exporter->target == ExportTarget::kNone) {
      add(exporter->name.c_str(), po::bool_switch(), exporter->help.c_str());
    } else {
      add(exporter->name.c_str(), po::value<std::string>()->value_name(exporter->value_name),
          exporter->help.c_str());
    }
  }
}

std::vector<std::string> Exports::options() {
  std::vector<std::string> names;
  for (const Exporter* exporter : traces::exporters()) names.push_back(exporter->name);
  return names;
}

std::vector<std::string> Exports::output_options() {
  std::vector<std::string> names;
  for (const Exporter* exporter : traces::exporters()) {
    if (exporter->target != ExportTarget::kNone) names.push_back(exporter->name);
  }
  return names;
}

Exports::Exports(const po::variables_map& values) : session::Exports(requests(values)) {}

}  // namespace davsim::cli
