// Reductions along one of two dimensions.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

/// Which dimensions are reduced: R those, A the others.
namespace Pattern::Reduce {
struct AR {};
struct RA {};
}  // namespace Pattern::Reduce

}  // namespace AscendC

namespace davsim::api::lib {

/// Reductions by a pattern of two dimensions.
template <class Pattern, typename T>
void reduce_pattern(const Call& call, RowOperation operation, const AscendC::LocalTensor<T>& dst,
                    const AscendC::LocalTensor<T>& src, const Tensor& scratch,
                    const std::uint32_t srcShape[], bool srcInnerPad, bool mean) {
  constexpr bool kRows = std::is_same_v<Pattern, AscendC::Pattern::Reduce::AR>;
  static_assert(kRows || std::is_same_v<Pattern, AscendC::Pattern::Reduce::RA>,
                "the pattern is AR or RA");
  constexpr auto kBlock = static_cast<std::uint32_t>(isa::kBlockBytes / kElementBytes<T>);
  const std::uint32_t pitch = srcInnerPad ? sizes::up(srcShape[1], kBlock) : srcShape[1];
  if constexpr (kRows) {
    reduce_to_values(call, operation, dst, src, scratch, srcShape[0], srcShape[1], pitch,
                     mean ? 1.0 / srcShape[1] : 1);
  } else {
    reduce_to_row(call, operation, dst, src, srcShape[0], srcShape[1], pitch,
                  mean ? 1.0 / srcShape[0] : 1);
  }
}

/// Products; the smallest or the largest of bytes and floats.
template <class Pattern>
void reduce_product(Location where, const AscendC::LocalTensor<float>& dst,
                    const AscendC::LocalTensor<float>& src, const Tensor& scratch,
                    const std::uint32_t shape[], bool padded) {
  const Call call{"ReduceProd", where};
  if constexpr (std::is_same_v<Pattern, AscendC::Pattern::Reduce::AR>) {
    multiply_rows(call, dst, src, scratch, shape[0], shape[1],
                  padded ? sizes::up(shape[1], 8) : shape[1]);
  } else {
    reduce_pattern<Pattern>(call, RowOperation::kProduct, dst, src, scratch, shape, padded, false);
  }
}
template <class Pattern, typename T>
void reduce_truth(const char* name, Location where, RowOperation operation,
                  const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                  const Tensor& scratch, const std::uint32_t shape[], bool padded) {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    constexpr bool kRows = std::is_same_v<Pattern, AscendC::Pattern::Reduce::AR>;
    static_assert(kRows || std::is_same_v<Pattern, AscendC::Pattern::Reduce::RA>,
                  "the pattern is AR or RA");
    reduce_bytes({name, where}, operation, dst, src, scratch, shape[0], shape[1],
                 padded ? sizes::up(shape[1], 32) : shape[1], !kRows);
  } else {
    static_assert(std::is_same_v<T, float>, "ReduceAny and ReduceAll: uint8_t, float");
    reduce_pattern<Pattern>({name, where}, operation, dst, src, scratch, shape, padded, false);
  }
}

}  // namespace davsim::api::lib

