#include "cli/kept_call.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <utility>

#include "cli/errors.hpp"
#include "cli/served_message.hpp"

namespace davsim::cli {

namespace json = boost::json;
using namespace message;

std::vector<session::ExportRequest> exports_of(const json::object& request) {
  std::vector<session::ExportRequest> asked;
  const json::value* value = request.if_contains("exports");
  if (value == nullptr) return asked;
  for (const auto& entry : object_in(*value, "'exports'")) {
    const auto all = traces::exporters();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto* e) { return e->name == entry.key(); });
    if (found == all.end()) refuse("there is no exporter '" + std::string(entry.key()) + "'");
    const bool has_path = (*found)->target != traces::ExportTarget::kNone;
    if (has_path && !entry.value().is_string()) refuse("an exporter's path is no string");
    asked.push_back({*found, has_path ? entry.value().as_string().c_str() : ""});
  }
  return asked;
}

json::object printed_by(const session::Exports& exports) {
  json::object printed;
  for (traces::PrintedResult& text : exports.printed()) {
    printed[text.member] = {{"text", std::move(text.text)}, {"json", std::move(text.json)}};
  }
  return printed;
}

json::object KeptCall::write(const std::vector<session::ExportRequest>& requests) {
  if (!finished_) refuse("no call was kept that ended well");
  if (!run_.complete()) {
    throw UsageError("the call had more than " + std::to_string(run_.most_instructions()) +
                         " instructions, and was not kept",
                     "longer calls are recorded from the start");
  }
  session::Exports exports(requests);
  run_.show_to(exports);
  exports.finish(*finished_);
  exports.commit();
  return printed_by(exports);
}

}  // namespace davsim::cli
