// Functions of elements, softmax, sums and quantisation refuse a temporary buffer of 32 bytes, by
// rule. rule.
#include <functional>
#include <utility>

#include "tests/library/library_run.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class SmallBuffers : public LibraryTest {};

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
  using Call = std::pair<const char*, std::function<void()>>;
#define DAVSIM_OF_ONE(Name)                         \
  Call {                                            \
#Name, [&] { Name(out(), a(), tmp(), kCount); } \
  }
  const Call calls[] = {
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
  };
#undef DAVSIM_OF_ONE
  for (const auto& [name, call] : calls) {
    const std::string expected =
        std::string(name) + ": bytes of sharedTmpBuffer is 32, allowed are ";
    EXPECT_EQ(refusal(call).substr(0, expected.size()), expected);
  }
}

}  // namespace
}  // namespace davsim::test
