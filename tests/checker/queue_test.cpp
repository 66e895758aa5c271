// Misuse of queues on vector and on cube cores.
#include "tests/checker/checker_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CheckedQueue : public CheckerTest {
 protected:
  using In = TQue<TPosition::VECIN, 1>;
  using Out = TQue<TPosition::VECOUT, 2>;

  GlobalTensor<half> matrix() const { return gm(reinterpret_cast<half*>(in_), 8192); }
};

// --- queues --------------------------------------------------------------------------------------

TEST_F(CheckedQueue, UsedAfterFreeTensor) {
  expect_vector(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    In queue;
    TBuf<> result;
    pipe.InitBuffer(queue, 1, 1024);
    pipe.InitBuffer(result, 1024);
    auto x = queue.AllocTensor<float>();
    DataCopy(x, in(), kCount);
    queue.EnQue(x);
    x = queue.DeQue<float>();
    if (!mended) queue.FreeTensor(x);
    Adds(result.Get<float>(), x, 1.0f, kCount);  // BUG UsedAfterFreeTensor
    if (mended) queue.FreeTensor(x);
  });
}

TEST_F(CheckedQueue, ScalarUseAfterFreeTensor) {
  expect_vector(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    In queue;
    pipe.InitBuffer(queue, 1, 1024);
    auto x = queue.AllocTensor<float>();
    DataCopy(x, in(), kCount);
    queue.EnQue(x);
    x = queue.DeQue<float>();
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    if (!mended) queue.FreeTensor(x);
    (void)x.GetValue(0);  // BUG ScalarUseAfterFreeTensor
    if (mended) queue.FreeTensor(x);
  });
}

TEST_F(CheckedQueue, NeverAllocated) {
  expect_vector(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<float> x;
    if (mended) x = buffer.Get<float>();
    Duplicate(x, 1.0f, 64);  // BUG NeverAllocated
  });
}

TEST_F(CheckedQueue, ScalarUseOfWhatWasNeverAllocated) {
  expect_vector(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<float> x;
    if (mended) x = buffer.Get<float>();
    x.SetValue(0, 1.0f);  // BUG ScalarUseOfWhatWasNeverAllocated
  });
}

TEST_F(CheckedQueue, NeverFreed) {
  expect_vector(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    In queue;
    pipe.InitBuffer(queue, 2, 1024);
    auto x = queue.AllocTensor<float>();  // BUG NeverFreed
    if (mended) queue.FreeTensor(x);
  });
}

TEST_F(CheckedQueue, NeverFreedAtReset) {
  expect_vector(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    Out queue;
    pipe.InitBuffer(queue, 1, 1024);
    auto x = queue.AllocTensor<float>();
    Duplicate(x, 1.0f, kCount);
    queue.EnQue(x);
    x = queue.DeQue<float>();  // BUG NeverFreedAtReset
    if (mended) queue.FreeTensor(x);
    pipe.Reset();
  });
}

/// The kernel never takes the tensor out again: the line that put it in is named.
TEST_F(CheckedQueue, StillStandsInItsQueue) {
  expect_vector(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    Out queue;
    pipe.InitBuffer(queue, 1, 1024);
    auto x = queue.AllocTensor<float>();
    Duplicate(x, 1.0f, kCount);
    queue.EnQue(x);  // BUG StillStandsInItsQueue
    if (!mended) return;
    x = queue.DeQue<float>();
    queue.FreeTensor(x);
  });
}

TEST_F(CheckedQueue, UsedAfterReset) {
  expect_vector(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    TBuf<> old, next;
    pipe.InitBuffer(old, 1024);
    auto x = old.Get<float>();
    Duplicate(x, 1.0f, kCount);
    if (!mended) pipe.Reset();
    pipe.InitBuffer(next, 1024);
    PipeBarrier<PIPE_V>();
    Adds(x, x, 1.0f, kCount);  // BUG UsedAfterReset
    if (mended) pipe.Reset();
  });
}

TEST_F(CheckedQueue, ResetIsNamed) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 1024);
    auto x = buffer.Get<float>();
    pipe.Reset();
    x.SetValue(0, 1.0f);
  });
  ASSERT_EQ(findings().size(), 1u);
  EXPECT_EQ(findings()[0].first.instruction, "Reset");
  EXPECT_NE(findings()[0].message.find("is used after the TPipe's Reset in line"),
            std::string::npos);
}

/// The same buffer again, phase by phase; and buffers of a TPipe that was destroyed are the
/// kernel's own, as public libraries have it.
TEST_F(CheckedQueue, MadeAnewAfterResetAndKeptAfterDestroy) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    TPipe pipe;
    TBuf<> buffer;
    LocalTensor<float> x;
    for (int phase = 0; phase < 2; ++phase) {
      pipe.Reset();
      pipe.InitBuffer(buffer, 1024);
      x = buffer.Get<float>();
      Duplicate(x, 1.0f, kCount);
      PipeBarrier<PIPE_V>();
    }
    pipe.Destroy();
    Duplicate(x, 2.0f, kCount);
  });
  EXPECT_EQ(checker::text_of(checker_.findings()), "0 findings\n");
}

