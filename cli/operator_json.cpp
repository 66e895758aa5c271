#include "cli/operator_json.hpp"

#include <boost/json.hpp>

namespace davsim::cli {

namespace json = boost::json;

std::string direction_name(operators::Direction direction) {
  switch (direction) {
    case operators::Direction::kIn:
      return "in";
    case operators::Direction::kOut:
      return "out";
    case operators::Direction::kInOut:
      return "in/out";
  }
  return "?";
}

std::vector<std::string> dtype_names(const operators::TensorSpec& spec) {
  std::vector<std::string> names;
  for (const isa::DType dtype : spec.dtypes) names.emplace_back(isa::dtype_name(dtype));
  return names;
}

namespace {

json::array strings(const std::vector<std::string>& words) {
  return json::array(words.begin(), words.end());
}

json::object case_json(const operators::ExampleCase& example) {
  json::object entry = {{"id", example.id}, {"note", example.note}, {"soc", example.soc}};
  entry["refused"] =
      example.refused ? json::value(operators::error_class_name(*example.refused)) : json::value();
  return entry;
}

json::object info_json(const operators::OperatorInfo& info, json::array cases) {
  json::array tensors, attributes;
  for (const operators::TensorSpec& spec : info.tensors) {
    tensors.push_back({{"name", spec.name},
                       {"direction", direction_name(spec.direction)},
                       {"dtypes", strings(dtype_names(spec))},
                       {"format", spec.format},
                       {"shape", spec.shape},
                       {"need", spec.need},
                       {"list", spec.list},
                       {"doc", spec.doc}});
  }
  for (const operators::AttributeSpec& spec : info.attributes) {
    json::object attribute = {{"name", spec.name},
                              {"type", spec.type},
                              {"required", !spec.def.has_value()},
                              {"doc", spec.doc}};
    if (spec.def) attribute["default"] = *spec.def;
    attributes.push_back(std::move(attribute));
  }
  return {{"operator", info.name},
          {"summary", info.summary},
          {"products", strings(info.products)},
          {"tensors", std::move(tensors)},
          {"attributes", std::move(attributes)},
          {"limits", strings(info.limits)},
          {"cases", std::move(cases)}};
}

}  // namespace

json::object operator_json(const operators::Operator& op) {
  json::array cases;
  for (const operators::ExampleCase& example : op.cases()) cases.push_back(case_json(example));
  return info_json(op.info(), std::move(cases));
}

json::object operator_json(const operators::SystemOperator& op) {
  json::array cases;
  for (const operators::SystemCase& each : op.cases()) {
    json::object entry = case_json(each.example);
    entry["system"] = each.system;
    entry["ranks"] = each.ranks;
    cases.push_back(std::move(entry));
  }
  return info_json(op.info(), std::move(cases));
}

}  // namespace davsim::cli
