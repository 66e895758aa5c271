// Work that is captured and done again: aclmdlRI; and notifies.
#include <array>

#include "acl/acl_mdl.h"
#include "tests/runtime/runtime_test.hpp"

namespace davsim::test {
namespace {

class CaptureTest : public RuntimeTest {
 protected:
  static constexpr std::size_t kFloats = 64;
  static constexpr std::size_t kBytes = kFloats * sizeof(float);

  void SetUp() override {
    RuntimeTest::SetUp();
    x_ = device_memory(kBytes);
    y_ = device_memory(kBytes);
    ASSERT_EQ(aclrtMallocHost(reinterpret_cast<void**>(&host_), kBytes), ACL_SUCCESS);
    on_ = stream();
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyStream(on_), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreeHost(host_), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(x_), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(y_), ACL_SUCCESS);
  }

  /// to = from * factor + offset
  static void scale(void* from, void* to, float factor, std::uint16_t offset, aclrtStream on) {
    EXPECT_EQ(runtime::launch<Scale>("scale_custom", 1, on, from, to, factor,
                                     ScaleTiling{kFloats, offset}),
              0u);
  }
  void set(void* to, float value) {
    const std::vector<float> values(kFloats, value);
    EXPECT_EQ(aclrtMemcpy(to, kBytes, values.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE), 0);
  }
  float first_of(void* from) {
    float value = 0;
    EXPECT_EQ(aclrtMemcpy(&value, sizeof value, from, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST), 0)
        << error_text();
    return value;
  }
  void begin(aclrtStream on) {
    EXPECT_EQ(aclmdlRICaptureBegin(on, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_SUCCESS);
  }
  aclmdlRI end(aclrtStream on) {
    aclmdlRI model = nullptr;
    EXPECT_EQ(aclmdlRICaptureEnd(on, &model), ACL_SUCCESS) << error_text();
    return model;
  }
  void execute(aclmdlRI model, aclrtStream on) {
    EXPECT_EQ(aclmdlRIExecuteAsync(model, on), ACL_SUCCESS) << error_text();
  }

  void* x_ = nullptr;
  void* y_ = nullptr;
  float* host_ = nullptr;
  aclrtStream on_ = nullptr;
};

TEST_F(CaptureTest, NothingIsDoneBeforeAnExecutionAndAllInEach) {
  set(x_, 1);
  begin(on_);
  scale(x_, x_, 2, 1, on_);
  scale(x_, y_, 10, 0, on_);
  const aclmdlRI model = end(on_);
  EXPECT_EQ(first_of(x_), 1);
  for (const float expected : {3.0f, 7.0f, 15.0f}) {
    execute(model, on_);
    EXPECT_EQ(aclrtSynchronizeStream(on_), ACL_SUCCESS);
    EXPECT_EQ(first_of(x_), expected);
    EXPECT_EQ(first_of(y_), 10 * expected);
  }
  EXPECT_EQ(aclmdlRIExecute(model, -1), ACL_SUCCESS) << error_text();
  EXPECT_EQ(first_of(x_), 31);
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIExecuteAsync(model, on_), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(CaptureTest, CopiesFromHostMemoryReadItAtEachExecution) {
  begin(on_);
  EXPECT_EQ(aclrtMemcpyAsync(x_, kBytes, host_, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, on_), 0);
  scale(x_, y_, 2, 0, on_);
  const aclmdlRI model = end(on_);
  for (const float value : {4.0f, 5.0f}) {
    host_[0] = value;
    execute(model, on_);
    EXPECT_EQ(aclrtSynchronizeStream(on_), ACL_SUCCESS);
    EXPECT_EQ(first_of(y_), 2 * value);
  }
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
}

TEST_F(CaptureTest, AStreamThatWaitsForACapturedOneIsCapturedToo) {
  const aclrtStream other = stream();
  const aclrtEvent fork = event(), join = event();
  set(x_, 1);
  begin(on_);
  scale(x_, x_, 2, 0, on_);
  record(fork, on_);
  EXPECT_EQ(aclrtStreamWaitEvent(other, fork), ACL_SUCCESS) << error_text();
  scale(x_, y_, 3, 0, other);
  record(join, other);
  EXPECT_EQ(aclrtSynchronizeEvent(join), ACL_ERROR_RT_EVENT_CAPTURED);
  aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
  aclmdlRI model = nullptr;
  EXPECT_EQ(aclmdlRICaptureGetInfo(other, &status, &model), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(aclmdlRICaptureEnd(other, &model), ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED);
  EXPECT_EQ(aclrtStreamWaitEvent(on_, join), ACL_SUCCESS);
  model = end(on_);
  EXPECT_EQ(aclrtStreamWaitEvent(other, fork), ACL_ERROR_RT_EVENT_CAPTURED);
  execute(model, on_);
  EXPECT_EQ(aclrtSynchronizeStream(on_), ACL_SUCCESS);
  EXPECT_EQ(first_of(y_), 6);
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
}

TEST_F(CaptureTest, BranchesOverlapOnTheClockAndChainsDoNot) {
  void* out = device_memory(64 * 20);
  const aclrtStream other = stream();
  const aclrtEvent fork = event(), join = event(), start = event(), middle = event(),
                   done = event();
  spin(out, 50, on_, 20);  // its code is in the caches afterwards
  EXPECT_EQ(aclrtSynchronizeStream(on_), ACL_SUCCESS);
  begin(on_);
  spin(out, 50, on_, 20);
  spin(out, 50, on_, 20);
  const aclmdlRI chain = end(on_);
  begin(on_);
  record(fork, on_);
  EXPECT_EQ(aclrtStreamWaitEvent(other, fork), ACL_SUCCESS);
  spin(out, 50, on_, 20);
  spin(out, 50, other, 20);
  record(join, other);
  EXPECT_EQ(aclrtStreamWaitEvent(on_, join), ACL_SUCCESS);
  const aclmdlRI branches = end(on_);
  record(start, on_);
  execute(chain, on_);
  record(middle, on_);
  execute(branches, on_);
  record(done, on_);
  EXPECT_NEAR(elapsed(middle, done), elapsed(start, middle) / 2, 0.1f * elapsed(start, middle));
  EXPECT_EQ(aclmdlRIDestroy(chain), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIDestroy(branches), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
}

TEST_F(CaptureTest, TasksOfAGroupAreReplacedForLaterExecutions) {
  set(x_, 1);
  begin(on_);
  aclrtTaskGrp group = nullptr;
  EXPECT_EQ(aclmdlRICaptureTaskGrpBegin(on_), ACL_SUCCESS);
  scale(x_, y_, 2, 0, on_);
  EXPECT_EQ(aclmdlRICaptureTaskGrpEnd(on_, &group), ACL_SUCCESS);
  const aclmdlRI model = end(on_);
  execute(model, on_);
  const aclrtStream updates = stream();
  EXPECT_EQ(aclmdlRICaptureTaskUpdateBegin(updates, group), ACL_SUCCESS);
  scale(x_, x_, 7, 0, updates);
  EXPECT_EQ(aclmdlRICaptureTaskUpdateEnd(updates), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(on_), ACL_SUCCESS);
  EXPECT_EQ(first_of(y_), 2) << "the execution was queued before";
  EXPECT_EQ(first_of(x_), 1);
  execute(model, on_);
  EXPECT_EQ(aclrtSynchronizeStream(on_), ACL_SUCCESS);
  EXPECT_EQ(first_of(x_), 7);
  EXPECT_EQ(aclmdlRICaptureTaskUpdateBegin(updates, group), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRICaptureTaskUpdateEnd(updates), ACL_ERROR_STREAM_TASK_GROUP_STATUS);
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRICaptureTaskUpdateBegin(updates, group), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtDestroyStream(updates), ACL_SUCCESS);
}

TEST_F(CaptureTest, AModelIsBuiltOfBoundStreams) {
  set(x_, 3);
  aclmdlRI model = nullptr;
  EXPECT_EQ(aclmdlRIBuildBegin(&model, 0), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIBindStream(model, on_, 0), ACL_SUCCESS);
  scale(x_, y_, 2, 0, on_);
  EXPECT_EQ(aclmdlRIExecuteAsync(model, on_), ACL_ERROR_RT_MODEL_CAPTURED);
  EXPECT_EQ(aclmdlRIEndTask(model, on_), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIBuildEnd(model, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIUnbindStream(model, on_), ACL_SUCCESS);
  execute(model, on_);
  EXPECT_EQ(aclrtSynchronizeStream(on_), ACL_SUCCESS);
  EXPECT_EQ(first_of(y_), 6);
  std::array<char, 16> name{};
  EXPECT_EQ(aclmdlRISetName(model, "doubled"), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIGetName(model, 7, name.data()), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclmdlRIGetName(model, 8, name.data()), ACL_SUCCESS);
  EXPECT_STREQ(name.data(), "doubled");
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
}

void count(void* calls) {
  ++*static_cast<int*>(calls);
}
void also_count(void* calls) {
  *static_cast<int*>(calls) += 10;
}

TEST_F(CaptureTest, CallbacksHearThatAModelIsDestroyed) {
  int calls = 0;
  begin(on_);
  aclmdlRICaptureStatus status{};
  aclmdlRI model = nullptr;
  EXPECT_EQ(aclmdlRICaptureGetInfo(on_, &status, &model), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIDestroyRegisterCallback(model, count, &calls), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIDestroyRegisterCallback(model, also_count, &calls), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIDestroyRegisterCallback(model, nullptr, &calls), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(end(on_), model);
  EXPECT_EQ(aclmdlRIDestroyUnregisterCallback(model, also_count), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIDestroyUnregisterCallback(model, also_count), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(aclmdlRIDestroyRegisterCallback(model, count, &calls), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(CaptureTest, AnAbortLeavesNoExecutionUnderWay) {
  set(x_, 3);
  begin(on_);
  scale(x_, x_, 2, 0, on_);
  EXPECT_EQ(aclrtMemcpyAsync(host_, kBytes, x_, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, on_), 0);
  const aclmdlRI model = end(on_);
  execute(model, on_);
  EXPECT_EQ(aclmdlRIAbort(model), ACL_SUCCESS);
  EXPECT_EQ(host_[0], 6) << "nothing is done any more";
  execute(model, on_);
  EXPECT_EQ(aclrtSynchronizeStream(on_), ACL_SUCCESS);
  EXPECT_EQ(host_[0], 12);
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIAbort(model), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(CaptureTest, WhatIsNotCapturedIsRefusedUnlessTheThreadIsRelaxed) {
  float value = 0;
  aclmdlRI model = nullptr;
  EXPECT_EQ(aclmdlRICaptureEnd(on_, &model), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
  begin(on_);
  EXPECT_EQ(aclmdlRICaptureBegin(on_, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
            ACL_ERROR_RT_STREAM_CAPTURED);
  EXPECT_EQ(aclrtSynchronizeStream(on_), ACL_ERROR_RT_STREAM_CAPTURED);
  EXPECT_EQ(aclrtMemcpy(&value, 4, x_, 4, ACL_MEMCPY_DEVICE_TO_HOST),
            ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
  EXPECT_EQ(aclrtMemset(x_, 4, 0, 4), ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
  aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
  EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(aclrtMemset(x_, 4, 0, 4), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&mode), ACL_SUCCESS);
  const aclmdlRI empty = end(on_);
  execute(empty, on_);
  EXPECT_EQ(aclrtSynchronizeStream(on_), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIDestroy(empty), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(x_, 4, 0, 4), ACL_SUCCESS);
}

TEST_F(CaptureTest, AStreamThatNobodyWaitedForEndsTheCaptureWithNothing) {
  const aclrtStream other = stream();
  const aclrtEvent fork = event();
  begin(on_);
  record(fork, on_);
  EXPECT_EQ(aclrtStreamWaitEvent(other, fork), ACL_SUCCESS);
  spin(y_, 1, other);
  aclmdlRI model = nullptr;
  EXPECT_EQ(aclmdlRICaptureEnd(on_, &model), ACL_ERROR_RT_STREAM_UNJOINED);
  EXPECT_EQ(model, nullptr);
  spin(y_, 3, other);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(on_), ACL_SUCCESS);
}

TEST_F(CaptureTest, ANotifyOrdersTwoStreamsOnce) {
  const aclrtStream other = stream();
  aclrtNotify notify = nullptr;
  std::uint32_t id = 0;
  EXPECT_EQ(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetNotifyId(notify, &id), ACL_SUCCESS);
  const aclrtEvent start = event(), done = event();
  spin(y_, 1, on_);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  record(start, on_);
  spin(y_, 50, on_);
  EXPECT_EQ(aclrtRecordNotify(notify, on_), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(notify, other, 0), ACL_SUCCESS);
  record(done, other);
  EXPECT_GT(elapsed(start, done), 50 * 256 / 1800.0f);
  EXPECT_EQ(aclrtWaitAndResetNotify(notify, other, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
      << "it has been waited for";
  EXPECT_EQ(aclrtRecordNotify(notify, on_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordNotify(notify, on_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(on_), ACL_SUCCESS);
  EXPECT_EQ(aclrtNotifyBatchReset(&notify, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(notify, other, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
      << "it was reset";
  EXPECT_EQ(aclrtStreamAbort(other), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
}

TEST_F(CaptureTest, ModelsOfGraphsAreRefused) {
  std::uint32_t model = 0;
  EXPECT_EQ(aclmdlLoadFromFile("resnet50.om", &model), ACL_ERROR_FEATURE_UNSUPPORTED);
  EXPECT_NE(error_text().find("no models of graphs"), std::string::npos);
  EXPECT_EQ(aclmdlExecute(model, nullptr, nullptr), ACL_ERROR_FEATURE_UNSUPPORTED);
}

}  // namespace
}  // namespace davsim::test
