// Reductions of repeats, DataBlocks and pairs against the reference: types, masks in both modes,
// strides, repeats, orders of the result, overlap, special values.
#include "tests/isa/exec/vector/reduce_reference.hpp"

namespace davsim::test {
namespace {

using AscendC::ReduceOrder;

/// One way to lay operands out: bytes, and strides as the calls take them.
struct ReduceLayout {
  std::uint32_t dst = 0, src = 64 * 1024;
  std::int32_t dst_repeat = 1, src_block = 1, src_repeat = 8;
  std::uint32_t max_repeats = 255;
};
const ReduceLayout kReduceLayouts[] = {
    {},
    {.dst_repeat = 3, .src_block = 2, .src_repeat = 17, .max_repeats = 200},
    {.src_block = 0, .src_repeat = 1},
    {.src_repeat = 0},
    {.dst_repeat = 0, .src_repeat = 9, .max_repeats = 100},
    {.dst = 64 * 1024},            // in place
    {.dst = 64 * 1024 + 32 * 64},  // writes what later repeats read
    {.dst = 160, .src = 32, .src_block = 3, .src_repeat = 5},
};

struct MaskCase {
  Lanes lanes;
  enum Form { kCount, kBits, kRegister, kCounter } form;
  std::uint64_t low = 0, high = 0;
  std::uint32_t repeats = 0;
};

template <std::uint32_t kAll>
std::vector<MaskCase> mask_cases(std::uint32_t max_repeats) {
  std::vector<MaskCase> cases;
  for (std::uint32_t repeats : {0u, 1u, 3u, max_repeats}) {
    for (std::uint32_t mask : {kAll, 9u, 1u, 0u}) {
      cases.push_back({Lanes::first(mask, kAll, repeats), MaskCase::kCount, mask, 0, repeats});
    }
    for (std::uint64_t low : {0x8000000000000001u, 0x69a569a569a50000u, 0x1000000000u}) {
      const std::uint64_t high = low >> 7;
      cases.push_back({Lanes::bits(low, high, kAll, repeats), MaskCase::kBits, low, high, repeats});
    }
  }
  cases.push_back({Lanes::first(5, kAll, 2), MaskCase::kRegister, 5, 0, 2});
  for (std::uint32_t count : {1u, kAll, 17 * kAll + 2}) {
    cases.push_back({Lanes::count(count, kAll), MaskCase::kCounter, count, 0, 1});
  }
  return cases;
}

class VectorReduce : public ReduceTest {
 protected:
  /// `call(dst, src, mask, repeats, layout, set_mask)` emits the instruction.
  template <class T, class Call>
  void emit(const MaskCase& c, const ReduceLayout& at, Call call) {
    const auto dst = tensor<T>(at.dst), src = tensor<T>(at.src);
    const std::uint64_t bits[2] = {c.low, c.high};
    const auto repeats = static_cast<std::int32_t>(c.repeats);
    switch (c.form) {
      case MaskCase::kCount:
        call(dst, src, static_cast<std::int32_t>(c.low), repeats, at, std::true_type());
        return;
      case MaskCase::kBits:
        call(dst, src, &bits[0], repeats, at, std::true_type());
        return;
      case MaskCase::kRegister:
        AscendC::SetVectorMask<T>(static_cast<std::int32_t>(c.low));
        call(dst, src, std::int32_t{0}, repeats, at, std::false_type());
        break;
      case MaskCase::kCounter:
        AscendC::SetMaskCount();
        AscendC::SetVectorMask<T, AscendC::MaskMode::COUNTER>(static_cast<std::int32_t>(c.low));
        call(dst, src, std::int32_t{0}, repeats, at, std::false_type());
        break;
    }
    AscendC::SetMaskNorm();
    AscendC::ResetMask();
  }

  /// Results of groups of `group` lanes, side by side; `unit` bytes of them a repeat.
  template <class T>
  void expect_groups(Reduce kind, std::uint32_t group, const Lanes& lanes, const ReduceLayout& at) {
    const std::uint32_t results = lanes.per_repeat / group;
    const Strides from = {static_cast<std::uint32_t>(at.src_block),
                          static_cast<std::uint32_t>(at.src_repeat)};
    for (std::uint32_t r = 0; r < lanes.repeats; ++r) {
      const auto values = lanes_of<T>(lanes, r, at.src, from);
      const std::size_t to = at.dst + std::size_t{r} * at.dst_repeat * results * sizeof(T);
      for (std::uint32_t g = 0; g < results; ++g) {
        const auto value = reduced(kind, values, std::size_t{g} * group, group);
        if (value) put<T>(to + g * sizeof(T), *value);
      }
    }
  }

