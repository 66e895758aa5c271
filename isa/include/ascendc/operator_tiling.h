// Tiling of a kernel that an operator project builds: what generated sources include behind
// kernel_operator.h (runtime/opbuild). A kernel is compiled for one tiling key, which is then a
// constant, and its tiling struct may be one that the host's sources describe.
//
// DAVSIM_TILING_KEY is the key, DAVSIM_OWN_TILING the struct of this instance of a template,
// DAVSIM_DEFAULT_TILING that of all launches; both may be missing. Structs of tiling keys have to
// be named where they are copied: a body has branches for other keys as well, which are compiled.
// Under DAVSIM_SCAN_KERNEL nothing is compiled: the build reads the keys out of the preprocessed
// source.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ascendc/tiling.h"

namespace davsim::api {

/// What GET_TILING_DATA copies: the struct of REGISTER_TILING_DEFAULT in the same body, or else the
/// one that the host's sources describe.
template <class Registered, class Described>
using TilingStruct =
    std::conditional_t<std::is_same_v<Registered, DavsimTilingStruct>, Described, Registered>;

template <class... Keys>
constexpr bool is_one_of(std::uint64_t key, Keys... keys) {
  return ((key == static_cast<std::uint64_t>(keys)) || ...);
}

}  // namespace davsim::api

#ifdef DAVSIM_OWN_TILING
#undef GET_TILING_DATA
#define GET_TILING_DATA(tiling_data, tiling_arg) \
  GET_TILING_DATA_WITH_STRUCT(DAVSIM_OWN_TILING, tiling_data, tiling_arg)
#elif defined(DAVSIM_DEFAULT_TILING)
#undef GET_TILING_DATA
#define GET_TILING_DATA(tiling_data, tiling_arg)              \
  [[maybe_unused]] auto tiling_data = davsim::api::tiling_at< \
      davsim::api::TilingStruct<DavsimTilingStruct, DAVSIM_DEFAULT_TILING>>(tiling_arg)
#endif

#undef TILING_KEY_IS
#undef TILING_KEY_LIST
#ifdef DAVSIM_SCAN_KERNEL
#define TILING_KEY_IS(key) davsim_scan_tiling_key(key)
#define TILING_KEY_LIST(...) davsim_scan_tiling_key(__VA_ARGS__)
#else
#define TILING_KEY_VAR DAVSIM_TILING_KEY
#define TILING_KEY_IS(key) ((key) + 0ull == DAVSIM_TILING_KEY)
#define TILING_KEY_LIST(...) davsim::api::is_one_of(DAVSIM_TILING_KEY, __VA_ARGS__)
#endif
