#include "checker/finding_json.hpp"

#include <boost/json.hpp>

namespace davsim::checker {
namespace {

namespace json = boost::json;

json::value place_json(const Place& place) {
  if (!place.known()) return nullptr;
  return json::object{{"core", place.core},
                      {"pipe", place.pipe},
                      {"instruction", place.instruction},
                      {"access", place.access},
                      {"file", place.where.file_name()},
                      {"line", place.where.line()}};
}

}  // namespace

json::array json_of(const Findings& findings) {
  json::array list;
  for (const Finding& finding : findings.all()) {
    list.push_back(json::object{
        {"class", class_name(finding.cls)},
        {"message", finding.message},
        {"count", finding.count},
        {"pairs", finding.pairs},
        {"kernel", finding.kernel},
        {"space", finding.space},
        {"addr", finding.addr},
        {"bytes", finding.bytes},
        {"tensor", finding.tensor},
        {"first", place_json(finding.first)},
        {"second", place_json(finding.second)},
        {"allowed", finding.allowed.empty() ? json::value() : json::value(finding.allowed)}});
  }
  return list;
}

}  // namespace davsim::checker
