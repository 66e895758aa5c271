// The register DEQSCALE: the factor of the casts that scale.
#pragma once

#include <bit>

#include "ascendc/vector_emit.h"

namespace AscendC {

constexpr std::uint8_t VDEQ_TENSOR_SIZE = 16;

/// Sixteen factors, offsets and signs, one for each int16_t of a DataBlock.
struct VdeqInfo {
  VdeqInfo() = default;
  VdeqInfo(const float vdeqScaleIn[VDEQ_TENSOR_SIZE],
           const std::int16_t vdeqOffsetIn[VDEQ_TENSOR_SIZE],
           const bool vdeqSignModeIn[VDEQ_TENSOR_SIZE]) {
    std::copy(vdeqScaleIn, vdeqScaleIn + VDEQ_TENSOR_SIZE, vdeqScale);
    std::copy(vdeqOffsetIn, vdeqOffsetIn + VDEQ_TENSOR_SIZE, vdeqOffset);
    std::copy(vdeqSignModeIn, vdeqSignModeIn + VDEQ_TENSOR_SIZE, vdeqSignMode);
  }

  float vdeqScale[VDEQ_TENSOR_SIZE] = {};
  std::int16_t vdeqOffset[VDEQ_TENSOR_SIZE] = {};
  bool vdeqSignMode[VDEQ_TENSOR_SIZE] = {};
};

}  // namespace AscendC

namespace davsim::api {

/// DEQSCALE, which the form of SetDeqScale that `call` needs must have written.
inline std::uint64_t deq_scale(std::string_view call, isa::DeqForm form, Location where) {
  if (!core_has(isa::Pipe::V)) return 0;
  if (registers().deq_form != form) {
    const char* const needed = form == isa::DeqForm::kHalf   ? "SetDeqScale(half)"
                               : form == isa::DeqForm::kWord ? "SetDeqScale(float, int16_t, bool)"
                                                             : "SetDeqScale(LocalTensor, VdeqInfo)";
    fail(isa::FaultClass::kParameter, call,
         {"needs ", needed, " before it, DEQSCALE was ",
          registers().deq_form == isa::DeqForm::kNone ? "never set" : "last set by another form"},
         where);
  }
  return registers().deq_scale;
}

inline void set_deq_scale(std::uint64_t value, isa::DeqForm form, Location where) {
  if (!core_has(isa::Pipe::V)) return;
  registers().deq_scale = value;
  registers().deq_form = form;
  emit_set_register(where);
}

/// A quantisation word: factor (the low 13 bits of its fraction are cut off), 9-bit offset, sign.
inline std::uint64_t deq_word(float scale, std::int16_t offset, bool sign, Location where) {
  require_range("SetDeqScale", "offset", offset, -256, 255, where);
  return (std::bit_cast<std::uint32_t>(scale) & 0xffffe000u) |
         (static_cast<std::uint64_t>(offset) & 0x1ffu) << 37 | std::uint64_t{sign} << 46;
}

}  // namespace davsim::api

namespace AscendC {

/// Factor of Cast and CastDequant from int32_t to half and of AddDeqRelu.
inline void SetDeqScale(half scale,
                        davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::set_deq_scale(davsim::api::bits_of(scale), davsim::isa::DeqForm::kHalf, where);
}

/// Factor, offset (-256 to 255) and sign of the result (true: int8_t, false: uint8_t) of
/// CastDequant with isVecDeq = false.
inline void SetDeqScale(float scale, std::int16_t offset, bool signMode,
                        davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::set_deq_scale(davsim::api::deq_word(scale, offset, signMode, where),
                             davsim::isa::DeqForm::kWord, where);
}

/// The same, sixteen of them, for CastDequant with isVecDeq = true: the scalar unit writes them
/// into `vdeq` (uint64_t, 128 bytes of UB), where the instruction will read them.
template <typename T>
void SetDeqScale(const LocalTensor<T>& vdeq, const VdeqInfo& vdeqInfo,
                 davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(std::is_same_v<T, std::uint64_t>, "SetDeqScale: vdeq is a tensor of uint64_t");
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  if (vdeq.GetPhyAddr() % davsim::isa::kBlockBytes != 0) {
    davsim::api::refuse("SetDeqScale", "address of vdeq",
                        static_cast<std::int64_t>(vdeq.GetPhyAddr()), "multiples of 32", where);
  }
  for (std::uint32_t i = 0; i < VDEQ_TENSOR_SIZE; ++i) {
    vdeq.SetValue(i,
                  davsim::api::deq_word(vdeqInfo.vdeqScale[i], vdeqInfo.vdeqOffset[i],
                                        vdeqInfo.vdeqSignMode[i], where),
                  where);
  }
  davsim::api::set_deq_scale(vdeq.GetPhyAddr() / davsim::isa::kBlockBytes,
                             davsim::isa::DeqForm::kTable, where);
}

}  // namespace AscendC
