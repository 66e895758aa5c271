// Powers.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = src0 ^ src1, one of which may be a scalar. half, float, int32_t, whose negative powers are
/// truncated. A negative base has a result for whole exponents only.
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
           DAVSIM_SCRATCH, std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float, std::int32_t>,
                "Power takes half, float and int32_t");
  const davsim::api::lib::ElementTensors tensors{
      .dst = dst, .src0 = src0, .src1 = src1, .scratch = sharedTmpBuffer};
  if constexpr (std::is_same_v<T, std::int32_t>) {
    davsim::api::lib::integer_power({"Power", where}, tensors, calCount);
  } else {
    davsim::api::lib::element_function(davsim::ElementFunction::kPower, {"Power", where}, tensors,
                                       calCount);
  }
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
           DAVSIM_SCRATCH, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float, std::int32_t>,
                "Power takes half, float and int32_t");
  const davsim::api::lib::ElementTensors tensors{
      .dst = dst, .src0 = src0, .src1 = src1, .scratch = sharedTmpBuffer};
  if constexpr (std::is_same_v<T, std::int32_t>) {
    davsim::api::lib::integer_power({"Power", where}, tensors, src0.GetSize());
  } else {
    davsim::api::lib::element_function(davsim::ElementFunction::kPower, {"Power", where}, tensors,
                                       src0.GetSize());
  }
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
           std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float, std::int32_t>,
                "Power takes half, float and int32_t");
  const davsim::api::lib::ElementTensors tensors{.dst = dst, .src0 = src0, .src1 = src1};
  if constexpr (std::is_same_v<T, std::int32_t>) {
    davsim::api::lib::integer_power({"Power", where}, tensors, calCount);
  } else {
    davsim::api::lib::element_function(davsim::ElementFunction::kPower, {"Power", where}, tensors,
                                       calCount);
  }
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
           DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float, std::int32_t>,
                "Power takes half, float and int32_t");
  const davsim::api::lib::ElementTensors tensors{.dst = dst, .src0 = src0, .src1 = src1};
  if constexpr (std::is_same_v<T, std::int32_t>) {
    davsim::api::lib::integer_power({"Power", where}, tensors, src0.GetSize());
  } else {
    davsim::api::lib::element_function(davsim::ElementFunction::kPower, {"Power", where}, tensors,
                                       src0.GetSize());
  }
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const T& src1, DAVSIM_SCRATCH,
           std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float, std::int32_t>,
                "Power takes half, float and int32_t");
  const davsim::api::lib::ElementTensors tensors{.dst = dst,
                                                 .src0 = src0,
                                                 .scratch = sharedTmpBuffer,
                                                 .scalar = davsim::api::lib::number(src1),
                                                 .scalar_src1 = true};
  if constexpr (std::is_same_v<T, std::int32_t>) {
    davsim::api::lib::integer_power({"Power", where}, tensors, calCount);
  } else {
    davsim::api::lib::element_function(davsim::ElementFunction::kPower, {"Power", where}, tensors,
                                       calCount);
  }
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const T& src1, DAVSIM_SCRATCH,
           DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float, std::int32_t>,
                "Power takes half, float and int32_t");
  const davsim::api::lib::ElementTensors tensors{.dst = dst,
                                                 .src0 = src0,
                                                 .scratch = sharedTmpBuffer,
                                                 .scalar = davsim::api::lib::number(src1),
                                                 .scalar_src1 = true};
  if constexpr (std::is_same_v<T, std::int32_t>) {
    davsim::api::lib::integer_power({"Power", where}, tensors, src0.GetSize());
  } else {
    davsim::api::lib::element_function(davsim::ElementFunction::kPower, {"Power", where}, tensors,
                                       src0.GetSize());
  }
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const T& src1,
           std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float, std::int32_t>,
                "Power takes half, float and int32_t");
  const davsim::api::lib::ElementTensors tensors{
      .dst = dst, .src0 = src0, .scalar = davsim::api::lib::number(src1), .scalar_src1 = true};
  if constexpr (std::is_same_v<T, std::int32_t>) {
    davsim::api::lib::integer_power({"Power", where}, tensors, calCount);
  } else {
    davsim::api::lib::element_function(davsim::ElementFunction::kPower, {"Power", where}, tensors,
                                       calCount);
  }
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const T& src1, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float, std::int32_t>,
                "Power takes half, float and int32_t");
  const davsim::api::lib::ElementTensors tensors{
      .dst = dst, .src0 = src0, .scalar = davsim::api::lib::number(src1), .scalar_src1 = true};
  if constexpr (std::is_same_v<T, std::int32_t>) {
    davsim::api::lib::integer_power({"Power", where}, tensors, src0.GetSize());
  } else {
    davsim::api::lib::element_function(davsim::ElementFunction::kPower, {"Power", where}, tensors,
                                       src0.GetSize());
  }
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const T& src0, const LocalTensor<T>& src1, DAVSIM_SCRATCH,
           std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float, std::int32_t>,
                "Power takes half, float and int32_t");
  const davsim::api::lib::ElementTensors tensors{.dst = dst,
                                                 .src1 = src1,
                                                 .scratch = sharedTmpBuffer,
                                                 .scalar = davsim::api::lib::number(src0),
                                                 .scalar_src0 = true};
  if constexpr (std::is_same_v<T, std::int32_t>) {
    davsim::api::lib::integer_power({"Power", where}, tensors, calCount);
  } else {
    davsim::api::lib::element_function(davsim::ElementFunction::kPower, {"Power", where}, tensors,
                                       calCount);
  }
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const T& src0, const LocalTensor<T>& src1, DAVSIM_SCRATCH,
           DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float, std::int32_t>,
                "Power takes half, float and int32_t");
  const davsim::api::lib::ElementTensors tensors{.dst = dst,
                                                 .src1 = src1,
                                                 .scratch = sharedTmpBuffer,
                                                 .scalar = davsim::api::lib::number(src0),
                                                 .scalar_src0 = true};
  if constexpr (std::is_same_v<T, std::int32_t>) {
    davsim::api::lib::integer_power({"Power", where}, tensors, src1.GetSize());
  } else {
    davsim::api::lib::element_function(davsim::ElementFunction::kPower, {"Power", where}, tensors,
                                       src1.GetSize());
  }
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const T& src0, const LocalTensor<T>& src1,
           std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float, std::int32_t>,
                "Power takes half, float and int32_t");
  const davsim::api::lib::ElementTensors tensors{
      .dst = dst, .src1 = src1, .scalar = davsim::api::lib::number(src0), .scalar_src0 = true};
  if constexpr (std::is_same_v<T, std::int32_t>) {
    davsim::api::lib::integer_power({"Power", where}, tensors, calCount);
  } else {
    davsim::api::lib::element_function(davsim::ElementFunction::kPower, {"Power", where}, tensors,
                                       calCount);
  }
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const T& src0, const LocalTensor<T>& src1, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float, std::int32_t>,
                "Power takes half, float and int32_t");
  const davsim::api::lib::ElementTensors tensors{
      .dst = dst, .src1 = src1, .scalar = davsim::api::lib::number(src0), .scalar_src0 = true};
  if constexpr (std::is_same_v<T, std::int32_t>) {
    davsim::api::lib::integer_power({"Power", where}, tensors, src1.GetSize());
  } else {
    davsim::api::lib::element_function(davsim::ElementFunction::kPower, {"Power", where}, tensors,
                                       src1.GetSize());
  }
}

}  // namespace AscendC
