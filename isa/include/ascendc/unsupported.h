// What NPU architecture 2201 has and davsim does not have yet. A kernel that calls one of these
// does not compile, and the error says which function is missing and why: a call never does nothing
// silently.
//
//   DAVSIM_UNSUPPORTED(Name, reason)   every call of Name, whatever its arguments; in a namespace
//                                      or in a class
//   static_assert(davsim::api::kSupported<T>, "davsim does not support ... yet")
//                                      one overload of a function that is there, in its header
//
// A kernel's own function of the same name wins: its parameters fit better than AnyArgument.
// docs/api-coverage.md is made from this list; a name that becomes available leaves it.
#pragma once

#include <cstdint>

namespace davsim::api {

/// False, but only once a template is used: for static_assert in the body of a template.
template <typename...>
inline constexpr bool kSupported = false;
template <auto...>
inline constexpr bool kValueSupported = false;

/// Takes an argument of any type, braced lists as well.
struct AnyArgument {
  template <typename... T>
  AnyArgument(T&&...);  // NOLINT(google-explicit-constructor): that is what it is for
};

/// Stands for a result of any type, so that the missing function is the only error.
struct AnyResult {
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};

}  // namespace davsim::api

#define DAVSIM_ANY_ARGUMENTS                                                                   \
  davsim::api::AnyArgument = {}, davsim::api::AnyArgument = {}, davsim::api::AnyArgument = {}, \
  davsim::api::AnyArgument = {}, davsim::api::AnyArgument = {}, davsim::api::AnyArgument = {}, \
  davsim::api::AnyArgument = {}, davsim::api::AnyArgument = {}, davsim::api::AnyArgument = {}, \
  davsim::api::AnyArgument = {}, davsim::api::AnyArgument = {}, davsim::api::AnyArgument = {}

// One template for each order in which kernels write template arguments: types, values, or types
// followed by values.
#define DAVSIM_UNSUPPORTED(Name, reason)                                                         \
  template <typename... Types>                                                                   \
  davsim::api::AnyResult Name(DAVSIM_ANY_ARGUMENTS) {                                            \
    static_assert(davsim::api::kSupported<Types...>,                                             \
                  "davsim does not support " #Name " yet: " reason);                             \
    return {};                                                                                   \
  }                                                                                              \
  template <auto first, auto... values>                                                          \
  davsim::api::AnyResult Name(DAVSIM_ANY_ARGUMENTS) {                                            \
    static_assert(davsim::api::kValueSupported<first, values...>,                                \
                  "davsim does not support " #Name " yet: " reason);                             \
    return {};                                                                                   \
  }                                                                                              \
  template <typename T, auto first, auto... values>                                              \
  davsim::api::AnyResult Name(DAVSIM_ANY_ARGUMENTS) {                                            \
    static_assert(davsim::api::kSupported<T>, "davsim does not support " #Name " yet: " reason); \
    return {};                                                                                   \
  }                                                                                              \
  template <typename T, typename U, auto first, auto... values>                                  \
  davsim::api::AnyResult Name(DAVSIM_ANY_ARGUMENTS) {                                            \
    static_assert(davsim::api::kSupported<T, U>,                                                 \
                  "davsim does not support " #Name " yet: " reason);                             \
    return {};                                                                                   \
  }

namespace AscendC {

// Groups of cube cores that serve vector cores by messages.
DAVSIM_UNSUPPORTED(CreateCubeResGroup, "messages from vector cores to groups of cube cores")
// Communication between devices.
DAVSIM_UNSUPPORTED(GetHcclContext, "collectives between devices")

}  // namespace AscendC
