#include "runtime/op_host/definition.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace davsim::op_host {
namespace {

[[noreturn]] void refuse(const std::string& type, const std::string& what) {
  throw std::invalid_argument("operator " + type + ": " + what);
}

/// The parameters, with what the SoC's configuration says of those of the same name.
std::vector<ops::OpParamDef> merged(const std::deque<ops::OpParamDef>& all,
                                    const std::deque<ops::OpParamDef>& configured) {
  std::vector<ops::OpParamDef> params(all.begin(), all.end());
  for (const ops::OpParamDef& special : configured) {
    const auto same = std::find_if(params.begin(), params.end(), [&](const auto& param) {
      return param.name() == special.name();
    });
    if (same == params.end()) {
      params.push_back(special);
    } else {
      *same = special;
    }
  }
  return params;
}

Parameter parameter_of(const ops::OpParamDef& def) {
  const ops::OpParamDef::Data& data = def.data();
  Parameter param;
  param.name = def.name();
  param.kind = data.type;
  param.types = data.types;
  param.formats = data.formats;
  param.value_depend = data.value_depend;
  param.host_values = data.value_depend;
  param.host_values_or_tensor = data.value_depend && data.value_need == ops::OPTIONAL;
  param.scalar = data.scalar;
  param.scalar_list = data.scalar_list;
  param.auto_contiguous = data.auto_contiguous;
  param.ignore_contiguous = data.ignore_contiguous;
  for (const ops::ScalarVar& value : data.init) param.init.push_back(value.value);
  return param;
}

/// One list of all parameters, types or formats.
template <class T>
struct Lists {
  std::vector<T> Parameter::*parallel;
  std::vector<T> ops::OpParamDef::Data::*combined;
  const char* name;
};
constexpr Lists<ge::DataType> kTypes = {&Parameter::types, &ops::OpParamDef::Data::type_list,
                                        "DataType"};
constexpr Lists<ge::Format> kFormats = {&Parameter::formats, &ops::OpParamDef::Data::format_list,
                                        "Format"};

/// Parameters of a definition while its columns are laid out.
class Columns {
 public:
  Columns(std::string type, const std::vector<ops::OpParamDef>& defs)
      : type_(std::move(type)), defs_(defs) {
    for (const ops::OpParamDef& def : defs) params_.push_back(parameter_of(def));
  }

  std::vector<Parameter> lay_out() {
    measure(kTypes);
    measure(kFormats);
    fill(kTypes, ge::DT_UNDEFINED);
    fill(kFormats, ge::FORMAT_ND);
    combine(kTypes);
    combine(kFormats);
    follow();
    for (const Parameter& param : params_) {
      if (param.types.front() == ge::DT_UNDEFINED) refuse(type_, param.name + " has no DataType");
    }
    return std::move(params_);
  }
  std::size_t count() const { return count_; }

 private:
  template <class T>
  void measure(const Lists<T>& lists) {
    for (const Parameter& param : params_) {
      const std::size_t size = (param.*lists.parallel).size();
      if (size > 1 && count_ > 1 && size != count_) {
        refuse(type_, std::string("lists are equally long; ") + lists.name + " of " + param.name +
                          " has " + std::to_string(size) + " entries, others have " +
                          std::to_string(count_));
      }
      count_ = std::max(count_, size);
    }
  }

  /// A list of one holds for all columns.
  template <class T>
  void fill(const Lists<T>& lists, T otherwise) {
    for (Parameter& param : params_) {
      auto& list = param.*lists.parallel;
      if (list.size() < count_) list.resize(count_, list.empty() ? otherwise : list.front());
    }
  }

  /// Every entry of a combined list goes with every column there is.
  template <class T>
  void combine(const Lists<T>& lists) {
    for (std::size_t i = 0; i < params_.size(); ++i) {
      const auto& choices = defs_[i].data().*lists.combined;
      if (choices.empty()) continue;
      const std::size_t before = count_;
      count_ *= choices.size();
      for (Parameter& param : params_) {
        repeat(param.types, before);
        repeat(param.formats, before);
      }
      for (std::size_t column = 0; column < count_; ++column) {
        (params_[i].*lists.parallel)[column] = choices[column / before];
      }
    }
  }

  template <class T>
  void repeat(std::vector<T>& list, std::size_t before) const {
    list.reserve(count_);
    while (list.size() < count_) list.push_back(list[list.size() - before]);
  }

  void follow() {
    // As many rounds as there are parameters: one may follow another that follows a third.
    for (std::size_t round = 0; round < params_.size(); ++round) {
      for (std::size_t i = 0; i < params_.size(); ++i) {
        const ops::OpParamDef::Data& data = defs_[i].data();
        if (data.follows.empty()) continue;
        const auto other = std::find_if(params_.begin(), params_.end(), [&](const auto& param) {
          return param.name == data.follows;
        });
        if (other == params_.end()) {
          refuse(type_, params_[i].name + " follows '" + data.follows + "', which does not exist");
        }
        if (data.follows_type) params_[i].types = other->types;
        if (data.follows_format) params_[i].formats = other->formats;
      }
    }
  }

