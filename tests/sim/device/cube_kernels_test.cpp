// Kernels in the form in which they are written for the device - TPipe, queues at A1 to CO1, the
// calls' documented forms - run in time and compared with plain loops.
#include <bit>

#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CubeKernels : public DeviceTest {
 protected:
  static int value(std::uint64_t i, int limit, int salt) {
    return static_cast<int>((i * 2654435761u + static_cast<unsigned>(salt) * 40503u) >> 7) %
               (2 * limit + 1) -
           limit;
  }
  template <class T>
  T* numbers(std::size_t count, const std::string& name, int limit, int salt) {
    return global<T>(count, name,
                     [=](std::size_t i) { return static_cast<float>(value(i, limit, salt)); });
  }
};

// --- a matrix product by queues, LoadData 2D, bias from the table --------------------------------

constexpr std::uint16_t kM = 32, kN = 48, kK = 64;

class BiasedProduct {
 public:
  __aicore__ inline void Init(__gm__ half* a, __gm__ half* b, __gm__ float* bias, __gm__ float* c) {
    aGm_.SetGlobalBuffer(a, kM * kK);
    bGm_.SetGlobalBuffer(b, kK * kN);
    biasGm_.SetGlobalBuffer(bias, kN);
    cGm_.SetGlobalBuffer(c, kM * kN);
    pipe_.InitBuffer(inQueueA1_, 1, kM * kK * sizeof(half));
    pipe_.InitBuffer(inQueueA2_, 1, kM * kK * sizeof(half));
    pipe_.InitBuffer(inQueueB1_, 1, kK * kN * sizeof(half));
    pipe_.InitBuffer(inQueueB2_, 1, kK * kN * sizeof(half));
    pipe_.InitBuffer(inQueueC1_, 1, kN * sizeof(float));
    pipe_.InitBuffer(inQueueC2_, 1, kN * sizeof(float));
    pipe_.InitBuffer(outQueueCO1_, 1, kM * kN * sizeof(float));
  }
  __aicore__ inline void Process() {
    CopyIn();
    SplitA();
    SplitB();
    SplitBias();
    Compute();
    CopyOut();
  }

