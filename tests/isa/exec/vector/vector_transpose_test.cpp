#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {
namespace {

using AscendC::TransDataTo5HDParams;
using AscendC::TransposeParamsExt;
using AscendC::TransposeType;

class TransposeFixture : public VectorTest {
 protected:
  std::string refusal(const std::function<void()>& call) {
    try {
      call();
    } catch (const isa::Fault& fault) {
      return fault.message;
    }
    return "nothing";
  }
  /// The sixteen tensors at these DataBlocks.
  template <class T>
  void lists(const std::array<std::uint32_t, 16>& dst, const std::array<std::uint32_t, 16>& src,
             AscendC::LocalTensor<T> (&to)[16], AscendC::LocalTensor<T> (&from)[16]) {
    for (int i = 0; i < 16; ++i) {
      to[i] = tensor<T>(dst[i] * 32);
      from[i] = tensor<T>(src[i] * 32);
    }
  }
};

template <class T>
class TransDataTo5HD : public TransposeFixture {
 protected:
  static constexpr std::uint32_t kColumns = std::min<std::uint32_t>(32 / sizeof(T), 16);

  /// Element by element: column c of the rows goes to destination c; 32-bit columns fill two.
  void expect(const std::array<std::uint32_t, 16>& dst, const std::array<std::uint32_t, 16>& src,
              const TransDataTo5HDParams& params) {
    for (std::uint32_t r = 0; r < params.repeatTimes; ++r) {
      const std::uint32_t step = params.repeatTimes == 1 ? 1 : r;  // documented: one starts behind
      std::vector<std::pair<std::size_t, T>> moved;
      for (std::uint32_t c = 0; c < kColumns; ++c) {
        for (std::uint32_t row = 0; row < 16; ++row) {
          const std::uint32_t number = c * 16 + row;
          const std::uint32_t per_block = sizeof(T) == 1 ? 16 : 32 / sizeof(T);
          std::size_t to = (dst[number / per_block] + step * params.dstRepStride) * 32 +
                           number % per_block * sizeof(T);
          std::size_t from = (src[row] + step * params.srcRepStride) * 32 + c * sizeof(T);
          if (sizeof(T) == 1 && params.dstHighHalf) to += 16;
          if (sizeof(T) == 1 && params.srcHighHalf) from += 16;
          moved.emplace_back(to, this->template get<T>(from));
        }
      }
      for (const auto& [at, value] : moved) this->put(at, value);
    }
  }
};
using AllTypes = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, half,
                                  std::int32_t, std::uint32_t, float>;
TYPED_TEST_SUITE(TransDataTo5HD, AllTypes);

TYPED_TEST(TransDataTo5HD, MovesColumnsInAllForms) {
  using T = TypeParam;
  std::array<std::uint32_t, 16> dst, src;
  for (std::uint32_t i = 0; i < 16; ++i) {
    dst[i] = 3000 + (i * 7) % 16 * 3;  // anywhere, in any order
    src[i] = 40 + (i * 5) % 16 * 20;
  }
  for (const TransDataTo5HDParams& params :
       {TransDataTo5HDParams(false, false, 1, 0, 0), TransDataTo5HDParams(true, false, 1, 5, 9),
        TransDataTo5HDParams(false, true, 3, 48, 1), TransDataTo5HDParams(true, true, 17, 60, 11),
        TransDataTo5HDParams(false, false, 0, 48, 1),
        TransDataTo5HDParams(false, true, 255, 8, 2)}) {
    this->template fill<std::int32_t>(params.repeatTimes);
    AscendC::LocalTensor<T> to[16], from[16];
    this->lists(dst, src, to, from);
    AscendC::TransDataTo5HD<T>(to, from, params);
    this->expect(dst, src, params);
    this->check();
    std::uint64_t to_list[16], from_list[16];
    for (int i = 0; i < 16; ++i) {
      to_list[i] = to[i].GetPhyAddr() + 32 * 16;
      from_list[i] = from[i].GetPhyAddr();
    }
    AscendC::TransDataTo5HD<T>(to_list, from_list, params);
    auto moved = dst;
    for (auto& block : moved) block += 16;
    this->expect(moved, src, params);
    this->check();
    const auto addresses = this->template tensor<std::uint64_t>(0);
    for (int i = 0; i < 16; ++i) {
      addresses.SetValue(i, to_list[i]);
      addresses[16].SetValue(i, from_list[i]);
      this->put(i * 8, to_list[i]);
      this->put(128 + i * 8, from_list[i]);
    }
    AscendC::TransDataTo5HD<T>(addresses, addresses[16], params);
    this->expect(moved, src, params);
    this->check();
  }
}

TEST_F(TransposeFixture, OfSixteenBySixteenInPlaceAndNot) {
  const auto run = [&]<class T>(T) {
    for (std::uint32_t dst : {0u, 8192u}) {
      fill<T>();
      AscendC::Transpose(tensor<T>(dst), tensor<T>(8192));
      std::vector<T> old(256);
      for (int i = 0; i < 256; ++i) old[i] = get<T>(8192 + i * 2);
      for (int i = 0; i < 256; ++i) put(dst + i * 2, old[i % 16 * 16 + i / 16]);
      check();
    }
  };
  run(std::int16_t{});
  run(std::uint16_t{});
  run(half{});
}

template <class T>
class TransposeImages : public TransposeFixture {
 protected:
  static constexpr std::uint32_t kSrc = 64 * 1024, kTmp = 128 * 1024;

