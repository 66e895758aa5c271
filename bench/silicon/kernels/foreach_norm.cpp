// Norms of the tensors of a list: each core adds up squares of its share of every tensor, partial
// sums go to a workspace, and after all cores have met, each tensor's sums are added and rooted.
#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;
using Floats = LocalTensor<float>;

struct Job {
  std::uint32_t tensors;
  std::uint64_t width;  ///< elements of each tensor
  std::uint32_t cores;
};

template <class T>
struct Lists {
  T* x;
  float *sums, *out;  ///< a DataBlock for each core and tensor; for each tensor
};

template <class T>
class ForeachNorm {
 public:
  ForeachNorm(const Job& job, const Lists<T>& gm) : job_(job), gm_(gm) {
    pipe_.InitBuffer(in_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(out_, 1, 32);
    pipe_.InitBuffer(work_, (2 * kTile + kMostSums + 64) * 4);
    values_ = work_.template Get<float>();
    temp_ = values_[kTile];
    sums_ = temp_[kTile];
    sum_ = sums_[kMostSums];
  }

  void run(std::uint32_t core) {
    for (std::uint32_t tensor = 0; tensor < job_.tensors; ++tensor) partial(core, tensor);
    SyncAll();
    for (std::uint32_t tensor = core; tensor < job_.tensors; tensor += job_.cores) finish(tensor);
  }

 private:
  static constexpr std::uint32_t kTile = 8 * 1024, kMostSums = 64 * 8, kBlock = 8;

  GlobalTensor<float> sums(std::uint32_t tensor) const {
    return global(gm_.sums,
                  std::uint64_t{job_.tensors} * kMostSums)[std::uint64_t{tensor} * kMostSums];
  }

  void partial(std::uint32_t core, std::uint32_t tensor) {
    constexpr std::uint64_t kPiece = 32 / sizeof(T);
    const Share mine = share_of(ceil_div(job_.width, kPiece), core, job_.cores);
    const std::uint64_t end = std::min(job_.width, mine.end * kPiece);
    Duplicate(sum_, 0.0f, 8);
    for (std::uint64_t at = mine.begin * kPiece; at < end; at += kTile) {
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(kTile, end - at));
      auto in = in_.template AllocTensor<T>();
      DataCopyPad(in, global(gm_.x, job_.tensors * job_.width)[tensor * job_.width + at],
                  DataCopyExtParams(1, static_cast<std::uint32_t>(count * sizeof(T)), 0, 0, 0),
                  DataCopyPadExtParams<T>{});
      in_.EnQue(in);
      in = in_.template DeQue<T>();
      add_squares(in, count);
      in_.FreeTensor(in);
    }
    leave(sums(tensor)[core * kBlock], sum_);
  }

  void add_squares(const LocalTensor<T>& in, std::uint32_t count) {
    const auto elements = static_cast<std::int32_t>(count);
    if constexpr (sizeof(T) == 4) {
      Mul(values_, in, in, elements);
    } else {
      Cast(values_, in, RoundMode::CAST_NONE, count);
      PipeBarrier<PIPE_V>();
      Mul(values_, values_, values_, elements);
    }
    PipeBarrier<PIPE_V>();
    ReduceSum(values_, values_, temp_, elements);
    PipeBarrier<PIPE_V>();
    Add(sum_, sum_, values_, 1);
    PipeBarrier<PIPE_V>();
  }

  void finish(std::uint32_t tensor) {
    const std::uint32_t count = job_.cores * kBlock;
    DataCopy(sums_, sums(tensor), count);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID5);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID5);
    ReduceSum(sums_, sums_, temp_, static_cast<std::int32_t>(count));
    PipeBarrier<PIPE_V>();
    Sqrt(sums_, sums_, 8);
    PipeBarrier<PIPE_V>();
    leave(global(gm_.out, std::uint64_t{job_.tensors} * kBlock)[tensor * kBlock], sums_);
  }

  void leave(const GlobalTensor<float>& to, const Floats& from) {
    auto out = out_.template AllocTensor<float>();
    Adds(out, from, 0.0f, 8);
    out_.EnQue(out);
    out = out_.template DeQue<float>();
    DataCopy(to, out, kBlock);
    out_.FreeTensor(out);
  }

  Job job_;
  Lists<T> gm_;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> work_;
  Floats values_, temp_, sums_, sum_;
};

const KernelRegistrar g_foreach_norm(typed_kernel(
    "foreach_norm", "the norm of each tensor of a list: tensors width [type cores tiling]",
    []<class T>(sim::Device& device, const Params& params) {
      const Job job{params.size("tensors"), params.size("width"), vector_cores(device, params)};
      const Lists<T> gm{allocate<T>(device, job.tensors * job.width, "x"),
                        allocate<float>(device, std::uint64_t{job.tensors} * 64 * 8, "sums"),
                        allocate<float>(device, std::uint64_t{job.tensors} * 8, "out")};
      return vector_launch(device, params, "foreach_norm", {.tiling = 2824}, job.cores, [=] {
        ForeachNorm<T>(job, gm).run(static_cast<std::uint32_t>(GetBlockIdx()));
      });
    }));

}  // namespace
}  // namespace davsim::silicon
