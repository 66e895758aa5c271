// What both halves of dispatch have: sizes, windows and buffers of the call.
#pragma once

#include "kernels/moe_distribute/routing.h"
#include "kernels/moe_distribute/windows.h"

namespace moe_distribute {

struct DispatchBuffers {
  GM_ADDR x, expert_ids, scales, mask, weights, workspace;
  GM_ADDR expand_x, dynamic_scales, info, token_nums, ep_counts, tp_counts, expand_scales;
  GM_ADDR ep_context, tp_context;
};

class DispatchCommon {
 protected:
  __aicore__ inline DispatchCommon(const MoeDistributeTiling& tiling, const DispatchBuffers& gm,
                                   AscendC::TPipe* pipe)
      : t_(tiling),
        gm_(gm),
        pipe_(pipe),
        windows_(tiling),
        ep_(gm.ep_context, tiling.rank, tiling.a3 != 0) {
    block_ = static_cast<uint32_t>(AscendC::GetBlockIdx());
    own_ = ep_.Own();
    sent_size_ = t_.quantised != 0 ? 1 : 2;
    tail_ = AlignUp(uint64_t{t_.width} * sent_size_, 32);
    row_bytes_ = tail_ + (t_.has_weights != 0 ? kTailBytes : kWeightAt);
  }

  const MoeDistributeTiling t_;
  const DispatchBuffers gm_;
  AscendC::TPipe* pipe_;
  EpWindow windows_;
  EpWindows ep_;
  GM_ADDR own_;  ///< the own window
  uint32_t block_, half_ = 0;
  uint32_t sent_size_;         ///< bytes of a number that travels
  uint64_t tail_, row_bytes_;  ///< where a row's tail begins, and where it ends
};

}  // namespace moe_distribute
