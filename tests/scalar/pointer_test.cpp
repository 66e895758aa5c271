// Loads and stores of a kernel through pointers of C++ into global memory: what they take, and what
// values they see.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/scalar/kernels/pointer_kernels.hpp"
#include "tests/scalar/scalar_device.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using observe::Cycle;

class PointerTest : public ScalarDevice {
 protected:
  static constexpr std::uint32_t kWordsOfLine = 16;

  PointerTest() : ScalarDevice("1") {}
  std::uint32_t* words(std::size_t count) {
    return global<std::uint32_t>(count, "words", [](std::size_t i) { return i; });
  }
  /// Accesses of the last launch that waited for a line.
  std::size_t loads() const { return recorder.of(isa::Opcode::kScalarLoad).size(); }
  std::size_t stores() const { return recorder.of(isa::Opcode::kScalarStore).size(); }
};

TEST_F(PointerTest, AHitTakesWhatAHitOfGetValueTakes) {
  const std::uint32_t* const word = words(1);
  constexpr std::uint32_t kMore = 5000;
  cycles([&] { load_again(word, 1); });  // L2 has the line
  const Cycle few = cycles([&] { load_again(word, 100); });
  EXPECT_EQ(loads(), 1u);
  const Cycle many = cycles([&] { load_again(word, 100 + kMore); });
  EXPECT_EQ(loads(), 1u);
  // The load, the sum, the next index, a comparison and a branch.
  const double pass = constant("load_hit") + 3 * constant("arithmetic") + constant("branch");
  EXPECT_NEAR(static_cast<double>(many - few), pass * kMore, 2);
}

TEST_F(PointerTest, AStoreToALineInTheCacheTakesWhatOneOfSetValueTakes) {
  std::uint32_t* const word = words(1);
  constexpr std::uint32_t kMore = 5000;
  cycles([&] { store_again(word, 1); });  // L2 has the line
  const Cycle few = cycles([&] { store_again(word, 100); });
  const Cycle many = cycles([&] { store_again(word, 100 + kMore); });
  EXPECT_EQ(stores(), 1u);
  const double pass = constant("store") + 2 * constant("arithmetic") + constant("branch");
  EXPECT_NEAR(static_cast<double>(many - few), pass * kMore, 2);
}

TEST_F(PointerTest, AMissWaitsForItsLineAsThatOfGetValue) {
  std::uint32_t* const data = words(4096);
  // Lines of HBM, far apart: 512 bytes come to L2 at a time.
  on_vector(1, [&] {
    drop_line(data);  // shows that the kernel counts its work
    load_word(data + 1024);
    static_cast<void>(gm(data, 4096).GetValue(2048));
  });
  const auto found = recorder.of(isa::Opcode::kScalarLoad);
  ASSERT_EQ(found.size(), 2u);
  const Cycle by_pointer = found[0].end - found[0].start;
  const Cycle by_call = found[1].end - found[1].start;
  EXPECT_GT(by_pointer, 100u);
  // The latter shows the load itself and the instructions of the call as well.
  EXPECT_NEAR(static_cast<double>(by_call - by_pointer), constant("load_hit") + 1, 2);
}

TEST_F(PointerTest, WordsThatFollowEachOtherMissOnceALine) {
  constexpr std::uint32_t kLines = 20;
  const std::uint32_t* const data = words(kLines * kWordsOfLine);
  std::uint32_t sum = 0;
  const Cycle global = cycles([&] { sum = sum_of_words(data, kLines * kWordsOfLine); });
  EXPECT_EQ(sum, kLines * kWordsOfLine * (kLines * kWordsOfLine - 1) / 2);
  const auto found = recorder.of(isa::Opcode::kScalarLoad);
  ASSERT_EQ(found.size(), kLines);
  Cycle waited = 0;
  for (const auto& event : found) {
    waited += event.end - event.start;
    EXPECT_TRUE(event.instr.where.file_name() != nullptr &&
                std::string(event.instr.where.file_name()).ends_with("pointer_kernels.cpp"));
  }
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_LE(found[i - 1].end, found[i].start);
  // An array of the host's that is no global memory, through the same loop.
  std::vector<std::uint32_t> host(kLines * kWordsOfLine);
  const Cycle elsewhere = cycles([&] { sum_of_words(host.data(), kLines * kWordsOfLine); });
  EXPECT_EQ(loads(), 0u);
  const double hits = kLines * kWordsOfLine * (constant("load_hit") - constant("load"));
  EXPECT_NEAR(static_cast<double>(global), static_cast<double>(elsewhere + waited) + hits, 2);
}

TEST_F(PointerTest, AnArrayOnTheStackIsNoGlobalMemory) {
  std::uint32_t sum = 0;
  cycles([&] { sum = sum_on_stack(1000); });
  EXPECT_EQ(sum, 999u * 1000 / 2);
  EXPECT_EQ(loads() + stores(), 0u);
}

TEST_F(PointerTest, FieldsOfOneLineMissOnce) {
  PointerTiling* const tiling =
      global<PointerTiling>(1, "tiling", [](std::size_t) { return PointerTiling{}; });
  tiling->rows = 5, tiling->columns = 7, tiling->wide = 9, tiling->lengths[3] = 11;
  std::uint64_t sum = 0;
  cycles([&] { sum = sum_of_fields(tiling, 3); });
  EXPECT_EQ(sum, 32u);
  EXPECT_EQ(loads(), 1u);
}

