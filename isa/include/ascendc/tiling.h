// Tiling data: a struct that the host wrote to global memory, read by the scalar unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ascendc/emit.h"
#include "ascendc/language.h"
#include "ascendc/unsupported.h"
#include "isa/numeric/min_max.hpp"

/// What GET_TILING_DATA finds where REGISTER_TILING_DEFAULT was forgotten.
struct DavsimTilingStruct {};

namespace davsim::api {

/// The scalar unit's copy of `bytes` bytes of global memory, eight after eight.
inline void load_tiling(void* to, const void* from, std::size_t bytes, Location where) {
  const auto start = reinterpret_cast<std::uint64_t>(from);
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    const std::size_t here = std::min(bytes - at, sizeof(std::uint64_t));
    isa::current_core().scalar_load({isa::Space::kGm, isa::DType::kU8, start + at},
                                    static_cast<std::byte*>(to) + at, here, where);
  }
}

template <class T>
T tiling_at(const void* from, Location where = Location::current()) {
  static_assert(
      !std::is_same_v<T, DavsimTilingStruct>,
      "GET_TILING_DATA: REGISTER_TILING_DEFAULT in the kernel's body says what its tiling "
      "struct is");
  static_assert(std::is_trivially_copyable_v<T>, "tiling data is copied byte by byte");
  T data;
  load_tiling(&data, from, sizeof(T), where);
  return data;
}

/// Where tiling data lies that a kernel names by itself or by a pointer to it.
template <class Source>
const void* tiling_source(const Source& source) {
  if constexpr (std::is_pointer_v<Source>) {
    return source;
  } else {
    return &source;
  }
}

/// Whether the launch has one of these tiling keys.
template <class... Keys>
bool tiling_key_is_one_of(Keys... keys) {
  const std::uint64_t key = isa::current_core().identity().tiling_key;
  return ((key == static_cast<std::uint64_t>(keys)) || ...);
}

}  // namespace davsim::api

/// Defines `tiling_data`, a copy of the struct at `tiling_arg`.
#define GET_TILING_DATA_WITH_STRUCT(tiling_struct, tiling_data, tiling_arg) \
  [[maybe_unused]] auto tiling_data = davsim::api::tiling_at<tiling_struct>(tiling_arg)
/// Says what GET_TILING_DATA, further down in the same body, copies.
#define REGISTER_TILING_DEFAULT(tiling_struct) \
  using DavsimTilingStruct [[maybe_unused]] = tiling_struct
#define GET_TILING_DATA(tiling_data, tiling_arg) \
  GET_TILING_DATA_WITH_STRUCT(DavsimTilingStruct, tiling_data, tiling_arg)
/// Defines `tiling_data`, a copy of one member of the struct at `tiling_arg`.
#define GET_TILING_DATA_MEMBER(tiling_struct, member, tiling_data, tiling_arg)                 \
  [[maybe_unused]] auto tiling_data = davsim::api::tiling_at<decltype(tiling_struct::member)>( \
      (tiling_arg) + offsetof(tiling_struct, member))

/// Defines `tiling_ptr`, a pointer to the struct where it lies.
#define GET_TILING_DATA_PTR_WITH_STRUCT(tiling_struct, tiling_ptr, tiling_arg) \
  __gm__ const tiling_struct* tiling_ptr = reinterpret_cast<__gm__ const tiling_struct*>(tiling_arg)
/// Defines `dst_ptr`, which points to a copy of `src`: a member of such a struct, or a pointer.
#define COPY_TILING_WITH_STRUCT(tiling_struct, src, dst_ptr)                  \
  const tiling_struct dst_ptr##_copy =                                        \
      davsim::api::tiling_at<tiling_struct>(davsim::api::tiling_source(src)); \
  [[maybe_unused]] const tiling_struct* dst_ptr = &dst_ptr##_copy
/// The same of an array.
#define COPY_TILING_WITH_ARRAY(arr_type, arr_count, src, dst_ptr)                     \
  arr_type dst_ptr##_copy[arr_count];                                                 \
  davsim::api::load_tiling(dst_ptr##_copy, davsim::api::tiling_source(src),           \
                           sizeof(dst_ptr##_copy), davsim::api::Location::current()); \
  [[maybe_unused]] const arr_type(*dst_ptr)[arr_count] = &dst_ptr##_copy

/// Which branch the launch's tiling key asks for; sim::Device has it, and 0 if nobody set one.
#define TILING_KEY_IS(key) davsim::api::tiling_key_is_one_of(key)
#define TILING_KEY_LIST(...) davsim::api::tiling_key_is_one_of(__VA_ARGS__)
/// Registrations that need no more than that the struct is one: what is copied is named at the
/// copy.
#define REGISTER_TILING_FOR_TILINGKEY(expression, tiling_struct) \
  static_assert(std::is_trivially_copyable_v<tiling_struct>,     \
                "tiling data is copied byte by byte: " expression)
#define REGISTER_NONE_TILING static_assert(true)
