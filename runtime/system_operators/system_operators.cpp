// Operators of several dies as the runtime calls them.
#include <algorithm>
#include <boost/json.hpp>
#include <memory>
#include <utility>

#include "kernels/registry/system_operator.hpp"
#include "opdev/shape_utils.h"
#include "runtime/aclnn/element_types.hpp"
#include "runtime/aclnn/system_call.hpp"
#include "runtime/core/api_error.hpp"
#include "runtime/core/parcel.hpp"

namespace davsim::runtime {
namespace {

using memory::Shape;
using operators::Call;
using operators::ErrorClass;
using operators::Refusal;
using operators::SystemCall;
using operators::SystemOperator;
using operators::Tensor;
using operators::TensorMap;
using Role = SystemTensor::Role;

[[noreturn]] void refuse(aclError code, const SystemTensor& tensor, const std::string& what) {
  throw ApiError(code, tensor.parameter + " " + what);
}

[[noreturn]] void refuse(const Refusal& refusal) {
  throw ApiError(
      refusal.cls == ErrorClass::kNull ? ACLNN_ERR_PARAM_NULLPTR : ACLNN_ERR_PARAM_INVALID,
      std::string(operators::error_class_name(refusal.cls)) + ": " + refusal.what());
}

/// Whether the rows of a matrix are the columns of one whose elements follow each other.
bool is_transposed(const aclTensor& tensor) {
  return tensor.shape.GetDimNum() == 2 && tensor.strides.size() == 2 && tensor.strides[0] == 1 &&
         tensor.strides[1] == tensor.shape[0];
}

/// The tensors of one device, and where its outputs go.
class Arguments {
 public:
  Arguments(const SystemArguments& given, const operators::OperatorInfo& info) {
    call_.attributes = given.attributes;
    for (const SystemTensor& tensor : given.tensors) add(tensor, info);
  }
  const Call& call() const { return call_; }
  const TensorMap& outputs() const { return outputs_; }

 private:
  void add(const SystemTensor& given, const operators::OperatorInfo& info) {
    if (given.tensor == nullptr) {
      const bool needed = given.role == Role::kInput || given.role == Role::kOutput;
      if (needed) refuse(ACLNN_ERR_PARAM_NULLPTR, given, "is a null pointer");
      return;
    }
    const aclTensor& of = *given.tensor;
    const bool output = given.role == Role::kOutput || given.role == Role::kOptionalOutput;
    Shape shape = op::ToShapeVector(of.shape);
    const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
    if (empty && given.role != Role::kInput && given.role != Role::kOutput) return;
    if (of.data == nullptr) refuse(ACLNN_ERR_PARAM_NULLPTR, given, "has no memory");
    if (of.format == ACL_FORMAT_FRACTAL_NZ) {
      refuse(ACLNN_ERR_PARAM_INVALID, given, "lies in fractals, which is not supported");
    }
    const isa::DType type = element_type(of.type);
    if (type == isa::DType::kNone)
      refuse(ACLNN_ERR_PARAM_INVALID, given, "has no type of these operators");
    if (!of.is_contiguous()) {
      if (given.name != "x2" || !is_transposed(of)) {
        refuse(ACLNN_ERR_PARAM_INVALID, given, "has elements that do not follow each other");
      }
      std::swap(shape[0], shape[1]);
      call_.attributes["trans_x2"] = true;
    }
    const auto spec = std::find_if(info.tensors.begin(), info.tensors.end(),
                                   [&](const auto& s) { return s.name == given.name; });
    if (spec == info.tensors.end()) {
      refuse(ACLNN_ERR_PARAM_INVALID, given, "is not supported");
    }
    // Batches of rows are rows.
    if (shape.size() == 3 && spec->shape.starts_with("[M, "))
      shape = {shape[0] * shape[1], shape[2]};
    auto* const start = static_cast<std::byte*>(of.data) +
                        static_cast<std::size_t>(of.offset) * isa::dtype_bits(type) / 8;
    (output ? outputs_ : call_.tensors)
        .insert_or_assign(given.name, Tensor::at(start, type, std::move(shape)));
  }

  Call call_;
  TensorMap outputs_;
};

class Part final : public GroupCall {
 public:
  Part(const SystemOperator& op, Call call, TensorMap outputs)
      : op_(op), call_(std::move(call)), outputs_(std::move(outputs)) {}

