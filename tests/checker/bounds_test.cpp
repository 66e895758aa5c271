// Bytes outside a tensor.
#include "tests/checker/checker_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CheckedBounds : public CheckerTest {
 protected:
  LocalTensor<float> x = ub<float>(0, kCount);
  LocalTensor<float> z = ub<float>(8192, kCount);
};

TEST_F(CheckedBounds, WritesBehindItsBuffer) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> first, second;
    pipe.InitBuffer(first, 512);
    pipe.InitBuffer(second, 512);
    Duplicate(first.Get<float>(), 1.0f, mended ? 128 : 136);  // BUG WritesBehindItsBuffer
  });
}

TEST_F(CheckedBounds, AnEmptyTBufHasNoRoom) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    TPipe pipe;
    TBuf<> first;
    TQue<TPosition::VECCALC, 1> second;
    pipe.InitBuffer(first, mended ? 256 : 0);
    pipe.InitBuffer(second, 1, 256);
    Duplicate(first.Get<float>(), 1.0f, 64);  // BUG AnEmptyTBufHasNoRoom
  });
}

TEST_F(CheckedBounds, AnEmptyBufferOfAQueueHasNoRoom) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    TBuf<> behind;
    pipe.InitBuffer(queue, 1, mended ? 256 : 0);
    pipe.InitBuffer(behind, 256);
    Duplicate(behind.Get<float>(), 1.0f, 64);
    auto loaded = queue.AllocTensor<float>();
    DataCopy(loaded, in(), 64);  // BUG AnEmptyBufferOfAQueueHasNoRoom
    queue.EnQue(loaded);
    loaded = queue.DeQue<float>();
    queue.FreeTensor(loaded);
  });
}

TEST_F(CheckedBounds, ReadsBehindItsBuffer) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> first, second;
    pipe.InitBuffer(first, 512);
    pipe.InitBuffer(second, 1024);
    Duplicate(first.Get<float>(), 1.0f, 128);
    Duplicate(second.Get<float>(), 1.0f, 256);
    PipeBarrier<PIPE_V>();
    const std::uint32_t from = mended ? 64 : 72;
    Adds(second.Get<float>(), first.Get<float>()[from], 1.0f, 64);  // BUG ReadsBehindItsBuffer
  });
}

TEST_F(CheckedBounds, StrideLeavesTheBuffer) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    LocalTensor<float> rows(TPosition::VECCALC, 0, 256);
    const std::uint8_t stride = mended ? 8 : 16;
    Duplicate(rows, 1.0f, 64, 4, 1, stride);  // BUG StrideLeavesTheBuffer
  });
}

TEST_F(CheckedBounds, LoadLongerThanTheBuffer) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    TPipe pipe;
    TQue<TPosition::VECIN, 2> queue;
    pipe.InitBuffer(queue, 2, 256);
    auto loaded = queue.AllocTensor<float>();
    DataCopy(loaded, in(), mended ? 64 : 128);  // BUG LoadLongerThanTheBuffer
    queue.EnQue(loaded);
    loaded = queue.DeQue<float>();
    queue.FreeTensor(loaded);
  });
}

TEST_F(CheckedBounds, ScalarBehindItsBuffer) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    LocalTensor<float> values(TPosition::VECCALC, 0, 64);
    values.SetValue(mended ? 63 : 64, 1.0f);  // BUG ScalarBehindItsBuffer
  });
}

TEST_F(CheckedBounds, FaultsNameTheTensorThatTheOperandCameFrom) {
  struct {
    std::int32_t offset;
    const char* text;
  } cases[] = {
      {-64, "dst starts 256 bytes before the start of the VECCALC TBuf of bounds_test.cpp:"},
      {1 << 20, "dst starts 4193792 bytes behind the end of the VECCALC TBuf of bounds_"}};
  for (const auto& [offset, text] : cases) {
    checker_.forget_findings();
    run(isa::KernelType::kAivOnly, 1, [&, offset = offset] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 512);
      Duplicate(buffer.Get<float>()[static_cast<std::uint32_t>(offset)], 1.0f, 64);
    });
    ASSERT_EQ(findings().size(), 1u);
    EXPECT_NE(findings().front().message.find(text), std::string::npos)
        << findings().front().message;
  }
}

TEST_F(CheckedBounds, GlobalTensorTooShort) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    // The neighbour's part is mapped memory all the same.
    GlobalTensor<float> part = gm(in_, 100);
    DataCopy(x, part[40], mended ? 56 : 64);  // BUG GlobalTensorTooShort
  });
}

TEST_F(CheckedBounds, GlobalStoreBehindTheTensor) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    Duplicate(z, 1.0f, 64);
    order<HardEvent::V_MTE3>();
    GlobalTensor<float> part = gm(out_, 128);
    DataCopy(part[mended ? 64 : 128], z, 64);  // BUG GlobalStoreBehindTheTensor
  });
}

