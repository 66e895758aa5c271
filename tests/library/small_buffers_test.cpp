// Functions of the high-level API refuse a temporary buffer of 32 bytes by name, value and rule.
#include <functional>
#include <utility>

#include "tests/library/library_run.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class SmallBuffers : public LibraryTest {
 protected:
  using Call = std::pair<const char*, std::function<void()>>;

  void expect_refusals(std::initializer_list<Call> calls) {
    for (const auto& [name, call] : calls) {
      const std::string expected =
          std::string(name) + ": bytes of sharedTmpBuffer is 32, allowed are ";
      EXPECT_EQ(refusal(call).substr(0, expected.size()), expected);
    }
  }
};

TEST_F(SmallBuffers, AreRefusedByNameValueAndRule) {
  constexpr std::uint32_t kCount = 512;
  for (int i = 0; i < 3; ++i) tensor<float>(kCount, numbers(kCount, 0.1, 0.9, i + 1));
  tensor<float>(kCount);
  tensor<std::int8_t>(kCount);
  tensor<std::int32_t>(kCount, Values(kCount, 1.0));
  scratch(32);
  const auto a = [&] { return at<float>(0); };
  const auto b = [&] { return at<float>(1); };
  const auto c = [&] { return at<float>(2); };
  const auto out = [&] { return at<float>(3); };
  const auto tmp = [&] { return at<std::uint8_t>(6); };
  const SoftMaxShapeInfo shape{8, 64, 8, 64};
  const auto tiling = SoftMaxTilingFunc(shape, 4, 1 << 16);
#define DAVSIM_OF_ONE(Name)                         \
  Call {                                            \
#Name, [&] { Name(out(), a(), tmp(), kCount); } \
  }
  expect_refusals({
      DAVSIM_OF_ONE(Tanh),
      DAVSIM_OF_ONE(Sigmoid),
      DAVSIM_OF_ONE(Gelu),
      DAVSIM_OF_ONE(FasterGelu),
      DAVSIM_OF_ONE(FasterGeluV2),
      DAVSIM_OF_ONE(Erf),
      DAVSIM_OF_ONE(Erfc),
      DAVSIM_OF_ONE(Sin),
      DAVSIM_OF_ONE(Cos),
      DAVSIM_OF_ONE(Tan),
      DAVSIM_OF_ONE(Asin),
      DAVSIM_OF_ONE(Acos),
      DAVSIM_OF_ONE(Atan),
      DAVSIM_OF_ONE(Sinh),
      DAVSIM_OF_ONE(Cosh),
      DAVSIM_OF_ONE(Asinh),
      DAVSIM_OF_ONE(Acosh),
      DAVSIM_OF_ONE(Atanh),
      DAVSIM_OF_ONE(Lgamma),
      DAVSIM_OF_ONE(Digamma),
      {"Power", [&] { Power(out(), a(), b(), tmp(), kCount); }},
      {"Fmod", [&] { Fmod(out(), a(), b(), tmp(), kCount); }},
      {"GeGLU", [&] { GeGLU(out(), a(), b(), tmp(), kCount); }},
      {"SwiGLU", [&] { SwiGLU<float, false>(out(), a(), b(), 1.0f, tmp(), kCount); }},
      {"SoftMax", [&] { SoftMax<float>(out(), a(), tmp(), tiling, shape); }},
      {"SoftmaxFlashV2",
       [&] { SoftmaxFlashV2<float>(out(), b(), c(), a(), b(), b(), c(), tmp(), tiling, shape); }},
      {"SoftmaxGrad", [&] { SoftmaxGrad<float>(out(), a(), b(), tmp(), tiling, false, shape); }},
      {"Sum",
       [&] {
         Sum(out(), a(), tmp(), {4, 128, 128});
       }},
      {"Mean",
       [&] {
         Mean(out(), a(), tmp(), MeanParams{4, 128, 128});
       }},
      {"CumSum",
       [&] {
         static constexpr CumSumConfig kRows{true, false, false};
         CumSum<float, kRows>(out(), b(), a(), tmp(), CumSumInfo{8, 64});
       }},
      {"AscendQuant", [&] { AscendQuant(at<std::int8_t>(4), a(), tmp(), b(), c(), 64, 64, 512); }},
      {"AscendDequant",
       [&] {
         AscendDequant(out(), at<std::int32_t>(5), a(), tmp(), DequantParams{8, 64, 64});
       }},
  });
#undef DAVSIM_OF_ONE
}

