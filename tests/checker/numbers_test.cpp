// --check-numbers: infinities, NaN, and results that their type cannot hold.
#include "tests/checker/checker_fixture.hpp"
#include "tests/sim/unit/cube_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CheckedNumbers : public CheckerTest {
 protected:
  void SetUp() override { device().check(&numbers_); }

  /// The only finding of a kernel says `text`, at `line`.
  void expect_at(const std::uint32_t& line, const std::string& text, isa::KernelType type,
                 const std::function<void()>& kernel) {
    numbers_.forget_findings();
    run(type, 1, kernel);
    const auto& found = numbers_.findings().all();
    ASSERT_EQ(found.size(), 1u) << checker::text_of(numbers_.findings());
    EXPECT_EQ(found.front().cls, Class::kNumber);
    EXPECT_EQ(found.front().second.where.line(), line);
    EXPECT_NE(found.front().message.find(text), std::string::npos) << found.front().message;
  }
  void expect_clean(isa::KernelType type, const std::function<void()>& kernel) {
    numbers_.forget_findings();
    run(type, 1, kernel);
    EXPECT_EQ(checker::text_of(numbers_.findings()), "0 findings\n");
  }
  /// With the first value something is beyond its type, with the second all is well.
  template <class Number>
  void expect_beyond(const std::string& text, Number bad, Number good,
                     const std::function<void(Number)>& kernel,
                     isa::KernelType type = isa::KernelType::kAivOnly) {
    expect_at(line_, text + " numbers are beyond what", type, [&] { kernel(bad); });
    expect_clean(type, [&] { kernel(good); });
  }
  template <class T>
  void fill(const LocalTensor<T>& tensor, T value) {
    Duplicate(tensor, value, 64);
    PipeBarrier<PIPE_V>();
  }

  checker::Checker numbers_{{.numbers = true}};
  std::uint32_t line_ = 0;  ///< of the instruction that a kernel is about
  LocalTensor<float> x = ub<float>(0, 64), y = ub<float>(4096, 64);
  LocalTensor<half> h = ub<half>(8192, 128), g = ub<half>(12288, 128);
  LocalTensor<std::int16_t> s = ub<std::int16_t>(16384, 128), t = ub<std::int16_t>(20480, 128);
  LocalTensor<std::int32_t> w = ub<std::int32_t>(24576, 64);
  LocalTensor<std::int8_t> b = ub<std::int8_t>(28672, 256);
};

TEST_F(CheckedNumbers, FirstInstructionThatMakesInfinity) {
  const auto kernel = [&](float value) {
    fill(x, value);
    line_ = __LINE__ + 1;
    Ln(y, x, 64);
    PipeBarrier<PIPE_V>();
    Adds(x, y, 1.0f, 64);  // of infinity: not the first
  };
  expect_at(line_, "64 NaN or infinities", isa::KernelType::kAivOnly, [&] { kernel(0.0f); });
  expect_clean(isa::KernelType::kAivOnly, [&] { kernel(1.0f); });
}

TEST_F(CheckedNumbers, CastThatSaturates) {
  expect_beyond<float>("64", 40000.0f, 32767.0f, [&](float value) {
    fill(x, value);
    line_ = __LINE__ + 1;
    Cast(s, x, RoundMode::CAST_RINT, 64);
  });
}

TEST_F(CheckedNumbers, CastIsRoundedFirst) {
  expect_beyond<float>("64", 32768.0f, 32767.75f, [&](float value) {
    fill(x, value);
    line_ = __LINE__ + 1;
    Cast(s, x, RoundMode::CAST_TRUNC, 64);
  });
}

TEST_F(CheckedNumbers, IntegersThatWrapAround) {
  expect_beyond<std::int16_t>("64", 30000, 2767, [&](std::int16_t value) {
    fill(s, value);
    line_ = __LINE__ + 1;
    Adds(t, s, std::int16_t{30000}, 64);
  });
}

