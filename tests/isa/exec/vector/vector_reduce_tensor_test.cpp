// Reductions of whole tensors, the registers they leave, and what reductions are refused for.
#include "tests/isa/exec/vector/reduce_reference.hpp"

namespace davsim::test {
namespace {

using isa::FaultClass;

class TensorReduce : public ReduceTest {
 protected:
  static constexpr std::uint32_t kSrc = 0, kDst = 140 * 1024, kWork = 144 * 1024;

  template <class T>
  static constexpr std::uint32_t kAll = 256 / sizeof(T);

  /// Sums of the repeats of the source.
  template <class T>
  std::vector<MaybeLane<T>> repeat_sums(const Lanes& lanes, Strides from) {
    std::vector<MaybeLane<T>> sums;
    for (std::uint32_t r = 0; r < lanes.repeats; ++r) {
      sums.push_back(reduced(Reduce::kSum, lanes_of<T>(lanes, r, kSrc, from), 0, kAll<T>));
    }
    return sums;
  }

  /// Tree after tree, each over a repeat's worth of the sums before.
  template <class T>
  T sum_of_sums(std::vector<MaybeLane<T>> sums) {
    while (sums.size() > 1) {
      sums.resize((sums.size() + kAll<T> - 1) / kAll<T> * kAll<T>);
      std::vector<MaybeLane<T>> next;
      for (std::size_t i = 0; i < sums.size(); i += kAll<T>) {
        next.push_back(tree_sum(sums, i, kAll<T>));
      }
      sums = next;
    }
    return *sums[0];
  }

  /// The best element of the whole source and its index, from the masked lanes of all repeats.
  template <class T>
  Best<T> best_of_all(Reduce kind, const Lanes& lanes, std::uint32_t src_repeat) {
    std::vector<MaybeLane<T>> all;
    std::vector<std::uint32_t> index;
    for (std::uint32_t r = 0; r < lanes.repeats; ++r) {
      const auto values = lanes_of<T>(lanes, r, kSrc, {1, src_repeat});
      for (std::uint32_t l = 0; l < values.size(); ++l) {
        all.push_back(values[l]);
        index.push_back(static_cast<std::uint32_t>(r * src_repeat * 32 / sizeof(T) + l));
      }
    }
    Best<T> best = *best_lane(kind, all, 0, all.size());
    best.lane = index[best.lane];
    return best;
  }

  template <class T>
  void expect_value(T value) {
    EXPECT_EQ(std::memcmp(core.buffer<std::byte>(isa::Space::kUb, kDst), &value, sizeof value), 0)
        << float(read<T>(kDst)) << " should be " << float(value);
  }
  template <class T>
  void expect_index(std::uint32_t index) {
    using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
    EXPECT_EQ(read<Bits>(kDst + sizeof(T)), static_cast<Bits>(index));
  }

  template <class T, class Call>
  void check_extreme(Reduce kind, Call call) {
    const auto dst = tensor<T>(kDst), src = tensor<T>(kSrc), work = tensor<T>(kWork);
    for (std::uint32_t special : {50u, 1000000u}) {
      for (std::uint32_t count : {1u, 9u, kAll<T>, kAll<T> + 1, 2 * kAll<T>, 8320u, 30000u}) {
        for (bool index : {false, true}) {
          SCOPED_TRACE(testing::Message() << count << " elements, index " << index);
          fill_reducible<T>(count + special, special);
          const auto best = best_of_all<T>(kind, Lanes::count(count, kAll<T>), 8);
          call(dst, src, work, static_cast<std::int32_t>(count), index);
          expect_value(best.value);
          if (index) expect_index<T>(best.lane);
        }
      }
      check_extreme_repeats<T>(kind, call, special);
    }
  }

