// What both halves of combine have: sizes, windows and buffers of the call.
#pragma once

#include "kernels/moe_distribute/routing.h"
#include "kernels/moe_distribute/windows.h"

namespace moe_distribute {

struct CombineBuffers {
  GM_ADDR expand_x, expert_ids, info, ep_counts, weights, tp_counts, mask, shared_x;
  GM_ADDR ori_x, alpha_1, alpha_2, constant, x, ep_context, tp_context;
};

template <class T>
class CombineCommon {
 protected:
  __aicore__ inline CombineCommon(const MoeDistributeTiling& tiling, const CombineBuffers& gm,
                                  AscendC::TPipe* pipe)
      : t_(tiling),
        gm_(gm),
        pipe_(pipe),
        windows_(tiling),
        ep_(gm.ep_context, tiling.rank, tiling.a3 != 0) {
    block_ = static_cast<uint32_t>(AscendC::GetBlockIdx());
    own_ = ep_.Own();
    wide_ = static_cast<uint32_t>(AlignUp(t_.width, 128));
    row_bytes_ = uint64_t{t_.width} * 2;
    entries_ = t_.top_k + t_.shared_experts;
    sent_bytes_ = row_bytes_;
    if (t_.quantised != 0) {
      scales_at_ = AlignUp(t_.width, 32);
      sent_bytes_ = AlignUp(scales_at_ + t_.width / kScaleGroup * 2, 32);
    }
  }

  /// to = a row of the type, as floats.
  __aicore__ inline void LoadWide(const AscendC::LocalTensor<float>& to, GM_ADDR from) {
    AscendC::LocalTensor<T> in = in_queue_.template AllocTensor<T>();
    Load(in, from, 0, t_.width);
    in_queue_.EnQue(in);
    in = in_queue_.template DeQue<T>();
    AscendC::Cast(to, in, AscendC::RoundMode::CAST_NONE, t_.width);
    AscendC::PipeBarrier<PIPE_V>();
    in_queue_.FreeTensor(in);
  }

  /// Eight numbers share a scale, their largest magnitude / 127. The scales go behind the bytes.
  /// `x` and `scratch` are overwritten.
  __aicore__ inline void Quantise(const AscendC::LocalTensor<uint8_t>& out,
                                  const AscendC::LocalTensor<float>& x,
                                  const AscendC::LocalTensor<float>& scratch,
                                  const AscendC::LocalTensor<float>& maxima) {
    using namespace AscendC;
    const auto width = static_cast<int32_t>(t_.width);
    const int32_t groups = width / static_cast<int32_t>(kScaleGroup);
    const auto repeats = static_cast<uint8_t>(width / 64);
    Abs(scratch, x, width);
    PipeBarrier<PIPE_V>();
    BlockReduceMax(maxima, scratch, repeats, 64, 1, 1, 8);
    PipeBarrier<PIPE_V>();
    Muls(maxima, maxima, 1.0f / 127.0f, groups);
    PipeBarrier<PIPE_V>();
    Cast(out[scales_at_].template ReinterpretCast<T>(), maxima, RoundMode::CAST_RINT, groups);
    Brcb(scratch, maxima, repeats, BrcbRepeatParams(1, 8));
    PipeBarrier<PIPE_V>();
    Div(x, x, scratch, width);
    PipeBarrier<PIPE_V>();
    const LocalTensor<half> halves = scratch.template ReinterpretCast<half>();
    Cast(halves, x, RoundMode::CAST_RINT, width);
    PipeBarrier<PIPE_V>();
    Cast(out.template ReinterpretCast<int8_t>(), halves, RoundMode::CAST_RINT, width);
  }
  /// to = a row that travelled as int8.
  __aicore__ inline void LoadQuantised(const AscendC::LocalTensor<float>& to, GM_ADDR from,
                                       const AscendC::LocalTensor<float>& scratch,
                                       const AscendC::LocalTensor<float>& maxima) {
    using namespace AscendC;
    const int32_t groups = static_cast<int32_t>(t_.width / kScaleGroup);
    LocalTensor<uint8_t> in = in_queue_.template AllocTensor<uint8_t>();
    Load(in, from, 0, sent_bytes_);
    in_queue_.EnQue(in);
    in = in_queue_.template DeQue<uint8_t>();
    const LocalTensor<half> halves = scratch.template ReinterpretCast<half>();
    Cast(halves, in.template ReinterpretCast<int8_t>(), RoundMode::CAST_NONE, t_.width);
    Cast(maxima, in[scales_at_].template ReinterpretCast<T>(), RoundMode::CAST_NONE, groups);
    PipeBarrier<PIPE_V>();
    Cast(to, halves, RoundMode::CAST_NONE, t_.width);
    PipeBarrier<PIPE_V>();
    in_queue_.FreeTensor(in);
    Brcb(scratch, maxima, static_cast<uint8_t>(t_.width / 64), BrcbRepeatParams(1, 8));
    PipeBarrier<PIPE_V>();
    Mul(to, to, scratch, static_cast<int32_t>(t_.width));
    PipeBarrier<PIPE_V>();
  }
  /// sum += weight * numbers.
  __aicore__ inline void AddWeighted(const AscendC::LocalTensor<float>& sum,
                                     const AscendC::LocalTensor<float>& numbers, float weight) {
    if (weight != 1.0f) {
      AscendC::Muls(numbers, numbers, weight, static_cast<int32_t>(t_.width));
      AscendC::PipeBarrier<PIPE_V>();
    }
    AscendC::Add(sum, sum, numbers, static_cast<int32_t>(t_.width));
    AscendC::PipeBarrier<PIPE_V>();
  }

  const MoeDistributeTiling t_;
  const CombineBuffers gm_;
  AscendC::TPipe* pipe_;
  EpWindow windows_;
  EpWindows ep_;
  GM_ADDR own_;  ///< the own window
  uint32_t block_, half_ = 0;
  uint32_t wide_;     ///< numbers of a row, in whole pieces of 128
  uint32_t entries_;  ///< rows that a token awaits at most
  uint64_t row_bytes_, sent_bytes_;
  uint64_t scales_at_ = 0;  ///< where the scales of a quantised row begin
  AscendC::TQue<AscendC::TPosition::VECIN, 2> in_queue_;
};

}  // namespace moe_distribute
