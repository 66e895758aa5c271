// Gather, Gatherb and GatherMask against one element at a time.
#include <random>

#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {
namespace {

using isa::FaultClass;

class VectorGather : public VectorTest {
 protected:
  static constexpr std::uint32_t kTable = 48 * 1024, kOffsets = 96 * 1024, kBits = 160 * 1024;

  template <class T>
  static constexpr std::uint32_t kAll = 256 / sizeof(T);

  void put_offsets(std::uint32_t seed, std::uint32_t unit, std::uint32_t table_bytes) {
    std::mt19937 random(seed);
    for (std::uint32_t at = kOffsets; at < kBits; at += 4) {
      put<std::uint32_t>(at, random() % (table_bytes / unit) * unit);
    }
    std::memcpy(core.buffer<std::byte>(isa::Space::kUb), expected.data(), kUbBytes);
  }

  template <class T>
  void expect_gather(const Lanes& lanes, std::uint32_t base, std::uint32_t dst_repeat) {
    for (std::uint32_t r = 0; r < lanes.repeats; ++r) {
      for (std::uint32_t l = 0; l < kAll<T>; ++l) {
        if (!lanes.active(r, l)) continue;
        const auto offset = get<std::uint32_t>(kOffsets + (r * kAll<T> + l) * 4);
        put<T>(lane_offset(0, {1, dst_repeat}, r, l, sizeof(T)), get<T>(kTable + base + offset));
      }
    }
  }

  template <class T>
  void check_gather() {
    fill<T>(7);
    put_offsets(8, sizeof(T), 40 * 1024);
    const auto dst = tensor<T>(0), table = tensor<T>(kTable);
    const auto offsets = tensor<std::uint32_t>(kOffsets);
    const std::uint64_t bits[2] = {0x69a500000000ff01, 0x8000000000000001};
    for (std::uint32_t repeats : {0u, 1u, 3u, 120u}) {
      for (std::uint32_t mask : {kAll<T>, 9u, 0u}) {
        expect_gather<T>(Lanes::first(mask, kAll<T>, repeats), 64, 9);
        AscendC::Gather(dst, table, offsets, 64, mask, repeats, 9);
        ASSERT_NO_FATAL_FAILURE(check()) << mask << " x " << repeats;
      }
      expect_gather<T>(Lanes::bits(bits[0], bits[1], kAll<T>, repeats), 0, 8);
      AscendC::Gather(dst, table, offsets, 0, bits, repeats, 8);
      ASSERT_NO_FATAL_FAILURE(check()) << "bits x " << repeats;
    }
    for (std::uint32_t count : {0u, 1u, kAll<T>, 5 * kAll<T> + 3, 7000u}) {
      expect_gather<T>(Lanes::count(count, kAll<T>), 32, 8);
      AscendC::Gather(dst, table, offsets, 32, count);
      ASSERT_NO_FATAL_FAILURE(check()) << "count " << count;
    }
  }

  template <class T>
  void check_gatherb() {
    fill<T>(11);
    put_offsets(12, 32, 40 * 1024);
    AscendC::SetVectorMask<T>(1);  // has no effect, and is full afterwards
    for (std::uint32_t repeats : {0u, 1u, 3u, 90u}) {
      for (Strides to : {Strides{1, 8}, Strides{2, 16}, Strides{0, 8}, Strides{3, 1}}) {
        for (std::uint32_t r = 0; r < repeats; ++r) {
          std::vector<std::byte> blocks(256);
          for (std::uint32_t b = 0; b < 8; ++b) {
            const auto offset = get<std::uint32_t>(kOffsets + (r * 8 + b) * 4);
            std::memcpy(&blocks[b * 32], &expected[kTable + offset], 32);
          }
          for (std::uint32_t b = 0; b < 8; ++b) {
            const std::uint32_t block = std::max(to.block, 1u) * b + r * to.repeat;
            std::memcpy(&expected[block * 32], &blocks[b * 32], 32);
          }
        }
        AscendC::Gatherb(
            tensor<T>(0), tensor<T>(kTable), tensor<std::uint32_t>(kOffsets),
            static_cast<std::uint8_t>(repeats),
            {static_cast<std::uint8_t>(to.block), static_cast<std::uint8_t>(to.repeat)});
        ASSERT_NO_FATAL_FAILURE(check()) << repeats << " repeats, block stride " << to.block;
      }
    }
    EXPECT_EQ(core.registers().mask[0], ~std::uint64_t{0});
  }

