// Parameters of quantisation. They are numbers of several types in global memory and become floats
// in UB or in the scalar unit.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/row_values.h"
#include "kernels/attention/step_walk.h"

namespace kernel_attention {

/// The event of loads that the vector unit awaits immediately. The streams use other events.
constexpr int32_t kAtOnce = 7;

__aicore__ inline uint32_t NumberBytes(AttentionNumber type) {
  if (type == AttentionNumber::kWideFloat) return sizeof(int64_t);
  const bool wide = type == AttentionNumber::kFloat || type == AttentionNumber::kInt;
  return wide ? sizeof(float) : sizeof(half);
}

/// Reads one number with the scalar unit.
__aicore__ inline float ReadNumber(uint64_t address, AttentionNumber type) {
  const bool low_half = type == AttentionNumber::kWideFloat;
  if (type == AttentionNumber::kFloat || low_half) return AtAddress<float>(address).GetValue(0);
  if (type == AttentionNumber::kInt) {
    return static_cast<float>(AtAddress<int32_t>(address).GetValue(0));
  }
  if (type == AttentionNumber::kHalf) {
    return static_cast<float>(AtAddress<half>(address).GetValue(0));
  }
  return static_cast<float>(AtAddress<bfloat16_t>(address).GetValue(0));
}

template <typename T>
__aicore__ inline void LoadDense(const LocalTensor<T>& to, uint64_t address, uint32_t count) {
  DataCopyExtParams copy;
  copy.blockLen = count * sizeof(T);
  DataCopyPad(to, AtAddress<T>(address), copy, DataCopyPadExtParams<T>());
}

/// Extracts the lower halves of `count` numbers of 64 bits.
__aicore__ inline void LowerHalves(const LocalTensor<float>& to, const LocalTensor<float>& from,
                                   uint32_t count) {
  constexpr uint8_t kEvenElements = 1;
  uint64_t kept = 0;
  GatherMask(to, from, kEvenElements, true, 2 * count, {1, 1, 8, 0}, kept);
  PipeBarrier<PIPE_V>();
}

/// Loads `count` adjacent numbers without conversion. `raw` has room for them.
__aicore__ inline void LoadRaw(const LocalTensor<float>& raw, uint64_t address,
                               AttentionNumber type, uint32_t count) {
  if (type == AttentionNumber::kFloat) LoadDense(raw, address, count);
  if (type == AttentionNumber::kHalf) LoadDense(raw.ReinterpretCast<half>(), address, count);
  if (type == AttentionNumber::kBfloat) {
    LoadDense(raw.ReinterpretCast<bfloat16_t>(), address, count);
  }
  if (type == AttentionNumber::kInt) LoadDense(raw.ReinterpretCast<int32_t>(), address, count);
  if (type == AttentionNumber::kWideFloat) LoadDense(raw, address, 2 * count);
}

/// Converts such numbers to floats, in `room`. Numbers that are floats stay where they are.
__aicore__ inline LocalTensor<float> RawAsFloats(const LocalTensor<float>& room,
                                                 const LocalTensor<float>& raw,
                                                 AttentionNumber type, uint32_t count) {
  const RoundMode exact = RoundMode::CAST_NONE;
  if (type == AttentionNumber::kFloat) return raw;
  if (type == AttentionNumber::kHalf) Cast(room, raw.ReinterpretCast<half>(), exact, count);
  if (type == AttentionNumber::kBfloat) Cast(room, raw.ReinterpretCast<bfloat16_t>(), exact, count);
  if (type == AttentionNumber::kInt) Cast(room, raw.ReinterpretCast<int32_t>(), exact, count);
  if (type == AttentionNumber::kWideFloat) LowerHalves(room, raw, count);
  PipeBarrier<PIPE_V>();
  return room;
}

/// Loads `count` adjacent numbers as floats. `staging` has room for the numbers if they are not
/// floats.
__aicore__ inline void LoadNumbers(const LocalTensor<float>& to, const LocalTensor<half>& staging,
                                   uint64_t address, AttentionNumber type, uint32_t count) {
  const LocalTensor<float> raw =
      type == AttentionNumber::kFloat ? to : staging.ReinterpretCast<float>();
  SetFlag<HardEvent::V_MTE2>(kAtOnce);
  WaitFlag<HardEvent::V_MTE2>(kAtOnce);
  LoadRaw(raw, address, type, count);
  SetFlag<HardEvent::MTE2_V>(kAtOnce);
  WaitFlag<HardEvent::MTE2_V>(kAtOnce);
  RawAsFloats(to, raw, type, count);
}

}  // namespace kernel_attention
