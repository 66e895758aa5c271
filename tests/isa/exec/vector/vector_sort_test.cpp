#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {
namespace {

using AscendC::MrgSort4Info;
using AscendC::MrgSortSrcList;

template <class T>
double score_value(T score) {
  if constexpr (std::is_same_v<T, half>)
    return std::copysign(decode(score.bits, kHalfFormat), score.bits >> 15 != 0 ? -1.0 : 1.0);
  else
    return score;
}

template <class T>
struct Entry {
  T score;
  std::uint32_t index;
};

/// 1 for NaN, 0 for numbers, -1 for NaN with a sign.
int nan_of(double score) {
  return !std::isnan(score) ? 0 : std::signbit(score) ? -1 : 1;
}

/// Descending; NaN before all numbers, with a sign behind them; equals stay as they are.
template <class T>
bool before(const Entry<T>& a, const Entry<T>& b) {
  const double x = score_value(a.score), y = score_value(b.score);
  if (nan_of(x) != nan_of(y)) return nan_of(x) > nan_of(y);
  return x > y;
}

template <class T>
class VectorSort : public VectorTest {
 protected:
  static constexpr std::uint32_t kScores = 64 * 1024, kIndices = 96 * 1024, kTmp = 128 * 1024;

  void fill_scores(std::uint32_t seed) {
    this->template fill<T>(seed);
    // Few different numbers, so that equal ones meet.
    for (int i = 0; i < 400; ++i) put_now<T>(kScores + i * 7 % 1000 * sizeof(T), T(float(i % 5)));
    for (std::uint32_t i = 0; i < 8192; ++i) put_now<std::uint32_t>(kIndices + i * 4, i * 3 + 1);
  }
  template <class V>
  void put_now(std::size_t at, V value) {
    *this->core.template buffer<V>(isa::Space::kUb, at) = value;
    this->put(at, value);
  }
  Entry<T> entry(std::uint32_t i) {
    return {this->template get<T>(kScores + i * sizeof(T)),
            this->template get<std::uint32_t>(kIndices + i * 4)};
  }
  void expect_pair(std::size_t at, const Entry<T>& value) {
    this->template put<std::uint32_t>(at, 0);
    this->put(at, value.score);
    this->put(at + 4, value.index);
  }
  void expect_pairs(std::size_t at, const std::vector<Entry<T>>& pairs) {
    for (std::size_t i = 0; i < pairs.size(); ++i) expect_pair(at + i * 8, pairs[i]);
  }
  std::vector<Entry<T>> sorted(std::uint32_t from, std::uint32_t count) {
    std::vector<Entry<T>> entries;
    for (std::uint32_t i = 0; i < count; ++i) entries.push_back(entry(from + i));
    std::stable_sort(entries.begin(), entries.end(), before<T>);
    return entries;
  }
  AscendC::LocalTensor<T> at(std::uint32_t byte) { return this->template tensor<T>(byte); }
  AscendC::LocalTensor<T> scores() { return at(kScores); }
  AscendC::LocalTensor<std::uint32_t> indices() {
    return this->template tensor<std::uint32_t>(kIndices);
  }

