// Fixpipe with the older FixpipeParams, which counts bursts: a burst is a column of fractals of
// L0C, 16 elements of each of its rows.
#pragma once

#include "ascendc/cube_fixpipe.h"

namespace AscendC {

struct QuantParams {
  QuantParams() = default;
  QuantParams(const QuantMode_t quantPreIn) : quantPre(quantPreIn) {}  // NOLINT: as on the device
  QuantParams(const QuantMode_t quantPreIn, const std::uint64_t deqScalarIn)
      : quantPre(quantPreIn), deqScalar(deqScalarIn) {}

  QuantMode_t quantPre = QuantMode_t::NoQuant;
  std::uint64_t deqScalar = 0;  ///< quantisation word of the scalar modes
};

/// Row-major results.
struct Nz2NdParams {
  Nz2NdParams() = default;
  Nz2NdParams(const bool nz2ndEnIn, const std::uint16_t ndNumIn, const std::uint16_t srcNdStrideIn,
              const std::uint16_t dstNdStrideIn, const std::uint16_t originalNSizeIn)
      : nz2ndEn(nz2ndEnIn),
        ndNum(ndNumIn),
        srcNdStride(srcNdStrideIn),
        dstNdStride(dstNdStrideIn),
        originalNSize(originalNSizeIn) {}

  bool nz2ndEn = false;
  std::uint16_t ndNum = 1;          ///< matrices
  std::uint16_t srcNdStride = 0;    ///< fractals of 1024 bytes between matrices
  std::uint16_t dstNdStride = 0;    ///< elements between matrices
  std::uint16_t originalNSize = 0;  ///< columns of a matrix
};

template <typename T>
struct FixpipeParams {
  FixpipeParams() = default;
  FixpipeParams(const std::uint16_t count, const std::uint16_t len, const std::uint16_t srcStrideIn,
                const std::uint32_t dstStrideIn)
      : cburstNum(count), burstLen(len), srcStride(srcStrideIn), dstStride(dstStrideIn) {}

  std::uint16_t cburstNum = 1;  ///< columns of fractals
  std::uint16_t burstLen = 1;   ///< of L0C, in 32-byte units: two a row
  std::uint16_t srcStride = 0;  ///< fractals between columns of whole fractals, end to start
  std::uint32_t dstStride = 0;  ///< NZ: 32-byte units between bursts, end to start; ND: as V220's
  QuantParams quantParams;
  bool reluEn = false;
  Nz2NdParams nz2ndParams;
  std::uint8_t unitFlag = 0;  ///< 0, 2 or 3
};

}  // namespace AscendC

namespace davsim::api {

/// The same move in the terms of FixpipeParamsV220, to elements of `dst_bytes`.
template <typename V>
AscendC::FixpipeParamsV220 without_bursts(const AscendC::FixpipeParams<V>& params,
                                          std::uint32_t dst_bytes, Location where) {
  constexpr std::uint32_t kUnitsPerRow = 2, kL0cBytes = 4;
  require_range("Fixpipe", "cburstNum", params.cburstNum, 0, 4095 / isa::kFractalRows, where);
  if (params.burstLen % kUnitsPerRow != 0) {
    refuse("Fixpipe", "burstLen", params.burstLen, "whole rows: multiples of 2", where);
  }
  const auto& nd = params.nz2ndParams;
  const auto rows = static_cast<std::uint16_t>(params.burstLen / kUnitsPerRow);
  const std::uint32_t fractals = (rows + isa::kFractalRows - 1) / isa::kFractalRows;
  require_range("Fixpipe", "srcStride", params.srcStride, 0,
                UINT16_MAX / isa::kFractalRows - fractals, where);
  const std::uint32_t stored = params.burstLen * dst_bytes / kL0cBytes;
  AscendC::FixpipeParamsV220 same;
  same.nSize = nd.nz2ndEn ? nd.originalNSize
                          : static_cast<std::uint16_t>(params.cburstNum * isa::kFractalRows);
  same.mSize = rows;
  same.srcStride = static_cast<std::uint16_t>((fractals + params.srcStride) * isa::kFractalRows);
  same.dstStride = nd.nz2ndEn ? params.dstStride : params.dstStride + stored;
  same.quantPre = params.quantParams.quantPre;
  same.deqScalar = params.quantParams.deqScalar;
  same.ndNum = nd.ndNum;
  same.srcNdStride = nd.srcNdStride;
  same.dstNdStride = nd.dstNdStride;
  same.reluEn = params.reluEn;
  same.unitFlag = params.unitFlag;
  return same;
}

template <typename V>
AscendC::CO2Layout layout_of(const AscendC::FixpipeParams<V>& params) {
  return params.nz2ndParams.nz2ndEn ? AscendC::CO2Layout::ROW_MAJOR : AscendC::CO2Layout::NZ;
}

/// Fixpipe into a GlobalTensor or LocalTensor `dst`.
template <class Dst, typename U, typename V>
void fixpipe_bursts(const Dst& dst, const AscendC::LocalTensor<U>& src,
                    const AscendC::FixpipeParams<V>& params, Location where) {
  static_assert(kFixpipeTypes<typename Dst::PrimType, U>, "Fixpipe: no such pair of types on 2201");
  fixpipe(dst.Operand(), src.Operand(),
          without_bursts(params, sizeof(typename Dst::PrimType), where), layout_of(params), where);
}

/// The same with quantisation words in L1.
template <class Dst, typename U, typename V>
void fixpipe_bursts(const Dst& dst, const AscendC::LocalTensor<U>& src,
                    const AscendC::LocalTensor<std::uint64_t>& words,
                    const AscendC::FixpipeParams<V>& params, Location where) {
  static_assert(kFixpipeTypes<typename Dst::PrimType, U>, "Fixpipe: no such pair of types on 2201");
  fixpipe_with_words(dst.Operand(), src.Operand(), words.Operand(),
                     without_bursts(params, sizeof(typename Dst::PrimType), where),
                     layout_of(params), where);
}

}  // namespace davsim::api

namespace AscendC {

/// L0C to GM or L1; row-major where nz2ndParams say so and the way leads to GM.
template <typename T, typename U, typename V>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src,
             const FixpipeParams<V>& intriParams,
             davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::fixpipe_bursts(dst, src, intriParams, where);
}
template <typename T, typename U, typename V>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src,
             const FixpipeParams<V>& intriParams,
             davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::fixpipe_bursts(dst, src, intriParams, where);
}
/// With a quantisation word per column in L1 at `cbufWorkspace`.
template <typename T, typename U, typename V>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src,
             const LocalTensor<std::uint64_t>& cbufWorkspace, const FixpipeParams<V>& intriParams,
             davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::fixpipe_bursts(dst, src, cbufWorkspace, intriParams, where);
}
template <typename T, typename U, typename V>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src,
             const LocalTensor<std::uint64_t>& cbufWorkspace, const FixpipeParams<V>& intriParams,
             davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::fixpipe_bursts(dst, src, cbufWorkspace, intriParams, where);
}

}  // namespace AscendC
