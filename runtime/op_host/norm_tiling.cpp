#include "lib/norm_tiling.h"

#include <algorithm>

#include "kernel_tiling/library_sizes.h"
#include "runtime/op_host/tiling_shape.hpp"

namespace AscendC {

namespace {

namespace sizes = davsim::sizes;
using op_host::Bsh;
using op_host::bsh_of;
using op_host::rounded;

/// Elements of a row of whole DataBlocks.
std::uint32_t padded_row(std::uint32_t elements, std::uint32_t type_bytes) {
  return type_bytes == 0 ? elements : sizes::up(elements, 32 / type_bytes);
}

struct ChannelGroups {
  std::uint32_t n = 0, c = 0, hw = 0, g = 0, pitch = 0;
  std::uint32_t d() const { return g == 0 ? 0 : c / g; }
  std::uint32_t wide() const { return d() * sizes::up(pitch, 16); }
};
ChannelGroups groups_of(const ge::Shape& shape, std::uint32_t groups, std::uint32_t type_bytes) {
  const auto dim = [&](std::size_t i) {
    return i < shape.GetDimNum() ? static_cast<std::uint32_t>(shape.GetDim(i)) : 1u;
  };
  ChannelGroups made{dim(0), dim(1), dim(2) * dim(3), groups, 0};
  made.pitch = padded_row(made.hw, type_bytes);
  return made;
}

/// One struct's fields into the class of the host.
#define DAVSIM_SET(name) to.set_##name(from.name);
#define DAVSIM_HAND_OVER(Name, FIELDS)                                            \
  [[maybe_unused]] void hand_over(const tiling::Name& from, optiling::Name& to) { \
    FIELDS(DAVSIM_SET)                                                            \
  }
DAVSIM_PLAIN_TILINGS(DAVSIM_HAND_OVER)
#undef DAVSIM_HAND_OVER
#undef DAVSIM_SET

/// The common fields of tilings of rows.
template <class Tiling>
void set_rows(const Bsh& dims, Tiling& tiling) {
  tiling = {};
  tiling.bLength = dims.b;
  tiling.sLength = dims.s;
  tiling.hLength = dims.h;
  tiling.originalHLength = dims.counting;
}

}  // namespace

void GetGroupNormMaxMinTmpSize(const ge::Shape& shape, uint32_t size, bool, uint32_t groups,
                               uint32_t& most, uint32_t& least) {
  const ChannelGroups s = groups_of(shape, groups, size);
  const std::uint32_t all = std::max(s.n * s.g, 1u);
  most = rounded(sizes::group_norm(all, s.c, all, s.wide()));
  least = rounded(sizes::group_norm(all, s.c, 1, s.wide()));
}
void GetGroupNormNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t size, bool,
                              uint32_t groups, tiling::GroupNormTiling& tiling) {
  const ChannelGroups s = groups_of(shape, groups, size);
  tiling = {};
  tiling.n = s.n;
  tiling.c = s.c;
  tiling.hw = s.hw;
  tiling.g = s.g;
  tiling.d = s.d();
  tiling.hwAlignSize = s.pitch;
  tiling.dhwAlignSize = s.d() * s.pitch;
  tiling.inputXSize = s.n * s.c * s.pitch;
  tiling.meanVarSize = s.n * s.g;
  tiling.tmpBufSize = room / 4;
  tiling.factor = s.d() * s.hw == 0 ? 0 : 1.0f / static_cast<float>(s.d() * s.hw);
}
void GetGroupNormNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t size, bool reuse,
                              uint32_t groups, optiling::GroupNormTiling& to) {
  tiling::GroupNormTiling from;
  GetGroupNormNDTilingInfo(shape, room, size, reuse, groups, from);
#define DAVSIM_SET(name) to.set_##name(from.name);
  DAVSIM_GROUP_NORM_TILING_FIELDS(DAVSIM_SET)
  DAVSIM_SET(factor)
  DAVSIM_SET(smallShape)
#undef DAVSIM_SET
}

