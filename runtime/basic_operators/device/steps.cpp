// The kernel of evenly spaced numbers: 0, 1, 2, ... lies in UB, and each tile is computed from it.
#include "device/convert.h"
#include "device/steps_tiling.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

template <typename Work, typename Out>
class Steps {
 public:
  __aicore__ inline Steps(const StepsTiling& tiling, Work first, Work step, GM_ADDR out)
      : tiling_(tiling), first_(first), step_(step) {
    at_ = GetBlockIdx() * tiling_.share;
    end_ = min(at_ + tiling_.share, tiling_.elements);
    out_gm_.SetGlobalBuffer((__gm__ Out*)out);
    pipe_.InitBuffer(counted_, tiling_.tile * sizeof(Work));
    pipe_.InitBuffer(work_, tiling_.tile * sizeof(Work));
    pipe_.InitBuffer(out_, 2, tiling_.tile * sizeof(Out));
  }

  __aicore__ inline void Process() {
    const LocalTensor<Work> counted = counted_.template Get<Work>();
    const LocalTensor<Work> work = work_.template Get<Work>();
    CreateVecIndex(counted, static_cast<Work>(0), min(uint64_t{tiling_.tile}, end_ - at_));
    for (; at_ < end_; at_ += tiling_.tile) {
      const uint32_t count = min(uint64_t{tiling_.tile}, end_ - at_);
      Adds(work, counted, static_cast<Work>(at_), count);
      Muls(work, work, step_, count);
      Adds(work, work, first_, count);
      LocalTensor<Out> out = out_.template AllocTensor<Out>();
      if constexpr (sizeof(Out) == sizeof(int64_t)) {
        Cast(out, work, RoundMode::CAST_NONE, count);
      } else {
        Convert(out, work, count);
      }
      out_.EnQue(out);
      out = out_.template DeQue<Out>();
      const auto bytes = static_cast<uint32_t>(count * sizeof(Out));
      DataCopyPad(out_gm_[at_], out, DataCopyExtParams{1, bytes, 0, 0, 0});
      out_.FreeTensor(out);
    }
  }

 private:
  const StepsTiling& tiling_;
  const Work first_, step_;
  TPipe pipe_;
  TBuf<QuePosition::VECCALC> counted_, work_;
  TQue<QuePosition::VECOUT, 1> out_;
  GlobalTensor<Out> out_gm_;
  uint64_t at_ = 0, end_ = 0;
};

template <typename Out>
__aicore__ inline void Run(const StepsTiling& tiling, GM_ADDR out) {
  Steps<float, Out>(tiling, tiling.first, tiling.step, out).Process();
}

}  // namespace

extern "C" __global__ __aicore__ void davsim_steps(GM_ADDR out, GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(StepsTiling, tiling, tiling_data);
  if (tiling.whole != 0) {
    const int32_t first = tiling.whole_first, step = tiling.whole_step;
    if (tiling.out == StepsOut::kInt64) {
      return Steps<int32_t, int64_t>(tiling, first, step, out).Process();
    }
    return Steps<int32_t, int32_t>(tiling, first, step, out).Process();
  }
  switch (tiling.out) {
    case StepsOut::kHalf:
      return Run<half>(tiling, out);
    case StepsOut::kBfloat:
      return Run<bfloat16_t>(tiling, out);
    default:
      return Run<float>(tiling, out);
  }
}
