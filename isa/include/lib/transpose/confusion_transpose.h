// Transpositions of matrices and of fractals.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"
#include "ascendc/vector_transpose_tensor.h"

namespace davsim::api::lib {

/// The tiling has b, n, s and h / n in param0 to param3; of two dimensions height and width in
/// param1 and param2.
template <typename T>
void transpose_as(const char* name, Location where, const AscendC::LocalTensor<T>& dst,
                  const AscendC::LocalTensor<T>& src, AscendC::TransposeType type,
                  const AscendC::ConfusionTransposeTiling& t) {
  using AscendC::TransposeType;
  static_assert(kIsOneOf<T, std::int16_t, std::uint16_t, half, std::int32_t, std::uint32_t, float>,
                "Transpose: int16_t, uint16_t, half, int32_t, uint32_t, float");
  const Call call{name, where};
  const auto move = [&](bool swapped, bool merged, bool nz) {
    move_fractals(call, dst, src, {t.param0, t.param1, t.param2, t.param3, swapped, merged, nz});
  };
  switch (type) {
    case TransposeType::TRANSPOSE_NZ2ND_0213:
      return move(true, false, false);
    case TransposeType::TRANSPOSE_NZ2NZ_0213:
      return move(true, false, true);
    case TransposeType::TRANSPOSE_NZ2NZ_012_WITH_N:
      return move(false, false, true);
    case TransposeType::TRANSPOSE_NZ2ND_012_WITH_N:
      return move(false, false, false);
    case TransposeType::TRANSPOSE_NZ2ND_012_WITHOUT_N:
      return move(false, true, false);
    case TransposeType::TRANSPOSE_NZ2NZ_012_WITHOUT_N:
      return move(false, true, true);
    case TransposeType::TRANSPOSE_ND2ND_ONLY:
      return transpose(call, dst, src, t.param1, t.param2);
    default:
      refuse(name, "transposeType", static_cast<std::int64_t>(type), "1 to 7", where);
  }
}

}  // namespace davsim::api::lib

// The function under both of its names. No temporary buffer is used.
#define DAVSIM_TRANSPOSE(Name)                                                                   \
  template <typename T>                                                                          \
  void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                    \
            const LocalTensor<std::uint8_t>&, TransposeType transposeType,                       \
            const ConfusionTransposeTiling& tiling, DAVSIM_WHERE) {                              \
    davsim::api::lib::transpose_as(#Name, where, dstTensor, srcTensor, transposeType, tiling);   \
  }                                                                                              \
  template <typename T>                                                                          \
  void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                    \
            TransposeType transposeType, const ConfusionTransposeTiling& tiling, DAVSIM_WHERE) { \
    davsim::api::lib::transpose_as(#Name, where, dstTensor, srcTensor, transposeType, tiling);   \
  }

namespace AscendC {

DAVSIM_TRANSPOSE(Transpose)
/// Older name.
DAVSIM_TRANSPOSE(ConfusionTranspose)

}  // namespace AscendC

#undef DAVSIM_TRANSPOSE
