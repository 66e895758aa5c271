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
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::get;
using std::integral_constant;
using std::is_base_of;
using std::is_base_of_v;
using std::is_convertible;
using std::is_convertible_v;
using std::is_same;
using std::is_same_v;
using std::make_tuple;
using std::true_type;
using std::tuple;
using std::tuple_element;
using std::tuple_size;
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