  const std::string& name() const override { return op_.info().name; }
  std::vector<std::uint64_t> addresses() const override {
    std::vector<std::uint64_t> all;
    for (const TensorMap* tensors : {&call_.tensors, &outputs_}) {
      for (const auto& [name, tensor] : *tensors) {
        all.push_back(reinterpret_cast<std::uint64_t>(tensor.data()));
      }
    }
    return all;
  }
  std::string packed() const override {
    Parcel parcel;
    parcel.put(boost::json::serialize(call_.attributes));
    for (const TensorMap* tensors : {&call_.tensors, &outputs_}) {
      parcel.put(static_cast<std::uint64_t>(tensors->size()));
      for (const auto& [name, tensor] : *tensors) {
        parcel.put(name);
        parcel.put(reinterpret_cast<std::uint64_t>(tensor.data()));
        parcel.put(tensor.dtype());
        parcel.put(std::vector<std::uint64_t>(tensor.shape().begin(), tensor.shape().end()));
      }
    }
    return parcel.bytes();
  }
  std::shared_ptr<GroupCall> of_other(const std::string& packed) const override {
    OpenedParcel parcel(packed);
    Call call;
    TensorMap outputs;
    call.attributes = boost::json::parse(parcel.take_text()).as_object();
    for (TensorMap* tensors : {&call.tensors, &outputs}) {
      for (auto left = parcel.take<std::uint64_t>(); left > 0; --left) {
        const std::string name = parcel.take_text();
        auto* const start = reinterpret_cast<std::byte*>(parcel.take<std::uint64_t>());
        const auto type = parcel.take<isa::DType>();
        const std::vector<std::uint64_t> shape = parcel.take_words();
        tensors->emplace(name, Tensor::at(start, type, Shape(shape.begin(), shape.end())));
      }
    }
    return std::make_shared<Part>(op_, std::move(call), std::move(outputs));
  }
  std::vector<observe::LaunchReport> run(const std::vector<GroupCall*>& parts,
                                         const std::vector<std::uint32_t>& dies,
                                         sim::Device& device) const override {
    SystemCall all;
    for (const GroupCall* part : parts) all.push_back(static_cast<const Part*>(part)->call_);
    try {
      all = operators::validated(op_, std::move(all), device.soc());
      std::vector<TensorMap> outputs;
      for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
        const Part& part = static_cast<const Part&>(*parts[rank]);
        outputs.push_back(part.results(op_.infer(all, rank, device.soc()), rank));
      }
      return op_.launch(all, outputs, device, dies);
    } catch (const Refusal& refusal) {
      refuse(refusal);
    }
  }

 private:
  /// The results in the memory that the caller has given.
  TensorMap results(const std::vector<operators::TensorShape>& made, std::uint32_t rank) const {
    TensorMap tensors;
    for (const operators::TensorShape& result : made) {
      const std::string of = "output " + result.name + " of rank " + std::to_string(rank);
      const auto given = outputs_.find(result.name);
      if (given == outputs_.end()) throw Refusal(ErrorClass::kNull, of, of + " is missing");
      if (given->second.dtype() != result.dtype) {
        throw Refusal(ErrorClass::kDtype, of,
                      of + " is " + std::string(isa::dtype_name(result.dtype)) + ", found " +
                          std::string(isa::dtype_name(given->second.dtype())));
      }
      if (given->second.elements() < memory::element_count(result.shape)) {
        throw Refusal(ErrorClass::kShape, of,
                      of + " has " + memory::to_string(result.shape) + ", found " +
                          memory::to_string(given->second.shape()));
      }
      tensors.emplace(result.name, given->second.view(result.dtype, result.shape));
    }
    return tensors;
  }

  const SystemOperator& op_;
  Call call_;
  TensorMap outputs_;
};

class Library final : public SystemOperators {
 public:
  std::shared_ptr<GroupCall> part(const SystemArguments& given, std::uint32_t rank,
                                  std::uint32_t ranks, const sim::SocConfig& soc) const override {
    const SystemOperator& op = operator_of(given);
    const Arguments arguments(given, op.info());
    validated(op, arguments.call(), rank, ranks, soc);
    return std::make_shared<Part>(op, arguments.call(), arguments.outputs());
  }

  std::vector<SystemOutput> outputs(const SystemArguments& given, std::uint32_t rank,
                                    std::uint32_t ranks, const sim::SocConfig& soc) const override {
    const SystemOperator& op = operator_of(given);
    const Arguments arguments(given, op.info());
    SystemCall alike(ranks, validated(op, arguments.call(), rank, ranks, soc));
    op.number_ranks(alike);
    std::vector<SystemOutput> all;
    try {
      for (operators::TensorShape& made : op.infer(alike, rank, soc)) {
        all.push_back({made.name, acl_type(made.dtype), made.shape});
      }
    } catch (const Refusal& refusal) {
      refuse(refusal);
    }
    return all;
  }

 private:
  static const SystemOperator& operator_of(const SystemArguments& given) {
    const SystemOperator* const op = operators::find_system_operator(given.name);
    if (op == nullptr) throw ApiError(ACLNN_ERR_INNER, "there is no operator " + given.name);
    return *op;
  }
  /// With the defaults of its attributes. Rules about values are left to the run.
  static Call validated(const SystemOperator& op, const Call& call, std::uint32_t rank,
                        std::uint32_t ranks, const sim::SocConfig& soc) {
    const auto own = [&](const Call& part) {
      try {
        op.validate(part, soc, rank, ranks);
      } catch (const Refusal& refusal) {
        if (refusal.cls != ErrorClass::kIndex) throw;
      }
    };
    try {
      return operators::validated({op.info(), {}, own}, call, soc);
    } catch (const Refusal& refusal) {
      refuse(refusal);
    }
  }
};

}  // namespace
}  // namespace davsim::runtime

extern "C" const davsim::runtime::SystemOperators* davsim_system_operators() {
  static const davsim::runtime::Library library;
  return &library;
}
