// The forms of functions that work element by element: with and without a temporary buffer, on so
// many elements or on all of src. Their code is isa/api/library/element_*.cpp.
#pragma once

#include "ascendc/language.h"
#include "ascendc/library_call.h"
#include "kernel_tiling/element_functions.h"

namespace davsim::api::lib {

struct ElementTensors {
  Tensor dst = {};
  Tensor src0 = {};
  Tensor src1 = {};     ///< where there is a second source
  Tensor scratch = {};  ///< without it: the rest of UB, if any is needed
  double scalar = 0;    ///< of functions with a parameter; src0 or src1 where that is a scalar
  bool scalar_src0 = false, scalar_src1 = false;
};

/// dst = function(sources) on `count` elements of half, bfloat16_t or float.
void element_function(ElementFunction function, const Call& call, const ElementTensors& tensors,
                      std::uint32_t count);
/// dst = src0 ^ src1 of int32_t; negative powers are truncated.
void integer_power(const Call& call, const ElementTensors& tensors, std::uint32_t count);
/// dst = src0 xor src1 of 16-bit integers.
void exclusive_or(const Call& call, const ElementTensors& tensors, std::uint32_t count);
/// dst = src0 * scalar + dst, with two roundings; dst may be float where src0 is half.
void axpy(const Call& call, const ElementTensors& tensors, std::uint32_t count);
/// dst = the smaller (`upper`) or the larger one of src0 and scalar.
void clamp(const Call& call, const ElementTensors& tensors, bool upper, std::uint32_t count);

/// ReGlu takes bfloat16_t too.
template <typename T, ElementFunction function>
inline constexpr bool kElementTypes = kIsOneOf<T, half, float> ||
                                      (function == ElementFunction::kReGlu &&
                                       std::is_same_v<T, isa::bfloat16_t>);

}  // namespace davsim::api::lib

#define DAVSIM_WHERE davsim::api::Location where = davsim::api::Location::current()
#define DAVSIM_SCRATCH const LocalTensor<std::uint8_t>& sharedTmpBuffer

/// The four forms of a function of one source; `Template` are parameters behind the type.
#define DAVSIM_ELEMENT_FUNCTION(Name, Template)                                                   \
  template <typename T, Template>                                                                 \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,                 \
            const std::uint32_t calCount, DAVSIM_WHERE) {                                         \
    static_assert(davsim::api::lib::kIsOneOf<T, half, float>, #Name " takes half and float");     \
    davsim::api::lib::element_function(davsim::ElementFunction::k##Name, {#Name, where},          \
                                       {.dst = dst, .src0 = src, .scratch = sharedTmpBuffer},     \
                                       calCount);                                                 \
  }                                                                                               \
  template <typename T, Template>                                                                 \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH, DAVSIM_WHERE) { \
    Name(dst, src, sharedTmpBuffer, src.GetSize(), where);                                        \
  }                                                                                               \
  template <typename T, Template>                                                                 \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t calCount,   \
            DAVSIM_WHERE) {                                                                       \
    static_assert(davsim::api::lib::kIsOneOf<T, half, float>, #Name " takes half and float");     \
    davsim::api::lib::element_function(davsim::ElementFunction::k##Name, {#Name, where},          \
                                       {.dst = dst, .src0 = src}, calCount);                      \
  }                                                                                               \
  template <typename T, Template>                                                                 \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, DAVSIM_WHERE) {                 \
    Name(dst, src, src.GetSize(), where);                                                         \
  }
#define DAVSIM_REUSE bool isReuseSource = false

/// The same of two sources.
#define DAVSIM_ELEMENT_FUNCTION_OF_TWO(Name)                                                   \
  template <typename T, bool isReuseSource = false>                                            \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
            DAVSIM_SCRATCH, const std::uint32_t calCount, DAVSIM_WHERE) {                      \
    static_assert(davsim::api::lib::kElementTypes<T, davsim::ElementFunction::k##Name>,        \
                  #Name " takes half and float, ReGlu also bfloat16_t");                       \
    davsim::api::lib::element_function(                                                        \
        davsim::ElementFunction::k##Name, {#Name, where},                                      \
        {.dst = dst, .src0 = src0, .src1 = src1, .scratch = sharedTmpBuffer}, calCount);       \
  }                                                                                            \
  template <typename T, bool isReuseSource = false>                                            \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
            DAVSIM_SCRATCH, DAVSIM_WHERE) {                                                    \
    Name(dst, src0, src1, sharedTmpBuffer, src0.GetSize(), where);                             \
  }                                                                                            \
  template <typename T, bool isReuseSource = false>                                            \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
            const std::uint32_t calCount, DAVSIM_WHERE) {                                      \
    static_assert(davsim::api::lib::kElementTypes<T, davsim::ElementFunction::k##Name>,        \
                  #Name " takes half and float, ReGlu also bfloat16_t");                       \
    davsim::api::lib::element_function(davsim::ElementFunction::k##Name, {#Name, where},       \
                                       {.dst = dst, .src0 = src0, .src1 = src1}, calCount);    \
  }                                                                                            \
  template <typename T, bool isReuseSource = false>                                            \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
            DAVSIM_WHERE) {                                                                    \
    Name(dst, src0, src1, src0.GetSize(), where);                                              \
  }