  std::string type_;
  const std::vector<ops::OpParamDef>& defs_;
  std::vector<Parameter> params_;
  std::size_t count_ = 1;
};

void add_functions(Definition& definition, const ops::OpDef& def) {
  Functions& functions = definition.functions;
  functions = registered_functions(definition.type);
  if (def.ai_core().tiling() != nullptr) functions.tiling = def.ai_core().tiling();
  if (def.infer_shape() != nullptr) functions.infer_shape = def.infer_shape();
  if (def.infer_data_type() != nullptr) functions.infer_data_type = def.infer_data_type();
  for (const std::size_t input : functions.value_inputs) {
    if (input < definition.inputs.size()) definition.inputs[input].value_depend = true;
  }
}

/// The compute units that an operator for others is taken for as well.
constexpr const char* kTakenUnits[] = {"ascend910b", "ascend910_93"};

/// Whether the operator is configured for other compute units only.
bool is_for_others(const ops::OpDef& def) {
  const auto& configs = def.ai_core().configs();
  return !configs.empty() &&
         std::none_of(std::begin(kTakenUnits), std::end(kTakenUnits),
                      [&](const char* unit) { return configs.find(unit) != configs.end(); });
}

const ops::OpAICoreConfig& config_of(const ops::OpDef& def, const std::string& unit) {
  static const ops::OpAICoreConfig kNone;
  const auto& configs = def.ai_core().configs();
  const auto found = configs.find(unit);
  if (found != configs.end()) return found->second;
  return is_for_others(def) ? configs.begin()->second : kNone;
}

}  // namespace

Definition definition_of(const std::string& type, const std::string& unit) {
  const ops::OpDef def = registered_definition(type);
  const ops::OpAICoreConfig& config = config_of(def, unit);
  Definition definition;
  definition.type = type;
  definition.kernel = snake_case(type);
  const auto file = config.extended().find("opFile.value");
  definition.file = file == config.extended().end() ? definition.kernel : file->second;
  for (const auto& entry : def.ai_core().configs()) definition.units.push_back(entry.first);
  if (def.has_ai_cpu()) definition.cpu_parts = "AICPU()";
  if (def.has_host_cpu()) {
    definition.cpu_parts += (def.has_ai_cpu() ? ", " : "") + std::string("HostCPU()");
  }
  if (is_for_others(def)) {
    definition.foreign_units = definition.units;
    definition.units.insert(definition.units.end(), std::begin(kTakenUnits), std::end(kTakenUnits));
  }

  std::vector<ops::OpParamDef> params = merged(def.inputs(), config.inputs());
  const auto inputs = static_cast<std::ptrdiff_t>(params.size());
  for (const ops::OpParamDef& output : merged(def.outputs(), config.outputs())) {
    params.push_back(output);
  }
  Columns columns(type, params);
  std::vector<Parameter> all = columns.lay_out();
  definition.columns = columns.count();
  definition.inputs.assign(all.begin(), all.begin() + inputs);
  definition.outputs.assign(all.begin() + inputs, all.end());
  for (Parameter& output : definition.outputs) {
    for (std::size_t i = 0; i < definition.inputs.size(); ++i) {
      if (definition.inputs[i].name == output.name) output.input = i;
    }
  }
  definition.attributes.assign(def.attributes().begin(), def.attributes().end());
  for (const ops::OpAttrDef& attribute : definition.attributes) {
    if (attribute.kind() == ops::OpAttrDef::Kind::kNone) {
      refuse(type, "attribute " + attribute.name() + " has no type");
    }
  }
  definition.groups = def.mc2().groups();
  if (definition.groups.size() > 2) refuse(type, "an operator has at most two communicators");
  for (const std::string& group : definition.groups) {
    const bool known =
        std::any_of(definition.attributes.begin(), definition.attributes.end(),
                    [&](const ops::OpAttrDef& attribute) { return attribute.name() == group; });
    if (!known) refuse(type, "HcclGroup names '" + group + "', which is no attribute");
  }
  add_functions(definition, def);
  return definition;
}

ge::DataType host_array_of(const Parameter& input) {
  if (!input.host_values || input.types.empty()) return ge::DT_UNDEFINED;
  const ge::DataType type = input.types.front();
  const bool has_array = type == ge::DT_INT64 || type == ge::DT_FLOAT || type == ge::DT_BOOL;
  const bool one = std::all_of(input.types.begin(), input.types.end(),
                               [type](ge::DataType other) { return other == type; });
  return has_array && one ? type : ge::DT_UNDEFINED;
}

std::string snake_case(const std::string& type) {
  std::string name;
  for (std::size_t i = 0; i < type.size(); ++i) {
    const auto is = [&](int (*kind)(int), std::size_t at) {
      return at < type.size() && kind(static_cast<unsigned char>(type[at])) != 0;
    };
    const bool starts_word = i > 0 && is(std::isupper, i) &&
                             (is(std::islower, i - 1) || is(std::isdigit, i - 1) ||
                              (is(std::isupper, i - 1) && is(std::islower, i + 1)));
    if (starts_word) name += '_';
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(type[i])));
  }
  return name;
}

}  // namespace davsim::op_host
