// What the functions of the softmax family have in common: shapes, configurations, and how the
// headers hand calls to isa/api/library/softmax.cpp.
#pragma once

#include "ascendc/language.h"
#include "ascendc/library_call.h"
#include "kernel_tiling/library_sizes.h"

namespace AscendC {

enum class SoftmaxMode {
  SOFTMAX_NORMAL = 0,
  SOFTMAX_OUTPUT_WITHOUT_BRC = 1,  ///< sums and maxima have one element a row, not a DataBlock
};

struct SoftmaxConfig {
  constexpr SoftmaxConfig(bool isCheckTilingIn) : isCheckTiling(isCheckTilingIn) {}  // NOLINT
  constexpr SoftmaxConfig(bool isCheckTilingIn, std::uint32_t oriSrcMIn, std::uint32_t oriSrcKIn,
                          SoftmaxMode modeIn = SoftmaxMode::SOFTMAX_NORMAL)
      : isCheckTiling(isCheckTilingIn), oriSrcM(oriSrcMIn), oriSrcK(oriSrcKIn), mode(modeIn) {}

  bool isCheckTiling = true;  ///< a tiling of another shape is made anew
  std::uint32_t oriSrcM = 0;  ///< 0: what the call says
  std::uint32_t oriSrcK = 0;
  SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

/// srcM rows of srcK elements, of which the first oriSrcM rows and oriSrcK columns count. Elements
/// of dst beyond them keep their values. All 0: the shape of the tiling.
struct SoftMaxShapeInfo {
  std::uint32_t srcM{0};
  std::uint32_t srcK{0};
  std::uint32_t oriSrcM{0};
  std::uint32_t oriSrcK{0};
};

struct SoftMaxParams {
  std::uint32_t srcM{0};
  std::uint32_t srcK{0};
  std::uint32_t oriSrcM{0};
  std::uint32_t oriSrcK{0};
  std::uint32_t loopCnt{1};       ///< the how manieth block of columns this is, from 1
  std::uint32_t splitMeanCnt{8};  ///< parts of a row that have a mean of their own
  float alpha{0.9375};
};

}  // namespace AscendC

namespace davsim::api::lib {

/// The shape and the switches of a call.
struct SoftMaxForm {
  AscendC::SoftMaxShapeInfo shape;
  std::uint32_t rows_at_once = 0;  ///< by the tiling; 0: what fits
  bool basic_block = false;
  bool nz = false;     ///< [srcK / 16][srcM][16]
  bool blocks = true;  ///< sums and maxima have a DataBlock a row
  bool update = false;
};

template <class Tiling>
SoftMaxForm softmax_form(const Tiling& tiling, AscendC::SoftMaxShapeInfo shape,
                         const AscendC::SoftmaxConfig& config = AscendC::SOFTMAX_DEFAULT_CFG) {
  SoftMaxForm form;
  if (shape.srcM == 0 && shape.srcK == 0) {
    shape = {tiling.srcM, tiling.srcK, tiling.srcM, tiling.srcK};
  }
  if (config.oriSrcM != 0) shape.oriSrcM = config.oriSrcM;
  if (config.oriSrcK != 0) shape.oriSrcK = config.oriSrcK;
  form.shape = shape;
  const bool fits = tiling.srcM == shape.srcM && tiling.srcK == shape.srcK;
  if (fits || !config.isCheckTiling) form.rows_at_once = tiling.splitM;
  form.blocks = config.mode == AscendC::SoftmaxMode::SOFTMAX_NORMAL;
  return form;
}

/// Tensors that a function does not have are left out.
struct SoftMaxTensors {
  Tensor dst = {};
  Tensor src = {};
  Tensor sum = {};
  Tensor max = {};
  Tensor exp_max = {};
  Tensor in_sum = {};
  Tensor in_max = {};
  Tensor mean = {};
  Tensor in_mean = {};
  Tensor row_max = {};  ///< the maxima of these columns alone
  Tensor scratch = {};  ///< without it: the rest of UB
};

void softmax(const Call& call, const SoftMaxTensors& tensors, const SoftMaxForm& form);
void log_softmax(const Call& call, const SoftMaxTensors& tensors, const SoftMaxForm& form);
/// With in_sum and in_max in place of those of the rows.
void simple_softmax(const Call& call, const SoftMaxTensors& tensors, const SoftMaxForm& form);
/// `divided`: the first version, whose results are divided by the sums.
void softmax_flash(const Call& call, const SoftMaxTensors& tensors, const SoftMaxForm& form,
                   bool divided);
void softmax_flash_v3(const Call& call, const SoftMaxTensors& tensors, const SoftMaxForm& form,
                      const AscendC::SoftMaxParams& params);
/// dst = the sums of src * grad a row (`front`), or (grad - sum) * src.
void softmax_grad(const Call& call, const SoftMaxTensors& tensors, const Tensor& grad,
                  const SoftMaxForm& form, bool front);
/// `from` and `to` are bit patterns of the maxima and of the results.
bool adjust_softmax(const Call& call, const Tensor& result, const Tensor& max, std::uint32_t from,
                    std::uint64_t to, const SoftMaxForm& form);

template <typename T, typename U>
inline constexpr bool kSoftMaxTypes = kIsOneOf<T, half, float> &&
                                      (std::is_same_v<T, U> || std::is_same_v<U, float>);

}  // namespace davsim::api::lib