  /// Four sorted queues of these lengths in the temporary space, each at its own place.
  std::array<std::vector<Entry<T>>, 4> queues(const std::array<std::uint16_t, 4>& lengths,
                                              const std::array<std::uint32_t, 4>& places) {
    std::array<std::vector<Entry<T>>, 4> all;
    std::uint32_t from = 0;
    for (int q = 0; q < 4; ++q) {
      all[q] = sorted(from, lengths[q]);
      from += lengths[q];
      expect_pairs(places[q], all[q]);
      std::memcpy(this->core.template buffer<std::byte>(isa::Space::kUb, places[q]),
                  this->expected.data() + places[q], all[q].size() * 8);
    }
    return all;
  }
};
using VectorSortTypes = ::testing::Types<half, float>;
TYPED_TEST_SUITE(VectorSort, VectorSortTypes);

TYPED_TEST(VectorSort, Sort32SortsEachRepeat) {
  for (std::int32_t repeats : {0, 1, 5, 255}) {
    this->fill_scores(repeats);
    AscendC::Sort32(this->at(0), this->scores(), this->indices(), repeats);
    for (std::int32_t r = 0; r < repeats; ++r) {
      this->expect_pairs(r * 256, this->sorted(r * 32, 32));
    }
    this->check();
  }
}

TYPED_TEST(VectorSort, MergesTwoToFourQueues) {
  using T = TypeParam;
  const std::array<std::uint32_t, 4> places = {this->kTmp, this->kTmp + 8 * 101,
                                               this->kTmp + 16 * 1024, this->kTmp + 20 * 1024 + 8};
  for (const auto& lengths :
       {std::array<std::uint16_t, 4>{32, 32, 32, 32}, std::array<std::uint16_t, 4>{100, 0, 7, 300},
        std::array<std::uint16_t, 4>{1, 2, 3, 4}}) {
    for (std::uint16_t valid : {3, 7, 15}) {
      this->fill_scores(valid);
      auto all = this->queues(lengths, places);
      const int count = valid == 3 ? 2 : valid == 7 ? 3 : 4;
      const MrgSortSrcList<T> list(this->at(places[0]), this->at(places[1]), this->at(places[2]),
                                   this->at(places[3]));
      // Repeats count for nothing: the queues do not follow each other.
      AscendC::MrgSort(this->at(0), list, MrgSort4Info(lengths.data(), false, valid, 3));
      std::vector<Entry<T>> merged;
      for (int q = 0; q < count; ++q) merged.insert(merged.end(), all[q].begin(), all[q].end());
      std::stable_sort(merged.begin(), merged.end(), before<T>);
      this->expect_pairs(0, merged);
      this->check();
      std::uint16_t taken[4] = {};
      AscendC::GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);
      for (int q = 0; q < 4; ++q) EXPECT_EQ(taken[q], q < count ? lengths[q] : 0) << q;
    }
  }
}

TYPED_TEST(VectorSort, RepeatsSkipFourQueues) {
  using T = TypeParam;
  this->fill_scores(4);
  constexpr std::uint32_t kLength = 16;
  std::vector<std::vector<Entry<T>>> merged(3);
  for (std::uint32_t q = 0; q < 12; ++q) {
    const auto queue = this->sorted(q * kLength, kLength);
    const std::uint32_t place = this->kTmp + q * kLength * 8;
    this->expect_pairs(place, queue);
    std::memcpy(this->core.template buffer<std::byte>(isa::Space::kUb, place),
                this->expected.data() + place, kLength * 8);
    merged[q / 4].insert(merged[q / 4].end(), queue.begin(), queue.end());
  }
  const auto queue = [&](std::uint32_t q) { return this->at(this->kTmp + q * kLength * 8); };
  const std::uint16_t lengths[4] = {kLength, kLength, kLength, kLength};
  AscendC::MrgSort(this->at(0), {queue(0), queue(1), queue(2), queue(3)},
                   MrgSort4Info(lengths, false, 15, 3));
  for (std::uint32_t r = 0; r < 3; ++r) {
    std::stable_sort(merged[r].begin(), merged[r].end(), before<T>);
    this->expect_pairs(r * 4 * kLength * 8, merged[r]);
  }
  this->check();
  AscendC::MrgSort(this->at(0), {queue(0), queue(1), queue(2), queue(3)},
                   MrgSort4Info(lengths, false, 15, 0));
  this->check();
}

TYPED_TEST(VectorSort, SuspendsWhenAQueueIsEmpty) {
  using T = TypeParam;
  const std::array<std::uint32_t, 4> places = {this->kTmp, this->kTmp + 8192, this->kTmp + 16384,
                                               this->kTmp + 24576};
  for (const auto& lengths :
       {std::array<std::uint16_t, 4>{40, 9, 31, 64}, std::array<std::uint16_t, 4>{5, 0, 31, 64}}) {
    this->fill_scores(lengths[1]);
    auto all = this->queues(lengths, places);
    std::uint32_t expected[4] = {};
    std::vector<Entry<T>> merged;
    const auto some_empty = [&] {
      return expected[0] == lengths[0] || expected[1] == lengths[1] || expected[2] == lengths[2];
    };
    while (!some_empty()) {
      int best = 0;
      for (int q = 1; q < 3; ++q) {
        if (before(all[q][expected[q]], all[best][expected[best]])) best = q;
      }
      merged.push_back(all[best][expected[best]++]);
    }
    std::uint32_t taken[4] = {};
    AscendC::MrgSort<T, true>(
        this->at(0),
        {this->at(places[0]), this->at(places[1]), this->at(places[2]), this->at(places[3])},
        lengths.data(), taken, 7, 1);
    this->expect_pairs(0, merged);
    this->check();
    for (int q = 0; q < 4; ++q) EXPECT_EQ(taken[q], expected[q]) << q;
  }
}

