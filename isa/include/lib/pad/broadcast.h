// Broadcasts.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = src of size 1 along `axis`, repeated. dim 1 or 2; along axis 0 of 2, rows are
/// multiples of 32 bytes. int8_t, uint8_t, half, float, and others of 16 or 32 bits.
template <typename T, std::int32_t dim, std::int32_t axis, bool isReuseSource = false>
void Broadcast(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const std::uint32_t dstShape[dim],
               [[maybe_unused]] const std::uint32_t srcShape[dim],
               LocalTensor<std::uint8_t>& sharedTmpBuffer, DAVSIM_WHERE) {
  static_assert((dim == 1 && axis == 0) || (dim == 2 && (axis == 0 || axis == 1)),
                "Broadcast: dim is 1 or 2, axis below it");
  constexpr std::int32_t kLast = dim - 1;
  if (srcShape[axis] != 1)
    davsim::api::refuse("Broadcast", "srcShape[axis]", srcShape[axis], "1", where);
  davsim::api::lib::broadcast({"Broadcast", where}, dst, src, sharedTmpBuffer,
                              dim == 2 ? dstShape[0] : 1, dstShape[kLast], dim == 2 && axis == 0);
}
template <typename T, std::int32_t dim, std::int32_t axis, bool isReuseSource = false>
void Broadcast(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const std::uint32_t dstShape[dim],
               [[maybe_unused]] const std::uint32_t srcShape[dim], DAVSIM_WHERE) {
  static_assert((dim == 1 && axis == 0) || (dim == 2 && (axis == 0 || axis == 1)),
                "Broadcast: dim is 1 or 2, axis below it");
  constexpr std::int32_t kLast = dim - 1;
  if (srcShape[axis] != 1)
    davsim::api::refuse("Broadcast", "srcShape[axis]", srcShape[axis], "1", where);
  davsim::api::lib::broadcast({"Broadcast", where}, dst, src, {}, dim == 2 ? dstShape[0] : 1,
                              dstShape[kLast], dim == 2 && axis == 0);
}
/// Older name.
template <typename T, std::int32_t dim, std::int32_t axis, bool isReuseSource = false>
void BroadCast(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const std::uint32_t dstShape[dim],
               [[maybe_unused]] const std::uint32_t srcShape[dim],
               LocalTensor<std::uint8_t>& sharedTmpBuffer, DAVSIM_WHERE) {
  static_assert((dim == 1 && axis == 0) || (dim == 2 && (axis == 0 || axis == 1)),
                "BroadCast: dim is 1 or 2, axis below it");
  constexpr std::int32_t kLast = dim - 1;
  if (srcShape[axis] != 1)
    davsim::api::refuse("BroadCast", "srcShape[axis]", srcShape[axis], "1", where);
  davsim::api::lib::broadcast({"BroadCast", where}, dst, src, sharedTmpBuffer,
                              dim == 2 ? dstShape[0] : 1, dstShape[kLast], dim == 2 && axis == 0);
}
template <typename T, std::int32_t dim, std::int32_t axis, bool isReuseSource = false>
void BroadCast(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const std::uint32_t dstShape[dim],
               [[maybe_unused]] const std::uint32_t srcShape[dim], DAVSIM_WHERE) {
  static_assert((dim == 1 && axis == 0) || (dim == 2 && (axis == 0 || axis == 1)),
                "BroadCast: dim is 1 or 2, axis below it");
  constexpr std::int32_t kLast = dim - 1;
  if (srcShape[axis] != 1)
    davsim::api::refuse("BroadCast", "srcShape[axis]", srcShape[axis], "1", where);
  davsim::api::lib::broadcast({"BroadCast", where}, dst, src, {}, dim == 2 ? dstShape[0] : 1,
                              dstShape[kLast], dim == 2 && axis == 0);
}

}  // namespace AscendC