TEST_F(CheckedNumbers, IntegersThatSaturate) {
  expect_beyond<std::int32_t>("64", 70000, 46340, [&](std::int32_t value) {
    SetCtrlSpr<53, 53>(1);
    fill(w, value);
    line_ = __LINE__ + 1;
    Mul(w, w, w, 64);
    ResetCtrlSpr<53, 53>();
  });
}

TEST_F(CheckedNumbers, HalfThatIsMadeFinite) {
  expect_beyond<float>("64", 60000.0f, 5504.0f, [&](float value) {
    SetCtrlSpr<48, 48>(0);
    fill(h, half(value));
    line_ = __LINE__ + 1;
    Adds(g, h, half(60000.0f), 64);
    ResetCtrlSpr<48, 48>();
  });
}

TEST_F(CheckedNumbers, SumsCastToBytes) {
  expect_beyond<std::int16_t>("64", 100, 63, [&](std::int16_t value) {
    fill(s, value);
    line_ = __LINE__ + 1;
    AddReluCast(b, s, s, 64);
  });
}

TEST_F(CheckedNumbers, DifferencesCastToBytes) {
  expect_beyond<std::int16_t>("64", 100, 63, [&](std::int16_t value) {
    fill(s, value);
    fill(t, std::int16_t{-64});
    line_ = __LINE__ + 1;
    SubReluCast(b, s, t, 64);
  });
}

TEST_F(CheckedNumbers, Bfloat16ThatIsMadeFinite) {
  // Between the largest of bfloat16, 3.39e38, and that of float.
  expect_beyond<float>("64", 3.4e38f, 3.38e38f, [&](float value) {
    SetCtrlSpr<48, 48>(0);
    fill(x, value);
    line_ = __LINE__ + 1;
    Cast(h.ReinterpretCast<bfloat16_t>(), x, RoundMode::CAST_RINT, 64);
    ResetCtrlSpr<48, 48>();
  });
}

TEST_F(CheckedNumbers, Bfloat16BeyondInt32) {
  expect_beyond<float>("64", 3e9f, 2e9f, [&](float value) {
    const auto words = h.ReinterpretCast<bfloat16_t>();
    fill(x, value);
    Cast(words, x, RoundMode::CAST_RINT, 64);
    PipeBarrier<PIPE_V>();
    line_ = __LINE__ + 1;
    Cast(w, words, RoundMode::CAST_RINT, 64);
  });
}

TEST_F(CheckedNumbers, ProductsCastToBytes) {
  expect_beyond<float>("64", -12.0f, 11.0f, [&](float value) {
    fill(h, half(value));
    fill(g, half(11.0f));
    line_ = __LINE__ + 1;
    MulCast(b, h, g, 64);
  });
}

TEST_F(CheckedNumbers, DequantisedBytes) {
  expect_beyond<std::int16_t>("64", 250, 240, [&](std::int16_t value) {
    fill(s, value);
    SetDeqScale(0.5f, std::int16_t{5}, true);
    line_ = __LINE__ + 1;
    CastDequant<std::int8_t, std::int16_t, false, false>(b, s, 64);
  });
}

/// A product of 16 x 16 that leaves L0C as bytes.
class CheckedFixpipe : public CheckedNumbers {
 protected:
  static constexpr TileProduct kTile{16, 16, 16};

  /// 16 products of 1 by `value` each, quantised as `quant` says after `set_scales()`.
  void quantise(float value, QuantMode_t quant, const std::function<void()>& set_scales) {
    for (int i = 0; i < 256; ++i) factors_[i] = half(value);
    kTile.to_l1(ones_, factors_);
    PipeBarrier<PIPE_ALL>();
    kTile.to_l0();
    PipeBarrier<PIPE_ALL>();
    kTile.product();
    PipeBarrier<PIPE_ALL>();
    set_scales();
    SetFixpipeNz2ndFlag(1, 0, 0);
    DataCopyCO12DstParams copy(16, 16, 16, 16, quant, 0, false, true);
    line_ = __LINE__ + 1;
    DataCopy(gm(bytes_, 256), kTile.c_l0(0), copy);
  }
  static std::uint64_t word_of(float scale) {
    constexpr std::uint64_t kSigned = std::uint64_t{1} << 46;
    return kSigned | std::bit_cast<std::uint32_t>(scale);
  }

