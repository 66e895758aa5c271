// Parts of validate() that every operator needs. Each throws a Refusal that names the rule and the
// value that breaks it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "kernels/registry/operator.hpp"

namespace davsim::operators {

/// Refuses with `cls` unless `holds`. `rule` states the rule, `found` the value that breaks it.
inline void require(bool holds, ErrorClass cls, const std::string& rule, const std::string& found) {
  if (!holds) throw Refusal(cls, rule, rule + "; " + found);
}

inline bool has_tensor(const Call& call, std::string_view name) {
  return call.tensors.find(name) != call.tensors.end();
}

/// A required tensor. Refuses with E_NULL if it is missing.
inline const Tensor& tensor_of(const Call& call, std::string_view name) {
  const auto found = call.tensors.find(name);
  if (found != call.tensors.end()) return found->second;
  const std::string text(name);
  throw Refusal(ErrorClass::kNull, text + " is required", text + " is missing");
}

/// A tensor that may be absent; nullptr if it is.
inline const Tensor* optional_tensor(const Call& call, std::string_view name) {
  const auto found = call.tensors.find(name);
  return found == call.tensors.end() ? nullptr : &found->second;
}

/// Refuses with E_RANK unless the tensor has one of the ranks.
inline void require_rank(const Call& call, std::string_view name,
                         std::initializer_list<std::size_t> ranks) {
  const Shape& shape = tensor_of(call, name).shape();
  std::string allowed;
  for (const std::size_t rank : ranks) {
    allowed += (allowed.empty() ? "" : " or ") + std::to_string(rank);
  }
  require(std::find(ranks.begin(), ranks.end(), shape.size()) != ranks.end(), ErrorClass::kRank,
          "the rank of " + std::string(name) + " is " + allowed,
          "its shape is " + to_string(shape));
}

/// Refuses with E_SHAPE a tensor with a dimension below 1.
inline void require_not_empty(const Call& call, std::string_view name) {
  const Shape& shape = tensor_of(call, name).shape();
  require(std::all_of(shape.begin(), shape.end(), [](std::int64_t dim) { return dim >= 1; }),
          ErrorClass::kShape, "no dimension of " + std::string(name) + " is below 1",
          "its shape is " + to_string(shape));
}

/// Refuses with E_SHAPE unless the tensor has exactly this shape; `symbols` is the shape in the
/// operator's symbols, "[B, S, 1, D]".
inline void require_shape(const Call& call, std::string_view name, const Shape& expected,
                          const std::string& symbols) {
  const Shape& shape = tensor_of(call, name).shape();
  require(shape == expected, ErrorClass::kShape,
          "the shape of " + std::string(name) + " is " + symbols,
          "expected " + to_string(expected) + ", found " + to_string(shape));
}

}  // namespace davsim::operators
