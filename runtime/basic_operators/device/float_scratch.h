// Buffers for what pointwise functions of float compute on the way, and what several of them need.
#pragma once

#include "kernel_operator.h"

namespace davsim_basic {

using Floats = AscendC::LocalTensor<float>;

class FloatScratch {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, uint32_t tile) {
    pipe.InitBuffer(first_, tile * sizeof(float));
    pipe.InitBuffer(second_, tile * sizeof(float));
    pipe.InitBuffer(third_, tile * sizeof(float));
    pipe.InitBuffer(bits_, tile / 8);
  }
  __aicore__ inline Floats First() { return first_.Get<float>(); }
  __aicore__ inline Floats Second() { return second_.Get<float>(); }
  __aicore__ inline Floats Third() { return third_.Get<float>(); }

  /// Lets the next Choose() decide by `x mode y`.
  __aicore__ inline void Compare(const Floats& x, const Floats& y, AscendC::CMPMODE mode,
                                 uint32_t count) {
    AscendC::Compare(bits_.Get<uint8_t>(), x, y, mode, WholeRepeats(count));
  }
  __aicore__ inline void Compare(const Floats& x, float y, AscendC::CMPMODE mode, uint32_t count) {
    AscendC::CompareScalar(bits_.Get<uint8_t>(), x, y, mode, WholeRepeats(count));
  }
  /// out = compared ? yes : no.
  __aicore__ inline void Choose(const Floats& out, const Floats& yes, const Floats& no,
                                uint32_t count) {
    AscendC::Select(out, bits_.Get<uint8_t>(), yes, no, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE,
                    count);
  }
  __aicore__ inline void Choose(const Floats& out, const Floats& yes, float no, uint32_t count) {
    AscendC::Select(out, bits_.Get<uint8_t>(), yes, no, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE,
                    count);
  }
  /// out = compared ? 1 : 0.
  __aicore__ inline void Truth(const Floats& out, uint32_t count) {
    AscendC::Duplicate(out, 1.0f, count);
    Choose(out, out, 0.0f, count);
  }
  /// out = compared ? 0 : 1. After a comparison with EQ this is where both differ: the device's NE
  /// is false for NaN, which differs from everything.
  __aicore__ inline void Untruth(const Floats& out, uint32_t count) {
    AscendC::Duplicate(out, 0.0f, count);
    Choose(out, out, 1.0f, count);
  }

 private:
  /// Compare takes whole repeats. Tiles have room for them.
  __aicore__ static inline uint32_t WholeRepeats(uint32_t count) {
    constexpr uint32_t kRepeat = 256 / sizeof(float);
    return (count + kRepeat - 1) / kRepeat * kRepeat;
  }

  AscendC::TBuf<AscendC::QuePosition::VECCALC> first_, second_, third_, bits_;
};

/// out = log(1 + x), exact for small x too: u = 1 + x is rounded, and log(u) / (u - 1) is not
/// sensitive to it. `out` is not x.
__aicore__ inline void LogOnePlus(FloatScratch& scratch, const Floats& out, const Floats& x,
                                  uint32_t count) {
  using namespace AscendC;
  const Floats u = scratch.First(), step = scratch.Second();
  Adds(u, x, 1.0f, count);
  Adds(step, u, -1.0f, count);
  Ln(out, u, count);
  Mul(u, out, x, count);
  Div(u, u, step, count);
  // Infinite x is its own logarithm, and x below the last bit of 1 too.
  scratch.Compare(step, 3.0e38f, CMPMODE::LT, count);
  scratch.Choose(u, u, out, count);
  scratch.Compare(step, 0.0f, CMPMODE::NE, count);
  scratch.Choose(out, u, x, count);
}

/// out = exp(x) - 1, exact for small x too, in the same way. `out` is not x.
__aicore__ inline void ExpMinusOne(FloatScratch& scratch, const Floats& out, const Floats& x,
                                   uint32_t count) {
  using namespace AscendC;
  constexpr float kFar = 16;  // 1 is below the last bit of exp(16), or exp(-16) of that of 1
  const Floats u = scratch.First(), step = scratch.Second();
  Exp(u, x, count);
  Adds(step, u, -1.0f, count);
  Ln(u, u, count);
  Div(u, x, u, count);
  Mul(u, u, step, count);
  Abs(out, x, count);
  scratch.Compare(out, kFar, CMPMODE::LT, count);
  scratch.Choose(u, u, step, count);
  scratch.Compare(step, 0.0f, CMPMODE::NE, count);
  scratch.Choose(out, u, x, count);
}

}  // namespace davsim_basic