  void check_both(std::uint32_t n, std::uint32_t c, std::uint32_t h, std::uint32_t w) {
    SCOPED_TRACE(::testing::Message() << n << " x " << c << " x " << h << " x " << w);
    const std::uint32_t plane = h * w, image = c * plane;
    const auto params = [&](TransposeType type) {
      return TransposeParamsExt(static_cast<std::uint16_t>(n), static_cast<std::uint16_t>(c),
                                static_cast<std::uint16_t>(h), static_cast<std::uint16_t>(w), type);
    };
    const auto tmp = this->template tensor<std::uint8_t>(kTmp);
    const auto dst = this->template tensor<T>(0), src = this->template tensor<T>(kSrc);
    const auto element = [&](std::uint32_t at) {
      return this->template get<T>(kSrc + at * sizeof(T));
    };
    for (bool to_nhwc : {true, false}) {
      this->template fill<std::int32_t>(c);
      AscendC::Transpose(dst, src, tmp,
                         params(to_nhwc ? TransposeType::TRANSPOSE_NCHW2NHWC
                                        : TransposeType::TRANSPOSE_NHWC2NCHW));
      for (std::uint32_t i = 0; i < n * image; ++i) {
        const std::uint32_t in_image = i % image, first = i - in_image;
        const std::uint32_t from =
            to_nhwc ? in_image % c * plane + in_image / c : in_image % plane * c + in_image / plane;
        this->put(i * sizeof(T), element(first + from));
      }
      // Whatever lies in the temporary space now.
      std::memcpy(this->expected.data() + kTmp,
                  this->core.template buffer<std::byte>(isa::Space::kUb, kTmp), 64 * 1024);
      this->check();
    }
  }
};
TYPED_TEST_SUITE(TransposeImages, AllTypes);

TYPED_TEST(TransposeImages, OfManyShapes) {
  constexpr std::uint32_t kBlock = 32 / sizeof(TypeParam);
  this->check_both(1, 3, 1, kBlock);
  this->check_both(2, 1, 2, kBlock);
  this->check_both(3, 5, 4, kBlock * 4);
  this->check_both(1, 16, 8, kBlock * 4);
  this->check_both(1, 7, 3, kBlock * 11);
  this->check_both(1, 30, 1, kBlock * 33);
}

TEST_F(TransposeFixture, ManyChannelsTakeSeveralInstructions) {
  fill<half>();
  constexpr std::uint32_t kChannels = 300, kPlane = 16, kSrc = 10 * 1024, kTmp = 20 * 1024;
  AscendC::Transpose(tensor<half>(0), tensor<half>(kSrc), tensor<std::uint8_t>(kTmp),
                     {1, kChannels, 1, kPlane, TransposeType::TRANSPOSE_NCHW2NHWC});
  for (std::uint32_t i = 0; i < kChannels * kPlane; ++i) {
    put(i * 2, get<half>(kSrc + (i % kChannels * kPlane + i / kChannels) * 2));
  }
  std::memcpy(expected.data() + kTmp, core.buffer<std::byte>(isa::Space::kUb, kTmp),
              kUbBytes - kTmp);
  check();
  EXPECT_EQ(core.emitted.size(), 2u * 2u + 2u);  // 255 and 45 channels, twice, and two barriers
}

TEST_F(TransposeFixture, NothingToDo) {
  fill<half>();
  const auto t = tensor<half>(0);
  const auto tmp = tensor<std::uint8_t>(65536);
  AscendC::Transpose(t, t, tmp, {1, 1, 1, 1, TransposeType::TRANSPOSE_TYPE_NONE});
  AscendC::Transpose(t, t, tmp, {0, 8, 4, 16, TransposeType::TRANSPOSE_NCHW2NHWC});
  AscendC::Transpose(t, t, tmp, {1, 0, 4, 16, TransposeType::TRANSPOSE_NCHW2NHWC});
  AscendC::Transpose(t, t, tmp, {1, 8, 0, 16, TransposeType::TRANSPOSE_NHWC2NCHW});
  core.become(isa::CoreType::AIC);
  AscendC::Transpose(t, t);
  check();
}

TEST_F(TransposeFixture, ExtendedFormOfSixteenBySixteen) {
  fill<std::uint16_t>();
  const auto t = tensor<std::uint16_t>(0);
  TransposeParamsExt params;
  params.hSize = params.wSize = 16;
  AscendC::Transpose(t, tensor<std::uint16_t>(8192), tensor<std::uint8_t>(65536), params);
  for (int i = 0; i < 256; ++i) {
    put(i * 2, get<std::uint16_t>(8192 + (i % 16 * 16 + i / 16) * 2));
  }
  check();
}

TEST_F(TransposeFixture, Refusals) {
  fill<half>();
  const auto t = tensor<half>(0);
  const auto tmp = tensor<std::uint8_t>(65536);
  EXPECT_EQ(refusal([&] { AscendC::Transpose(t[1], t); }),
            "Transpose: an address of dst is byte 2 of UB, allowed are multiples of 32 inside UB");
  EXPECT_EQ(refusal([&] {
              AscendC::Transpose(t, t, tmp, {1, 1, 1, 1, TransposeType::TRANSPOSE_ND2ND_ONLY});
            }),
            "Transpose: transposeType is 7, allowed are 0 (NONE), 10 (ND2ND_B16), 11 (NCHW2NHWC) "
            "and 12 (NHWC2NCHW) on 2201");
  EXPECT_EQ(refusal([&] {
              AscendC::Transpose(t, t, tmp, {1, 4096, 1, 16, TransposeType::TRANSPOSE_NCHW2NHWC});
            }),
            "Transpose: cSize is 4096, allowed are 0 to 4095");
  EXPECT_EQ(refusal([&] {
              AscendC::Transpose(t, t, tmp, {1, 4, 64, 64, TransposeType::TRANSPOSE_NCHW2NHWC});
            }),
            "Transpose: hSize * wSize is 4096, allowed are 0 to 4095");
  EXPECT_EQ(refusal([&] {
              AscendC::Transpose(t, t, tmp, {1, 4, 1, 15, TransposeType::TRANSPOSE_NCHW2NHWC});
            }),
            "Transpose: bytes of hSize * wSize is 30, allowed are multiples of 32");
  EXPECT_EQ(refusal([&] {
              const AscendC::LocalTensor<std::uint8_t> small(AscendC::TPosition::VECCALC, 65536,
                                                             3071);
              AscendC::Transpose(t, t, small, {1, 4, 1, 16, TransposeType::TRANSPOSE_NCHW2NHWC});
            }),
            "Transpose: bytes of sharedTmpBuffer is 3071, allowed are 3072 to 4294967295");
  std::uint64_t dst[16] = {}, src[16] = {};
  dst[3] = kUbBytes - 32;
  EXPECT_EQ(refusal([&] {
              AscendC::TransDataTo5HD<half>(dst, src, {false, false, 2, 1, 0});
            }),
            "VNCHWCONV: dst[3] reaches from byte 196576 to 196640 of UB, which has 196608 (2 "
            "repeats, 1 DataBlocks from one to the next)");
  AscendC::TransDataTo5HD<half>(dst, src, {false, false, 0, 1, 0});
  src[15] = 8;
  EXPECT_EQ(refusal([&] { AscendC::TransDataTo5HD<half>(dst, src, {}); }),
            "TransDataTo5HD: an address of srcList is byte 8 of UB, allowed are multiples of 32 "
            "inside UB");
}

}  // namespace
}  // namespace davsim::test
