// Calls whose tensors have layouts do what they do with plain tensors.
#include <functional>

#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

template <class T>
using Shaped = LocalTensor<TensorTrait<T>>;

class VectorLayout : public VectorTest {
 protected:
  struct Plain {
    template <class T>
    LocalTensor<T> operator()(LocalTensor<T> tensor) const {
      return tensor;
    }
  };
  struct Trait {
    template <class T>
    Shaped<T> operator()(const LocalTensor<T>& tensor) const {
      Shaped<T> shaped;
      shaped.SetAddr(tensor.Address());
      return shaped;
    }
  };

  /// Runs `call` with tensors of both kinds on the same UB.
  template <class T, class Call>
  void same(const char* name, Call call) {
    std::vector<std::byte> after[2];
    for (const bool shaped : {false, true}) {
      fill<T>(5);
      const auto offsets = tensor<std::uint32_t>(kOffsets);
      for (std::uint32_t i = 0; i < 512; ++i) offsets.SetValue(i, i * 37 % 512 * 4);
      if (shaped) {
        call(Trait());
      } else {
        call(Plain());
      }
      const auto* ub = core.buffer<std::byte>(isa::Space::kUb);
      after[shaped ? 1 : 0].assign(ub, ub + kUbBytes);
    }
    EXPECT_TRUE(after[0] == after[1]) << name;
    fill<T>(5);
    const auto* ub = core.buffer<std::byte>(isa::Space::kUb);
    EXPECT_FALSE(after[0] == std::vector<std::byte>(ub, ub + kUbBytes)) << name << " did nothing";
  }

  template <class T>
  LocalTensor<T> dst() {
    return tensor<T>(0);
  }
  template <class T>
  LocalTensor<T> a() {
    return tensor<T>(32 * 1024);
  }
  template <class T>
  LocalTensor<T> b() {
    return tensor<T>(64 * 1024);
  }
  LocalTensor<std::uint32_t> offsets() { return tensor<std::uint32_t>(kOffsets); }

  static constexpr std::uint32_t kOffsets = 96 * 1024;
  static constexpr std::uint64_t kBits[2] = {0x69a500000000ff01, 0x8000000000000001};
};

TEST_F(VectorLayout, Shifts) {
  same<std::int32_t>("ShiftLeft", [&](auto t) {
    ShiftLeft(t(dst<std::int32_t>()), t(a<std::int32_t>()), std::int32_t{3}, 100);
  });
  same<std::int16_t>("ShiftRight", [&](auto t) {
    const auto x = t(a<std::int16_t>());
    ShiftRight(t(dst<std::int16_t>()), x, std::int16_t{2}, 64, 2, {1, 1, 8, 8}, true);
  });
}

TEST_F(VectorLayout, Choices) {
  same<float>("Duplicate", [&](auto t) { Duplicate(t(dst<float>()), 2.5f, kBits, 2, 1, 8); });
  same<float>("CompareScalar", [&](auto t) {
    CompareScalar(t(dst<std::uint8_t>()), t(a<float>()), 0.0f, CMPMODE::LT, 64, 4, {1, 1, 8, 8});
  });
  for (const bool bits : {false, true}) {
    same<half>("Select", [&](auto t) {
      const auto to = t(dst<half>()), x = t(a<half>());
      const auto mask = t(tensor<std::uint8_t>(kOffsets));
      constexpr auto kMode = SELMODE::VSEL_TENSOR_SCALAR_MODE;
      if (bits) {
        Select(to, mask, x, half(3.0f), kMode, kBits, 2, {1, 1, 1, 8, 8, 8});
      } else {
        Select(to, mask, x, half(3.0f), kMode, 100, 2, {1, 1, 1, 8, 8, 8});
      }
    });
  }
}

TEST_F(VectorLayout, Gathers) {
  same<float>("Gather", [&](auto t) {
    Gather(t(dst<float>()), t(a<float>()), t(offsets()), 32, 100);
    Gather(t(dst<float>())[512], t(a<float>()), t(offsets()), 0, 50, 2, 8);
  });
  same<half>("Gatherb", [&](auto t) {
    const auto from = tensor<std::uint32_t>(kOffsets);
    for (std::uint32_t i = 0; i < 16; ++i) from.SetValue(i, i * 5 % 16 * 32);
    Gatherb(t(dst<half>()), t(a<half>()), t(from), 2, {1, 8});
  });
  same<float>("GatherMask", [&](auto t) {
    std::uint64_t kept = 0;
    GatherMask(t(dst<float>()), t(a<float>()), t(offsets()), true, 300, {1, 1, 8, 8}, kept);
    EXPECT_GT(kept, 0u);
  });
  same<float>("Sort32", [&](auto t) { Sort32(t(dst<float>()), t(a<float>()), t(offsets()), 4); });
}

TEST_F(VectorLayout, Reductions) {
  for (const std::int32_t count : {50, 1000}) {
    same<half>("ReduceSum",
               [&](auto t) { ReduceSum(t(dst<half>()), t(a<half>()), t(b<half>()), count); });
    for (const bool index : {false, true}) {
      same<float>("ReduceMax", [&](auto t) {
        ReduceMax(t(dst<float>()), t(a<float>()), t(b<float>()), count, index);
      });
      same<half>("ReduceMin", [&](auto t) {
        ReduceMin(t(dst<half>()), t(a<half>()), t(b<half>()), 100, 7, 8, index);
      });
    }
  }
}

TEST_F(VectorLayout, AddDeqRelu) {
  SetDeqScale(half(0.25f));
  same<std::int32_t>("AddDeqRelu", [&](auto t) {
    const auto x = t(a<std::int32_t>()), y = t(b<std::int32_t>());
    AscendC::AddDeqRelu(t(dst<half>()), x, y, 200);
  });
}

TEST_F(VectorLayout, CallsOfTheCube) {
  core.become(isa::CoreType::AIC);
  Shaped<half> l1(TPosition::A1, 0, 4096), l0a(TPosition::A2, 0, 256), l0b(TPosition::B2, 0, 256);
  Shaped<float> l0c(TPosition::CO1, 0, 256);
  Fill(l1, InitConstValueParams<half>{1, 128, 0, half(1.5f)});
  LoadData3DParamsV2<half> load;
  load.l1H = 4, load.l1W = 4, load.channelSize = 16, load.kExtension = 16, load.mExtension = 16;
  load.mStartPt = 0;
  LoadData(l0a, l1, load);
  InitConstValue(l0b, InitConstValueParams<half>{1, 1, 0, half(2.0f)});
  MmadParams product;
  product.m = product.n = product.k = 16, product.cmatrixInitVal = true;
  Mmad(l0c, l0a, l0b, product);
  alignas(512) static float out[256];
  core.global.add(out, sizeof(out));
  GlobalTensor<TensorTrait<float>> gm;
  gm.SetGlobalBuffer(out);
  Fixpipe(gm, l0c, FixpipeParamsV220(16, 16, 16, 16, false));
  for (const float value : out) ASSERT_EQ(value, 48.0f);
}

}  // namespace
}  // namespace davsim::test
