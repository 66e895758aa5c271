#include "cli/run_files.hpp"

#include <boost/json.hpp>
#include <boost/program_options.hpp>

#include "cli/output_files.hpp"
#include "io/safetensors.hpp"

namespace davsim::cli {

namespace json = boost::json;
namespace po = boost::program_options;

void RunFiles::add_options(po::options_description_easy_init add) {
  const auto file = [] { return po::value<std::string>()->value_name("FILE"); };
  add("outputs", file(), "write outputs and updated in-place tensors to a safetensors file");
  add("report", file(),
      "write everything that was counted as JSON: cycles, busy and stall cycles of each core and "
      "pipe, bytes by path, L2 and HBM, roofline");
  add("save-inputs", file(), "write the tensors of the call, as they are before the run");
  add("save-attrs", file(), "write the attributes of the call as given, as JSON");
}

std::vector<std::string> RunFiles::output_options() {
  return {"outputs", "report", "save-inputs", "save-attrs"};
}

RunFiles::RunFiles(const po::variables_map& values)
    : outputs_(pending_file(values, "outputs")),
      report_(pending_file(values, "report")),
      inputs_(pending_file(values, "save-inputs")),
      attrs_(pending_file(values, "save-attrs")) {}

void RunFiles::save_call(const operators::Call& call) {
  if (inputs_) {
    io::write_safetensors(inputs_->stream(), call.tensors);
    inputs_->commit();
  }
  if (attrs_) {
    attrs_->stream() << json::serialize(call.attributes) << "\n";
    attrs_->commit();
  }
}

void RunFiles::write(const operators::TensorMap& outputs, const json::object& report) {
  if (outputs_) io::write_safetensors(outputs_->stream(), outputs);
  if (report_) report_->stream() << json::serialize(report) << "\n";
}

void RunFiles::commit() {
  if (outputs_) outputs_->commit();
  if (report_) report_->commit();
}

}  // namespace davsim::cli
