// Changes that turn a legal call of an operator into another one, mostly one that is refused.
#pragma once

#include <functional>
#include <utility>

#include "tests/operators/operator_test.hpp"

namespace davsim::test {

using CallChange = std::function<void(ops::Call&)>;

inline CallChange attribute(const char* name, boost::json::value value) {
  return [name, value = std::move(value)](ops::Call& call) { call.attributes[name] = value; };
}
inline CallChange drop(const char* name) {
  return [name](ops::Call& call) {
    call.tensors.erase(name);
    call.attributes.erase(name);
  };
}
inline CallChange put(const char* name, isa::DType dtype, ops::Shape shape) {
  return [name, dtype, shape = std::move(shape)](ops::Call& call) {
    call.tensors.insert_or_assign(name, ops::Tensor(device().memory(), dtype, shape, name));
  };
}
/// The tensor with another shape.
inline CallChange reshape(const char* name, ops::Shape shape) {
  return [name, shape = std::move(shape)](ops::Call& call) {
    put(name, call.tensors.at(name).dtype(), shape)(call);
  };
}
template <class... Changes>
CallChange both(Changes... changes) {
  return [=](ops::Call& call) { (changes(call), ...); };
}

}  // namespace davsim::test