bool GetBatchNormMaxMinTmpSize(const ge::Shape& shape, const ge::Shape& origin, uint32_t, bool,
                               uint32_t& most, uint32_t& least, bool) {
  const Bsh dims = bsh_of(shape), counting = bsh_of(origin);
  if (dims.s * dims.h == 0 || counting.b == 0) return false;
  most = rounded(sizes::batch_norm(counting.b, sizes::up(dims.s * dims.h, 16)));
  least = rounded(sizes::batch_norm(counting.b, 16));
  return true;
}
bool GetBatchNormNDTilingInfo(const ge::Shape& shape, const ge::Shape& origin, uint32_t room,
                              uint32_t, bool, tiling::BatchNormTiling& tiling, bool) {
  const Bsh dims = bsh_of(shape), counting = bsh_of(origin);
  if (dims.s * dims.h == 0 || counting.b == 0 || room < sizes::batch_norm(counting.b, 16)) {
    return false;
  }
  tiling = {};
  tiling.originalBLength = counting.b;
  tiling.meanVarSize = dims.s * dims.h;
  tiling.tmpBufSize = room / 4;
  return true;
}
bool GetBatchNormNDTilingInfo(const ge::Shape& shape, const ge::Shape& origin, uint32_t room,
                              uint32_t size, bool reuse, optiling::BatchNormTiling& tiling,
                              bool basic) {
  tiling::BatchNormTiling made;
  if (!GetBatchNormNDTilingInfo(shape, origin, room, size, reuse, made, basic)) return false;
  hand_over(made, tiling);
  return true;
}

bool GetDeepNormMaxMinTmpSize(const ge::Shape& shape, uint32_t size, bool reuse, bool,
                              uint32_t& most, uint32_t& least) {
  if (shape.GetShapeSize() <= 0) return false;
  GetLayerNormMaxMinTmpSize(shape, size, reuse, most, least);
  return true;
}
bool GetDeepNormTilingInfo(const ge::Shape& shape, const ge::Shape& origin, uint32_t room, uint32_t,
                           bool, bool, tiling::DeepNormTiling& tiling) {
  const Bsh dims = bsh_of(shape), counting = bsh_of(origin);
  if (shape.GetShapeSize() <= 0 || counting.h == 0 || counting.h > dims.h ||
      room < sizes::norm(std::min(dims.rows(), 16u), dims.h)) {
    return false;
  }
  set_rows(dims, tiling);
  tiling.originalHLength = counting.h;
  tiling.inputXSize = dims.rows() * dims.h;
  tiling.meanVarSize = dims.rows();
  tiling.tmpBufSize = room / 4;
  tiling.lastDimValueBack = 1.0f / static_cast<float>(counting.h);
  return true;
}
bool GetDeepNormTilingInfo(const ge::Shape& shape, const ge::Shape& origin, uint32_t room,
                           uint32_t size, bool reuse, bool basic, optiling::DeepNormTiling& to) {
  tiling::DeepNormTiling from;
  if (!GetDeepNormTilingInfo(shape, origin, room, size, reuse, basic, from)) return false;
#define DAVSIM_SET(name) to.set_##name(from.name);
  DAVSIM_LAYER_NORM_TILING_FIELDS(DAVSIM_SET)
  DAVSIM_SET(lastDimValueBack)
#undef DAVSIM_SET
  return true;
}

