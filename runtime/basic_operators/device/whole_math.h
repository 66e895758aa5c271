// Pointwise functions of int32.
#pragma once

#include "device/pointwise_tiling.h"
#include "kernel_operator.h"

namespace davsim_basic {

class WholeMath {
 public:
  __aicore__ static inline int32_t Number(const PointwiseTiling& tiling, uint32_t operand) {
    return tiling.whole_number[operand];
  }

  __aicore__ inline void Init(AscendC::TPipe& pipe, uint32_t tile) {
    pipe.InitBuffer(temporary_, tile * sizeof(int32_t));
    pipe.InitBuffer(bits_, tile / 8);
  }

  __aicore__ inline void Run(const PointwiseTiling& tiling,
                             const AscendC::LocalTensor<int32_t>& out,
                             const AscendC::LocalTensor<int32_t>* operands, uint32_t count) {
    using namespace AscendC;
    const LocalTensor<int32_t>& x = operands[0];
    const LocalTensor<int32_t>& y = operands[1];
    const LocalTensor<int32_t>& z = operands[2];
    const LocalTensor<int32_t> t = temporary_.Get<int32_t>();
    switch (tiling.op) {
      case PointwiseOp::kCopy:
        return Adds(out, x, 0, count);
      case PointwiseOp::kAbs:
        Muls(t, x, -1, count);
        return Max(out, x, t, count);
      case PointwiseOp::kNeg:
        return Muls(out, x, -1, count);
      case PointwiseOp::kRelu:
        return Maxs(out, x, 0, count);
      case PointwiseOp::kClamp:
        Maxs(out, x, tiling.whole_a, count);
        return Mins(out, out, tiling.whole_b, count);
      case PointwiseOp::kAxpy:
        Muls(t, y, tiling.whole_a, count);
        return Add(out, x, t, count);
      case PointwiseOp::kMul:
        return Mul(out, x, y, count);
      case PointwiseOp::kMaximum:
        return Max(out, x, y, count);
      case PointwiseOp::kMinimum:
        return Min(out, x, y, count);
      case PointwiseOp::kAddcmul:
        Mul(t, y, z, count);
        Muls(t, t, tiling.whole_a, count);
        return Add(out, x, t, count);
      case PointwiseOp::kEq:
        return SelectWhereEqual(out, x, y, 1, 0, count);
      case PointwiseOp::kNe:
        return SelectWhereEqual(out, x, y, 0, 1, count);
      // Numbers of 32 bits are compared for equality alone.
      case PointwiseOp::kGe:
        Max(t, x, y, count);
        return SelectWhereEqual(out, t, x, 1, 0, count);
      case PointwiseOp::kLt:
        Max(t, x, y, count);
        return SelectWhereEqual(out, t, x, 0, 1, count);
      case PointwiseOp::kLe:
        Max(t, x, y, count);
        return SelectWhereEqual(out, t, y, 1, 0, count);
      case PointwiseOp::kGt:
        Max(t, x, y, count);
        return SelectWhereEqual(out, t, y, 0, 1, count);
      case PointwiseOp::kWhere:
        Duplicate(t, 0, count);
        CompareEqual(z, t, count);
        return Select(out.ReinterpretCast<float>(), bits_.Get<uint8_t>(),
                      y.ReinterpretCast<float>(), x.ReinterpretCast<float>(),
                      SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
      default:
        ASSERT(false && "the host does what is missing here by itself");
    }
  }

 private:
  __aicore__ inline void CompareEqual(const AscendC::LocalTensor<int32_t>& x,
                                      const AscendC::LocalTensor<int32_t>& y, uint32_t count) {
    constexpr uint32_t kRepeat = 256 / sizeof(int32_t);
    AscendC::Compare(bits_.Get<uint8_t>(), x, y, AscendC::CMPMODE::EQ,
                     (count + kRepeat - 1) / kRepeat * kRepeat);
  }

  /// out = x == y ? equal : other.
  __aicore__ inline void SelectWhereEqual(const AscendC::LocalTensor<int32_t>& out,
                                          const AscendC::LocalTensor<int32_t>& x,
                                          const AscendC::LocalTensor<int32_t>& y, int32_t equal,
                                          int32_t other, uint32_t count) {
    using namespace AscendC;
    CompareEqual(x, y, count);
    const LocalTensor<int32_t> t = temporary_.Get<int32_t>();
    Duplicate(t, equal, count);
    Duplicate(out, other, count);
    Select(out.ReinterpretCast<float>(), bits_.Get<uint8_t>(), t.ReinterpretCast<float>(),
           out.ReinterpretCast<float>(), SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
  }

  AscendC::TBuf<AscendC::QuePosition::VECCALC> temporary_, bits_;
};

}  // namespace davsim_basic
