// Select takes each lane from one of two sources, as a bit says. The instruction reads CMPMASK,
// which is not part of its record. The calls that set CMPMASK use the device's steps and pass the
// values through the last 8 KiB of UB, which kernels leave free.
#pragma once

#include <string_view>

#include "ascendc/vector_compare.h"
#include "ascendc/vector_duplicate.h"

namespace AscendC {

/// VSEL_CMPMASK_SPR: the first bits of selMask, or CMPMASK, for every repeat. The other modes take
/// the bits of the repeats one behind the other, with a scalar or a tensor as second source.
enum class SELMODE : std::uint8_t {
  VSEL_CMPMASK_SPR = 0,
  VSEL_TENSOR_SCALAR_MODE,
  VSEL_TENSOR_TENSOR_MODE,
};

}  // namespace AscendC

namespace davsim::api {

/// Bytes at the end of UB that the calls use.
inline constexpr std::uint32_t kReservedUbBytes = 8192;

/// Tells whoever checks the running core of bytes that a call keeps to itself; their number there,
/// or 0.
std::uint16_t watch_reserved(std::string_view call, std::uint32_t addr, std::uint32_t bytes,
                             Location where);

template <typename V>
AscendC::LocalTensor<V> reserved_ub(Location where) {
  const std::uint64_t ub = isa::current_core().buffer_size(isa::Space::kUb);
  const auto addr = static_cast<std::uint32_t>(ub - kReservedUbBytes);
  AscendC::LocalTensor<V> tensor;
  tensor.SetAddr({kReservedUbBytes, addr, nullptr,
                  static_cast<std::uint8_t>(AscendC::TPosition::VECCALC),
                  watch_reserved("Select", addr, kReservedUbBytes, where)});
  return tensor;
}

/// CMPMASK = `value`, over and over, by way of UB.
template <typename V>
void fill_cmp_mask(const V& value, bool by_count, Location where) {
  constexpr std::int32_t kCopies = 32;
  const auto scratch = reserved_ub<V>(where);
  if (by_count) {
    AscendC::Duplicate(scratch, value, kCopies, where);
  } else {
    AscendC::Duplicate(scratch, value, std::uint64_t{kCopies}, 1, 1, 8, where);
  }
  emit_barrier(isa::Pipe::V, where);
  AscendC::SetCmpMask(scratch, where);
  emit_barrier(isa::Pipe::V, where);
}

template <typename T>
void require_select_mode(AscendC::SELMODE mode, bool scalar, Location where) {
  static_assert(isa::type_exists(isa::Opcode::kSelect, dtype_of<T>()),
                "Select takes half and float");
  const auto value = static_cast<std::int64_t>(mode);
  const bool is_scalar = mode == AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE;
  if (value > 2 || is_scalar != scalar) {
    refuse("Select", "selMode", value, scalar ? "1 where src1 is a scalar" : "0 and 2 with tensors",
           where);
  }
}

/// Puts what the mode needs into CMPMASK.
template <typename T, typename U>
void prepare_select(const AscendC::LocalTensor<U>& bits, AscendC::SELMODE mode, bool by_count,
                    Location where) {
  require_select_mode<T>(mode, false, where);
  if (!core_has(isa::Pipe::V)) return;
  if (mode == AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE) {
    fill_cmp_mask(static_cast<std::uint32_t>(bits.Operand().addr), by_count, where);
    return;
  }
  AscendC::SetCmpMask(bits, where);
  emit_barrier(isa::Pipe::V, where);
}

inline VectorCall select_call(Location where) {
  return {"Select", isa::Opcode::kSelect, where};
}

template <typename T>
void emit_select(const VectorCall& call, const AscendC::LocalTensor<T>& dst,
                 const AscendC::LocalTensor<T>& src0, const isa::Operand& src1,
                 AscendC::SELMODE mode, isa::VectorParams params) {
  static_assert(isa::type_exists(isa::Opcode::kSelect, dtype_of<T>()),
                "Select takes half and float");
  params.select = static_cast<isa::SelectMode>(mode);
  emit_vector(call, dst.Operand(), src0.Operand(), src1, params);
}

template <typename T, typename Mask>
isa::VectorParams select_repeats(const VectorCall& call, Mask mask, RepeatTime repeats,
                                 const AscendC::BinaryRepeatParams& strides) {
  isa::VectorParams params =
      repeated<true>(call, mask, lanes_per_repeat(kElementBytes<T>), repeats);
  set_strides(params, strides);
  return params;
}

template <typename T, typename U, typename Mask>
void select_tensors(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& bits,
                    const AscendC::LocalTensor<T>& src0, const AscendC::LocalTensor<T>& src1,
                    AscendC::SELMODE mode, Mask mask, RepeatTime repeats,
                    const AscendC::BinaryRepeatParams& strides, Location where) {
  prepare_select<T>(bits, mode, false, where);
  const VectorCall call = select_call(where);
  emit_select(call, dst, src0, src1.Operand(), mode,
              select_repeats<T>(call, mask, repeats, strides));
}

template <typename T, typename U, typename Mask>
void select_scalar(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& bits,
                   const AscendC::LocalTensor<T>& src0, T src1, AscendC::SELMODE mode, Mask mask,
                   RepeatTime repeats, const AscendC::BinaryRepeatParams& strides, Location where) {
  require_select_mode<T>(mode, true, where);
  if (core_has(isa::Pipe::V)) fill_cmp_mask(src1, false, where);
  const VectorCall call = select_call(where);
  emit_select(call, dst, src0, result_bits(bits).Operand(), mode,
              select_repeats<T>(call, mask, repeats, strides));
}

}  // namespace davsim::api

