// The definition of an operator: its inputs, outputs and attributes, and the SoCs it is for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "graph/types.h"

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class DependScope : std::uint32_t { ALL = 0, TILING = 1, INVALID_SCOPE };
enum class FollowType : std::uint8_t { ALL = 0, DTYPE = 1, FORMAT = 2, SHAPE = 3, INVALID_TYPE };
enum class CommentSection : std::uint8_t {
  CATEGORY = 0,
  BRIEF,
  CONSTRAINTS,
  RESTRICTIONS,
  SEE,
  THIRDPARTYFWKCOMPAT,
  SECTION_MAX
};
enum class FormatCheckOption : std::uint8_t { DEFAULT = 0, STRICT };
enum class ScalarType : std::uint32_t {
  UINT64 = 0,
  INT64,
  UINT32,
  INT32,
  UINT16,
  INT16,
  UINT8,
  INT8,
  FLOAT32,
  FLOAT16,
  INVALID_DTYPE = static_cast<std::uint32_t>(-1)
};
enum class HcclServerType : std::uint32_t { AICPU = 0, AICORE = 1, CCU = 2, MAX };

/// A value that an output is filled with before the kernel starts.
struct ScalarVar {
  ScalarVar() = default;
  ScalarVar(ScalarType type, std::uint64_t value)
      : scalar_type(type), value(static_cast<double>(value)) {}
  ScalarVar(ScalarType type, std::int64_t value)
      : scalar_type(type), value(static_cast<double>(value)) {}
  ScalarVar(ScalarType type, int value) : scalar_type(type), value(value) {}
  ScalarVar(ScalarType type, unsigned value) : scalar_type(type), value(value) {}
  ScalarVar(ScalarType type, float value) : scalar_type(type), value(static_cast<double>(value)) {}
  ScalarVar(ScalarType type, double value) : scalar_type(type), value(value) {}

  ScalarType scalar_type = ScalarType::INVALID_DTYPE;
  double value = 0;
};

/// An input or output. Lists of types and formats are parallel: column i is one combination that
/// the operator takes.
class OpParamDef {
 public:
  explicit OpParamDef(const char* name) : name_(name) {}

  OpParamDef& ParamType(Option type);
  OpParamDef& DataType(std::vector<ge::DataType> types);
  OpParamDef& DataTypeForBinQuery(std::vector<ge::DataType>) { return *this; }
  /// Types that combine with every column, which multiplies the columns.
  OpParamDef& DataTypeList(std::vector<ge::DataType> types);
  OpParamDef& Format(std::vector<ge::Format> formats);
  OpParamDef& FormatForBinQuery(std::vector<ge::Format>) { return *this; }
  OpParamDef& FormatList(std::vector<ge::Format> formats);
  OpParamDef& UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
  /// The host reads the elements.
  OpParamDef& ValueDepend(Option need);
  OpParamDef& ValueDepend(Option need, DependScope scope);
  OpParamDef& Scalar();
  OpParamDef& ScalarList();
  OpParamDef& To(ge::DataType type);
  OpParamDef& To(const char* name);
  OpParamDef& Version(std::uint32_t) { return *this; }
  /// The output is filled before the kernel starts.
  OpParamDef& InitValue(std::uint64_t value);
  OpParamDef& InitValue(const ScalarVar& value);
  OpParamDef& InitValue(const std::vector<ScalarVar>& values);
  OpParamDef& OutputShapeDependOnCompute();
  /// Takes type and format from another parameter.
  OpParamDef& Follow(const char* name);
  OpParamDef& Follow(const char* name, FollowType type);
  OpParamDef& Comment(const char*) { return *this; }
  OpParamDef& AutoContiguous();
  OpParamDef& IgnoreContiguous();

  struct Data {
    Option type = REQUIRED, value_need = REQUIRED;
    std::vector<ge::DataType> types, type_list;
    std::vector<ge::Format> formats, format_list;
    bool value_depend = false, scalar = false, scalar_list = false;
    bool shape_depends_on_compute = false, auto_contiguous = false, ignore_contiguous = false;
    std::vector<ScalarVar> init;  ///< one for all columns, or one a column; empty: none
    std::string follows;          ///< another parameter, or empty
    bool follows_type = false, follows_format = false;
  };
  const std::string& name() const { return name_; }
  const Data& data() const { return data_; }

 private:
  std::string name_;
  Data data_;
};

class OpAttrDef {
 public:
  using Ints = std::vector<std::int64_t>;
  /// No value: the attribute has no default.
  using Value = std::variant<std::monostate, bool, double, std::int64_t, std::string,
                             std::vector<bool>, std::vector<double>, Ints, std::vector<Ints>>;
  enum class Kind {
    kNone,
    kBool,
    kFloat,
    kInt,
    kString,
    kListBool,
    kListFloat,
    kListInt,
    kListListInt
  };