  template <class T, class Call>
  void check_extreme_repeats(Reduce kind, Call call, std::uint32_t special) {
    const auto dst = tensor<T>(kDst), src = tensor<T>(kSrc), work = tensor<T>(kWork);
    const std::uint64_t bits[2] = {0x8421842184218420, 0x1234};
    for (std::int32_t repeats : {1, 2, 32, 65, 130, 300, 520}) {
      for (std::int32_t src_repeat : {8, 3}) {
        SCOPED_TRACE(testing::Message() << repeats << " repeats at " << src_repeat);
        fill_reducible<T>(static_cast<std::uint32_t>(repeats) + special, special);
        const auto n = static_cast<std::uint32_t>(repeats);
        const auto stride = static_cast<std::uint32_t>(src_repeat);
        const auto first = best_of_all<T>(kind, Lanes::first(50, kAll<T>, n), stride);
        call(dst, src, work, std::int32_t{50}, repeats, src_repeat, true);
        expect_value(first.value);
        expect_index<T>(first.lane);
        const auto masked = best_of_all<T>(kind, Lanes::bits(bits[0], bits[1], kAll<T>, n), stride);
        call(dst, src, work, &bits[0], repeats, src_repeat, false);
        expect_value(masked.value);
      }
    }
  }

  template <class T>
  void check_sum() {
    const auto dst = tensor<T>(kDst), src = tensor<T>(kSrc), work = tensor<T>(kWork);
    for (std::uint32_t count : {1u, 9u, kAll<T>, kAll<T> + 1, 8320u, 30000u}) {
      SCOPED_TRACE(count);
      fill_reducible<T>(count, 1000000);
      T sum = T(0.0f);
      bool first = true;
      for (const auto& value : repeat_sums<T>(Lanes::count(count, kAll<T>), {1, 8})) {
        sum = first ? *value : Exact<T>::write(Exact<T>::read(sum) + Exact<T>::read(*value));
        first = false;
      }
      AscendC::ReduceSum(dst, src, work, static_cast<std::int32_t>(count));
      expect_value(sum);
      const T value = AscendC::GetReduceRepeatSumSpr<T>();
      EXPECT_EQ(std::memcmp(&value, &sum, sizeof sum), 0);
      std::int64_t sum_bits = 0;
      std::memcpy(&sum_bits, &sum, sizeof sum);
      EXPECT_EQ(AscendC::GetAccVal(), sum_bits);
    }
    const std::uint64_t bits[2] = {0x8421842184218420, 0x1234};
    for (std::int32_t repeats : {1, 2, 65, 300, 520}) {
      for (std::int32_t src_repeat : {8, 3}) {
        SCOPED_TRACE(testing::Message() << repeats << " repeats at " << src_repeat);
        fill_reducible<T>(static_cast<std::uint32_t>(repeats), 1000000);
        const Strides from = {1, static_cast<std::uint32_t>(src_repeat)};
        const auto n = static_cast<std::uint32_t>(repeats);
        const T first = sum_of_sums<T>(repeat_sums<T>(Lanes::first(50, kAll<T>, n), from));
        AscendC::ReduceSum(dst, src, work, 50, repeats, src_repeat);
        expect_value(first);
        const T masked =
            sum_of_sums<T>(repeat_sums<T>(Lanes::bits(bits[0], bits[1], kAll<T>, n), from));
        AscendC::ReduceSum(dst, src, work, bits, repeats, src_repeat);
        expect_value(masked);
      }
    }
  }