 private:
  __aicore__ inline void CopyIn() {
    LocalTensor<half> a1 = inQueueA1_.AllocTensor<half>();
    LocalTensor<half> b1 = inQueueB1_.AllocTensor<half>();
    LocalTensor<float> bias1 = inQueueC1_.AllocTensor<float>();
    Nd2NzParams nd2nzA1Params;
    nd2nzA1Params.ndNum = 1;
    nd2nzA1Params.nValue = kM;
    nd2nzA1Params.dValue = kK;
    nd2nzA1Params.srcNdMatrixStride = 0;
    nd2nzA1Params.srcDValue = kK;
    nd2nzA1Params.dstNzC0Stride = kM;
    nd2nzA1Params.dstNzNStride = 1;
    nd2nzA1Params.dstNzMatrixStride = 0;
    DataCopy(a1, aGm_, nd2nzA1Params);
    DataCopy(b1, bGm_, Nd2NzParams{1, kK, kN, 0, kN, kK, 1, 0});
    DataCopy(bias1, biasGm_, kN);
    inQueueA1_.EnQue(a1);
    inQueueB1_.EnQue(b1);
    inQueueC1_.EnQue(bias1);
  }
  __aicore__ inline void SplitA() {
    LocalTensor<half> a1 = inQueueA1_.DeQue<half>();
    LocalTensor<half> a2 = inQueueA2_.AllocTensor<half>();
    LoadData2DParams loadDataParams;
    loadDataParams.repeatTimes = kK / 16;
    loadDataParams.srcStride = kM / 16;
    loadDataParams.ifTranspose = false;
    for (int i = 0; i < kM / 16; ++i) {
      LoadData(a2[i * 16 * kK], a1[i * 256], loadDataParams);
    }
    inQueueA2_.EnQue<half>(a2);
    inQueueA1_.FreeTensor(a1);
  }
  __aicore__ inline void SplitB() {
    LocalTensor<half> b1 = inQueueB1_.DeQue<half>();
    LocalTensor<half> b2 = inQueueB2_.AllocTensor<half>();
    LoadData2DParams loadDataParams;
    loadDataParams.repeatTimes = kN / 16;
    loadDataParams.srcStride = kK / 16;
    loadDataParams.ifTranspose = true;
    for (int i = 0; i < kK / 16; ++i) {
      LoadData(b2[i * 16 * kN], b1[i * 256], loadDataParams);
    }
    inQueueB2_.EnQue<half>(b2);
    inQueueB1_.FreeTensor(b1);
  }
  __aicore__ inline void SplitBias() {
    LocalTensor<float> bias1 = inQueueC1_.DeQue<float>();
    LocalTensor<float> bias2 = inQueueC2_.AllocTensor<float>();
    DataCopy(bias2, bias1, {1, static_cast<uint16_t>(kN * sizeof(float) / 64), 0, 0});
    inQueueC2_.EnQue<float>(bias2);
    inQueueC1_.FreeTensor(bias1);
  }
  __aicore__ inline void Compute() {
    LocalTensor<half> a2 = inQueueA2_.DeQue<half>();
    LocalTensor<half> b2 = inQueueB2_.DeQue<half>();
    LocalTensor<float> bias2 = inQueueC2_.DeQue<float>();
    LocalTensor<float> c1 = outQueueCO1_.AllocTensor<float>();
    MmadParams mmadParams;
    mmadParams.m = kM;
    mmadParams.n = kN;
    mmadParams.k = kK;
    Mmad(c1, a2, b2, bias2, mmadParams);
    outQueueCO1_.EnQue<float>(c1);
    inQueueA2_.FreeTensor(a2);
    inQueueB2_.FreeTensor(b2);
    inQueueC2_.FreeTensor(bias2);
  }
  __aicore__ inline void CopyOut() {
    LocalTensor<float> c1 = outQueueCO1_.DeQue<float>();
    FixpipeParamsV220 fixpipeParams;
    fixpipeParams.nSize = kN;
    fixpipeParams.mSize = kM;
    fixpipeParams.srcStride = kM;
    fixpipeParams.dstStride = kN;
    fixpipeParams.ndNum = 1;
    fixpipeParams.srcNdStride = 0;
    fixpipeParams.dstNdStride = 0;
    Fixpipe(cGm_, c1, fixpipeParams);
    outQueueCO1_.FreeTensor(c1);
  }

  TPipe pipe_;
  TQue<TPosition::A1, 1> inQueueA1_;
  TQue<TPosition::A2, 1> inQueueA2_;
  TQue<TPosition::B1, 1> inQueueB1_;
  TQue<TPosition::B2, 1> inQueueB2_;
  TQue<TPosition::C1, 1> inQueueC1_;
  TQue<TPosition::C2, 1> inQueueC2_;
  TQue<TPosition::CO1, 1> outQueueCO1_;
  GlobalTensor<half> aGm_, bGm_;
  GlobalTensor<float> biasGm_, cGm_;
};

TEST_F(CubeKernels, AProductWithABiasByQueues) {
  half* a = numbers<half>(kM * kK, "a", 4, 1);
  half* b = numbers<half>(kK * kN, "b", 4, 2);
  float* bias = numbers<float>(kN, "bias", 100, 3);
  float* c = global<float>(kM * kN, "c", [](auto) { return -1.0f; });
  on_cube(1, [&] {
    BiasedProduct op;
    op.Init(a, b, bias, c);
    op.Process();
  });
  for (int row = 0; row < kM; ++row) {
    for (int col = 0; col < kN; ++col) {
      float sum = bias[col];
      for (int i = 0; i < kK; ++i) sum += float(a[row * kK + i]) * float(b[i * kN + col]);
      ASSERT_EQ(c[row * kN + col], sum) << row << "," << col;
    }
  }
}

// --- int8, a quantisation word per column, by static tensors -------------------------------------