  explicit OpAttrDef(const char* name) : name_(name) {}

  OpAttrDef& AttrType(Option type);
  OpAttrDef& Bool() { return Set(Kind::kBool, {}); }
  OpAttrDef& Bool(bool value) { return Set(Kind::kBool, value); }
  OpAttrDef& Float() { return Set(Kind::kFloat, {}); }
  OpAttrDef& Float(float value) { return Set(Kind::kFloat, static_cast<double>(value)); }
  OpAttrDef& Int() { return Set(Kind::kInt, {}); }
  OpAttrDef& Int(std::int64_t value) { return Set(Kind::kInt, value); }
  OpAttrDef& String() { return Set(Kind::kString, {}); }
  OpAttrDef& String(const char* value) { return Set(Kind::kString, std::string(value)); }
  OpAttrDef& ListBool() { return Set(Kind::kListBool, {}); }
  OpAttrDef& ListBool(std::vector<bool> value) { return Set(Kind::kListBool, std::move(value)); }
  OpAttrDef& ListFloat() { return Set(Kind::kListFloat, {}); }
  OpAttrDef& ListFloat(const std::vector<float>& value) {
    return Set(Kind::kListFloat, std::vector<double>(value.begin(), value.end()));
  }
  OpAttrDef& ListInt() { return Set(Kind::kListInt, {}); }
  OpAttrDef& ListInt(Ints value) { return Set(Kind::kListInt, std::move(value)); }
  OpAttrDef& ListListInt() { return Set(Kind::kListListInt, {}); }
  OpAttrDef& ListListInt(std::vector<Ints> value) {
    return Set(Kind::kListListInt, std::move(value));
  }
  OpAttrDef& Version(std::uint32_t) { return *this; }
  OpAttrDef& Comment(const char*) { return *this; }

  const std::string& name() const { return name_; }
  bool required() const { return type_ == REQUIRED; }
  Kind kind() const { return kind_; }
  const Value& value() const { return value_; }

 private:
  OpAttrDef& Set(Kind kind, Value value);

  std::string name_;
  Option type_ = REQUIRED;
  Kind kind_ = Kind::kNone;
  Value value_;
};

/// What holds on one SoC. Its inputs and outputs replace those of the same name.
class OpAICoreConfig {
 public:
  OpAICoreConfig() = default;
  explicit OpAICoreConfig(const char*) {}

  OpParamDef& Input(const char* name) { return Find(inputs_, name); }
  OpParamDef& Output(const char* name) { return Find(outputs_, name); }
  OpAICoreConfig& DynamicCompileStaticFlag(bool) { return *this; }
  OpAICoreConfig& DynamicFormatFlag(bool) { return *this; }
  OpAICoreConfig& DynamicRankSupportFlag(bool) { return *this; }
  OpAICoreConfig& DynamicShapeSupportFlag(bool) { return *this; }
  OpAICoreConfig& NeedCheckSupportFlag(bool) { return *this; }
  OpAICoreConfig& PrecisionReduceFlag(bool) { return *this; }
  OpAICoreConfig& ExtendCfgInfo(const char* key, const char* value);

  const std::deque<OpParamDef>& inputs() const { return inputs_; }
  const std::deque<OpParamDef>& outputs() const { return outputs_; }
  const std::map<std::string, std::string>& extended() const { return extended_; }

 private:
  static OpParamDef& Find(std::deque<OpParamDef>& params, const char* name);

  std::deque<OpParamDef> inputs_, outputs_;
  std::map<std::string, std::string> extended_;
};

using TilingFunction = ge::graphStatus (*)(gert::TilingContext*);
using InferShapeFunction = ge::graphStatus (*)(gert::InferShapeContext*);
using InferShapeRangeFunction = ge::graphStatus (*)(gert::InferShapeRangeContext*);
using InferDataTypeFunction = ge::graphStatus (*)(gert::InferDataTypeContext*);

class OpAICoreDef {
 public:
  OpAICoreDef& SetTiling(TilingFunction function);
  OpAICoreDef& AddConfig(const char* soc) { return AddConfig(soc, OpAICoreConfig()); }
  OpAICoreDef& AddConfig(const char* soc, const OpAICoreConfig& config);
  /// Functions of graphs, which choose formats and engines.
  template <class Function>
  OpAICoreDef& SetCheckSupport(Function) {
    return *this;
  }
  template <class Function>
  OpAICoreDef& SetOpSelectFormat(Function) {
    return *this;
  }
  template <class Function>
  OpAICoreDef& SetOpSupportInfo(Function) {
    return *this;
  }
  template <class Function>
  OpAICoreDef& SetOpSpecInfo(Function) {
    return *this;
  }
  template <class Function>
  OpAICoreDef& SetParamGeneralize(Function) {
    return *this;
  }
  template <class Function>
  OpAICoreDef& SetGenSimplifiedKey(Function) {
    return *this;
  }
  OpAICoreDef& LaunchWithZeroEleOutputTensors(bool) { return *this; }