  /// Elements of a repeat, a bit each, to `dst`; how many.
  template <class T>
  std::uint64_t expect_mask(std::size_t dst, std::uint32_t lanes, std::uint32_t repeats,
                            Strides from, std::function<bool(std::uint32_t, std::uint32_t)> keep) {
    std::uint64_t kept = 0;
    for (std::uint32_t r = 0; r < repeats; ++r) {
      for (std::uint32_t l = 0; l < lanes; ++l) {
        if (!keep(r, l)) continue;
        put<T>(dst + kept++ * sizeof(T), get<T>(lane_offset(kTable, from, r, l, sizeof(T))));
      }
    }
    return kept;
  }

  static bool pattern_keeps(std::uint32_t pattern, std::uint32_t lane) {
    constexpr std::uint32_t kNibbles[] = {0, 0x5, 0xa, 0x1, 0x2, 0x4, 0x8, 0xf};
    return (kNibbles[pattern] >> lane % 4 & 1) != 0;
  }

  template <class T>
  void check_mask() {
    using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
    fill<T>(17);
    const auto src = tensor<T>(kTable), dst = tensor<T>(0);
    const auto bits = tensor<Bits>(kBits);
    std::uint64_t kept = 0;
    struct Case {
      bool counter;
      std::uint32_t mask, repeats;
      Strides from;
      std::uint32_t bits_stride;
    };
    for (const Case& c :
         {Case{false, 0, 1, {1, 8}, 0}, Case{false, 0, 20, {2, 17}, 1},
          Case{false, 3, 100, {1, 8}, 0}, Case{true, 70, 2, {1, 4}, 0}, Case{true, 1, 1, {1, 8}, 0},
          Case{true, 1000, 3, {1, 70}, 5}, Case{false, 0, 0, {1, 8}, 0}}) {
      const std::uint32_t lanes = c.counter ? c.mask : kAll<T>;
      const AscendC::GatherMaskParams params(
          static_cast<std::uint8_t>(c.from.block), static_cast<std::uint16_t>(c.repeats),
          static_cast<std::uint16_t>(c.from.repeat), static_cast<std::uint8_t>(c.bits_stride));
      for (std::uint8_t pattern = 1; pattern <= 7; ++pattern) {
        const std::uint64_t expect = expect_mask<T>(
            0, lanes, c.repeats, c.from,
            [&](std::uint32_t, std::uint32_t l) { return pattern_keeps(pattern, l); });
        AscendC::GatherMask(dst, src, pattern, c.counter, c.mask, params, kept);
        ASSERT_NO_FATAL_FAILURE(check()) << int{pattern} << " x " << c.repeats;
        EXPECT_EQ(kept, expect);
        EXPECT_EQ(AscendC::GetGatherMaskRemainCount(), static_cast<std::int64_t>(expect));
      }
      const std::uint64_t expect =
          expect_mask<T>(0, lanes, c.repeats, c.from, [&](std::uint32_t r, std::uint32_t l) {
            const auto byte = get<std::uint8_t>(kBits + r * c.bits_stride * 32 + l / 8);
            return (byte >> l % 8 & 1) != 0;
          });
      AscendC::GatherMask(dst, src, bits, c.counter, c.mask, params, kept);
      ASSERT_NO_FATAL_FAILURE(check()) << "tensor x " << c.repeats;
      EXPECT_EQ(kept, expect);
    }
    // Documented: the source may be the destination.
    const std::uint64_t expect =
        expect_mask<T>(kTable, kAll<T>, 4, {1, 8},
                       [&](std::uint32_t, std::uint32_t l) { return pattern_keeps(2, l); });
    AscendC::GatherMask(src, src, 2, false, 0, {1, 4, 8, 0}, kept);
    ASSERT_NO_FATAL_FAILURE(check());
    EXPECT_EQ(kept, expect);
  }