TEST_F(CubeKernels, AnInt8ProductWithAScalePerColumn) {
  constexpr std::uint16_t m = 48, n = 32, k = 96;
  std::int8_t* a = numbers<std::int8_t>(m * k, "a", 100, 1);
  std::int8_t* b = numbers<std::int8_t>(k * n, "b", 100, 2);
  std::uint64_t* words = global<std::uint64_t>(n, "words", [](std::size_t i) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(1.0f / float(1 << (4 + i % 5)))};
  });
  half* c = global<half>(m * n, "c", [](auto) { return 0.0f; });
  on_cube(1, [&] {
    const LocalTensor<std::int8_t> a1(TPosition::A1, 0, m * k), b1(TPosition::B1, 65536, k * n);
    const LocalTensor<std::int8_t> a2(TPosition::A2, 0, m * k), b2(TPosition::B2, 0, k * n);
    const LocalTensor<std::uint64_t> words1(TPosition::C1, 131072, n);
    const LocalTensor<std::int32_t> co1(TPosition::CO1, 0, m * n);
    DataCopy(a1, gm(a, m * k), Nd2NzParams(1, m, k, 0, k, m, 1, 0));
    DataCopy(b1, gm(b, k * n), Nd2NzParams(1, k, n, 0, n, k, 1, 0));
    DataCopy(words1, gm(words, n), n);
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    SetFlag<HardEvent::MTE2_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_FIX>(EVENT_ID0);
    // A: NZ to Zz. B: squares of 32 x 32 turn, a column of squares after the other.
    for (int i = 0; i < m / 16; ++i) {
      LoadData(a2[i * 16 * k], a1[i * 512], LoadData2DParams(0, k / 32, m / 16, 0, 0, false, 0));
    }
    for (int i = 0; i < k / 32; ++i) {
      LoadDataWithTranspose(b2[i * 32 * n], b1[i * 1024],
                            LoadData2dTransposeParams(0, n / 32, k / 32, 1, 0));
    }
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    Mmad(co1, a2, b2, MmadParams(m, n, k, 0, false, true));
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    FixpipeParamsV220 params(n, m, m, n, true);
    params.quantPre = QuantMode_t::VDEQF16;
    Fixpipe<half, std::int32_t, CFG_ROW_MAJOR>(gm(c, m * n), co1, words1, params);
  });
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      std::int32_t sum = 0;
      for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
      const float scaled = sum < 0 ? 0.0f : float(sum) / float(1 << (4 + col % 5));
      ASSERT_EQ(float(c[row * n + col]), float(half(scaled))) << row << "," << col;
    }
  }
}

// --- float with HF32, a transposed A, the result twice added in GM -------------------------------

TEST_F(CubeKernels, AFloatProductOfATransposedAAddedInGm) {
  constexpr std::uint16_t m = 32, n = 16, k = 48;
  float* a = numbers<float>(k * m, "a", 50, 1);  // stored as [k, m]
  float* b = numbers<float>(k * n, "b", 50, 2);
  float* c = global<float>(m * n, "c", [](auto) { return 1.0f; });
  on_cube(1, [&] {
    SetHF32Mode(HF32Mode::ENABLE);
    SetHF32TransMode(HF32TransMode::NEAREST_EVEN);
    const LocalTensor<float> a1(TPosition::A1, 0, m * k), b1(TPosition::B1, 65536, k * n);
    const LocalTensor<float> a2(TPosition::A2, 0, m * k), b2(TPosition::B2, 0, k * n);
    const LocalTensor<float> co1(TPosition::CO1, 0, m * n);
    DataCopy(a1, gm(a, m * k), Nd2NzParams(1, k, m, 0, m, k, 1, 0));
    DataCopy(b1, gm(b, k * n), Nd2NzParams(1, k, n, 0, n, k, 1, 0));
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    const std::uint8_t padList[4] = {0, 0, 0, 0};
    LoadData3DParamsV2<float> toA2, toB2;
    SetFmatrix(1, k, padList, FmatrixMode::FMATRIX_LEFT);
    SetLoadDataPaddingValue(0.0f);
    toA2.channelSize = m, toA2.kExtension = m, toA2.mExtension = k, toA2.enTranspose = true;
    toB2.channelSize = n, toB2.kExtension = n, toB2.mExtension = k;
    static constexpr IsResetLoad3dConfig config = {false, false};
    LoadData<float, config>(a2, a1, toA2);
    LoadData<float, config>(b2, b1, toB2);
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    MmadParams params(m, n, k, 3, false, true);
    params.kDirectionAlign = false;
    Mmad(co1, a2, b2, params);
    SetAtomicAdd<float>();
    FixpipeParamsV220 out(n, m, m, n, false);
    out.unitFlag = 3;
    Fixpipe(gm(c, m * n), co1, out);
    SetAtomicNone();
    SetHF32Mode(HF32Mode::DISABLE);
  });
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      float sum = 1.0f;
      for (int i = 0; i < k; ++i) sum += a[i * m + row] * b[i * n + col];
      ASSERT_EQ(c[row * n + col], sum) << row << "," << col;
    }
  }
}

