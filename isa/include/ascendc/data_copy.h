// Copies between global memory, UB, L1, the bias table and the Fixpipe buffer, and the padding
// value that a register adds to them. The queue follows from the memories: GM to UB or L1 is MTE2,
// UB or L1 to GM is MTE3, UB to UB is V, L1 to BT is MTE1, L1 to FB is FIX.
#pragma once

#include "ascendc/data_copy_atomic.h"
#include "ascendc/data_copy_reshape.h"
#include "ascendc/unsupported.h"

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

/// The forms with DataCopyEnhancedParams: 2201 takes these and ignores them.
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
              const DataCopyParams& intriParams, const DataCopyEnhancedParams&,
              davsim::api::Location where = davsim::api::Location::current()) {
  DataCopy(dst, src, intriParams, where);
}

template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
              const DataCopyParams& intriParams, const DataCopyEnhancedParams&,
              davsim::api::Location where = davsim::api::Location::current()) {
  DataCopy(dst, src, intriParams, where);
}

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src,
              const DataCopyParams& intriParams, const DataCopyEnhancedParams&,
              davsim::api::Location where = davsim::api::Location::current()) {
  DataCopy(dst, src, intriParams, where);
}

/// UB to L1 with row-major matrices to NZ. On 2201 it is a message to the cube core, which fetches
/// the data through global memory: REGIST_MATMUL_OBJ comes first.
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const Nd2NzParams& intriParams,
              davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_nd2nz_to_cube(dst.Operand(), src.Operand(), intriParams, where);
}
/// The same with blocks of any length: `dataCopyParams` is the way from UB to global memory, where
/// the matrices lie as `intriParams` says.
template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                 const DataCopyExtParams& dataCopyParams, const Nd2NzParams& intriParams,
                 davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_pad_nd2nz_to_cube(dst.Operand(), src.Operand(), dataCopyParams, intriParams,
                                      where);
}

template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                 const DataCopyParams& dataCopyParams, const Nd2NzParams& intriParams,
                 davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_pad_nd2nz_to_cube(dst.Operand(), src.Operand(),
                                      davsim::api::extended(dataCopyParams), intriParams, where);
}

/// How blocks that are no multiple of 32 bytes lie in UB. 2201 pads each one.
enum class PaddingMode : std::uint8_t { Normal = 0, Compact };

/// GM to UB, blocks of any number of elements; see DataCopyPadExtParams for what fills the rest of
/// the DataBlocks.
template <typename T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                 const DataCopyExtParams& dataCopyParams, const DataCopyPadExtParams<T>& padParams,
                 davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(mode == PaddingMode::Normal, "NPU architecture 2201 pads each block");
  static_assert(!std::is_same_v<T, int4b_t>, "DataCopyPad: element types of whole bytes");
  davsim::api::emit_copy_pad_in(dst.Operand(), src.Operand(), dataCopyParams,
                                {padParams.isPad, padParams.leftPadding, padParams.rightPadding,
                                 davsim::api::bits_of(padParams.paddingValue)},
                                where);
}

template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                 const DataCopyParams& dataCopyParams, const DataCopyPadParams& padParams,
                 davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(!std::is_same_v<T, int4b_t>, "DataCopyPad: element types of whole bytes");
  davsim::api::emit_copy_pad_in(
      dst.Operand(), src.Operand(), davsim::api::extended(dataCopyParams),
      {padParams.isPad, padParams.leftPadding, padParams.rightPadding, padParams.paddingValue},
      where);
}

/// UB to GM, blocks of any number of elements.
template <typename T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                 const DataCopyExtParams& dataCopyParams,
                 davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(mode == PaddingMode::Normal, "NPU architecture 2201 pads each block");
  static_assert(!std::is_same_v<T, int4b_t>, "DataCopyPad: element types of whole bytes");
  davsim::api::emit_copy_pad_out(dst.Operand(), src.Operand(), dataCopyParams, where);
}

template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                 const DataCopyParams& dataCopyParams,
                 davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(!std::is_same_v<T, int4b_t>, "DataCopyPad: element types of whole bytes");
  davsim::api::emit_copy_pad_out(dst.Operand(), src.Operand(),
                                 davsim::api::extended(dataCopyParams), where);
}

/// What DataCopyPad fills with where its isPad is false.
template <typename T, TPosition pos = TPosition::MAX>
void SetPadValue(T paddingValue, davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::registers().move_pad = davsim::api::bits_of(paddingValue);
  davsim::api::registers().move_pad_set = davsim::api::registers().move_pad_written = true;
  davsim::api::emit_set_register(where);
}

}  // namespace AscendC
