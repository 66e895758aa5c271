// Numbers of columns, such as the weights of a norm.
#pragma once

#include "device/rows.h"

namespace davsim_basic {

/// A row of numbers for all rows of a tile. It stays in UB until another one is wanted.
class RowWeights {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, GM_ADDR address, uint32_t tile) {
    gm_.SetGlobalBuffer((__gm__ float*)address);
    pipe.InitBuffer(queue_, 1, tile * sizeof(float));
  }
  __aicore__ inline void Apply(Arithmetic op, const AscendC::LocalTensor<float>& x, uint64_t from,
                               const RowTile& tile) {
    if (!is_there_ || from != from_) Load(from, tile.columns);
    Calculate(op, x, x, weights_, Along::kColumns, tile);
  }

  /// At the end.
  __aicore__ inline void Free() {
    if (is_there_) queue_.FreeTensor(weights_);
    is_there_ = false;
  }

 private:
  __aicore__ inline void Load(uint64_t from, uint32_t columns) {
    Free();
    weights_ = queue_.AllocTensor<float>();
    using namespace AscendC;
    const uint32_t bytes = columns * sizeof(float);
    DataCopyPad(weights_, gm_[from], DataCopyExtParams{1, bytes, 0, 0, 0},
                DataCopyPadExtParams<float>{});
    queue_.EnQue(weights_);
    weights_ = queue_.DeQue<float>();
    from_ = from;
    is_there_ = true;
  }

  AscendC::TQue<AscendC::QuePosition::VECIN, 1> queue_;
  AscendC::GlobalTensor<float> gm_;
  AscendC::LocalTensor<float> weights_;
  uint64_t from_ = 0;
  bool is_there_ = false;
};

}  // namespace davsim_basic