void GetLayerNormMaxMinTmpSize(const ge::Shape& shape, uint32_t size, bool reuse, bool, bool,
                               uint32_t& most, uint32_t& least) {
  GetLayerNormMaxMinTmpSize(shape, size, reuse, most, least);
}
void GetLayerNormNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t, bool, bool,
                              tiling::LayerNormSeparateTiling& tiling) {
  const Bsh dims = bsh_of(shape);
  tiling = {};
  tiling.aLength = dims.rows();
  tiling.rLength = dims.h;
  tiling.inputXSize = dims.rows() * dims.h;
  tiling.meanVarSize = dims.rows();
  tiling.tmpBufSize = room / 4;
  tiling.rValueBack = dims.h == 0 ? 0 : 1.0f / static_cast<float>(dims.h);
}
void GetLayerNormNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t size, bool reuse,
                              bool rstd, optiling::LayerNormSeparateTiling& to) {
  tiling::LayerNormSeparateTiling from;
  GetLayerNormNDTilingInfo(shape, room, size, reuse, rstd, from);
#define DAVSIM_SET(name) to.set_##name(from.name);
  DAVSIM_SEPARATE_NORM_TILING_FIELDS(DAVSIM_SET, DAVSIM_SET)
#undef DAVSIM_SET
}
void GetNormalizeMaxMinTmpSize(const ge::Shape& shape, uint32_t, uint32_t size, bool reuse, bool,
                               bool, uint32_t& most, uint32_t& least) {
  GetLayerNormMaxMinTmpSize(shape, size, reuse, most, least);
}

void GetLayerNormGradMaxMinTmpSize(const ge::Shape& shape, uint32_t, bool, uint32_t& most,
                                   uint32_t& least) {
  const Bsh dims = bsh_of(shape);
  most = rounded(sizes::norm_grad(dims.rows(), dims.h));
  least = rounded(sizes::norm_grad(std::min(dims.rows(), 16u), dims.h));
}
void GetLayerNormGradNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t, bool,
                                  tiling::LayerNormGradTiling& tiling) {
  set_rows(bsh_of(shape), tiling);
  tiling.stackBufferSize = room / 4;
}
void GetLayerNormGradNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t size, bool reuse,
                                  optiling::LayerNormGradTiling& tiling) {
  tiling::LayerNormGradTiling made;
  GetLayerNormGradNDTilingInfo(shape, room, size, reuse, made);
  hand_over(made, tiling);
}
void GetLayerNormGradBetaMaxMinTmpSize(const ge::Shape& shape, uint32_t, bool, uint32_t& most,
                                       uint32_t& least) {
  most = rounded(sizes::norm_grad_beta(sizes::up(bsh_of(shape).h, 16)));
  least = rounded(sizes::norm_grad_beta(16));
}
void GetLayerNormGradBetaNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t, bool,
                                      tiling::LayerNormGradBetaTiling& tiling) {
  const Bsh dims = bsh_of(shape);
  set_rows(dims, tiling);
  tiling.stackBufferSize = room / 4;
  tiling.bsLength = dims.rows();
  tiling.bshLength = dims.rows() * dims.h;
}
void GetLayerNormGradBetaNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t size,
                                      bool reuse, optiling::LayerNormGradBetaTiling& tiling) {
  tiling::LayerNormGradBetaTiling made;
  GetLayerNormGradBetaNDTilingInfo(shape, room, size, reuse, made);
  hand_over(made, tiling);
}

void GetWelfordUpdateMaxMinTmpSize(const ge::Shape& shape, uint32_t, uint32_t, bool, bool,
                                   uint32_t& most, uint32_t& least) {
  const std::uint64_t count = std::max<std::int64_t>(shape.GetShapeSize(), 1);
  least = rounded(sizes::kWelfordTensors * 64);
  most = std::max(
      rounded(sizes::kWelfordTensors * 4ull * sizes::up(static_cast<std::uint32_t>(count), 16)),
      least);
}
void GetWelfordFinalizeMaxMinTmpSize(const ge::Shape& shape, uint32_t, bool, uint32_t& most,
                                     uint32_t& least) {
  least = most = rounded(sizes::welford_finalize(
      static_cast<std::uint32_t>(std::max<std::int64_t>(shape.GetShapeSize(), 1))));
}

}  // namespace AscendC
