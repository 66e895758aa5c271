// The kernel of pointwise functions: each core has a share of the elements and walks through it
// tile by tile. float_math.h and whole_math.h have what is computed.
#include "device/convert.h"
#include "device/float_math.h"
#include "device/pointwise_tiling.h"
#include "device/whole_math.h"
#include "kernel_operator.h"

using namespace AscendC;
using namespace davsim_basic;

namespace {

/// 0 and 1 as bytes.
template <typename Work>
__aicore__ inline void ConvertToBool(const LocalTensor<int8_t>& to, const LocalTensor<Work>& from,
                                     const LocalTensor<half>& between, uint32_t count) {
  if constexpr (std::is_same_v<Work, int32_t>) {
    const LocalTensor<float> real = from.template ReinterpretCast<float>();
    Cast(real, from, RoundMode::CAST_NONE, count);
    Cast(between, real, RoundMode::CAST_NONE, count);
  } else {
    Cast(between, from, RoundMode::CAST_NONE, count);
  }
  Cast(to, between, RoundMode::CAST_NONE, count);
}

template <typename In, typename Work, typename Out, typename Math>
class Pointwise {
 public:
  __aicore__ inline explicit Pointwise(const PointwiseTiling& tiling) : tiling_(tiling) {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR out) {
    const uint64_t from = GetBlockIdx() * tiling_.share;
    length_ = min(tiling_.share, tiling_.elements - from);
    const GM_ADDR operands[kMostOperands] = {x, y, z};
    for (uint32_t i = 0; i < tiling_.operands; ++i) {
      pipe_.InitBuffer(work_[i], tiling_.tile * sizeof(Work));
      if (tiling_.is_number[i] != 0) {
        Duplicate(work_[i].Get<Work>(), Math::Number(tiling_, i), tiling_.tile);
        continue;
      }
      in_gm_[i].SetGlobalBuffer((__gm__ In*)operands[i] + from, length_);
      pipe_.InitBuffer(in_[i], 2, tiling_.tile * sizeof(In));
    }
    out_gm_.SetGlobalBuffer((__gm__ Out*)out + from, length_);
    pipe_.InitBuffer(out_, 2, tiling_.tile * sizeof(Out));
    pipe_.InitBuffer(result_, tiling_.tile * sizeof(Work));
    math_.Init(pipe_, tiling_.tile);
  }

  __aicore__ inline void Process() {
    for (uint64_t at = 0; at < length_; at += tiling_.tile) {
      const uint32_t count = min(static_cast<uint64_t>(tiling_.tile), length_ - at);
      CopyIn(at, count);
      Compute(count);
      CopyOut(at, count);
    }
  }

 private:
  __aicore__ inline void CopyIn(uint64_t at, uint32_t count) {
    const DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(In)), 0, 0, 0};
    for (uint32_t i = 0; i < tiling_.operands; ++i) {
      if (tiling_.is_number[i] != 0) continue;
      LocalTensor<In> in = in_[i].template AllocTensor<In>();
      DataCopyPad(in, in_gm_[i][at], bytes, DataCopyPadExtParams<In>{});
      in_[i].EnQue(in);
    }
  }

  __aicore__ inline void Compute(uint32_t count) {
    LocalTensor<Work> operands[kMostOperands];
    for (uint32_t i = 0; i < tiling_.operands; ++i) {
      operands[i] = work_[i].template Get<Work>();
      if (tiling_.is_number[i] != 0) continue;
      LocalTensor<In> in = in_[i].template DeQue<In>();
      Convert(operands[i], in, count);
      in_[i].FreeTensor(in);
    }
    const LocalTensor<Work> result = result_.template Get<Work>();
    math_.Run(tiling_, result, operands, count);
    LocalTensor<Out> out = out_.template AllocTensor<Out>();
    if constexpr (std::is_same_v<Out, int8_t>) {
      // The first operand is not needed any more.
      ConvertToBool(out, result, operands[0].template ReinterpretCast<half>(), count);
    } else {
      Convert(out, result, count);
    }
    out_.EnQue(out);
  }

  __aicore__ inline void CopyOut(uint64_t at, uint32_t count) {
    LocalTensor<Out> out = out_.template DeQue<Out>();
    DataCopyPad(out_gm_[at], out,
                DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(Out)), 0, 0, 0});
    out_.FreeTensor(out);
  }

  const PointwiseTiling& tiling_;
  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> in_[kMostOperands];
  TQue<QuePosition::VECOUT, 1> out_;
  TBuf<QuePosition::VECCALC> work_[kMostOperands], result_;
  GlobalTensor<In> in_gm_[kMostOperands];
  GlobalTensor<Out> out_gm_;
  Math math_;
  uint64_t length_ = 0;
};

struct Addresses {
  GM_ADDR x, y, z, out;
};

template <typename In, typename Work, typename Out, typename Math>
__aicore__ inline void Run(const Addresses& at, const PointwiseTiling& tiling) {
  Pointwise<In, Work, Out, Math> pointwise(tiling);
  pointwise.Init(at.x, at.y, at.z, at.out);
  pointwise.Process();
}

template <typename In>
__aicore__ inline void RunInFloat(const Addresses& at, const PointwiseTiling& tiling) {
  switch (tiling.out) {
    case Element::kFloat:
      return Run<In, float, float, FloatMath>(at, tiling);
    case Element::kHalf:
      return Run<In, float, half, FloatMath>(at, tiling);
    case Element::kBfloat:
      return Run<In, float, bfloat16_t, FloatMath>(at, tiling);
    case Element::kInt32:
      return Run<In, float, int32_t, FloatMath>(at, tiling);
    case Element::kBool:
      return Run<In, float, int8_t, FloatMath>(at, tiling);
  }
}

}  // namespace

extern "C" __global__ __aicore__ void davsim_pointwise(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR out,
                                                       GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(PointwiseTiling, tiling, tiling_data);
  const Addresses at{x, y, z, out};
  if (tiling.whole != 0) {
    if (tiling.out == Element::kBool) return Run<int32_t, int32_t, int8_t, WholeMath>(at, tiling);
    return Run<int32_t, int32_t, int32_t, WholeMath>(at, tiling);
  }
  switch (tiling.in) {
    case Element::kFloat:
      return RunInFloat<float>(at, tiling);
    case Element::kHalf:
      return RunInFloat<half>(at, tiling);
    case Element::kBfloat:
      return RunInFloat<bfloat16_t>(at, tiling);
    case Element::kInt32:
    case Element::kBool:
      return RunInFloat<int32_t>(at, tiling);
  }
}
