// Changes that turn a legal call of an operator into another one, mostly one that is refused.
#pragma once

#include <functional>
#include <utility>

#include "tests/operators/operator_test.hpp"

namespace davsim::test {

/// The recipe of a call, changed.
template <class Recipe, class Change>
Recipe with(Recipe recipe, const Change& change) {
  change(recipe);
  return recipe;
}

using CallChange = std::function<void(operators::Call&)>;

inline CallChange attribute(const char* name, boost::json::value value) {
  return [name, value = std::move(value)](operators::Call& call) { call.attributes[name] = value; };
}
inline CallChange drop(const char* name) {
  return [name](operators::Call& call) {
    call.tensors.erase(name);
    call.attributes.erase(name);
  };
}
inline CallChange put(const char* name, isa::DType dtype, operators::Shape shape) {
  return [name, dtype, shape = std::move(shape)](operators::Call& call) {
    call.tensors.insert_or_assign(name, operators::Tensor(device().memory(), dtype, shape, name));
  };
}
/// The tensor with another shape.
inline CallChange reshape(const char* name, operators::Shape shape) {
  return [name, shape = std::move(shape)](operators::Call& call) {
    put(name, call.tensors.at(name).dtype(), shape)(call);
  };
}
template <class... Changes>
CallChange both(Changes... changes) {
  return [=](operators::Call& call) { (changes(call), ...); };
}

}  // namespace davsim::test