namespace AscendC {

/// float.
template <class T, class pattern, bool isReuseSource = false>
void ReduceProd(const LocalTensor<T>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                const std::uint32_t srcShape[], bool srcInnerPad, DAVSIM_WHERE) {
  davsim::api::lib::reduce_product<pattern>(where, dst, src, sharedTmpBuffer, srcShape,
                                            srcInnerPad);
}
template <class T, class pattern, bool isReuseSource = false>
void ReduceProd(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                const std::uint32_t srcShape[], bool srcInnerPad, DAVSIM_WHERE) {
  davsim::api::lib::reduce_product<pattern>(where, dst, src, davsim::api::lib::Tensor(), srcShape,
                                            srcInnerPad);
}
/// The largest element: of 0 and 1, whether any is 1. uint8_t, float.
template <class T, class pattern, bool isReuseSource = false>
void ReduceAny(const LocalTensor<T>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
               const std::uint32_t srcShape[], bool srcInnerPad, DAVSIM_WHERE) {
  davsim::api::lib::reduce_truth<pattern>("ReduceAny", where, davsim::api::lib::RowOperation::kMax,
                                          dst, src, sharedTmpBuffer, srcShape, srcInnerPad);
}
template <class T, class pattern, bool isReuseSource = false>
void ReduceAny(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t srcShape[],
               bool srcInnerPad, DAVSIM_WHERE) {
  davsim::api::lib::reduce_truth<pattern>("ReduceAny", where, davsim::api::lib::RowOperation::kMax,
                                          dst, src, davsim::api::lib::Tensor(), srcShape,
                                          srcInnerPad);
}
/// The smallest element: of 0 and 1, whether all are 1. uint8_t, float.
template <class T, class pattern, bool isReuseSource = false>
void ReduceAll(const LocalTensor<T>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
               const std::uint32_t srcShape[], bool srcInnerPad, DAVSIM_WHERE) {
  davsim::api::lib::reduce_truth<pattern>("ReduceAll", where, davsim::api::lib::RowOperation::kMin,
                                          dst, src, sharedTmpBuffer, srcShape, srcInnerPad);
}
template <class T, class pattern, bool isReuseSource = false>
void ReduceAll(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t srcShape[],
               bool srcInnerPad, DAVSIM_WHERE) {
  davsim::api::lib::reduce_truth<pattern>("ReduceAll", where, davsim::api::lib::RowOperation::kMin,
                                          dst, src, davsim::api::lib::Tensor(), srcShape,
                                          srcInnerPad);
}

/// AR: one result a row; RA: one a column. Rows lie on multiples of 32 bytes, to which srcInnerPad
/// says that they are padded. float.
template <class T, class pattern, bool isReuseSource = false>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
               const std::uint32_t srcShape[], bool srcInnerPad, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, float>, "ReduceSum: float");
  davsim::api::lib::reduce_pattern<pattern>({"ReduceSum", where},
                                            davsim::api::lib::RowOperation::kSum, dst, src,
                                            sharedTmpBuffer, srcShape, srcInnerPad, false);
}
template <class T, class pattern, bool isReuseSource = false>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t srcShape[],
               bool srcInnerPad, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, float>, "ReduceSum: float");
  davsim::api::lib::reduce_pattern<pattern>({"ReduceSum", where},
                                            davsim::api::lib::RowOperation::kSum, dst, src, {},
                                            srcShape, srcInnerPad, false);
}
/// float.
template <class T, class pattern, bool isReuseSource = false>
void ReduceMean(const LocalTensor<T>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                const std::uint32_t srcShape[], bool srcInnerPad, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, float>, "ReduceMean: float");
  davsim::api::lib::reduce_pattern<pattern>({"ReduceMean", where},
                                            davsim::api::lib::RowOperation::kSum, dst, src,
                                            sharedTmpBuffer, srcShape, srcInnerPad, true);
}
template <class T, class pattern, bool isReuseSource = false>
void ReduceMean(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                const std::uint32_t srcShape[], bool srcInnerPad, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, float>, "ReduceMean: float");
  davsim::api::lib::reduce_pattern<pattern>({"ReduceMean", where},
                                            davsim::api::lib::RowOperation::kSum, dst, src, {},
                                            srcShape, srcInnerPad, true);
}
/// half, float.
template <class T, class pattern, bool isReuseSource = false>
void ReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
               const std::uint32_t srcShape[], bool srcInnerPad, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "ReduceMax: half, float");
  davsim::api::lib::reduce_pattern<pattern>({"ReduceMax", where},
                                            davsim::api::lib::RowOperation::kMax, dst, src,
                                            sharedTmpBuffer, srcShape, srcInnerPad, false);
}
template <class T, class pattern, bool isReuseSource = false>
void ReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t srcShape[],
               bool srcInnerPad, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "ReduceMax: half, float");
  davsim::api::lib::reduce_pattern<pattern>({"ReduceMax", where},
                                            davsim::api::lib::RowOperation::kMax, dst, src, {},
                                            srcShape, srcInnerPad, false);
}
/// half, float.
template <class T, class pattern, bool isReuseSource = false>
void ReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
               const std::uint32_t srcShape[], bool srcInnerPad, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "ReduceMin: half, float");
  davsim::api::lib::reduce_pattern<pattern>({"ReduceMin", where},
                                            davsim::api::lib::RowOperation::kMin, dst, src,
                                            sharedTmpBuffer, srcShape, srcInnerPad, false);
}
template <class T, class pattern, bool isReuseSource = false>
void ReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t srcShape[],
               bool srcInnerPad, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "ReduceMin: half, float");
  davsim::api::lib::reduce_pattern<pattern>({"ReduceMin", where},
                                            davsim::api::lib::RowOperation::kMin, dst, src, {},
                                            srcShape, srcInnerPad, false);
}

}  // namespace AscendC