TEST_F(CheckedBounds, RowsRunIntoTheNextAllocation) {
  auto* first = global<float>(256, "first", [](std::size_t) { return 0.0f; });
  global<float>(4096, "second", [](std::size_t) { return 0.0f; });
  expect_vector(Class::kOverrun, [&](bool mended) {
    GlobalTensor<float> rows;
    rows.SetGlobalBuffer(first);
    const std::uint16_t gap = mended ? 8 : 200;
    DataCopy(x, rows, DataCopyParams{4, 2, gap, 0});  // BUG RowsRunIntoTheNextAllocation
  });
}

TEST_F(CheckedBounds, OffsetsIntoAnotherAllocation) {
  auto* first = global<float>(256, "first", [](std::size_t) { return 0.0f; });
  auto* second = global<float>(4096, "second", [](std::size_t) { return 0.0f; });
  for (const auto& [own, other] : {std::pair(first, second), std::pair(second, first)}) {
    expect_vector(Class::kOverrun, [&, own = own, other = other](bool mended) {
      GlobalTensor<float> rows;
      rows.SetGlobalBuffer(own);
      const auto far = static_cast<std::uint64_t>(other - own);
      DataCopy(x, rows[mended ? 64 : far + 64], 64);  // BUG OffsetsIntoAnotherAllocation
    });
  }
}

TEST_F(CheckedBounds, FarOffsetsOfAGlobalTensorNameIt) {
  auto* values = global<float>(256, "values", [](std::size_t) { return 0.0f; });
  const std::string bounded = "GlobalTensor of bounds_test.cpp:",
                    open = "allocation 'values', in which the " + bounded;
  const auto back = ~std::uint64_t{0} - (std::uint64_t{1} << 32) + 1;
  const struct {
    std::uint64_t length, offset;
    bool scalar;
    std::string text;
  } cases[] = {
      {0, std::uint64_t{1} << 32, false, "src0 starts 17179868160 bytes behind the end of " + open},
      {0, back, false, "src0 starts 17179869184 bytes before the start of " + open},
      {128, std::uint64_t{1} << 32, false,
       "src0 starts 17179868672 bytes behind the end of the " + bounded},
      {128, back, true, "the element starts 17179869184 bytes before the start of the " + bounded},
      {0, std::uint64_t{1} << 32, true,
       "the element starts 17179868160 bytes behind the end of " + open}};
  for (const auto& [length, offset, scalar, text] : cases) {
    for (const bool reinterpreted : {false, true}) {
      checker_.forget_findings();
      run(isa::KernelType::kAivOnly, 1, [&, length = length, offset = offset, scalar = scalar] {
        GlobalTensor<float> tensor;
        tensor.SetGlobalBuffer(values, length);
        if (reinterpreted) tensor = tensor.ReinterpretCast<std::int32_t>().ReinterpretCast<float>();
        if (scalar) {
          tensor.GetValue(offset);
        } else {
          DataCopy(ub<float>(0, 64), tensor[offset], 64);
        }
      });
      const std::string all = checker::text_of(checker_.findings());
      EXPECT_NE(all.find(text), std::string::npos) << text << " is not in\n" << all;
    }
  }
}

TEST_F(CheckedBounds, OverrunsOfAGlobalTensorNameItAndTheDistance) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    GlobalTensor<float> middle = gm(in_ + 512, 128);
    const auto back = ~std::uint64_t{0} - 7;
    DataCopy(ub<float>(0, 8), middle[back], 8);
    DataCopy(ub<float>(512, 8), middle[160], 8);
  });
  const std::string all = checker::text_of(checker_.findings());
  for (const char* text : {"reads 32 bytes before the start of the GlobalTensor of ",
                           "reads 160 bytes beyond the end of the GlobalTensor of "}) {
    EXPECT_NE(all.find(text), std::string::npos) << text << " is not in\n" << all;
  }
}

TEST_F(CheckedBounds, PointersOfIntrinsicsHaveNoEnd) {
  run(isa::KernelType::kAivOnly, 1, [] {
    auto* x = reinterpret_cast<float*>(std::uintptr_t{1024});
    set_vector_mask(~std::uint64_t{0}, ~std::uint64_t{0});
    vector_dup(x, 1.0f, 4, 1, 1, 8, 0);
    pipe_barrier(PIPE_V);
    vadd(x, x, x, 4, 1, 1, 1, 8, 8, 8);
  });
  EXPECT_EQ(checker::text_of(checker_.findings()), "0 findings\n");
}

TEST_F(CheckedBounds, L0BehindItsTensor) {
  expect_cube(Class::kOverrun, [&](bool mended) {
    LocalTensor<half> l1(TPosition::A1, 0, 4096), l0(TPosition::A2, 0, 1024);
    DataCopy(l1, gm(reinterpret_cast<half*>(in_), 8192), 4096);
    order<HardEvent::MTE2_MTE1>();
    LoadData2DParams load;
    load.repeatTimes = mended ? 4 : 5, load.srcStride = 1;
    LoadData(l0, l1, load);  // BUG L0BehindItsTensor
  });
}

TEST_F(CheckedBounds, OutsideTheBufferIsAFinding) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    const std::uint32_t at = 192 * 1024 - 256;
    Duplicate(ub<float>(at, 64), 1.0f, mended ? 64 : 128);  // BUG OutsideTheBufferIsAFinding
  });
}

}  // namespace
}  // namespace davsim::test