TEST_F(CheckedQueue, EnQueWithoutAllocTensor) {
  expect_vector(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    In queue;
    pipe.InitBuffer(queue, 1, 1024);
    auto x = queue.AllocTensor<float>();
    if (!mended) queue.FreeTensor(x);
    queue.EnQue(x);  // BUG EnQueWithoutAllocTensor
    x = queue.DeQue<float>();
    queue.FreeTensor(x);
  });
}

TEST_F(CheckedQueue, MoreThanTheDepth) {
  expect_vector(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    In queue;
    pipe.InitBuffer(queue, 2, 1024);
    auto x = queue.AllocTensor<float>();
    auto y = queue.AllocTensor<float>();
    queue.EnQue(x);
    if (mended) x = queue.DeQue<float>();
    queue.EnQue(y);  // BUG MoreThanTheDepth
    y = queue.DeQue<float>();
    queue.FreeTensor(x);
    queue.FreeTensor(y);
  });
}

TEST_F(CheckedQueue, MoreTensorsThanBuffers) {
  expect_vector(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    In queue;
    pipe.InitBuffer(queue, 1, 1024);
    auto x = queue.AllocTensor<float>();
    if (mended) queue.FreeTensor(x);
    auto y = queue.AllocTensor<float>();  // BUG MoreTensorsThanBuffers
    queue.FreeTensor(y);
  });
}

TEST_F(CheckedQueue, FreedTwice) {
  expect_vector(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    In queue;
    pipe.InitBuffer(queue, 1, 1024);
    auto x = queue.AllocTensor<float>();
    queue.FreeTensor(x);
    if (mended) x = queue.AllocTensor<float>();
    queue.FreeTensor(x);  // BUG FreedTwice
  });
}

// --- on a cube core ------------------------------------------------------------------------------

TEST_F(CheckedQueue, CubeDeQueWithoutEnQue) {
  expect_cube(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    TQue<TPosition::A1, 1> queue;
    pipe.InitBuffer(queue, 1, 8192);
    auto a = queue.AllocTensor<half>();
    DataCopy(a, matrix(), 4096);
    if (mended) queue.EnQue(a);
    a = queue.DeQue<half>();  // BUG CubeDeQueWithoutEnQue
    queue.FreeTensor(a);
  });
}

TEST_F(CheckedQueue, CubeFreedInTheQueue) {
  expect_cube(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    TQue<TPosition::B1, 1> queue;
    pipe.InitBuffer(queue, 1, 8192);
    auto b = queue.AllocTensor<half>();
    DataCopy(b, matrix(), 4096);
    queue.EnQue(b);
    if (mended) b = queue.DeQue<half>();
    queue.FreeTensor(b);  // BUG CubeFreedInTheQueue
  });
}

TEST_F(CheckedQueue, CubeEnQueWithoutAllocTensor) {
  expect_cube(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    TQue<TPosition::CO1, 1> queue;
    pipe.InitBuffer(queue, 1, 8192);
    auto c = queue.AllocTensor<float>();
    if (!mended) queue.FreeTensor(c);
    queue.EnQue(c);  // BUG CubeEnQueWithoutAllocTensor
    c = queue.DeQue<float>();
    queue.FreeTensor(c);
  });
}

TEST_F(CheckedQueue, CubeMoreTensorsThanBuffers) {
  expect_cube(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    TQue<TPosition::A2, 1> queue;
    pipe.InitBuffer(queue, 1, 8192);
    auto first = queue.AllocTensor<half>();
    if (mended) queue.FreeTensor(first);
    auto second = queue.AllocTensor<half>();  // BUG CubeMoreTensorsThanBuffers
    queue.FreeTensor(second);
  });
}

TEST_F(CheckedQueue, CubeFreedInAnotherQueue) {
  expect_cube(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    TQue<TPosition::A1, 1> a_queue, b_queue;
    pipe.InitBuffer(a_queue, 1, 8192);
    pipe.InitBuffer(b_queue, 1, 8192);
    auto a = a_queue.AllocTensor<half>();
    (mended ? a_queue : b_queue).FreeTensor(a);  // BUG CubeFreedInAnotherQueue
  });
}

TEST_F(CheckedQueue, CubeNeverFreed) {
  expect_cube(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    TQue<TPosition::B2, 1> queue;
    pipe.InitBuffer(queue, 1, 8192);
    auto b = queue.AllocTensor<half>();  // BUG CubeNeverFreed
    if (mended) queue.FreeTensor(b);
  });
}

TEST_F(CheckedQueue, CubeUsedAfterFreeTensor) {
  expect_cube(Class::kQueue, [&](bool mended) {
    TPipe pipe;
    TQue<TPosition::A1, 1> outer;
    TQue<TPosition::A2, 1> inner;
    pipe.InitBuffer(outer, 1, 8192);
    pipe.InitBuffer(inner, 1, 8192);
    auto l1 = outer.AllocTensor<half>();
    DataCopy(l1, matrix(), 4096);
    outer.EnQue(l1);
    l1 = outer.DeQue<half>();
    auto l0 = inner.AllocTensor<half>();
    if (!mended) outer.FreeTensor(l1);
    LoadData(l0, l1, LoadData2DParams(0, 8, 1, 0, 0, false, 0));  // BUG CubeUsedAfterFreeTensor
    if (mended) outer.FreeTensor(l1);
    inner.FreeTensor(l0);
  });
}

}  // namespace
}  // namespace davsim::test
