#include "runtime/aclnn/element_copy.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "opdev/data_type_utils.h"
#include "runtime/core/api_error.hpp"
#include "runtime/op_host/elements.hpp"

namespace davsim::runtime {
namespace {

op::Strides strides_of(const BoundTensor& tensor) {
  op::Strides strides = tensor.strides;
  if (strides.empty()) op::ToContiguousStrides(tensor.shape, strides);
  return strides;
}

/// Walks over a tensor in the order of its sizes, along its first dimensions alone.
class Walk {
 public:
  Walk(const BoundTensor& tensor, std::size_t dims)
      : shape_(tensor.shape), strides_(strides_of(tensor)), index_(dims, 0) {}

  /// Elements from the tensor's first.
  std::int64_t place() const { return place_; }
  void next() {
    for (std::size_t d = index_.size(); d-- > 0;) {
      place_ += strides_[d];
      if (++index_[d] < shape_.GetDim(d)) return;
      place_ -= index_[d] * strides_[d];
      index_[d] = 0;
    }
  }

 private:
  gert::Shape shape_;
  op::Strides strides_;
  std::vector<std::int64_t> index_;
  std::int64_t place_ = 0;
};

/// Elements that follow each other in both tensors, and the dimensions before these.
struct Run {
  std::int64_t elements = 1;
  std::size_t dims_before = 0;
};
Run common_run(const BoundTensor& a, const BoundTensor& b) {
  const op::Strides of_a = strides_of(a), of_b = strides_of(b);
  Run run{1, a.shape.GetDimNum()};
  for (; run.dims_before > 0; --run.dims_before) {
    const std::size_t d = run.dims_before - 1;
    if (of_a[d] != run.elements || of_b[d] != run.elements) break;
    run.elements *= a.shape.GetDim(d);
  }
  return run;
}

std::int64_t size_of(ge::DataType type) {
  return ge::GetSizeByDataType(type);
}

/// The nearest number that whole numbers of the type have.
double fitted(double value, ge::DataType type) {
  if (!op::IsIntegralType(type)) return value;
  if (std::isnan(value)) return 0;
  const int bits = static_cast<int>(size_of(type)) * 8;
  const bool has_sign =
      op::CheckType(type, {ge::DT_INT8, ge::DT_INT16, ge::DT_INT32, ge::DT_INT64});
  const double beyond = std::ldexp(1.0, has_sign ? bits - 1 : bits);
  const double least = has_sign ? -beyond : 0;
  // The greatest number of 64 bits is none of double's.
  return std::clamp(std::trunc(value), least, std::nextafter(beyond, bits < 64 ? beyond - 1 : 0));
}

void convert(std::byte* to, ge::DataType type, const std::byte* from, ge::DataType from_type) {
  const auto source = static_cast<aclDataType>(from_type);
  if (op::IsIntegralType(type) && op::IsIntegralType(from_type, true)) {
    // As the device's conversions keep them: the low bits.
    const std::int64_t whole = op_api::whole_number_of(source, from);
    std::memcpy(to, &whole, static_cast<std::size_t>(size_of(type)));
    return;
  }
  op_host::fill_elements(to, 1, type, fitted(op_api::number_of(source, from), type));
}

void copy_elements(const BoundTensor& to, const BoundTensor& from, const std::byte* source) {
  const Run run = common_run(to, from);
  Walk there(to, run.dims_before), here(from, run.dims_before);
  const std::int64_t there_size = size_of(to.type), here_size = size_of(from.type);
  const auto runs = static_cast<std::int64_t>(from.elements()) / run.elements;
  for (std::int64_t i = 0; i < runs; ++i, there.next(), here.next()) {
    std::byte* target = to.first() + there.place() * there_size;
    const std::byte* element = source + here.place() * here_size;
    if (to.type == from.type) {
      // A tensor may be copied to itself.
      std::memmove(target, element, static_cast<std::size_t>(run.elements * here_size));
      continue;
    }
    for (std::int64_t n = 0; n < run.elements; ++n, target += there_size, element += here_size) {
      convert(target, to.type, element, from.type);
    }
  }
}

}  // namespace

void require_place(Simulator& simulator, const BoundTensor& tensor, const std::string& name) {
  if (tensor.data == nullptr) {
    throw ApiError(ACLNN_ERR_PARAM_NULLPTR, "the tensor " + name + " has no address");
  }
  if (!simulator.memory().on_device(tensor.data)) {
    throw ApiError(ACLNN_ERR_PARAM_INVALID,
                   "the tensor " + name + " does not lie in memory of the device");
  }
  simulator.memory().require_room(tensor.first(), tensor.span_bytes(), name.c_str());
}

bool can_copy(ge::DataType to, ge::DataType from) {
  const auto whole = [](ge::DataType type) {
    return size_of(type) > 0 && size_of(type) < ge::kDataTypeSizeBitOffset;
  };
  const auto has_numbers = [](ge::DataType type) {
    return op::IsRealNumberType(type) || type == ge::DT_BOOL;
  };
  return whole(to) && whole(from) && (to == from || (has_numbers(to) && has_numbers(from)));
}

void queue_copy(Simulator& simulator, const std::shared_ptr<Stream>& stream, const BoundTensor& to,
                const BoundTensor& from) {
  if (from.elements() == 0) return;
  simulator.queue_on(stream, [&simulator, to, from] {
    if (simulator.failure()) return Demand{};
    copy_elements(to, from, from.from_host ? from.values.data() : from.first());
    return Demand{};
  });
  simulator.touched(*stream, to.first(), from.from_host ? nullptr : from.first());
}

void queue_zeros(Simulator& simulator, const std::shared_ptr<Stream>& stream,
                 const BoundTensor& to) {
  if (to.elements() == 0) return;
  simulator.queue_on(stream, [&simulator, to] {
    if (simulator.failure()) return Demand{};
    std::memset(to.first(), 0, to.bytes());
    return Demand{};
  });
  simulator.touched(*stream, to.first(), nullptr);
}

}  // namespace davsim::runtime
