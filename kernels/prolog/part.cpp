#include "kernels/prolog/part.hpp"

#include <utility>

#include "kernels/prolog/rules.hpp"

namespace davsim::operators::prolog {

using isa::DType;

TensorSpec Part::in(const char* tensor, DType type, const char* shape, const char* doc) const {
  return {name(tensor), Direction::kIn, {type}, "ND", shape, "required", doc};
}

TensorSpec Part::cached(const char* tensor, DType type, const char* shape, const char* doc) const {
  return {name(tensor), Direction::kInOut, {type}, "ND", shape, "required", doc};
}

TensorSpec Part::out(const char* tensor, DType type, const char* shape, const char* doc) const {
  return {name(tensor), Direction::kOut, {type}, "ND", shape, "always", doc};
}

void PartInputs::reals(const char* tensor, DType type, Shape shape, double low, double high) {
  add(tensor, data_.reals(type, std::move(shape), name_(tensor), low, high));
}

void PartInputs::int8(const char* tensor, Shape shape, int low) {
  add(tensor, data_.integers(DType::kI8, std::move(shape), name_(tensor), low, 127));
}

void PartInputs::rows(const char* tensor, std::int64_t tokens, std::int64_t pages) {
  add(tensor, cache_rows(data_, name_(tensor), tokens, pages));
}

void PartInputs::add(const char* tensor, Tensor value) {
  call_.tensors.insert_or_assign(name_(tensor), std::move(value));
}

}  // namespace davsim::operators::prolog
