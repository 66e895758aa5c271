// Two sides that answer each other, round by round: each leaves numbers with the other, and then
// the number of the round, for which the other one waits. `sum` gets the sum of all that came.
#include "kernel_operator.h"

using namespace AscendC;

namespace {

/// What a side gets from the other.
struct Box {
  static constexpr uint32_t kNumbers = 8;
  __aicore__ explicit Box(GM_ADDR at) {
    round.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(at));
    numbers.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(at) + 16);
  }
  __aicore__ void pass(int32_t to) {
    round.SetValue(0, to);
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(round);
  }
  __aicore__ void await(int32_t passed) {
    do {
      DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(
          round);
    } while (round.GetValue(0) < passed);
  }
  GlobalTensor<int32_t> round, numbers;
};

}  // namespace

extern "C" __global__ __aicore__ void converse_custom(GM_ADDR own, GM_ADDR other, GM_ADDR sum,
                                                      int32_t rounds, int32_t first) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 256);
  LocalTensor<int32_t> sent = buffer.Get<int32_t>(), got = sent[8], all = sent[16];
  GlobalTensor<int32_t> to;
  to.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(sum));
  if (GetBlockIdx() == 0) {
    Box mine(own), theirs(other);
    Duplicate(all, 0, 8);
    for (int32_t round = 1; round <= rounds; ++round) {
      Duplicate(sent, first + round, Box::kNumbers);
      PipeBarrier<PIPE_ALL>();
      DataCopy(theirs.numbers[(round % 2) * 8], sent, Box::kNumbers);
      PipeBarrier<PIPE_ALL>();
      theirs.pass(round);
      mine.await(round);
      DataCopy(got, mine.numbers[(round % 2) * 8], Box::kNumbers);
      PipeBarrier<PIPE_ALL>();
      Add(all, all, got, 8);
      PipeBarrier<PIPE_ALL>();
    }
    DataCopy(to, all, 8);
  }
  SyncAll();  // the other blocks wait for what comes from outside as well
}
