// The device language on the host: address-space qualifiers, number types, core-type switches.
#pragma once

// The C headers, not <cmath>: their C++ versions bring the overloads of abs, sqrt, ... for float
// into the global namespace, where device code expects them.
#include <math.h>
#include <stdlib.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "isa/core/core_sink.hpp"
#include "isa/core/kernel_registry.hpp"
#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"
#include "isa/numeric/int4.hpp"

#define __aicore__
#define __global__ __attribute__((used))
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __inout_pipe__(pipe)

using half = davsim::isa::half;
using bfloat16_t = davsim::isa::bfloat16_t;

/// Parameter type of kernels: a pointer into the device's global memory.
using GM_ADDR = __gm__ std::uint8_t*;

#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif
#ifndef __CCE_AICORE__
#define __CCE_AICORE__ 220
#endif

namespace AscendC {

using int4b_t = davsim::isa::int4b_t;

constexpr int AIC = 1;
constexpr int AIV = 2;
constexpr int MIX = 3;

/// What the device offers of the standard library.
namespace Std {
using std::conditional;
using std::conditional_t;
using std::decay;
using std::decay_t;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::get;
using std::index_sequence;
using std::integer_sequence;
using std::integral_constant;
using std::is_array;
using std::is_array_v;
using std::is_base_of;
using std::is_base_of_v;
using std::is_class;
using std::is_const;
using std::is_const_v;
using std::is_convertible;
using std::is_convertible_v;
using std::is_floating_point;
using std::is_floating_point_v;
using std::is_integral;
using std::is_integral_v;
using std::is_pointer;
using std::is_pointer_v;
using std::is_reference;
using std::is_reference_v;
using std::is_same;
using std::is_same_v;
using std::is_signed;
using std::is_unsigned;
using std::is_void;
using std::is_void_v;
using std::make_index_sequence;
using std::make_integer_sequence;
using std::make_tuple;
using std::remove_const;
using std::remove_const_t;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_cvref_t;
using std::remove_pointer;
using std::remove_pointer_t;
using std::remove_reference;
using std::remove_reference_t;
using std::tie;
using std::true_type;
using std::tuple;
using std::tuple_element;
using std::tuple_size;
using std::tuple_size_v;

/// Of two numbers, which meet in the first one's type.
template <typename T, typename U>
constexpr T max(const T a, const U b) {
  return a > static_cast<T>(b) ? a : static_cast<T>(b);
}
template <typename T, typename U>
constexpr T min(const T a, const U b) {
  return a > static_cast<T>(b) ? static_cast<T>(b) : a;
}
}  // namespace Std

}  // namespace AscendC

// Each kernel source is compiled once a core type; outside kernels (host code that only wants the
// parameter structs) neither macro is set.
#if defined(__DAV_C220_CUBE__)
constexpr int g_coreType = AscendC::AIC;
#elif defined(__DAV_C220_VEC__)
constexpr int g_coreType = AscendC::AIV;
#else
constexpr int g_coreType = AscendC::MIX;
#endif

#define ASCEND_IS_AIC constexpr(g_coreType == AscendC::AIC)
#define ASCEND_IS_AIV constexpr(g_coreType == AscendC::AIV)
#define ASCEND_IS_NOT_AIC constexpr(g_coreType != AscendC::AIC)
#define ASCEND_IS_NOT_AIV constexpr(g_coreType != AscendC::AIV)

/// The device's scalar min and max. Arguments of two types meet in their common one.
template <class T, class U>
constexpr std::common_type_t<T, U> min(T a, U b) {
  using Common = std::common_type_t<T, U>;
  return static_cast<Common>(b) < static_cast<Common>(a) ? static_cast<Common>(b)
                                                         : static_cast<Common>(a);
}
template <class T, class U>
constexpr std::common_type_t<T, U> max(T a, U b) {
  using Common = std::common_type_t<T, U>;
  return static_cast<Common>(a) < static_cast<Common>(b) ? static_cast<Common>(b)
                                                         : static_cast<Common>(a);
}

#define KERNEL_TYPE_AIV_ONLY davsim::isa::KernelType::kAivOnly
#define KERNEL_TYPE_AIC_ONLY davsim::isa::KernelType::kAicOnly
#define KERNEL_TYPE_MIX_AIV_1_0 davsim::isa::KernelType::kAivOnly
#define KERNEL_TYPE_MIX_AIC_1_0 davsim::isa::KernelType::kAicOnly
#define KERNEL_TYPE_MIX_AIC_1_1 davsim::isa::KernelType::kMix11
#define KERNEL_TYPE_MIX_AIC_1_2 davsim::isa::KernelType::kMix12

/// Says, in the kernel's body, on which cores it runs; the linker collects the marks.
#define KERNEL_TASK_TYPE_DEFAULT(type)                             \
  static const davsim::isa::KernelTypeMark davsim_kernel_type_mark \
      __attribute__((section("davsim_ktype"), used)) = {__FUNCTION__, type}
