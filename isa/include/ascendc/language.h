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

#include "ascendc/standard.h"
#include "isa/core/core_sink.hpp"
#include "isa/core/kernel_type_mark.hpp"
#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"
#include "isa/numeric/int4.hpp"

#ifndef __aicore__  // davsim-cc defines it
#define __aicore__
#endif
// The attribute that __aicore__ stands for at the vendor's, as kernels write it after expansion: a
// declaration `[aicore] inline void f()` becomes `[[]] inline void f()`.
#define aicore []
#define __forceinline__ __attribute__((always_inline))
#ifdef DAVSIM_CC
// davsim-cc reads these words itself, behind the preprocessor; they are macros for #ifdef only.
#define __global__ __global__
#define __vector__ __vector__
#define __cube__ __cube__
#define __mix__(cubes, vectors) __mix__(cubes, vectors)
#else
#define __global__ __attribute__((used))
// On which cores a kernel runs, said before its name. The section of its code carries it to the
// kernel registry, see isa/core/kernel_registry.cpp; a number makes each one of its own, since
// templates cannot share theirs with functions.
#define __vector__ DAVSIM_KERNEL_SECTION(davsim_kernels_0_1, __COUNTER__)
#define __cube__ DAVSIM_KERNEL_SECTION(davsim_kernels_1_0, __COUNTER__)
#define __mix__(cubes, vectors) \
  DAVSIM_KERNEL_SECTION(davsim_kernels_##cubes##_##vectors, __COUNTER__)
#define DAVSIM_KERNEL_SECTION(name, number) DAVSIM_KERNEL_SECTION_NAME(name, number)
#define DAVSIM_KERNEL_SECTION_NAME(name, number) __attribute__((section(#name "." #number)))
#endif
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
// What the vendor's compiler learns of a function's pipes and of its tensors; the run shows both.
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __inout_pipe__(...)
#define __sync_in__
#define __sync_out__
#define __sync_alias__
#define __sync_noalias__
#define __check_sync_alias__
#define __copyval__
#define __no_specialization__
#define __device_builtin__
#define __device_immutable__
#define __no_return__ __attribute__((noreturn))
#define __align__(bytes) __attribute__((aligned(bytes)))
// Functions of tiles, whose parameters are pointers into buffers.
#define __tf__
#define __in__
#define __out__
#define __cce_get_tile_ptr(tile) (tile)
// What else the vendor's headers put before functions; scheduling is the simulator's.
#define __host_aicore__
#define __disable_kernel_type_autoinfer__
#define __schedmode__(mode)
// A promise to the optimiser, which is not evaluated. g++ has no such function.
#ifndef __clang__
#define __builtin_assume(...) static_cast<void>(sizeof((__VA_ARGS__) ? 1 : 0))
#endif
#define __kfc_workspace__  // which argument is the workspace; the Matmul objects do not ask
// A variable of which each core has its own: isa/core/block_local.hpp finds it by its section. A
// number makes each section one of its own, since inline variables cannot share theirs with others.
#define __BLOCK_LOCAL__ DAVSIM_BLOCK_LOCAL(__COUNTER__)
#define DAVSIM_BLOCK_LOCAL(number) DAVSIM_BLOCK_LOCAL_NAMED(number)
#define DAVSIM_BLOCK_LOCAL_NAMED(number) __attribute__((section("davsim_block_local." #number)))

using half = davsim::isa::half;
using float16_t = davsim::isa::half;
// Macros, as compilers have types of their own by these names.
#define __fp16 half
#define __bf16 bfloat16_t
using float32_t = float;
using float64_t = double;
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

/// Whether two types are the same.
template <typename T, typename U>
struct IsSameType {
  static constexpr bool value = std::is_same_v<T, U>;
};
/// Whether T is one of the types behind it.
template <typename T, typename... Types>
constexpr bool SupportType() {
  return (std::is_same_v<T, Types> || ...);
}
/// Whether an enumerator is one of those behind it.
template <auto value, auto... values>
constexpr bool SupportEnum() {
  return ((value == values) || ...);
}

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
namespace AscendC {
using ::g_coreType;
}  // namespace AscendC

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

/// Says, in the kernel's body, on which cores it runs; the linker collects the marks, or davsim-cc
/// reads them.
#ifdef DAVSIM_CC
#define KERNEL_TASK_TYPE_DEFAULT(type) KERNEL_TASK_TYPE_DEFAULT(type)
#define KERNEL_TASK_TYPE(key, type) KERNEL_TASK_TYPE(key, type)
#else
#define KERNEL_TASK_TYPE_DEFAULT(type) DAVSIM_KERNEL_TYPE_MARK(default, type, false, 0)
/// The same for launches with one tiling key, which wins.
#define KERNEL_TASK_TYPE(key, type) DAVSIM_KERNEL_TYPE_MARK(of_key, type, true, key)
#define DAVSIM_KERNEL_TYPE_MARK(what, type, keyed, key)                   \
  static const davsim::isa::KernelTypeMark davsim_kernel_type_mark_##what \
      __attribute__((section("davsim_ktype"), used)) = {__FUNCTION__, type, keyed, key};
#endif