  template <class Call>
  void expect_fault(FaultClass cls, const std::string& word, Call call) {
    try {
      call();
      ADD_FAILURE() << "no fault: " << word;
    } catch (const isa::Fault& fault) {
      EXPECT_EQ(fault.cls, cls) << fault.message;
      EXPECT_NE(fault.message.find(word), std::string::npos) << fault.message;
    }
  }
};

TEST_F(VectorGather, Elements) {
  check_gather<float>();
  check_gather<half>();
  check_gather<bfloat16_t>();
  check_gather<std::int16_t>();
  check_gather<std::uint16_t>();
  check_gather<std::int32_t>();
  check_gather<std::uint32_t>();
}
TEST_F(VectorGather, Blocks) {
  check_gatherb<std::uint16_t>();
  check_gatherb<std::uint32_t>();
}
TEST_F(VectorGather, ByMask) {
  check_mask<float>();
  check_mask<half>();
  check_mask<bfloat16_t>();
  check_mask<std::int16_t>();
  check_mask<std::uint16_t>();
  check_mask<std::int32_t>();
  check_mask<std::uint32_t>();
}

/// In counter mode the mask register counts the elements of the whole Gather.
TEST_F(VectorGather, ElementsInCounterMode) {
  fill<half>(7);
  put_offsets(8, 2, 40 * 1024);
  expect_gather<half>(Lanes::count(300, 128), 0, 8);
  AscendC::SetMaskCount();
  AscendC::Gather(tensor<half>(0), tensor<half>(kTable), tensor<std::uint32_t>(kOffsets), 0, 300, 1,
                  8);
  check();
}

/// Documented: GatherMask leaves normal mode behind. Its mask stays in the register.
TEST_F(VectorGather, GatherMaskLeavesNormalMode) {
  fill<float>();
  std::uint64_t kept = 0;
  AscendC::SetMaskCount();
  AscendC::GatherMask(tensor<float>(0), tensor<float>(kTable), 1, true, 70, {1, 2, 4, 0}, kept);
  EXPECT_EQ(core.registers().mask_mode, isa::MaskMode::kNormal);
  EXPECT_EQ(core.registers().mask[0], 70u);
  EXPECT_EQ(kept, 70u);
}

TEST_F(VectorGather, WithoutCountTheScalarUnitDoesNotWait) {
  fill<float>();
  const auto dst = tensor<float>(0), src = tensor<float>(kTable);
  AscendC::GatherMask(dst, src, std::uint8_t{1}, false, 0, {1, 2, 8, 0});
  EXPECT_EQ(core.emitted.size(), 1u);
  EXPECT_EQ(AscendC::GetGatherMaskRemainCount(), 64);
  EXPECT_EQ(core.buffer<float>(isa::Space::kUb, 0)[63],
            core.buffer<float>(isa::Space::kUb, kTable)[126]);
}

TEST_F(VectorGather, Refused) {
  fill<float>();
  const auto a = tensor<float>(0), table = tensor<float>(kTable);
  const auto offsets = tensor<std::uint32_t>(kOffsets);
  std::uint64_t kept = 0;
  put<std::uint32_t>(kOffsets, kUbBytes - kTable);
  put<std::uint32_t>(kOffsets + 32, 2);
  put<std::uint32_t>(kOffsets + 64, kUbBytes - kTable - 4);
  std::memcpy(core.buffer<std::byte>(isa::Space::kUb), expected.data(), kUbBytes);
  expect_fault(FaultClass::kAddress, "196608", [&] { AscendC::Gather(a, table, offsets, 0, 1); });
  expect_fault(FaultClass::kAlignment, "multiples of 4",
               [&] { AscendC::Gather(a, table, offsets[8], 0, 1); });
  AscendC::Gather(a, table, offsets[16], 0, 1);
  expect_fault(FaultClass::kAddress, "offset",
               [&] { AscendC::Gather(a, table, offsets[16], 4, 1); });
  expect_fault(FaultClass::kParameter, "srcBaseAddr",
               [&] { AscendC::Gather(a, table, offsets, 2, 1); });
  expect_fault(FaultClass::kParameter, "address of dst",
               [&] { AscendC::Gather(table, table, offsets, 0, 1); });
  expect_fault(FaultClass::kAlignment, "multiples of 32", [&] {
    AscendC::Gatherb(tensor<std::uint32_t>(0), tensor<std::uint32_t>(kTable), offsets[8], 1, {});
  });
  expect_fault(FaultClass::kParameter, "src1Pattern", [&] {
    AscendC::GatherMask(a, table, 8, false, 0, {1, 1, 8, 0}, kept);
  });
  expect_fault(FaultClass::kParameter, "mask", [&] {
    AscendC::GatherMask(a, table, 1, true, 0, {1, 1, 8, 0}, kept);
  });
  expect_fault(FaultClass::kParameter, "repeatTimes", [&] {
    AscendC::GatherMask(a, table, 1, false, 0, {1, 256, 8, 0}, kept);
  });
  // Half of a repeat is kept: 128 bytes are enough, 96 are not.
  AscendC::GatherMask(tensor<float>(kUbBytes - 128), table, 2, false, 0, {1, 1, 8, 0}, kept);
  expect_fault(FaultClass::kAddress, "dst", [&] {
    AscendC::GatherMask(tensor<float>(kUbBytes - 96), table, 2, false, 0, {1, 1, 8, 0}, kept);
  });
}

}  // namespace
}  // namespace davsim::test
