// The interface of operators, for the command, the tests, the benchmarks and the Python package. An
// operator has its own folder below kernels/ and registers itself there.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/registry/tensor.hpp"
#include "sim/device/device.hpp"

namespace davsim::operators {

enum class ErrorClass : std::uint8_t {
  kNull,         ///< E_NULL: a required tensor is missing
  kDtype,        ///< E_DTYPE
  kFormat,       ///< E_FORMAT
  kRank,         ///< E_RANK
  kShape,        ///< E_SHAPE
  kAttr,         ///< E_ATTR
  kUnsupported,  ///< E_UNSUPPORTED: the product lacks the operator or the feature
  kIndex,        ///< E_INDEX: an index tensor points outside
};

std::string_view error_class_name(ErrorClass cls);  ///< "E_NULL", ...

/// An operator's refusal of a call. Nothing was written.
class Refusal : public std::runtime_error {
 public:
  /// `rule` states the rule in words. `message` adds the value that breaks it.
  Refusal(ErrorClass cls, std::string rule, const std::string& message)
      : std::runtime_error(message), cls(cls), rule(std::move(rule)) {}
  ErrorClass cls;
  std::string rule;
};

enum class Direction : std::uint8_t { kIn, kOut, kInOut };

struct TensorSpec {
  std::string name;
  Direction direction = Direction::kIn;
  std::vector<isa::DType> dtypes;
  std::string format;  ///< "ND", "NZ", "ND or NZ"
  std::string shape;   ///< in the operator's symbols: "[B, S, H]"
  std::string need;    ///< "required", "optional", or the condition in words
  std::string doc;
  /// One tensor under this name, or several as "name.0", "name.1", ...: see tensor_list().
  bool list = false;
};

struct AttributeSpec {
  std::string name;
  std::string type;  ///< "int", "float", "bool", "string", "int list"
  /// No value: the attribute is required. null: it is optional without default, and a null in a
  /// call means "not given".
  std::optional<boost::json::value> def;
  std::string doc;
};

struct OperatorInfo {
  std::string name;
  std::string summary;                ///< one line
  std::vector<std::string> products;  ///< "A2", "A3"
  std::vector<TensorSpec> tensors;
  std::vector<AttributeSpec> attributes;
  std::vector<std::string> limits;  ///< one sentence each
};

/// The parameter that a tensor's name belongs to, "key.12" to a list "key"; nullptr if none.
const TensorSpec* find_tensor(const OperatorInfo& info, std::string_view name);

/// The parameters that a call gives tensors for: inputs and those that are updated in place.
std::vector<std::string> input_names(const OperatorInfo& info);

/// A call: inputs and in-place tensors, attributes with defaults filled in.
struct Call {
  TensorMap tensors;
  boost::json::object attributes;
};

/// The tensors of a parameter that may be a list, in their order. Throws Refusal if none is given,
/// if numbers in between are missing, or if both forms are mixed.
std::vector<Tensor> tensor_list(const Call& call, std::string_view name);

struct TensorShape {
  std::string name;
  isa::DType dtype;
  Shape shape;
};

/// The least work of a call: numerator and denominator of the roofline.
struct Cost {
  double cube_flops_16bit = 0, cube_flops_8bit = 0, cube_flops_32bit = 0;
  double vector_flops = 0;
  double min_bytes = 0;          ///< of global memory
  double min_written_bytes = 0;  ///< the part of them that is written: L2 may keep it for a while
};

/// A named example of the operator's page, made from a seed.
struct ExampleCase {
  std::string id;  ///< "RQK-3"
  std::string note;
  std::optional<ErrorClass> refused;  ///< a negative case: the class it must be refused with
  /// The SoC that the case needs; empty if any SoC does.
  std::string soc;
};

class Operator {
 public:
  virtual ~Operator() = default;
  virtual const OperatorInfo& info() const = 0;

  /// The rules that the operator documents before those about dtypes. Throws Refusal.
  virtual void validate_before_dtypes(const Call&) const {}
  /// The operator's own rules (ranks, shapes, attribute values, indices), in their documented
  /// order. The registry has already validated product, unknown names, missing required tensors and
  /// dtypes against info(). Throws Refusal.
  virtual void validate(const Call& call, const sim::SocConfig& soc) const = 0;
  /// Warnings about an accepted call. With `thorough` (davsim run --check) also about what is legal
  /// but likely a mistake, such as two tokens written to one row.
  virtual std::vector<std::string> warnings(const Call&, bool /*thorough*/) const { return {}; }
  /// Warnings about the results of a run. `outputs` is that of RunResult.
  virtual std::vector<std::string> remarks(const Call&, const TensorMap& /*outputs*/) const {
    return {};
  }
  /// Shapes of the outputs of a call that passed validate(), without in-place tensors.
  virtual std::vector<TensorShape> infer(const Call& call) const = 0;
  /// Runs a validated call. `outputs` holds the tensors of infer(). In-place tensors are in
  /// call.tensors.
  virtual observe::LaunchReport launch(const Call& call, TensorMap& outputs,
                                       sim::Device& device) const = 0;
  virtual Cost cost(const Call& call) const = 0;

  virtual std::vector<ExampleCase> cases() const = 0;
  /// Inputs and attributes of a case, the same on every host. Throws std::invalid_argument for an
  /// unknown id.
  virtual Call make_case(std::string_view id, memory::GlobalMemory& memory) const = 0;
};

/// Registers an operator during static initialisation.
struct OperatorRegistrar {
  explicit OperatorRegistrar(std::unique_ptr<Operator> op);
};
/// Throws std::invalid_argument naming the operators that exist.
const Operator& find_operator(std::string_view name);
std::vector<const Operator*> all_operators();  ///< by name

struct RunResult {
  TensorMap outputs;  ///< outputs and in-place tensors
  observe::LaunchReport report;
};

/// Fills in attribute defaults and validates a call: product, unknown names, required tensors,
/// dtypes, attribute types, then the operator's own rules. Throws Refusal.
Call validated(const Operator& op, Call call, const sim::SocConfig& soc);
/// validated() and launch(). Throws Refusal (nothing written) or isa::Fault.
RunResult run(const Operator& op, Call call, sim::Device& device);

}  // namespace davsim::operators