  TilingFunction tiling() const { return tiling_; }
  const std::map<std::string, OpAICoreConfig>& configs() const { return configs_; }

 private:
  TilingFunction tiling_ = nullptr;
  std::map<std::string, OpAICoreConfig> configs_;
};

/// What a kernel for CPUs says of itself. davsim simulates no CPUs, so that none of it has an
/// effect.
template <class Self>
class OpCPUDef {
 public:
  Self& Engine(const char*) { return self(); }
  Self& FlagPartial(bool) { return self(); }
  Self& ComputeCost(const char*) { return self(); }
  Self& FlagAsync(bool) { return self(); }
  Self& OpKernelLib(const char*) { return self(); }
  Self& KernelSo(const char*) { return self(); }
  Self& FunctionName(const char*) { return self(); }
  Self& UserDefined(bool) { return self(); }
  Self& ExtendCfgInfo(const char*, const char*) { return self(); }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};
class OpAICPUDef : public OpCPUDef<OpAICPUDef> {};
class OpHostCPUDef : public OpCPUDef<OpHostCPUDef> {};

/// The attributes that name the communicators of an operator, at most two.
class OpMC2Def {
 public:
  OpMC2Def& HcclGroup(const char* name);
  OpMC2Def& HcclGroup(std::vector<const char*> names);
  /// Which processor handles the operations, which is one thing here: the communicator does.
  void HcclServerType(enum HcclServerType, const char* /*soc*/ = nullptr) {}

  const std::vector<std::string>& groups() const { return groups_; }

 private:
  std::vector<std::string> groups_;
};

class OpDef {
 public:
  explicit OpDef(const char* type) : type_(type) {}

  OpParamDef& Input(const char* name);
  OpParamDef& Output(const char* name);
  OpAttrDef& Attr(const char* name);
  OpDef& Comment(CommentSection, const char*) { return *this; }
  OpDef& SetInferShape(InferShapeFunction function);
  OpDef& SetInferShapeRange(InferShapeRangeFunction) { return *this; }
  OpDef& SetInferDataType(InferDataTypeFunction function);
  OpDef& FormatMatchMode(FormatCheckOption) { return *this; }
  OpDef& EnableFallBack() { return *this; }
  OpAICoreDef& AICore() { return ai_core_; }
  OpAICPUDef& AICPU() {
    has_ai_cpu_ = true;
    return ai_cpu_;
  }
  OpHostCPUDef& HostCPU() {
    has_host_cpu_ = true;
    return host_cpu_;
  }
  OpMC2Def& MC2() { return mc2_; }

  const std::string& type() const { return type_; }
  const std::deque<OpParamDef>& inputs() const { return inputs_; }
  const std::deque<OpParamDef>& outputs() const { return outputs_; }
  const std::deque<OpAttrDef>& attributes() const { return attributes_; }
  InferShapeFunction infer_shape() const { return infer_shape_; }
  InferDataTypeFunction infer_data_type() const { return infer_data_type_; }
  const OpAICoreDef& ai_core() const { return ai_core_; }
  bool has_ai_cpu() const { return has_ai_cpu_; }
  bool has_host_cpu() const { return has_host_cpu_; }
  const OpMC2Def& mc2() const { return mc2_; }

 private:
  std::string type_;
  std::deque<OpParamDef> inputs_, outputs_;
  std::deque<OpAttrDef> attributes_;
  InferShapeFunction infer_shape_ = nullptr;
  InferDataTypeFunction infer_data_type_ = nullptr;
  OpAICoreDef ai_core_;
  OpAICPUDef ai_cpu_;
  OpHostCPUDef host_cpu_;
  bool has_ai_cpu_ = false, has_host_cpu_ = false;
  OpMC2Def mc2_;
};

/// Operators by their types.
class OpDefFactory {
 public:
  using Creator = OpDef (*)(const char* type);
  static int OpDefRegister(const char* type, Creator creator);
};

}  // namespace ops

#define DAVSIM_OP_ADD(op_type, ...)                             \
  [[maybe_unused]] static const int davsim_op_added_##op_type = \
      ::ops::OpDefFactory::OpDefRegister(                       \
          #op_type, [](const char* type) -> ::ops::OpDef { return op_type(type); })

/// OP_ADD(AddCustom) registers the class AddCustom as the operator of that name. What follows the
/// name is ignored.
#define OP_ADD(...) DAVSIM_OP_ADD(__VA_ARGS__, )