  template <class T, class Call>
  void check_groups(Reduce kind, std::uint32_t group, Call call) {
    constexpr std::uint32_t kAll = 256 / sizeof(T);
    for (std::uint32_t special : {5u, 1000u}) {
      fill_reducible<T>(special, special);
      for (const ReduceLayout& at : kReduceLayouts) {
        if (group == 2 && (at.dst % 32 != 0 || at.dst_repeat == 3)) continue;
        for (const MaskCase& c : mask_cases<kAll>(at.max_repeats / (group == 2 ? 4 : 1))) {
          expect_groups<T>(kind, group, c.lanes, at);
          emit<T>(c, at, call);
          check();
          if (HasFatalFailure()) {
            FAIL() << "form " << c.form << " mask " << std::hex << c.low << " repeats " << c.repeats
                   << " layout " << &at - kReduceLayouts << " special " << special;
          }
        }
      }
    }
  }

  /// Value and index as `order` has them.
  template <class T>
  void expect_extremes(Reduce kind, ReduceOrder order, const Lanes& lanes, const ReduceLayout& at) {
    using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
    const bool index_only = order == ReduceOrder::ORDER_ONLY_INDEX;
    const bool value_only = order == ReduceOrder::ORDER_ONLY_VALUE;
    const std::size_t unit = index_only ? 4 : value_only ? sizeof(T) : 2 * sizeof(T);
    const Strides from = {static_cast<std::uint32_t>(at.src_block),
                          static_cast<std::uint32_t>(at.src_repeat)};
    for (std::uint32_t r = 0; r < lanes.repeats; ++r) {
      const auto values = lanes_of<T>(lanes, r, at.src, from);
      const auto best = best_lane(kind, values, 0, lanes.per_repeat);
      if (!best) continue;
      const std::size_t to = at.dst + std::size_t{r} * at.dst_repeat * unit;
      const bool value_first = order == ReduceOrder::ORDER_VALUE_INDEX;
      if (index_only) {
        put<std::uint32_t>(to, best->lane);
      } else if (value_only) {
        put<T>(to, best->value);
      } else {
        put<T>(to + (value_first ? 0 : sizeof(T)), best->value);
        put<Bits>(to + (value_first ? sizeof(T) : 0), static_cast<Bits>(best->lane));
      }
    }
  }

