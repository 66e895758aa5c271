// What the declarations of an operator's constructor leave behind.
#include "register/op_def.h"

#include <utility>

namespace ops {
namespace {

/// The element of that name, made where there is none.
template <class T>
T& find_or_add(std::deque<T>& all, const char* name) {
  for (T& one : all) {
    if (one.name() == name) return one;
  }
  return all.emplace_back(name);
}

}  // namespace

OpParamDef& OpParamDef::ParamType(Option type) {
  data_.type = type;
  return *this;
}

OpParamDef& OpParamDef::DataType(std::vector<ge::DataType> types) {
  data_.types = std::move(types);
  return *this;
}

OpParamDef& OpParamDef::DataTypeList(std::vector<ge::DataType> types) {
  data_.type_list = std::move(types);
  return *this;
}

OpParamDef& OpParamDef::Format(std::vector<ge::Format> formats) {
  data_.formats = std::move(formats);
  return *this;
}

OpParamDef& OpParamDef::FormatList(std::vector<ge::Format> formats) {
  data_.format_list = std::move(formats);
  return *this;
}

OpParamDef& OpParamDef::ValueDepend(Option need) {
  return ValueDepend(need, DependScope::ALL);
}

OpParamDef& OpParamDef::ValueDepend(Option need, DependScope) {
  data_.value_depend = true;
  data_.value_need = need;
  return *this;
}

OpParamDef& OpParamDef::Scalar() {
  data_.scalar = true;
  return *this;
}

OpParamDef& OpParamDef::ScalarList() {
  data_.scalar_list = true;
  return *this;
}

OpParamDef& OpParamDef::To(ge::DataType type) {
  data_.types = {type};
  return *this;
}

OpParamDef& OpParamDef::To(const char* name) {
  return Follow(name, FollowType::DTYPE);
}

OpParamDef& OpParamDef::InitValue(std::uint64_t value) {
  data_.init = {ScalarVar(ScalarType::UINT64, value)};
  return *this;
}

OpParamDef& OpParamDef::InitValue(const ScalarVar& value) {
  data_.init = {value};
  return *this;
}

OpParamDef& OpParamDef::InitValue(const std::vector<ScalarVar>& values) {
  data_.init = values;
  return *this;
}

OpParamDef& OpParamDef::OutputShapeDependOnCompute() {
  data_.shape_depends_on_compute = true;
  return *this;
}

OpParamDef& OpParamDef::Follow(const char* name) {
  return Follow(name, FollowType::ALL);
}

OpParamDef& OpParamDef::Follow(const char* name, FollowType type) {
  data_.follows = name;
  data_.follows_type = type == FollowType::ALL || type == FollowType::DTYPE;
  data_.follows_format = type == FollowType::ALL || type == FollowType::FORMAT;
  return *this;
}

OpParamDef& OpParamDef::AutoContiguous() {
  data_.auto_contiguous = true;
  return *this;
}

OpParamDef& OpParamDef::IgnoreContiguous() {
  data_.ignore_contiguous = true;
  return *this;
}

OpAttrDef& OpAttrDef::AttrType(Option type) {
  type_ = type;
  return *this;
}

OpAttrDef& OpAttrDef::Set(Kind kind, Value value) {
  kind_ = kind;
  value_ = std::move(value);
  return *this;
}

OpAICoreConfig& OpAICoreConfig::ExtendCfgInfo(const char* key, const char* value) {
  extended_[key] = value;
  return *this;
}

OpParamDef& OpAICoreConfig::Find(std::deque<OpParamDef>& params, const char* name) {
  return find_or_add(params, name);
}

OpAICoreDef& OpAICoreDef::SetTiling(TilingFunction function) {
  tiling_ = function;
  return *this;
}

OpAICoreDef& OpAICoreDef::AddConfig(const char* soc, const OpAICoreConfig& config) {
  configs_[soc] = config;
  return *this;
}

OpMC2Def& OpMC2Def::HcclGroup(const char* name) {
  groups_.emplace_back(name);
  return *this;
}

OpMC2Def& OpMC2Def::HcclGroup(std::vector<const char*> names) {
  groups_.assign(names.begin(), names.end());
  return *this;
}

OpParamDef& OpDef::Input(const char* name) {
  return find_or_add(inputs_, name);
}

OpParamDef& OpDef::Output(const char* name) {
  return find_or_add(outputs_, name);
}

OpAttrDef& OpDef::Attr(const char* name) {
  return find_or_add(attributes_, name);
}

OpDef& OpDef::SetInferShape(InferShapeFunction function) {
  infer_shape_ = function;
  return *this;
}

OpDef& OpDef::SetInferDataType(InferDataTypeFunction function) {
  infer_data_type_ = function;
  return *this;
}

}  // namespace ops
