// Copies between global memory, UB, L1, the bias table and the Fixpipe buffer, and what registers
// add to them: atomics, padding values. The queue follows from the memories: GM to UB or L1 is
// MTE2, UB or L1 to GM is MTE3, UB to UB is V, L1 to BT is MTE1, L1 to FB is FIX.
#pragma once

#include "ascendc/data_copy_emit.h"

namespace AscendC {

/// GM to UB or L1: `count` consecutive elements, whole DataBlocks.
/// Local addresses are multiples of 32 bytes, GM addresses of the element's size.
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const std::uint32_t count,
              davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_copy(dst.Operand(), src.Operand(), count, where);
}

/// UB or L1 to GM: `count` consecutive elements.
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t count,
              davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_copy(dst.Operand(), src.Operand(), count, where);
}

/// UB to UB, L1 to the bias table (position C2) or to the Fixpipe buffer (C2PIPE2GM).
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t count,
              davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_copy(dst.Operand(), src.Operand(), count, where);
}

/// The same paths, blocks with gaps.
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
              const DataCopyParams& repeatParams,
              davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_copy(dst.Operand(), src.Operand(), repeatParams, where);
}

template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
              const DataCopyParams& repeatParams,
              davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_copy(dst.Operand(), src.Operand(), repeatParams, where);
}

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src,
              const DataCopyParams& repeatParams,
              davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_copy(dst.Operand(), src.Operand(), repeatParams, where);
}

/// L1 to the bias table with a conversion: half to float.
template <typename T, typename U>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src,
              const DataCopyParams& repeatParams,
              davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(std::is_same_v<T, float> && std::is_same_v<U, half>,
                "DataCopy between different types: only half to float, L1 to the bias table");
  if (dst.Operand().space != davsim::isa::Space::kBt) {
    davsim::api::refuse_path("DataCopy (half to float)", src.Operand().space, dst.Operand().space,
                             where);
  }
  davsim::api::emit_copy(dst.Operand(), src.Operand(), repeatParams, where);
}

/// Row-major matrices in GM to NZ fractals in L1.
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& intriParams,
              davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_nd2nz(dst.Operand(), src.Operand(), intriParams, where);
}

/// GM to UB, blocks of any number of elements; see DataCopyPadExtParams for what fills the rest of
/// the DataBlocks.
template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                 const DataCopyExtParams& dataCopyParams, const DataCopyPadExtParams<T>& padParams,
                 davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_copy_pad_in(dst.Operand(), src.Operand(), dataCopyParams,
                                {padParams.isPad, padParams.leftPadding, padParams.rightPadding,
                                 davsim::api::bits_of(padParams.paddingValue)},
                                where);
}

template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                 const DataCopyParams& dataCopyParams, const DataCopyPadParams& padParams,
                 davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_copy_pad_in(
      dst.Operand(), src.Operand(), davsim::api::extended(dataCopyParams),
      {padParams.isPad, padParams.leftPadding, padParams.rightPadding, padParams.paddingValue},
      where);
}

/// UB to GM, blocks of any number of elements.
template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                 const DataCopyExtParams& dataCopyParams,
                 davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_copy_pad_out(dst.Operand(), src.Operand(), dataCopyParams, where);
}

template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                 const DataCopyParams& dataCopyParams,
                 davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_copy_pad_out(dst.Operand(), src.Operand(),
                                 davsim::api::extended(dataCopyParams), where);
}

/// What DataCopyPad fills with where its isPad is false.
template <typename T, TPosition pos = TPosition::MAX>
void SetPadValue(T paddingValue, davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::registers().move_pad = davsim::api::bits_of(paddingValue);
  davsim::api::registers().move_pad_set = true;
  davsim::api::emit_set_register(where);
}

}  // namespace AscendC

namespace davsim::api {

template <typename T>
void set_atomic(isa::AtomicOp op, Location where) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, half> ||
                    std::is_same_v<T, bfloat16_t> || std::is_same_v<T, std::int32_t> ||
                    std::is_same_v<T, std::int16_t> || std::is_same_v<T, std::int8_t>,
                "atomics take float, half, bfloat16_t, int32_t, int16_t and int8_t");
  registers().atomic = op;
  registers().atomic_type = dtype_of<T>();
  emit_set_register(where);
}

}  // namespace davsim::api

namespace AscendC {

/// Moves to GM that follow add to what is there, as numbers of type T.
template <typename T>
void SetAtomicAdd(davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::set_atomic<T>(davsim::isa::AtomicOp::kAdd, where);
}

/// Moves to GM that follow keep the greater of what is there and what they bring.
template <typename T>
void SetAtomicMax(davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::set_atomic<T>(davsim::isa::AtomicOp::kMax, where);
}

/// Moves to GM that follow keep the lesser of what is there and what they bring.
template <typename T>
void SetAtomicMin(davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::set_atomic<T>(davsim::isa::AtomicOp::kMin, where);
}

/// Changes the type of the atomic operation that is set.
template <typename T>
void SetAtomicType(davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::set_atomic<T>(davsim::api::registers().atomic, where);
}

/// Moves to GM overwrite again.
inline void SetAtomicNone(davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::registers().atomic = davsim::isa::AtomicOp::kNone;
  davsim::api::registers().atomic_type = davsim::isa::DType::kNone;
  davsim::api::emit_set_register(where);
}

/// Newer name of SetAtomicNone.
inline void DisableDmaAtomic(davsim::api::Location where = davsim::api::Location::current()) {
  SetAtomicNone(where);
}

}  // namespace AscendC