// --- a convolution -------------------------------------------------------------------------------

TEST_F(CubeKernels, AConvolutionByLoadData3d) {
  constexpr std::uint16_t h = 6, w = 8, ci = 16, co = 16, kernel = 3, out = h * w;  // padding 1
  half* map = numbers<half>(h * w * ci, "map", 3, 1);                               // [1, H, W, 16]
  half* weights = numbers<half>(kernel * kernel * ci * co, "weights", 3, 2);   // [kh, kw, ci, co]
  half* result = global<half>(out * co, "result", [](auto) { return 0.0f; });  // [1, Ho, Wo, 16]
  on_cube(1, [&] {
    constexpr std::uint16_t k = kernel * kernel * ci;
    const LocalTensor<half> a1(TPosition::A1, 0, h * w * ci), b1(TPosition::B1, 65536, k * co);
    const LocalTensor<half> a2(TPosition::A2, 0, out * k), b2(TPosition::B2, 0, k * co);
    const LocalTensor<float> co1(TPosition::CO1, 0, out * co);
    DataCopy(a1, gm(map, h * w * ci), h * w * ci);
    DataCopy(b1, gm(weights, k * co), DataCopyParams(1, k * co * 2 / 32, 0, 0));
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    const std::uint8_t padList[PAD_SIZE] = {1, 1, 1, 1};
    LoadData(a2, a1,
             LoadData3DParamsV2<half>(padList, h, w, ci, k, out, 0, 0, 1, 1, kernel, kernel, 1, 1,
                                      false, false, half(0)));
    // [k, co] with co = 16 lies in L1 as a column of NZ; every fractal turns.
    LoadData(b2, b1, LoadData2DParams(0, k / 16, 1, 0, 0, true, 0));
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    Mmad(co1, a2, b2, MmadParams(out, co, k, 0, false, true));
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    DataCopyCO12DstParams params(co, out, out, out, QuantMode_t::F322F16, 1, false, false);
    DataCopy(gm(result, out * co), co1, params);
  });
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      for (int channel = 0; channel < co; ++channel) {
        float sum = 0;
        for (int i = 0; i < kernel * kernel * ci; ++i) {
          const int in_y = y + i / ci / kernel - 1, in_x = x + i / ci % kernel - 1;
          if (in_y < 0 || in_x < 0 || in_y >= h || in_x >= w) continue;
          sum += float(map[(in_y * w + in_x) * ci + i % ci]) * float(weights[i * co + channel]);
        }
        ASSERT_EQ(float(result[(y * w + x) * co + channel]), sum < 0 ? 0.0f : sum) << y << "," << x;
      }
    }
  }
}

// --- unit flags left behind ----------------------------------------------------------------------

TEST_F(CubeKernels, SetFixPipeConfigTakesUnitFlagsBack) {
  const auto run = [&](bool clear) {
    on_cube(1, [=] {
      const LocalTensor<half> a2(TPosition::A2, 0, 256), b2(TPosition::B2, 0, 256);
      const LocalTensor<float> co1(TPosition::CO1, 0, 256);
      // Hands the block over to a Fixpipe that never comes: the next Mmad would wait for ever.
      Mmad(co1, a2, b2, MmadParams(16, 16, 16, 3, false, true));
      PipeBarrier<PIPE_ALL>();
      if (clear) SetFixPipeConfig(co1, true);
      Mmad(co1, a2, b2, MmadParams(16, 16, 16, 3, false, true));
    });
  };
  run(true);
  EXPECT_EQ(recorder.of(isa::Opcode::kMmad).size(), 2u);
  EXPECT_EQ(recorder.of(isa::Opcode::kClearUnitFlags).size(), 1u);
  EXPECT_EQ(fault_of([&] { run(false); }).cls, isa::FaultClass::kDeadlock);
}

}  // namespace
}  // namespace davsim::test