TEST_F(PointerTest, ACopyOfAStructureLoadsAllItsLines) {
  PointerTiling* const tiling =
      global<PointerTiling>(1, "tiling", [](std::size_t) { return PointerTiling{}; });
  tiling->rows = 5, tiling->lengths[2] = 7, tiling->inner.last = 9;
  std::uint64_t sum = 0;
  volatile std::uint32_t which = 2;
  cycles([&] { sum = sum_of_copy(tiling, which); });
  EXPECT_EQ(sum, 21u);
  EXPECT_EQ(loads(), 2u);
}

TEST_F(PointerTest, FunctionsThatCopyLoadAndStoreAllLines) {
  std::uint32_t* const from = words(256);
  std::uint32_t* const to = words(256);
  cycles([&] { copy_bytes(to, from + 16, 5 * 64); });
  EXPECT_EQ(loads(), 5u);
  EXPECT_EQ(stores(), 5u);
  EXPECT_EQ(to[79], 95u);
}

/// The bytes that a line writes back are those that were stored.
TEST_F(PointerTest, ALineThatWasStoredToIsWrittenBack) {
  std::uint32_t* const word = words(16);
  const auto written = [&](std::function<void()> kernel) {
    const observe::MemoryCounters memory = on_vector(1, std::move(kernel)).memory;
    return memory.l2_write_hits + memory.l2_write_misses;
  };
  EXPECT_EQ(written([&] { load_word(word), drop_line(word); }), 0u);
  EXPECT_EQ(written([&] { store_word(word, 1, true); }), 1u);
  EXPECT_EQ(written([&] { store_word(word, 2, false); }), 1u) << "at the block's end";
  EXPECT_EQ(written([&] { store_word(word, 3, true), store_word(word, 4, true); }), 2u);
  EXPECT_EQ(*word, 4u);
}

TEST_F(PointerTest, ALineThatWasDroppedIsLoadedAnew) {
  std::uint32_t* const word = words(16);
  cycles([&] { load_word(word), load_word(word), drop_line(word), load_word(word); });
  EXPECT_EQ(loads(), 2u);
}

/// Pointers, GetValue and SetValue of one core see each other's values.
TEST_F(PointerTest, ACoreSeesWhatItHasStoredItself) {
  std::uint32_t* const data = words(16);
  std::vector<std::uint32_t> seen;
  cycles([&] {
    auto tensor = gm(data, 16);
    tensor.SetValue(1, 100);
    seen.push_back(load_word(data + 1));
    store_word(data + 1, 200, false);
    seen.push_back(tensor.GetValue(1));
    tensor.SetValue(1, 300);
    store_word(data + 2, 400, false);
    seen.push_back(load_word(data + 1));
    seen.push_back(tensor.GetValue(2));
    store_word(data + 1, 500, false);
    tensor.SetValue(2, 600);
    drop_line(data);
    seen.push_back(load_word(data + 1));
    seen.push_back(tensor.GetValue(2));
  });
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{100, 200, 300, 400, 500, 600}));
  EXPECT_EQ(data[1], 500u);
  EXPECT_EQ(data[2], 600u);
}

/// What a pipe has written is there when its flag is awaited, whatever the data cache holds.
TEST_F(PointerTest, ALoadSeesWhatAPipeHasWritten) {
  std::uint32_t* const data = words(64);
  std::uint32_t before = 0, after = 0;
  cycles([&] {
    before = load_word(data + 3);
    const auto block = ub<std::uint32_t>(0, 64);
    Duplicate(block, std::uint32_t{77}, 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(gm(data, 64), block, 64);
    SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
    drop_line(data);
    after = load_word(data + 3);
  });
  EXPECT_EQ(before, 3u);
  EXPECT_EQ(after, 77u);
  EXPECT_EQ(loads(), 2u);
}

TEST_F(PointerTest, OneCoreWaitsForWhatAnotherStores) {
  std::uint32_t* const flag = global<std::uint32_t>(16, "flag", [](std::size_t) { return 0; });
  std::uint32_t* const data = words(16);
  std::uint32_t seen = 0;
  on_vector(2, [&] {
    if (GetBlockIdx() == 0) {
      wait_for_word(flag);
      seen = load_word(data);
      return;
    }
    for (int i = 0; i < 20; ++i) Duplicate(ub<float>(0, 64), 1.0f, 64);
    PipeBarrier<PIPE_ALL>();
    store_word(data, 5, true);
    store_word(flag, 1, true);
  });
  EXPECT_EQ(seen, 5u);
  EXPECT_GT(loads(), 2u);
}

class PointersWithoutScalarWork : public ScalarDevice {
 protected:
  PointersWithoutScalarWork() : ScalarDevice("0") {}
};

TEST_F(PointersWithoutScalarWork, TakeNoTime) {
  const auto* words = global<std::uint32_t>(1024, "words", [](std::size_t i) { return i; });
  const Cycle without = cycles([] {});
  EXPECT_EQ(cycles([&] { sum_of_words(words, 1024); }), without);
  EXPECT_TRUE(recorder.of(isa::Opcode::kScalarLoad).empty());
}

}  // namespace
}  // namespace davsim::test
