// Arguments of kernel<<<>>>(...). Host code of the vendor's projects hands void* to any parameter
// that is a pointer to global memory, because the functions that launch kernels there take void*.
#pragma once

#include <type_traits>

namespace davsim::launch {

/// A void*, wherever a kernel has a pointer.
struct Address {
  void* value;
  template <class T>
  constexpr operator T*() const {  // NOLINT: implicit, as it is in the call that it stands for
    return static_cast<T*>(value);
  }
};

/// Numbers and pointers go by value, so that a constant need not be defined; objects as they are.
template <class Expression>
using Passed = std::conditional_t<std::is_class_v<std::remove_reference_t<Expression>> ||
                                      std::is_union_v<std::remove_reference_t<Expression>>,
                                  Expression&&, std::decay_t<Expression>>;

/// davsim-cc writes argument<decltype((x))>(x) for an argument x.
template <class Expression>
constexpr decltype(auto) argument(Passed<Expression> expression) {
  if constexpr (std::is_same_v<Passed<Expression>, void*>) {
    return Address{expression};
  } else {
    return static_cast<Passed<Expression>>(expression);
  }
}

}  // namespace davsim::launch