namespace AscendC {

/// dst = bit of selMask ? src0 : src1, `count` elements. half and float. Modes 0 and 2.
template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, std::uint32_t count,
            davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::prepare_select<T>(selMask, selMode, true, where);
  const auto call = davsim::api::select_call(where);
  davsim::api::emit_select(call, dst, src0, src1.Operand(), selMode,
                           davsim::api::counted(call, count));
  if (davsim::api::core_has(davsim::isa::Pipe::V)) PipeBarrier<PIPE_V>(where);
}

/// The same with a scalar as second source: mode 1.
template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            T src1, SELMODE selMode, std::uint32_t count,
            davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::require_select_mode<T>(selMode, true, where);
  if (davsim::api::core_has(davsim::isa::Pipe::V)) davsim::api::fill_cmp_mask(src1, true, where);
  const auto call = davsim::api::select_call(where);
  davsim::api::emit_select(call, dst, src0, davsim::api::result_bits(selMask).Operand(), selMode,
                           davsim::api::counted(call, count));
}

template <typename T, typename U, davsim::api::ElementOf<T> S>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const S& src1, SELMODE selMode, std::uint32_t count,
            davsim::api::Location where = davsim::api::Location::current()) {
  Select(dst, selMask, src0, static_cast<T>(src1), selMode, count, where);
}

/// By repeats; lanes that the mask keeps out keep what dst holds. Modes 0 and 2.
template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, std::uint64_t mask,
            const davsim::api::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams,
            davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::select_tensors(dst, selMask, src0, src1, selMode, mask, repeatTime, repeatParams,
                              where);
}
template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, const std::uint64_t mask[],
            const davsim::api::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams,
            davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::select_tensors(dst, selMask, src0, src1, selMode, mask, repeatTime, repeatParams,
                              where);
}

/// Mode 1 by repeats; the strides of src1 have no meaning.
template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            T src1, SELMODE selMode, std::uint64_t mask, const davsim::api::RepeatTime repeatTime,
            const BinaryRepeatParams& repeatParams,
            davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::select_scalar(dst, selMask, src0, src1, selMode, mask, repeatTime, repeatParams,
                             where);
}
template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            T src1, SELMODE selMode, const std::uint64_t mask[],
            const davsim::api::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams,
            davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::select_scalar(dst, selMask, src0, src1, selMode, mask, repeatTime, repeatParams,
                             where);
}

template <typename T, typename U, davsim::api::ElementOf<T> S>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const S& src1, SELMODE selMode, std::uint64_t mask,
            const davsim::api::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams,
            davsim::api::Location where = davsim::api::Location::current()) {
  Select(dst, selMask, src0, static_cast<T>(src1), selMode, mask, repeatTime, repeatParams, where);
}
template <typename T, typename U, davsim::api::ElementOf<T> S>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const S& src1, SELMODE selMode, const std::uint64_t mask[],
            const davsim::api::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams,
            davsim::api::Location where = davsim::api::Location::current()) {
  Select(dst, selMask, src0, static_cast<T>(src1), selMode, mask, repeatTime, repeatParams, where);
}

/// Modes 0 and 2 with CMPMASK and mask as the kernel set them: in mode 2 CMPMASK holds the address
/// of the bits.
template <typename T, SELMODE selMode>
void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
            const davsim::api::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams,
            davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(selMode != SELMODE::VSEL_TENSOR_SCALAR_MODE,
                "Select: mode 1 takes a tensor of bits and one source");
  const auto call = davsim::api::select_call(where);
  davsim::isa::VectorParams params =
      davsim::api::repeated<false>(call, std::uint64_t{0}, 0, repeatTime);
  davsim::api::set_strides(params, repeatParams);
  davsim::api::emit_select(call, dst, src0, src1.Operand(), selMode, params);
}

/// Mode 1 likewise: CMPMASK begins with the scalar.
template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const davsim::api::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams,
            davsim::api::Location where = davsim::api::Location::current()) {
  const auto call = davsim::api::select_call(where);
  davsim::isa::VectorParams params =
      davsim::api::repeated<false>(call, std::uint64_t{0}, 0, repeatTime);
  davsim::api::set_strides(params, repeatParams);
  davsim::api::emit_select(call, dst, src0, davsim::api::result_bits(selMask).Operand(),
                           SELMODE::VSEL_TENSOR_SCALAR_MODE, params);
}

}  // namespace AscendC