  half* ones_ = global<half>(256, "ones", [](std::size_t) { return 1.0f; });
  half* factors_ = global<half>(256, "factors", [](std::size_t) { return 1.0f; });
  std::int8_t* bytes_ = global<std::int8_t>(256, "bytes", [](std::size_t) { return 0; });
};

TEST_F(CheckedFixpipe, OneColumn) {
  auto* words = global<std::uint64_t>(32, "words",
                                      [](std::size_t i) { return word_of(i == 5 ? 2.0f : 0.25f); });
  const auto load_scales = [&] {
    auto l1 = kTile.at<std::uint64_t>(TPosition::C1, 400000 / 512 * 512, 16);
    auto fb = kTile.at<std::uint64_t>(TPosition::C2PIPE2GM, 0, 16);
    DataCopy(l1, gm(words, 32), 16);
    PipeBarrier<PIPE_ALL>();
    DataCopy(fb, l1, 16);
    PipeBarrier<PIPE_ALL>();
    SetFixPipeConfig(fb);
  };
  // 16 times the factor times 2: beyond 127 from 4 on.
  expect_beyond<float>(
      "16", 4.0f, 3.5f, [&](float value) { quantise(value, VQF322B8_PRE, load_scales); },
      isa::KernelType::kAicOnly);
}

TEST_F(CheckedFixpipe, OneScaleForAll) {
  expect_beyond<float>(
      "256", 4.0f, 3.5f,
      [&](float value) {
        quantise(value, QF322B8_PRE, [] { SetFixpipePreQuantFlag(word_of(2.0f)); });
      },
      isa::KernelType::kAicOnly);
}

TEST_F(CheckedNumbers, SumsOfMmad) {
  auto* bias = global<std::int32_t>(16, "bias", [](std::size_t) { return 0; });
  auto* ones = global<std::int8_t>(1024, "ones", [](std::size_t) { return 1; });
  // 32 products of 1 on top of the bias of one column.
  expect_beyond<std::int32_t>(
      "16", 2147483640, 2147483600,
      [&](std::int32_t value) {
        bias[7] = value;
        const LocalTensor<std::int8_t> a1(TPosition::A1, 0, 512), a2(TPosition::A2, 0, 512);
        const LocalTensor<std::int8_t> b2(TPosition::B2, 0, 512);
        const LocalTensor<std::int32_t> bias1(TPosition::C1, 4096, 16), bt(TPosition::C2, 0, 16);
        const LocalTensor<std::int32_t> sums(TPosition::CO1, 0, 256);
        DataCopy(a1, gm(ones, 1024), 512);
        DataCopy(bias1, gm(bias, 16), 16);
        PipeBarrier<PIPE_ALL>();
        LoadData(a2, a1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
        LoadData(b2, a1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
        DataCopy(bt, bias1, 16);
        PipeBarrier<PIPE_ALL>();
        line_ = __LINE__ + 1;
        Mmad(sums, a2, b2, bt, MmadParams(16, 16, 32, 0, false, false));
      },
      isa::KernelType::kAicOnly);
}

TEST_F(CheckedNumbers, SumsInGlobalMemory) {
  auto* sums =
      global<std::int32_t>(64, "sums", [](std::size_t i) { return i == 3 ? 2147483600 : 0; });
  expect_beyond<std::int32_t>("1", 50, 40, [&](std::int32_t value) {
    sums[3] = 2147483600;
    fill(w, value);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    SetAtomicAdd<std::int32_t>();
    line_ = __LINE__ + 1;
    DataCopy(gm(sums, 64), w, 64);
    SetAtomicNone();
  });
}

}  // namespace
}  // namespace davsim::test