TEST_F(SmallBuffers, OfNormsAndRowsAreRefused) {
  constexpr std::uint32_t kRows = 8, kWidth = 64, kCount = kRows * kWidth;
  tensor<float>(kCount, numbers(kCount, 0.1, 0.9));
  tensor<float>(kCount, numbers(kCount, 0.1, 0.9, 2));
  for (int i = 0; i < 3; ++i) tensor<float>(kCount);
  tensor<std::int32_t>(kCount);
  tensor<std::uint8_t>(kCount, Values(kCount, 1.0));
  tensor<std::int8_t>(kCount, Values(kCount, 1.0));
  tensor<half>(kCount);
  tensor<half>(kCount, Values(kCount, 1.0));
  scratch(32);
  const auto x = [&] { return at<float>(0); };
  const auto g = [&] { return at<float>(1); };
  const auto y = [&] { return at<float>(2); };
  const auto mean = [&] { return at<float>(3); };
  const auto variance = [&] { return at<float>(4); };
  const auto bytes = [&] { return at<std::uint8_t>(6); };
  const auto tmp = [&] { return at<std::uint8_t>(10); };
  LayerNormTiling layer;
  layer.bLength = kRows, layer.sLength = 1, layer.hLength = layer.originalHLength = kWidth;
  DeepNormTiling deep;
  deep.bLength = kRows, deep.sLength = 1, deep.hLength = deep.originalHLength = kWidth;
  GroupNormTiling group;
  group.n = 1, group.c = kRows, group.hw = group.hwAlignSize = kWidth, group.d = 4, group.g = 2;
  BatchNormTiling batch;
  batch.originalBLength = kRows, batch.meanVarSize = kWidth;
  LogSoftMaxTiling log_softmax;
  log_softmax.srcM = kRows, log_softmax.srcK = kWidth;
  // A row of 64 elements needs no room for parts.
  const std::uint32_t shape[] = {kRows / 2, kWidth * 2};
  using Along = Pattern::Reduce::AR;
  expect_refusals({
      {"LayerNorm",
       [&] { LayerNorm<float>(y(), mean(), variance(), x(), g(), g(), tmp(), 0.1f, layer); }},
      {"LayerNorm",
       [&] {
         LayerNorm<float, float>(y(), mean(), variance(), x(), g(), g(), 0.1f, tmp(),
                                 LayerNormPara{kRows, kWidth, kWidth}, LayerNormSeparateTiling());
       }},
      {"DeepNorm",
       [&] {
         DeepNorm<float>(y(), mean(), variance(), x(), x(), g(), g(), tmp(), 2.0f, 0.1f, deep);
       }},
      {"GroupNorm",
       [&] { GroupNorm<float>(y(), mean(), variance(), x(), g(), g(), tmp(), 0.1f, group); }},
      {"BatchNorm",
       [&] { BatchNorm<float>(y(), mean(), variance(), x(), g(), g(), tmp(), 0.1f, batch); }},
      {"ReduceSum", [&] { ReduceSum<float, Along>(y(), x(), tmp(), shape, true); }},
      {"ReduceXorSum",
       [&] {
         const auto words = x().ReinterpretCast<std::int16_t>();
         ReduceXorSum(y().ReinterpretCast<std::int16_t>(), words, words, tmp(), kCount);
       }},
      {"ReduceMean", [&] { ReduceMean<float, Along>(y(), x(), tmp(), shape, true); }},
      {"ReduceMax", [&] { ReduceMax<float, Along>(y(), x(), tmp(), shape, true); }},
      {"ReduceMin", [&] { ReduceMin<float, Along>(y(), x(), tmp(), shape, true); }},
      {"ReduceProd", [&] { ReduceProd<float, Along>(y(), x(), tmp(), shape, true); }},
      {"ReduceAny", [&] { ReduceAny<std::uint8_t, Along>(bytes(), bytes(), tmp(), shape, true); }},
      {"ReduceAll", [&] { ReduceAll<std::uint8_t, Along>(bytes(), bytes(), tmp(), shape, true); }},
      {"LogSoftMax",
       [&] {
         LogSoftMax(y(), mean(), variance(), x(), tmp(), log_softmax,
                    {kRows, kWidth, kRows, kWidth});
       }},
      {"TopK",
       [&] {
         TopK<float>(y(), at<std::int32_t>(5), x(), {}, {}, tmp(), 8, TopkTiling(),
                     {kRows, kWidth, kWidth});
       }},
      {"AscendAntiQuant",
       [&] {
         AscendAntiQuant<std::int8_t, half, false>(at<half>(8), at<std::int8_t>(7), at<half>(9),
                                                   at<half>(9), tmp(), kRows,
                                                   {1, kWidth, 1, kWidth});
       }},
  });
}

}  // namespace
}  // namespace davsim::test