TYPED_TEST(VectorSort, SortOfAllAndOfEach32) {
  using T = TypeParam;
  for (std::int32_t repeats : {0, 1, 2, 4, 5, 13, 33}) {
    this->fill_scores(repeats);
    AscendC::LocalTensor<T> concat;
    AscendC::LocalTensor<T> tmp = this->at(this->kTmp);
    AscendC::Concat(concat, this->scores(), tmp, repeats);
    AscendC::Sort<T, false>(this->at(0), concat, this->indices(), tmp, repeats);
    for (std::int32_t r = 0; r < repeats; ++r)
      this->expect_pairs(r * 256, this->sorted(r * 32, 32));
    this->check();
    AscendC::Sort<T, true>(this->at(0), concat, this->indices(), tmp, repeats);
    this->expect_pairs(0, this->sorted(0, repeats * 32));
    std::memcpy(this->expected.data() + this->kTmp,
                this->core.template buffer<std::byte>(isa::Space::kUb, this->kTmp), 65536);
    this->check();
  }
}

TEST(VectorSortSizes, OfSortedTensors) {
  EXPECT_EQ(AscendC::GetSortLen<float>(100), 200u);
  EXPECT_EQ(AscendC::GetSortLen<half>(100), 400u);
  EXPECT_EQ(AscendC::GetSortOffset<float>(3), 6u);
  EXPECT_EQ(AscendC::GetSortOffset<half>(3), 12u);
}

class VectorSortRefused : public VectorTest {
 protected:
  std::string refusal(const std::function<void()>& call) {
    try {
      call();
    } catch (const isa::Fault& fault) {
      EXPECT_FALSE(fault.instruction.empty());
      return fault.message;
    }
    return "nothing";
  }
  const MrgSortSrcList<float> list = {tensor<float>(65536), tensor<float>(65536 + 256),
                                      tensor<float>(65536 + 512), tensor<float>(65536 + 768)};
  const std::uint16_t lengths[4] = {32, 32, 32, 32};
};

TEST_F(VectorSortRefused, WithTheLimit) {
  const auto dst = tensor<float>(0);
  const auto index = tensor<std::uint32_t>(32768);
  EXPECT_EQ(refusal([&] { AscendC::Sort32(dst, dst[8192], index, 256); }),
            "Sort32: repeatTime is 256, allowed are 0 to 255");
  EXPECT_EQ(refusal([&] { AscendC::Sort32(dst[1], dst[8192], index, 1); }),
            "VBITSORT: dst is at byte 4 of UB, allowed are multiples of 32");
  EXPECT_EQ(refusal([&] { AscendC::Sort32(tensor<float>(kUbBytes - 256), dst, index, 2); }),
            "VBITSORT: dst reaches from byte 196352 to 196864 of UB, which has 196608");
  EXPECT_EQ(refusal([&] {
              AscendC::MrgSort(dst, list, {lengths, false, 5, 1});
            }),
            "MrgSort: validBit is 5, allowed are 3, 7 and 15");
  const std::uint16_t too_long[4] = {1, 4096, 1, 1};
  EXPECT_EQ(refusal([&] {
              AscendC::MrgSort(dst, list, {too_long, false, 15, 1});
            }),
            "VMRGSORT4: elementLengths[1] is 4096, allowed are 0 to 4095");
  EXPECT_EQ(refusal([&] {
              AscendC::MrgSort(tensor<float>(65536 + 512), list, {lengths, false, 7, 1});
            }),
            "VMRGSORT4: dst, bytes 66048 to 66816 of UB, overlaps src3, bytes 66048 to 66304");
  const MrgSortSrcList<float> odd(list.src1, tensor<float>(65536 + 1028), list.src3, list.src4);
  EXPECT_EQ(refusal([&] {
              AscendC::MrgSort(dst, odd, {lengths, false, 15, 1});
            }),
            "VMRGSORT4: src2 is at byte 66564 of UB, allowed are multiples of 8");
}

}  // namespace
}  // namespace davsim::test
