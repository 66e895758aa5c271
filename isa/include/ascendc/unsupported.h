// Functions of NPU architecture 2201 that davsim does not support yet. A kernel that calls one
// does not compile, and the error names the function and the reason. A call is never ignored
// silently.
//
//   DAVSIM_UNSUPPORTED(Name, reason)   every call of Name, whatever its arguments; in a namespace
//                                      or in a class
//   DAVSIM_NOT_ON_2201(Name, reason)   the same for what only other architectures have
//   DAVSIM_UNSUPPORTED_CLASS(...)      every use of a class template
//   static_assert(davsim::api::kSupported<T>, "davsim does not support ... yet")
//                                      one overload of a supported function, in its header
//
// A kernel's own function of the same name wins: its parameters fit better than AnyArgument.
// docs/api-coverage.md is made from this list; a name that becomes available leaves it.
#pragma once

#include <cstdint>

#include "ascendc/types.h"

namespace AscendC {
template <typename T>
class LocalTensor;
}  // namespace AscendC

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
// followed by values. The compiler names the element type of a first tensor beside the message.
#define DAVSIM_REFUSED_CALL(Name, message)                                                  \
  template <typename Element>                                                               \
  davsim::api::AnyResult Name(const AscendC::LocalTensor<Element>&, DAVSIM_ANY_ARGUMENTS) { \
    static_assert(davsim::api::kSupported<Element>, message);                               \
    return {};                                                                              \
  }                                                                                         \
  template <typename... Types>                                                              \
  davsim::api::AnyResult Name(DAVSIM_ANY_ARGUMENTS) {                                       \
    static_assert(davsim::api::kSupported<Types...>, message);                              \
    return {};                                                                              \
  }                                                                                         \
  template <auto first, auto... values>                                                     \
  davsim::api::AnyResult Name(DAVSIM_ANY_ARGUMENTS) {                                       \
    static_assert(davsim::api::kValueSupported<first, values...>, message);                 \
    return {};                                                                              \
  }                                                                                         \
  template <typename T, auto first, auto... values>                                         \
  davsim::api::AnyResult Name(DAVSIM_ANY_ARGUMENTS) {                                       \
    static_assert(davsim::api::kSupported<T>, message);                                     \
    return {};                                                                              \
  }                                                                                         \
  template <typename T, typename U, auto first, auto... values>                             \
  davsim::api::AnyResult Name(DAVSIM_ANY_ARGUMENTS) {                                       \
    static_assert(davsim::api::kSupported<T, U>, message);                                  \
    return {};                                                                              \
  }

#define DAVSIM_UNSUPPORTED(Name, reason) \
  DAVSIM_REFUSED_CALL(Name, "davsim does not support " #Name " yet: " reason)
#define DAVSIM_NOT_ON_2201(Name, reason) \
  DAVSIM_REFUSED_CALL(Name, "NPU architecture 2201 has no " #Name ": " reason)
/// A class template that cannot be instantiated; `parameters` are its template parameters, a pack.
#define DAVSIM_UNSUPPORTED_CLASS(parameters, supported, Name, reason)           \
  template <parameters>                                                         \
  class Name {                                                                  \
    static_assert(supported, "davsim does not support " #Name " yet: " reason); \
  };

namespace AscendC {

// Groups of cube cores that serve vector cores by messages.
DAVSIM_UNSUPPORTED(CreateCubeResGroup, "messages from vector cores to groups of cube cores")
DAVSIM_UNSUPPORTED_CLASS(typename... T, davsim::api::kSupported<T...>, CubeResGroupHandle,
                         "messages from vector cores to groups of cube cores")
// Moves and products of other architectures.
DAVSIM_NOT_ON_2201(SetAippFunctions, "its moves do not process images")
DAVSIM_NOT_ON_2201(LoadImageToLocal, "its moves do not process images")
DAVSIM_NOT_ON_2201(LoadUnzipIndex, "its moves do not decompress")
DAVSIM_NOT_ON_2201(LoadDataUnzip, "its moves do not decompress")
DAVSIM_NOT_ON_2201(LoadDataWithStride, "LoadData is there")
DAVSIM_NOT_ON_2201(SetLoadDataRepeatWithStride, "SetLoadDataRepeat is there")
DAVSIM_NOT_ON_2201(SetFixPipeClipRelu, "Fixpipe cuts off at 0 only")
DAVSIM_NOT_ON_2201(SetFixPipeAddr, "Fixpipe does not add tensors")
DAVSIM_NOT_ON_2201(BroadCastVecToMM, "there is no path from UB to L0C")
DAVSIM_NOT_ON_2201(SetLoopModePara, "a move has one loop")
DAVSIM_NOT_ON_2201(ResetLoopModePara, "a move has one loop")
DAVSIM_NOT_ON_2201(MmadMx, "products take no scales")
DAVSIM_NOT_ON_2201(MmadBitMode, "Mmad is there")
// Vector instructions of other architectures.
DAVSIM_NOT_ON_2201(Scatter, "elements can be gathered only")
// Scalar unit and debugging.
DAVSIM_UNSUPPORTED(GetProgramCounter, "the program counter: kernels run natively and have none")
DAVSIM_UNSUPPORTED(CheckLocalMemoryIA, "a watch on a range of UB")

// Region proposals and operations of other architectures.
DAVSIM_NOT_ON_2201(RpSort16, "Sort32")
DAVSIM_NOT_ON_2201(MrgSort4, "MrgSort")
DAVSIM_NOT_ON_2201(ProposalConcat, "Sort32 and Concat, which need no region proposals")
DAVSIM_NOT_ON_2201(ProposalExtract, "Extract")
DAVSIM_NOT_ON_2201(Ands, "Duplicate and And")
DAVSIM_NOT_ON_2201(Ors, "Duplicate and Or")
DAVSIM_NOT_ON_2201(Mull, "Mul of the two halves of the factors")
DAVSIM_NOT_ON_2201(Neg, "Muls by -1")
DAVSIM_NOT_ON_2201(Prelu, "LeakyRelu with one slope for all elements")
DAVSIM_NOT_ON_2201(AbsSub, "Sub and Abs")
DAVSIM_NOT_ON_2201(MulsCast, "Muls and Cast")
DAVSIM_NOT_ON_2201(PhiloxRandom, "a kernel computes its random numbers itself")

}  // namespace AscendC