  template <class Call>
  void expect_fault(FaultClass cls, const std::vector<std::string>& words, Call call) {
    try {
      call();
      ADD_FAILURE() << "no fault: " << words[0];
    } catch (const isa::Fault& fault) {
      EXPECT_EQ(fault.cls, cls) << fault.message;
      EXPECT_NE(fault.where.line(), 0u);
      for (const std::string& word : words) {
        EXPECT_NE(fault.message.find(word), std::string::npos) << fault.message;
      }
    }
  }
};

TEST_F(TensorReduce, Sum) {
  check_sum<float>();
  check_sum<half>();
}
TEST_F(TensorReduce, Max) {
  const auto call = [](const auto&... args) { AscendC::ReduceMax(args...); };
  check_extreme<float>(Reduce::kMax, call);
  check_extreme<half>(Reduce::kMax, call);
}
TEST_F(TensorReduce, Min) {
  const auto call = [](const auto&... args) { AscendC::ReduceMin(args...); };
  check_extreme<float>(Reduce::kMin, call);
  check_extreme<half>(Reduce::kMin, call);
}

TEST_F(TensorReduce, NothingToReduceLeavesEverything) {
  fill<float>();
  const auto dst = tensor<float>(kDst), src = tensor<float>(kSrc), work = tensor<float>(kWork);
  AscendC::ReduceSum(dst, src, work, 0);
  AscendC::ReduceMax(dst, src, work, 0, true);
  AscendC::ReduceMin(dst, src, work, 64, 0, 8);
  // Documented: a mask without lanes does nothing either.
  const std::uint64_t none[2] = {0, 1};
  AscendC::ReduceSum(dst, src, work, 0, 1, 8);
  AscendC::ReduceSum(dst, src, work, none, 3, 8);
  for (const bool index : {false, true}) {
    AscendC::ReduceMax(dst, src, work, 0, 3, 8, index);
    AscendC::ReduceMin(dst, src, work, none, 1, 8, index);
  }
  check();
}

/// Documented: the work tensor may be the destination, and it may be the source.
TEST_F(TensorReduce, TheWorkTensorMayBeReused) {
  for (std::uint32_t work : {kDst, kSrc}) {
    fill_reducible<half>(5, 1000000);
    const auto best = best_of_all<half>(Reduce::kMax, Lanes::count(8320, 128), 8);
    AscendC::ReduceMax(tensor<half>(kDst), tensor<half>(kSrc), tensor<half>(work), 8320, false);
    expect_value(best.value);
  }
}

/// The mask register is free to the kernel: full masks and normal mode after a count.
TEST_F(TensorReduce, ACountLeavesTheFullMask) {
  fill_reducible<float>(5, 1000000);
  AscendC::ReduceSum(tensor<float>(kDst), tensor<float>(kSrc), tensor<float>(kWork), 100);
  EXPECT_EQ(core.registers().mask_mode, isa::MaskMode::kNormal);
  EXPECT_EQ(core.registers().mask[0], ~std::uint64_t{0});
  EXPECT_EQ(core.registers().mask[1], ~std::uint64_t{0});
}

TEST_F(TensorReduce, Refused) {
  fill<float>();
  const auto dst = tensor<float>(kDst), src = tensor<float>(kSrc), work = tensor<float>(kWork);
  const auto h = tensor<half>(kDst);
  expect_fault(FaultClass::kParameter, {"ReduceMax", "sharedTmpBuffer", "259"}, [&] {
    AscendC::LocalTensor<float> small(AscendC::TPosition::VECCALC, kWork, 259);
    AscendC::ReduceMax(dst, src, small, 64, 130, 8);
  });
  expect_fault(FaultClass::kParameter, {"ReduceSum", "count", "-1"},
               [&] { AscendC::ReduceSum(dst, src, work, -1); });
  expect_fault(FaultClass::kParameter, {"ReduceMin", "srcRepStride", "65536"},
               [&] { AscendC::ReduceMin(dst, src, work, 64, 2, 65536); });
  for (const auto& reduce : std::initializer_list<std::function<void()>>{
           [&] { AscendC::ReduceSum(dst, src, work, 64, 2, 8); },
           [&] { AscendC::ReduceMax(dst, src, work, 64, 2, 8, true); }}) {
    AscendC::SetMaskCount();
    expect_fault(FaultClass::kParameter, {"counter mode", "SetMaskNorm"}, reduce);
    AscendC::SetMaskNorm();
  }
  expect_fault(FaultClass::kParameter, {"WholeReduceSum", "repeatTime", "256"},
               [&] { AscendC::WholeReduceSum(dst, src, 64, 256, 1, 1, 8); });
  expect_fault(FaultClass::kParameter, {"BlockReduceMax", "dstRepStride", "-1"},
               [&] { AscendC::BlockReduceMax(dst, src, 1, 64, -1, 1, 8); });
  expect_fault(FaultClass::kParameter, {"VCMAX", "order", "4"}, [&] {
    AscendC::WholeReduceMax(dst, src, 64, 1, 1, 1, 8, static_cast<AscendC::ReduceOrder>(4));
  });
  // Alignment follows the width of a result.
  AscendC::WholeReduceSum(h[1], h[1024], 64, 1, 1, 1, 8);
  expect_fault(FaultClass::kAlignment, {"VCMAX", "dst", "multiples of 4"},
               [&] { AscendC::WholeReduceMax(h[1], h[1024], 64, 1, 1, 1, 8); });
  expect_fault(FaultClass::kAlignment, {"VCMIN", "dst", "multiples of 8"},
               [&] { AscendC::WholeReduceMin(dst[1], src, 64, 1, 1, 1, 8); });
  expect_fault(FaultClass::kAlignment, {"VCGADD", "dst", "multiples of 16"},
               [&] { AscendC::BlockReduceSum(h[4], h[1024], 1, 64, 1, 1, 8); });
  expect_fault(FaultClass::kAlignment, {"VCGADD", "dst", "multiples of 32"},
               [&] { AscendC::BlockReduceSum(dst[4], src, 1, 64, 1, 1, 8); });
  expect_fault(FaultClass::kAlignment, {"VCADD", "src0", "multiples of 32"},
               [&] { AscendC::WholeReduceSum(dst, src[1], 64, 1, 1, 1, 8); });
  // A result may be the last of UB, and no further.
  const auto end = tensor<float>(kUbBytes - 8);
  AscendC::WholeReduceMax(end, src, 64, 1, 1, 1, 8);
  expect_fault(FaultClass::kAddress, {"VCMAX", "dst", "196616"},
               [&] { AscendC::WholeReduceMax(end, src, 64, 2, 1, 1, 8); });
}

class Brcb : public ReduceTest {
 protected:
  template <class T>
  void check_brcb() {
    fill<T>(9);
    for (std::uint32_t repeats : {0u, 1u, 3u, 90u}) {
      for (Strides to : {Strides{1, 8}, Strides{2, 17}, Strides{1, 0}, Strides{3, 1}}) {
        for (std::uint32_t r = 0; r < repeats; ++r) {
          for (std::uint32_t b = 0; b < 8; ++b) {
            const T value = get<T>(128 * 1024 + (r * 8 + b) * sizeof(T));
            for (std::uint32_t i = 0; i < 32 / sizeof(T); ++i) {
              put<T>((r * to.repeat + b * to.block) * 32 + i * sizeof(T), value);
            }
          }
        }
        AscendC::Brcb(
            tensor<T>(0), tensor<T>(128 * 1024), static_cast<std::uint8_t>(repeats),
            {static_cast<std::uint16_t>(to.block), static_cast<std::uint16_t>(to.repeat)});
        ASSERT_NO_FATAL_FAILURE(check());
      }
    }
  }
};

TEST_F(Brcb, SpreadsEachElementOverABlock) {
  check_brcb<std::int16_t>();
  check_brcb<std::uint16_t>();
  check_brcb<half>();
  check_brcb<bfloat16_t>();
  check_brcb<std::int32_t>();
  check_brcb<std::uint32_t>();
  check_brcb<float>();
}

TEST_F(Brcb, TakesNoNoticeOfTheMask) {
  fill<float>(9);
  AscendC::SetVectorMask<float>(1);
  AscendC::Brcb(tensor<float>(0), tensor<float>(4096), 1, {1, 8});
  EXPECT_EQ(std::memcmp(core.buffer<float>(isa::Space::kUb, 252),
                        core.buffer<float>(isa::Space::kUb, 4096 + 28), 4),
            0);
}

TEST_F(Brcb, Refused) {
  fill<float>(9);
  const auto expect = [&](FaultClass cls, auto call) {
    try {
      call();
      ADD_FAILURE() << "no fault";
    } catch (const isa::Fault& fault) {
      EXPECT_EQ(fault.cls, cls) << fault.message;
    }
  };
  const auto a = tensor<float>(0), b = tensor<float>(4096);
  expect(FaultClass::kParameter, [&] { AscendC::Brcb(a, b, 1, {0, 8}); });
  expect(FaultClass::kParameter, [&] { AscendC::Brcb(a, a, 1, {1, 8}); });
  expect(FaultClass::kParameter, [&] { AscendC::Brcb(a, a[64 * 2], 3, {1, 8}); });
  expect(FaultClass::kAlignment, [&] { AscendC::Brcb(a, b[4], 1, {1, 8}); });
  expect(FaultClass::kAddress, [&] { AscendC::Brcb(tensor<float>(kUbBytes - 224), b, 1, {1, 8}); });
  AscendC::Brcb(a, a[64 * 3], 3, {1, 8});
}

}  // namespace
}  // namespace davsim::test
