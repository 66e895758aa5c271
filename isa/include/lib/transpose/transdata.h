// TransData: tensors of five dimensions to formats of fractals, and back.
#pragma once

#include "ascendc/layout.h"
#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

/// The shapes of source and destination, as Layouts with a dimension for each letter of the format.
template <typename T, typename U>
struct TransDataParams {
  T srcLayout;
  U dstLayout;
};

}  // namespace AscendC

namespace davsim::api::lib {

/// The sizes of a layout's dimensions.
template <std::size_t kDims>
struct LayoutSizes {
  std::int64_t size[kDims];
};
template <std::size_t kDims, typename Layout>
LayoutSizes<kDims> sizes_of(const Layout& layout) {
  const auto& shape = layout.GetShape();
  static_assert(std::tuple_size_v<std::remove_cvref_t<decltype(shape)>> == kDims,
                "TransData: the layout has as many dimensions as its format has letters: 5 of "
                "NCDHW, 6 of NDC1HWC0, 7 of FRACTAL_Z_3D");
  return std::apply(
      [](const auto&... sizes) {
        return LayoutSizes<kDims>{{static_cast<std::int64_t>(sizes)...}};
      },
      shape);
}

/// `plain` is the shape of NCDHW, `blocks` that of the other format.
template <bool kFractal, typename Plain, typename Blocks>
FormatShape format_shape(Location where, const Plain& plain, const Blocks& blocks) {
  constexpr std::int64_t kC0 = 16;
  const auto [n, c, d, h, w] = sizes_of<5>(plain).size;
  for (const std::int64_t size : {n, c, d, h, w}) {
    require_range("TransData", "a size of NCDHW", size, 1, UINT16_MAX, where);
  }
  const std::int64_t c1 = (c + kC0 - 1) / kC0, n1 = (n + kC0 - 1) / kC0;
  const auto require = [&](const char* name, std::int64_t value, std::int64_t expected) {
    if (value != expected) refuse("TransData", name, value, {"only ", expected}, where);
  };
  if constexpr (kFractal) {
    const auto [fd, fc1, fh, fw, fn1, fn0, fc0] = sizes_of<7>(blocks).size;
    require("D of FRACTAL_Z_3D", fd, d);
    require("C1 of FRACTAL_Z_3D", fc1, c1);
    require("H of FRACTAL_Z_3D", fh, h);
    require("W of FRACTAL_Z_3D", fw, w);
    require("N1 of FRACTAL_Z_3D", fn1, n1);
    require("N0 of FRACTAL_Z_3D", fn0, kC0);
    require("C0 of FRACTAL_Z_3D", fc0, kC0);
  } else {
    const auto [bn, bd, bc1, bh, bw, bc0] = sizes_of<6>(blocks).size;
    require("N of NDC1HWC0", bn, n);
    require("D of NDC1HWC0", bd, d);
    require("C1 of NDC1HWC0", bc1, c1);
    require("H of NDC1HWC0", bh, h);
    require("W of NDC1HWC0", bw, w);
    require("C0 of NDC1HWC0", bc0, kC0);
  }
  const auto narrow = [](std::int64_t size) { return static_cast<std::uint32_t>(size); };
  return {narrow(n), narrow(c), narrow(d), narrow(h * w), kFractal, false};
}

template <const AscendC::TransDataConfig& config, typename T, typename U, typename S>
void trans_data_of(Location where, const AscendC::LocalTensor<T>& dst,
                   const AscendC::LocalTensor<T>& src, const Tensor& scratch,
                   const AscendC::TransDataParams<U, S>& params) {
  using AscendC::DataFormat;
  static_assert(kIsOneOf<T, std::int16_t, std::uint16_t, half, bfloat16_t>,
                "TransData: int16_t, uint16_t, half, bfloat16_t");
  constexpr bool kBack = config.dstFormat == DataFormat::NCDHW;
  constexpr DataFormat kPlain = kBack ? config.dstFormat : config.srcFormat;
  constexpr DataFormat kBlocks = kBack ? config.srcFormat : config.dstFormat;
  static_assert(kPlain == DataFormat::NCDHW &&
                    (kBlocks == DataFormat::NDC1HWC0 || kBlocks == DataFormat::FRACTAL_Z_3D),
                "TransData: NCDHW to NDC1HWC0 or FRACTAL_Z_3D, or back");
  constexpr bool kFractal = kBlocks == DataFormat::FRACTAL_Z_3D;
  FormatShape shape{};
  if constexpr (kBack) {
    shape = format_shape<kFractal>(where, params.dstLayout, params.srcLayout);
  } else {
    shape = format_shape<kFractal>(where, params.srcLayout, params.dstLayout);
  }
  shape.to_ncdhw = kBack;
  trans_data({"TransData", where}, dst, src, scratch, shape);
}

}  // namespace davsim::api::lib

namespace AscendC {

/// int16_t, uint16_t, half, bfloat16_t. Channels and batches that fill up fractals are 0.
template <const TransDataConfig& config, typename T, typename U, typename S>
void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
               const LocalTensor<std::uint8_t>& sharedTmpBuffer,
               const TransDataParams<U, S>& params, DAVSIM_WHERE) {
  davsim::api::lib::trans_data_of<config>(where, dstTensor, srcTensor, sharedTmpBuffer, params);
}
template <const TransDataConfig& config, typename T, typename U, typename S>
void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
               const TransDataParams<U, S>& params, DAVSIM_WHERE) {
  davsim::api::lib::trans_data_of<config>(where, dstTensor, srcTensor, {}, params);
}

}  // namespace AscendC