  template <class T, class Call>
  void check_extremes(Reduce kind, Call call) {
    constexpr std::uint32_t kAll = 256 / sizeof(T);
    for (std::uint32_t special : {3u, 1000u}) {
      fill_reducible<T>(special, special);
      for (const ReduceLayout& at : kReduceLayouts) {
        int turn = 0;
        for (const MaskCase& c : mask_cases<kAll>(at.max_repeats)) {
          const auto order = static_cast<ReduceOrder>(turn++ % 4);
          expect_extremes<T>(kind, order, c.lanes, at);
          emit<T>(c, at, [&](const auto&... args) { call(order, args...); });
          check();
          if (HasFatalFailure()) {
            FAIL() << "form " << c.form << " mask " << std::hex << c.low << " repeats " << c.repeats
                   << " layout " << &at - kReduceLayouts << " order " << static_cast<int>(order)
                   << " special " << special;
          }
        }
      }
    }
  }
};

/// A reduction by name, for any type.
#define DAVSIM_REDUCE_CALL(Name)                                                                \
  [](const auto& dst, const auto& src, auto mask, std::int32_t repeats, const ReduceLayout& at, \
     auto set_mask) {                                                                           \
    using T = typename std::decay_t<decltype(dst)>::PrimType;                                   \
    AscendC::Name<T, decltype(set_mask)::value>(dst, src, mask, repeats, at.dst_repeat,         \
                                                at.src_block, at.src_repeat);                   \
  }
/// The same for those that have the repeats before the mask.
#define DAVSIM_PARTS_CALL(Name)                                                                 \
  [](const auto& dst, const auto& src, auto mask, std::int32_t repeats, const ReduceLayout& at, \
     auto set_mask) {                                                                           \
    using T = typename std::decay_t<decltype(dst)>::PrimType;                                   \
    AscendC::Name<T, decltype(set_mask)::value>(dst, src, repeats, mask, at.dst_repeat,         \
                                                at.src_block, at.src_repeat);                   \
  }
#define DAVSIM_EXTREME_CALL(Name)                                                          \
  [](ReduceOrder order, const auto& dst, const auto& src, auto mask, std::int32_t repeats, \
     const ReduceLayout& at, auto set_mask) {                                              \
    using T = typename std::decay_t<decltype(dst)>::PrimType;                              \
    AscendC::Name<T, decltype(set_mask)::value>(dst, src, mask, repeats, at.dst_repeat,    \
                                                at.src_block, at.src_repeat, order);       \
  }

TEST_F(VectorReduce, WholeReduceSum) {
  check_groups<float>(Reduce::kSum, 64, DAVSIM_REDUCE_CALL(WholeReduceSum));
  check_groups<half>(Reduce::kSum, 128, DAVSIM_REDUCE_CALL(WholeReduceSum));
}
TEST_F(VectorReduce, WholeReduceMax) {
  check_extremes<float>(Reduce::kMax, DAVSIM_EXTREME_CALL(WholeReduceMax));
  check_extremes<half>(Reduce::kMax, DAVSIM_EXTREME_CALL(WholeReduceMax));
}
TEST_F(VectorReduce, WholeReduceMin) {
  check_extremes<float>(Reduce::kMin, DAVSIM_EXTREME_CALL(WholeReduceMin));
  check_extremes<half>(Reduce::kMin, DAVSIM_EXTREME_CALL(WholeReduceMin));
}
TEST_F(VectorReduce, BlockReduceSum) {
  check_groups<float>(Reduce::kSum, 8, DAVSIM_PARTS_CALL(BlockReduceSum));
  check_groups<half>(Reduce::kSum, 16, DAVSIM_PARTS_CALL(BlockReduceSum));
}
TEST_F(VectorReduce, BlockReduceMax) {
  check_groups<float>(Reduce::kMax, 8, DAVSIM_PARTS_CALL(BlockReduceMax));
  check_groups<half>(Reduce::kMax, 16, DAVSIM_PARTS_CALL(BlockReduceMax));
}
TEST_F(VectorReduce, BlockReduceMin) {
  check_groups<float>(Reduce::kMin, 8, DAVSIM_PARTS_CALL(BlockReduceMin));
  check_groups<half>(Reduce::kMin, 16, DAVSIM_PARTS_CALL(BlockReduceMin));
}
TEST_F(VectorReduce, PairReduceSum) {
  check_groups<float>(Reduce::kSum, 2, DAVSIM_PARTS_CALL(PairReduceSum));
  check_groups<half>(Reduce::kSum, 2, DAVSIM_PARTS_CALL(PairReduceSum));
}

TEST_F(VectorReduce, RepeatReduceSumIsWholeReduceSum) {
  fill_reducible<float>(7, 1000);
  expect_groups<float>(Reduce::kSum, 64, Lanes::first(33, 64, 4), {.dst_repeat = 2});
  AscendC::RepeatReduceSum(tensor<float>(0), tensor<float>(64 * 1024), 4, 33, 99, 1, 2, 8);
  check();
}

TEST_F(VectorReduce, LaterNamesAreTheSameInstructions) {
  fill_reducible<half>(7, 1000);
  const auto dst = tensor<half>(0), src = tensor<half>(64 * 1024);
  const Lanes lanes = Lanes::first(100, 128, 3);
  expect_extremes<half>(Reduce::kMin, ReduceOrder::ORDER_INDEX_VALUE, lanes, {});
  AscendC::ReduceRepeat<AscendC::ReduceType::MIN>(dst, src, 100, 3, 1, 1, 8,
                                                  ReduceOrder::ORDER_INDEX_VALUE);
  check();
  expect_groups<half>(Reduce::kMax, 16, lanes, {});
  AscendC::ReduceDataBlock<AscendC::ReduceType::MAX, half>(dst, src, 100, 3, 1, 1, 8);
  check();
  expect_groups<half>(Reduce::kSum, 2, lanes, {});
  AscendC::ReducePairElem<AscendC::ReduceType::SUM, half, half>(dst, src, 100, 3, 1, 1, 8);
  check();
}

/// Documented: pairs of neighbours first, and half rounds each sum. 2048 + 1 is 2048 in half.
TEST_F(VectorReduce, SumsAreTreesOfRoundedSums) {
  fill<half>();
  for (std::uint32_t i = 0; i < 128; ++i) put<half>(4096 + 2 * i, half(i == 0 ? 2048 : 1));
  std::memcpy(core.buffer<std::byte>(isa::Space::kUb), expected.data(), kUbBytes);
  AscendC::WholeReduceSum(tensor<half>(0), tensor<half>(4096), 128, 1, 1, 1, 8);
  EXPECT_EQ(float(read<half>(0)), 2048.0f + 2 + 4 + 8 + 16 + 32 + 64);
}

TEST_F(VectorReduce, BestOfAllRepeatsIsInARegister) {
  fill_reducible<float>(3, 1000000);
  for (std::uint32_t i = 0; i < 640; ++i) put<float>(4 * i, static_cast<float>(i % 97));
  put<float>(4 * 300, 500.0f);
  put<float>(4 * 301, 500.0f);
  put<float>(4 * 200, -1.0f);
  std::memcpy(core.buffer<std::byte>(isa::Space::kUb), expected.data(), kUbBytes);
  AscendC::WholeReduceMax(tensor<float>(8192), tensor<float>(0), 64, 10, 1, 1, 8);
  float value = 0, index = 0;
  AscendC::GetReduceRepeatMaxMinSpr(value, index);
  EXPECT_EQ(value, 500.0f);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(index), 300u);
  AscendC::WholeReduceMin(tensor<float>(8192), tensor<float>(0), 64, 10, 1, 1, 8,
                          ReduceOrder::ORDER_ONLY_VALUE);
  std::uint32_t bits = 0, place = 0;
  AscendC::GetReduceMaxMinCount<float>(bits, place);
  EXPECT_EQ(std::bit_cast<float>(bits), -1.0f);
  EXPECT_EQ(place, 200u);
}

}  // namespace
}  // namespace davsim::test
